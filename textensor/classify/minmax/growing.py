"""Documents that a min-max classifier has learnt from, and those that come later."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.labels import Labels, as_labels
from textensor.base.store import hash_of
from textensor.classify.minmax.plan import LabelBounds


def fingerprint(X: sp.csr_matrix, labels: Labels, weight: Floats | None, n: int) -> str:
    """Return a hash of the first n documents, their labels and weights."""
    end = X.indptr[n]
    answers = sp.csr_array(labels.questions)
    k = np.count_nonzero(labels.labelled[:n])
    arrays = [X.indptr[: n + 1].astype(np.int64), X.indices[:end], X.data[:end], labels.labelled[:n]]
    arrays += [
        answers.indptr[: k + 1].astype(np.int64),
        answers.indices[: answers.indptr[k]].astype(np.int64),
    ]
    arrays.append(np.ones(n) if weight is None else weight[:n])
    return hash_of({"classes": labels.names.tolist()}, arrays)


def cuts(bounds: list[LabelBounds], counts: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    """Return all that later documents are put into parts by."""
    cut = np.array([pair is not None for pair in bounds])
    return [cut, counts, *(array for pair in bounds if pair for side in pair for array in side)]


def one_by_one(y: Any) -> Any:
    """Return labels as an array or CSR to which others can be added; a column of classes is a vector."""
    if sp.issparse(y):
        return y.tocsr()
    labels = np.asarray(as_labels(y))
    return labels.ravel() if labels.ndim == 2 and labels.shape[1] == 1 else labels


def kept(y: Any) -> Any:
    """Return a copy of labels that a model file can hold: collections as a list."""
    return y.tolist() if y.dtype == object else y.copy()


def stacked(old: tuple[Any, Any, Any], new: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """Return old documents, labels and weights with new ones behind them, in the form of the old ones."""
    (X, y, weight), (more_X, more_y, more_weight) = old, new
    if weight is not None or more_weight is not None:
        weight = np.ones(X.shape[0]) if weight is None else weight
        more_weight = np.ones(more_X.shape[0]) if more_weight is None else more_weight
        weight = np.concatenate([weight, more_weight])
    if sp.issparse(y):
        answers = type(y)(sp.vstack([y, type(y)(more_y)]))
    else:
        answers = np.concatenate([y, more_y.toarray() if sp.issparse(more_y) else more_y])
    with np.errstate(over="ignore"):  # what is too large for 32 bits is refused later
        more_X = more_X.astype(X.dtype)
    return sp.vstack([X, more_X], format="csr"), answers, weight
