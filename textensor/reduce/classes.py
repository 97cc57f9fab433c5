"""The class of each document, as a number."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

__all__ = ["UNLABELLED", "Classes", "as_labels", "number_labels", "read_classes", "read_two_classes"]

#: The code of a document without a label.
UNLABELLED = -1


class Classes(NamedTuple):
    """One class for each document.

    Attributes
    ----------
    names : ndarray
        What the classes are called, sorted.
    codes : ndarray of int, one for each document
        The number of its class, or -1 where it has none.
    """

    names: npt.NDArray[Any]
    codes: npt.NDArray[np.intp]

    @property
    def labelled(self) -> npt.NDArray[np.bool_]:
        """Which documents have a label."""
        return np.asarray(self.codes != UNLABELLED)

    def indicator(self) -> sp.csr_array:
        """Return documents x classes: 1 for the class of a document, a row of zeros where it has none."""
        rows = np.flatnonzero(self.labelled)
        shape = len(self.codes), len(self.names)
        return sp.csr_array((np.ones(len(rows)), (rows, self.codes[rows])), shape=shape)


def as_labels(y: Any) -> Any:
    """Return labels as an array or sparse matrix; numpy would turn a -1 among strings into a string."""
    if sp.issparse(y) or isinstance(y, np.ndarray):
        return y
    labels = np.asarray(y)
    if labels.dtype.kind in "US" and labels.ndim == 1 and not all(isinstance(label, str) for label in y):
        return np.array(list(y), dtype=object)
    return labels


def number_labels(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """Return the different labels, sorted, and the number of each document's."""
    if y.dtype.kind == "O" and any(label is None for label in y):
        raise ValueError('y holds None: mark documents without a label by another value, such as "".')
    try:
        names, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise ValueError("y holds labels of several types, such as words and numbers: give one.") from error
    return names, codes


def read_classes(estimator: Any, X: Any, y: Any, unlabeled_value: Any = None) -> Classes:
    """Read a vector of classes; documents with ``unlabeled_value`` have none, if it is not None."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    y = as_labels(y)
    if y.ndim == 2 and y.shape[1] > 1:
        raise ValueError(
            f"y has several columns: {type(estimator).__name__} needs one class for each document."
        )
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    labelled = np.ones(len(y), dtype=bool)
    if unlabeled_value is not None:
        labelled &= np.asarray(y != unlabeled_value)
    if not labelled.any():
        raise ValueError("No document has a label: there is nothing to learn from.")
    codes = np.full(len(y), UNLABELLED)
    names, codes[labelled] = number_labels(y[labelled])
    check_classification_targets(y[labelled])
    return Classes(names, codes)


def read_two_classes(estimator: Any, X: Any, y: Any, unlabeled_value: Any = None) -> Classes:
    """Read a vector of classes for a method that tells classes apart: there must be two."""
    classes = read_classes(estimator, X, y, unlabeled_value)
    if len(classes.names) < 2:
        raise ValueError(
            f"{type(estimator).__name__} tells classes apart, and y has one class: give two or more."
        )
    return classes
