"""Steps that several protocols take: fit and time, choose C, find the nearest documents, keep scores."""

import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV
from sklearn.utils import gen_batches

from experiments.engine.declare import SEED
from textensor.base.labels import read_labels
from textensor.classify.thresholds import folds
from textensor.evaluate import F1Scores
from textensor.reduce import FewerAxesWarning

#: Distances in memory at a time.
BLOCK = 1 << 21


def timed(model: Any, *documents: Any) -> tuple[Any, float]:
    """Fit a model; return it and the seconds."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerAxesWarning)  # the grid may ask for more than the data has
        model.fit(*documents)
    return model, time.perf_counter() - start


def tuned(model: Any, grid: Sequence[float], y: Any, scoring: str | None = None) -> GridSearchCV:
    """Return a model whose C is chosen by cross-validation on the folds of these labels."""
    parts = list(folds(read_labels(y).questions, seed=SEED))
    return GridSearchCV(model, {"C": grid}, cv=parts, scoring=scoring)


def nearest_label(Z: Any, y: Any, queries: Any, k: int = 1, *, cosine: bool = False) -> npt.NDArray[Any]:
    """Return the label that most of the k nearest documents have; the nearer ones break ties.

    Documents are compared by the Euclidean distance, or by the ``cosine`` if they are of unit length, as
    plain terms (sparse) are.
    """
    lengths = np.zeros(Z.shape[0]) if cosine or sp.issparse(Z) else (Z**2).sum(axis=1)
    found = []
    for block in gen_batches(queries.shape[0], max(1, BLOCK // Z.shape[0])):
        products = queries[block] @ Z.T
        products = products.toarray() if sp.issparse(products) else products
        distances, lines = lengths - 2 * products, np.arange(len(products))[:, None]
        near = (
            np.argpartition(distances, k - 1, axis=1)[:, :k] if k > 1 else distances.argmin(axis=1)[:, None]
        )
        votes = np.zeros((len(products), y.max() + 1))
        np.add.at(votes, (lines, y[near]), 1 + 1e-3 * products[lines, near])
        found.append(votes.argmax(axis=1))
    return np.concatenate(found)


def record(scores: F1Scores) -> dict[str, Any]:
    """Return what is kept of scores; ``wrong`` names the wrong decisions, for sign tests."""
    wrong = (scores.truth != scores.assigned).tocoo()
    numbers = wrong.row.astype(np.int64) * len(scores.labels) + wrong.col
    if scores.protocol == "argmax":
        numbers = np.unique(wrong.row)
    return {
        "micro": scores.micro,
        "macro": scores.macro_mean_f1,
        "macro of means": scores.macro_f1_of_means,
        "per category": np.round(scores.per_category, 5).tolist(),
        "wrong": np.sort(numbers).tolist(),
    }
