"""Labels of every kind as yes-or-no questions, one for each label."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from textensor.base.labels import _numbered as number_labels

__all__ = ["Labels", "read_labels"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Labels:
    """The labels of documents.

    Attributes
    ----------
    kind : {"binary", "multiclass", "multilabel"}
        Two classes make one question, of the second class.
    classes : ndarray
        The classes; of an indicator, the numbers of its columns.
    labelled : ndarray of bool
        Which documents have labels.
    indicator : csc_array of bool, labelled documents x questions
        The answers.
    sparse : {"csr_array", "csr_matrix"} or None
        What a sparse indicator is given back as.
    """

    kind: str
    classes: npt.NDArray[Any]
    labelled: npt.NDArray[np.bool_]
    indicator: Any
    sparse: str | None = None

    @property
    def n_questions(self) -> int:
        """One for each label, or one for two classes."""
        return int(self.indicator.shape[1])

    def targets(self, question: int) -> Floats:
        """Return +1 or -1 for each labelled document."""
        y = np.full(self.indicator.shape[0], -1.0)
        y[self.indicator.indices[self.indicator.indptr[question] : self.indicator.indptr[question + 1]]] = 1.0
        return y

    def restricted(self, documents: npt.NDArray[np.intp], rows: npt.NDArray[np.intp]) -> "Labels":
        """Return the labels of some labelled documents, all questions kept, in a matrix of some rows."""
        labelled = np.isin(rows, np.flatnonzero(self.labelled)[documents])
        order = np.sort(documents)
        return Labels(self.kind, self.classes, labelled, self.indicator[order], self.sparse)

    def without_documents(self) -> "Labels":
        """Return what a fitted model needs to remember."""
        return Labels(self.kind, self.classes, self.labelled[:0], self.indicator[:0], self.sparse)

    def predict(self, decision: Floats) -> Any:
        """Turn decision values, documents x questions, into labels as they came."""
        if self.kind == "multilabel":
            chosen = decision > 0
            if self.sparse is None:
                return chosen.astype(np.int64)
            container = sp.csr_array if self.sparse == "csr_array" else sp.csr_matrix
            return container(chosen, dtype=np.int64)
        if len(self.classes) == 1:
            return np.repeat(self.classes, len(decision))
        if self.kind == "binary":
            return self.classes[(decision[:, 0] > 0).astype(np.intp)]
        return self.classes[decision.argmax(axis=1)]


def read_labels(y: Any, unlabeled_value: Any = None) -> Labels:
    """Read the labels of documents: a vector of classes or an indicator, dense or sparse.

    Parameters
    ----------
    y : array-like or sparse
        The labels.
    unlabeled_value : object
        The mark of a document without a label; in an indicator a whole row of it. None: there is no mark.
    """
    if sp.issparse(y) or (np.ndim(y) == 2 and np.shape(y)[1] > 1):
        return _read_indicator(y, unlabeled_value)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    labelled = np.ones(len(y), dtype=bool) if unlabeled_value is None else np.asarray(y != unlabeled_value)
    if not labelled.any():
        raise ValueError("No document has a label: there is nothing to learn from.")
    classes, codes = number_labels(y[labelled])
    check_classification_targets(y[labelled])
    binary = len(classes) <= 2
    columns = np.zeros(len(codes), dtype=np.intp) if binary else codes
    yes = codes == 1 if binary else np.ones(len(codes), dtype=bool)
    if len(classes) == 1:
        yes[:] = True
    shape = len(codes), 1 if binary else len(classes)
    rows = np.flatnonzero(yes)
    indicator = sp.csc_array((np.ones(len(rows), dtype=bool), (rows, columns[yes])), shape=shape)
    return Labels("binary" if binary else "multiclass", classes, labelled, indicator)


def _read_indicator(y: Any, unlabeled_value: Any) -> Labels:
    sparse = None
    if sp.issparse(y):
        sparse = "csr_array" if isinstance(y, sp.sparray) else "csr_matrix"
    elif np.asarray(y).dtype.kind not in "biuf":
        raise ValueError("Labels are a vector of classes, or an indicator of documents x labels, of 0 and 1.")
    if unlabeled_value in (0, 1):
        raise ValueError(f"unlabeled_value={unlabeled_value!r} has another meaning in an indicator: use -1.")
    matrix = sp.csr_array(y)
    if matrix.shape[1] == 0:
        raise ValueError("The label indicator has no columns: there is nothing to learn.")
    labelled = np.ones(matrix.shape[0], dtype=bool)
    if unlabeled_value is not None:
        marked = sp.csr_array(
            (matrix.data == unlabeled_value, matrix.indices, matrix.indptr), shape=matrix.shape
        )
        labelled = np.asarray(marked.sum(axis=1)).ravel() < matrix.shape[1]
    matrix = matrix[labelled]
    if not labelled.any():
        raise ValueError("No document has a label: there is nothing to learn from.")
    if not np.isin(matrix.data, (0, 1)).all():
        raise ValueError("A label indicator holds only 0 and 1.")
    indicator = sp.csc_array(matrix.astype(bool))
    indicator.eliminate_zeros()
    return Labels("multilabel", np.arange(matrix.shape[1]), labelled, indicator, sparse)
