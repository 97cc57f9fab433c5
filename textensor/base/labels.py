"""Labels, read once: whatever a user calls y becomes one object that all layers use.

There are two ways in. :func:`read_labels` takes the y of an estimator: a vector of classes or an indicator,
dense or sparse. :func:`read_named` takes the labels of documents as people write them: a string or a whole
number for each, or a collection of them. Both return :class:`Labels`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats, Rows
from textensor.base.checks import flag, one_of
from textensor.base.indicator import canonical, marked_rows, true_cells
from textensor.base.kept import derived, keeps, labels, size

#: The code of a document without a label.
UNLABELLED = -1


@keeps(
    names=labels("n_classes"),
    several=flag,
    container=one_of(None, "csr_array", "csr_matrix"),
    n_questions=derived(size("n_questions")),
)
@dataclass(frozen=True)
class Labels:
    """Which labels documents have.

    Attributes
    ----------
    names : ndarray
        The labels, sorted; the column numbers of an indicator.
    several : bool
        Whether a document may have several labels.
    labelled : ndarray of bool of shape (n_documents,)
        Which documents have labels. In multilabel mode a labelled document may have none that applies.
    indicator : csr_array of bool, documents x labels
        The labels of each document; the row of an unlabelled one is empty.
    container : {"csr_array", "csr_matrix"} or None
        The type of predictions, if the indicator was sparse.
    """

    names: npt.NDArray[Any]
    several: bool
    labelled: npt.NDArray[np.bool_]
    indicator: sp.csr_array
    container: str | None = None

    @property
    def kind(self) -> str:
        """``"binary"``, ``"multiclass"`` or ``"multilabel"``."""
        if self.several:
            return "multilabel"
        return "binary" if len(self.names) <= 2 else "multiclass"

    @property
    def n_documents(self) -> int:
        """Number of documents, with or without labels."""
        return len(self.labelled)

    @property
    def counts(self) -> Rows:
        """Number of documents for each label."""
        return np.bincount(self.indicator.indices, minlength=len(self.names))

    @cached_property
    def codes(self) -> Rows:
        """The number of each document's label, -1 if it has none; single-label mode only."""
        codes = np.full(self.n_documents, UNLABELLED)
        codes[self.labelled] = self.indicator.indices
        return codes

    @cached_property
    def questions(self) -> sp.csc_array:
        """The answers, labelled documents x yes-or-no questions: one for each label, one for two classes."""
        answers = sp.csc_array(self.indicator[np.flatnonzero(self.labelled)])
        return answers if self.kind != "binary" else answers[:, [len(self.names) - 1]]

    @property
    def n_questions(self) -> int:
        """Number of yes-or-no questions."""
        return 1 if self.kind == "binary" else len(self.names)

    def targets(self, question: int) -> Floats:
        """Return +1 or -1 for each labelled document."""
        starts = self.questions.indptr
        y = np.full(self.questions.shape[0], -1.0)
        y[self.questions.indices[starts[question] : starts[question + 1]]] = 1.0
        return y

    def rows(self, documents: npt.NDArray[Any]) -> "Labels":
        """Return the labels of some documents; all names are kept."""
        return Labels(
            self.names, self.several, self.labelled[documents], self.indicator[documents], self.container
        )

    def without_documents(self) -> "Labels":
        """Return what a fitted model needs to remember."""
        return self._restore(self.names, self.several, self.container)

    @classmethod
    def _restore(cls, names: npt.NDArray[Any], several: bool, container: str | None) -> "Labels":
        """Return the labels of no documents."""
        nothing = sp.csr_array((0, len(names)), dtype=bool)
        return cls(names, several, np.zeros(0, dtype=bool), nothing, container)

    def truth(self) -> npt.NDArray[np.bool_]:
        """Return documents x labels, dense."""
        return np.asarray(self.indicator.toarray())

    def as_y(self) -> npt.NDArray[np.signedinteger[Any]]:
        """Return the y of an estimator: label numbers, or an indicator of 0 and 1; -1 if unlabelled."""
        if not self.several:
            return self.codes
        y = self.indicator.toarray().astype(np.int8)
        y[~self.labelled] = UNLABELLED
        return y

    def of(self, document: int) -> tuple[Any, ...]:
        """Return the labels of a document."""
        start, stop = self.indicator.indptr[document : document + 2]
        return tuple(self.names[self.indicator.indices[start:stop]].tolist())

    def predict(self, decision: Floats) -> Any:
        """Turn decision values, documents x questions, into labels of the kind that was read."""
        if self.several:
            chosen = decision > 0
            if self.container is None:
                return chosen.astype(np.int64)
            container = sp.csr_array if self.container == "csr_array" else sp.csr_matrix
            return container(chosen, dtype=np.int64)
        if len(self.names) == 1:
            return np.repeat(self.names, len(decision))
        if self.kind == "binary":
            return self.names[(decision[:, 0] > 0).astype(np.intp)]
        return self.names[decision.argmax(axis=1)]


