"""Labels as all layers use them: one object for one label or several, with or without unlabelled documents.

:mod:`textensor.base.reading.y` makes it of whatever a user calls y.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats, Rows
from textensor.base.checks import flag, one_of
from textensor.base.kept import derived, keeps, labels, size, steps_of
from textensor.base.reading.label_sets import are_collections, indicator_of

#: The code of a document without a label.
UNLABELLED = -1
#: Bytes of a name that each predicted document may take.
MOST_WIDTH = 1000


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
        The labels, sorted; of an indicator, the names or numbers of its columns.
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

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the y that :meth:`__array__` returns."""
        return self.indicator.shape if self.several else (self.n_documents,)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return names, or an indicator of 0 and 1; -1, among strings "", if unlabelled."""
        if self.several:
            return np.array(self.as_y(), dtype=dtype, copy=copy)
        mark = UNLABELLED if self.names.dtype.kind in "biuf" else ""
        names = self.names if self.labelled.all() else np.append(self.names, mark)
        return np.array(names_at(names, self.codes), dtype=dtype, copy=copy)

    def rows(self, documents: npt.NDArray[Any]) -> "Labels":
        """Return the labels of some documents; all names are kept."""
        return replace(self, labelled=self.labelled[documents], indicator=self.indicator[documents])

    def with_unlabelled(self, n: int) -> "Labels":
        """Return the same labels with n unlabelled documents behind them."""
        indicator = self.indicator.copy()
        indicator.resize(self.n_documents + n, len(self.names))
        return replace(self, labelled=np.pad(self.labelled, (0, n)), indicator=indicator)

    def occurring(self) -> "Labels":
        """Return the same labels without the names that no document has."""
        kept = np.flatnonzero(self.counts)
        if len(kept) == len(self.names):
            return self
        return replace(self, names=self.names[kept], indicator=self.indicator[:, kept])

    def y_for(self, estimator: Any) -> Any:
        """Return the y of an estimator, label numbers for names; for one of another package an array."""
        y = replace(self, names=np.arange(len(self.names)), container=None)
        ours = all(type(step).__module__.startswith("textensor.") for step in steps_of(estimator))
        return y if ours else np.asarray(y)

    def among(self, names: npt.NDArray[Any]) -> "Labels":
        """Return the same labels with a column for each of ``names``, which include those that occur."""
        rows, columns = self.indicator.nonzero()
        columns = positions(self.names, names)[columns]
        return replace(self, names=names, indicator=indicator_of(rows, columns, self.n_documents, len(names)))

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

    def as_written(self) -> list[Any]:
        """Return the label of each document, ``""`` without one; in multilabel mode a tuple of labels."""
        names, numbers = self.names.tolist(), self.indicator.indices.tolist()
        ends = self.indicator.indptr.tolist()
        sets = [tuple(names[k] for k in numbers[start:stop]) for start, stop in pairwise(ends)]
        return sets if self.several else [one[0] if one else "" for one in sets]

    def predict(self, decision: Floats) -> Any:
        """Turn decision values, documents x questions, into labels of the kind that was read."""
        if self.several:
            chosen = decision > 0
            if self.container is None:
                return chosen.astype(np.int64)
            container = sp.csr_array if self.container == "csr_array" else sp.csr_matrix
            return container(chosen, dtype=np.int64)
        if len(self.names) == 1:
            return names_at(self.names, np.zeros(len(decision), dtype=np.intp))
        if self.kind == "binary":
            return names_at(self.names, (decision[:, 0] > 0).astype(np.intp))
        return names_at(self.names, decision.argmax(axis=1))


def as_labels(y: Any) -> Any:
    """Return labels as an array, sparse matrix or as read; collections of labels become objects."""
    if sp.issparse(y) or isinstance(y, np.ndarray | Labels):
        return y
    if are_collections(y):
        return np.fromiter(y, dtype=object)
    try:
        labels = np.asarray(y)
    except ValueError:
        raise ValueError("y has rows of different lengths: give sets of labels, or an indicator.") from None
    if labels.dtype.kind in "US" and labels.ndim == 1 and not all(isinstance(label, str) for label in y):
        return np.array(list(y), dtype=object)  # numpy turns a -1 among strings into a string
    return labels


def names_at(names: npt.NDArray[Any], places: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
    """Return the name of each document; an array of strings would take the room of the longest for each.

    Examples
    --------
    >>> names_at(np.array(["a", "b"]), np.array([1, 1])).dtype, names_at(np.array(["a" * 9999]), [0]).dtype
    (dtype('<U1'), dtype('O'))
    """
    long = names.dtype.kind == "U" and names.dtype.itemsize > MOST_WIDTH
    return np.asarray((names.astype(object) if long else names)[places])


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
