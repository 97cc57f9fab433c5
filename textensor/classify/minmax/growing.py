"""Documents that a min-max classifier has learnt from, and those that come later."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.kept import floats, keeps, matrix, none_or, require
from textensor.base.labels import Labels, as_labels, positions
from textensor.base.reading.y import read_labels
from textensor.base.store import hash_of
from textensor.classify.minmax.plan import LabelBounds

OTHER_CLASSES = "The classes are not those of the first fit: fit all documents anew."


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


@keeps(
    X=matrix("n_documents", "n_terms"),
    answers=matrix("n_documents", "n_classes"),
    labelled=floats("n_documents"),
    weight=none_or(floats("n_documents")),
)
class Documents(NamedTuple):
    """The documents that a model keeps.

    Attributes
    ----------
    X : csr_matrix
        The documents.
    answers : csr_matrix of shape (n_documents, n_classes)
        1 where a document has a label.
    labelled : ndarray of shape (n_documents,)
        1 if a document has labels, 0 if it has not.
    weight : ndarray of shape (n_documents,) or None
        Their weights.
    """

    X: sp.csr_matrix
    answers: sp.csr_matrix
    labelled: Floats
    weight: Floats | None

    @classmethod
    def of(cls, X: sp.csr_matrix, labels: Labels, weight: Floats | None) -> "Documents":
        """Copy documents: what the caller does to theirs later is not to change these."""
        has = labels.indicator
        ones = np.ones(has.nnz, dtype=np.float32)
        answers = sp.csr_matrix((ones, has.indices, has.indptr), shape=has.shape)
        return cls(sp.csr_matrix(X, copy=True), answers, labels.labelled.astype(np.float32), weight)

    def labels(self, like: Labels) -> Labels:
        """Return the labels, of the names and the kind of others."""
        return replace(like, labelled=self.labelled > 0, indicator=sp.csr_array(self.answers, dtype=bool))

    def check_kept(self, several: bool) -> None:
        """Refuse answers in a model file that are no labels."""
        ones = (self.answers.data == 1).all() and np.isin(self.labelled, (0, 1)).all()
        given = np.diff(self.answers.indptr)
        fits = (given[self.labelled == 0] == 0).all() and (several or (given[self.labelled > 0] == 1).all())
        require(ones and fits and self.answers.has_canonical_format, "its documents have no such labels")
        require(self.weight is None or (self.weight >= 0).all(), "it has a weight below 0")


def read_more(y: Any, unlabeled_value: Any, first: Labels) -> Labels:
    """Read the labels of documents that come later, which have names of the first ones only."""
    y = as_labels(y)
    new = read_labels(y, unlabeled_value)
    kinds = {(of.several, of.names.dtype.kind in "biuf") for of in (new, first)}
    known = len(kinds) == 1 and (positions(new.names, first.names) >= 0).all()
    indicator = new.several and getattr(y, "ndim", 1) == 2
    if not known or (indicator and y.shape[1] != len(first.names)):
        raise ValueError(OTHER_CLASSES)
    return replace(new.among(first.names), container=first.container)


def stacked(old: Documents, first: Labels, X: Any, new: Labels, weight: Any) -> tuple[Any, Labels, Any]:
    """Return old documents, labels and weights with new ones behind them, in the form of the old ones."""
    if old.weight is not None or weight is not None:
        both = zip((old.weight, weight), (old.X, X), strict=True)
        weight = np.concatenate([np.ones(of.shape[0]) if own is None else own for own, of in both])
    labels = old.labels(first)
    labelled = np.append(labels.labelled, new.labelled)
    indicator = sp.csr_array(sp.vstack([labels.indicator, new.indicator]))
    labels = replace(labels, labelled=labelled, indicator=indicator)
    with np.errstate(over="ignore"):  # what is too large for 32 bits is refused later
        X = X.astype(old.X.dtype)
    return sp.vstack([old.X, X], format="csr"), labels, weight