def read_labels(y: Any, unlabeled_value: Any = None) -> Labels:
    """Read the y of an estimator: a vector of classes, or an indicator of documents x labels.

    Parameters
    ----------
    y : array-like or sparse
        The labels.
    unlabeled_value : object, default=None
        The mark of a document without a label, in an indicator a whole row of it. None: there is no mark.

    Examples
    --------
    >>> read_labels(["b", "", "a"], unlabeled_value="").codes.tolist()
    [1, -1, 0]
    >>> read_labels([[1, 1], [-1, -1], [0, 1]], unlabeled_value=-1).labelled.tolist()
    [True, False, True]
    """
    from sklearn.utils import assert_all_finite, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

    y = as_labels(y)
    if sp.issparse(y) or (y.ndim == 2 and y.shape[1] > 1):
        return _read_indicator(y, unlabeled_value)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    labelled = np.ones(len(y), dtype=bool) if unlabeled_value is None else np.asarray(y != unlabeled_value)
    if not labelled.any():
        raise ValueError("No document has a label: there is nothing to learn from.")
    names, codes = _numbered(y[labelled])
    check_classification_targets(y[labelled])
    return Labels(names, False, labelled, _indicator(np.flatnonzero(labelled), codes, len(y), len(names)))


def read_classes(estimator: Any, X: Any, y: Any, unlabeled_value: Any = None, *, at_least: int = 1) -> Labels:
    """Read one class for each document of X, for an estimator that takes no indicator.

    As in :func:`read_labels`; messages name the estimator, which needs ``at_least`` so many classes.
    """
    from sklearn.utils import check_consistent_length

    name = type(estimator).__name__
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    y = as_labels(y)
    if y.ndim == 2 and y.shape[1] > 1:
        raise ValueError(f"y has several columns: {name} needs one class for each document.")
    check_consistent_length(X, y)
    labels = read_labels(y, unlabeled_value)
    if len(labels.names) < at_least:
        raise ValueError(f"{name} tells classes apart, and y has one class: give two or more.")
    return labels


def read_named(labels: Iterable[Any], names: Sequence[Any] | None = None) -> Labels:
    """Read labels as people write them: one for each document, or a tuple, list or set of them.

    ``""``, None and an empty collection mean that a document has no label.

    Parameters
    ----------
    labels : iterable
        Strings or whole numbers, or collections of them.
    names : sequence or None, default=None
        The known labels, others are left out; by default all that occur.

    Examples
    --------
    >>> read_named(["b", "", "a"]).as_y().tolist()
    [1, -1, 0]
    >>> read_named([("a", "b"), (), ["b"]]).as_y().tolist()
    [[1, 1], [-1, -1], [0, 1]]
    """
    given = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    several = any(isinstance(one, tuple | list | set | frozenset) for one in given)
    sets = [_named(one, several) for one in given]
    if names is None:
        found = {name for one in sets for name in one}
        names = sorted(found, key=lambda name: (type(name).__name__, name))
    known = list(names)
    if len(set(map(str, known))) < len(known):
        raise ValueError("A number and a string are the same label, such as 1 and '1': give one type.")
    column = {name: k for k, name in enumerate(known)}
    pairs = [(d, column[name]) for d, one in enumerate(sets) for name in one if name in column]
    rows, columns = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    indicator = _indicator(rows, columns, len(sets), len(known))
    return Labels(np.array(known), several, np.diff(indicator.indptr) > 0, indicator)


def as_labels(y: Any) -> Any:
    """Return labels as an array or sparse matrix; numpy would turn a -1 among strings into a string."""
    if sp.issparse(y) or isinstance(y, np.ndarray):
        return y
    labels = np.asarray(y)
    if labels.dtype.kind in "US" and labels.ndim == 1 and not all(isinstance(label, str) for label in y):
        return np.array(list(y), dtype=object)
    return labels


