"""What the tables share: the three ways to index, each with the time it takes."""

import time
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD

from textensor.reduce import TensorLSI

#: The paper's grid has 20 columns.
COLUMNS = 20


def lsi(X: Any, k: int) -> tuple[Any, float]:
    """Fit LSI with k components, fewer where the documents have no more; return it and the seconds."""
    start = time.perf_counter()
    model = TruncatedSVD(min(k, min(X.shape) - 1), random_state=0).fit(X)
    return model, time.perf_counter() - start


def tensor_lsi(X: Any, k: int, columns: int = COLUMNS) -> tuple[Any, float]:
    """Fit TensorLSI with k components; return it and the seconds."""
    start = time.perf_counter()
    model = TensorLSI(k, shape=(-1, columns), n_jobs=2).fit(X)
    return model, time.perf_counter() - start


def nearest_class(Z: Any, y: np.ndarray, queries: Any, k: int = 4) -> np.ndarray:
    """Return the class most of the k nearest by cosine have; the nearer ones decide between equals."""
    cosines = queries @ Z.T
    cosines = cosines.toarray() if hasattr(cosines, "toarray") else cosines
    rows = np.arange(len(cosines))[:, None]
    found = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    votes = np.zeros((len(cosines), y.max() + 1))
    np.add.at(votes, (rows, y[found]), 1 + 1e-3 * cosines[rows, found])
    return votes.argmax(axis=1)


def unit(Z: np.ndarray) -> np.ndarray:
    """Return rows of length 1; those of zeros stay."""
    lengths = np.linalg.norm(Z, axis=1, keepdims=True)
    return Z / np.where(lengths > 0, lengths, 1.0)