def label_vector(y: Any, name: str) -> npt.NDArray[Any]:
    """Return one label for each document as an array of numbers or of strings; messages call it ``name``."""
    if np.ndim(y) != 1:
        raise ValueError(f"{name} must have one dimension, a label per entry: got shape {np.shape(y)}.")
    values = np.asarray(y)
    if values.dtype.kind not in "biufUS":
        strings = [isinstance(value, str) for value in values]
        if any(strings) and not all(strings):
            entry = strings.index(not strings[0])
            raise ValueError(f"{name} mixes strings with something else at entry {entry}: use strings only.")
        values = np.asarray(values.tolist())
    if values.dtype.kind not in "biufUS":
        raise ValueError(f"{name} holds {values.dtype} values: use numbers or strings.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        entry = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name} has no label at entry {entry}: leave that document out or label it.")
    return values


def label_names(labels: Any, name: str) -> npt.NDArray[Any]:
    """Return a list of categories as an array; an empty list and a category named twice are refused."""
    names = label_vector(labels, name)
    if len(names) == 0:
        raise ValueError(f"{name} is empty: name at least one category.")
    if len(np.unique(names)) < len(names):
        raise ValueError(f"{name} names a category twice: give each category once.")
    return names


def positions(values: npt.NDArray[Any], labels: npt.NDArray[Any]) -> Rows:
    """Return the position of each value in ``labels``, -1 if it is not there.

    Examples
    --------
    >>> positions(np.array(["b", "x", "a"]), np.array(["b", "a"]))
    array([ 0, -1,  1])
    """
    if (values.dtype.kind in "US") != (labels.dtype.kind in "US"):
        raise ValueError(
            f"Labels of type {values.dtype} cannot be among labels of type {labels.dtype}: "
            "use strings everywhere or numbers everywhere."
        )
    order = np.argsort(labels, kind="stable")
    found = order[np.searchsorted(labels, values, sorter=order).clip(max=len(labels) - 1)]
    return np.where(labels[found] == values, found, -1)


def _indicator(rows: Rows, columns: Rows, n_documents: int, n_names: int) -> sp.csr_array:
    ones = np.ones(len(rows), dtype=bool)
    return sp.csr_array((ones, (rows, columns)), shape=(n_documents, n_names))


def _numbered(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Rows]:
    """Return the different labels, sorted, and the number of each document's."""
    if y.dtype.kind == "O" and any(label is None for label in y):
        raise ValueError('y holds None: mark documents without a label by another value, such as "".')
    try:
        names, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise ValueError("y holds labels of several types, such as words and numbers: give one.") from error
    return names, codes


def _read_indicator(y: Any, unlabeled_value: Any) -> Labels:
    container = None
    if sp.issparse(y):
        container = "csr_array" if isinstance(y, sp.sparray) else "csr_matrix"
        y = canonical(y)
    elif y.dtype.kind not in "biuf":
        raise ValueError("Labels are a vector of classes, or an indicator of documents x labels, of 0 and 1.")
    if unlabeled_value in (0, 1):
        raise ValueError(f"unlabeled_value={unlabeled_value!r} has another meaning in an indicator: use -1.")
    n, n_names = y.shape
    if n_names == 0:
        raise ValueError("The label indicator has no columns: there is nothing to learn.")
    labelled = np.ones(n, dtype=bool) if unlabeled_value is None else ~marked_rows(y, unlabeled_value)
    if not labelled.any():
        raise ValueError("No document has a label: there is nothing to learn from.")
    indicator = _indicator(*true_cells(y, "y", labelled), n, n_names)
    return Labels(np.arange(n_names), True, labelled, indicator, container)


def _named(one: Any, several: bool) -> tuple[Any, ...]:
    if isinstance(one, tuple | list | set | frozenset):
        found = tuple(dict.fromkeys(one))
    else:
        found = () if one is None or (isinstance(one, str) and one == "") else (one,)
        if several and found:
            raise ValueError(f"The label {one!r:.80} stands alone where others are in lists: give lists.")
    found = tuple(name.item() if isinstance(name, np.generic) else name for name in found)
    for name in found:
        if not isinstance(name, str | int) or isinstance(name, bool) or name == "":
            raise ValueError(f"A label is a string or a whole number, not {name!r:.80}.")
        if isinstance(name, str) and name.endswith("\0"):  # numpy would drop it
            raise ValueError(f"The label {name!r:.80} ends in a NUL character: remove it.")
    return found
