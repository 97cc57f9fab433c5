"""F1 by assignment and by arg max: micro, macro and per category.

Two protocols, which give different figures for the same classifier and are never mixed:

- *by assignment*: every one-vs-rest decision counts on its own; a document gets each category whose decision
  value is above zero, so it may get none or several.
- *by arg max*: a document gets exactly one category, the one with the largest decision value.

Two macro averages: ``"mean_f1"``, the mean of the categories' F1, and ``"f1_of_means"``, the F1 of the mean
precision and the mean recall. Everywhere 0/0 = 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textensor.base.arrays import Floats
from textensor.base.checks import check, one_of
from textensor.base.labels import Labels, positions
from textensor.base.plain import counted
from textensor.base.reading.y import label_names, read_truth, read_vector
from textensor.evaluate.decisions import Pairs, assigned_pairs, decision_matrix, marked, top_columns

#: With fewer documents than this, the F1 of a label is called not measurable.
MEASURABLE = 5

Macro = Literal["mean_f1", "f1_of_means"]
Protocol = Literal["assignment", "argmax"]
Counts = NDArray[Any]


def ratio(numerator: Any, denominator: Any) -> Floats:
    """Return numerator / denominator with 0/0 = 0."""
    denominator = np.asarray(denominator, dtype=float)
    return np.divide(numerator, denominator, out=np.zeros_like(denominator), where=denominator > 0)


# The measures take hits (true positives), assigned and actual documents with the categories on the last axis,
# so that one line serves a test set and a thousand resamples of it; ``kept`` masks categories of the average.


def category_f1(hits: Counts, assigned: Counts, actual: Counts) -> Floats:
    """Return 2rp/(r+p) per category, which is 2 hits / (assigned + actual)."""
    return ratio(2 * hits, assigned + actual)


def micro_f1(hits: Counts, assigned: Counts, actual: Counts) -> Floats:
    """Return the F1 of all decisions taken together."""
    return category_f1(hits.sum(axis=-1), assigned.sum(axis=-1), actual.sum(axis=-1))


def mean_f1(hits: Counts, assigned: Counts, actual: Counts, kept: Any = True) -> Floats:
    """Return the mean of the categories' F1."""
    return np.mean(category_f1(hits, assigned, actual), axis=-1, where=kept)


def f1_of_means(hits: Counts, assigned: Counts, actual: Counts, kept: Any = True) -> Floats:
    """Return the F1 of the mean precision and the mean recall."""
    precision = np.mean(ratio(hits, assigned), axis=-1, where=kept)
    recall = np.mean(ratio(hits, actual), axis=-1, where=kept)
    return ratio(2 * precision * recall, precision + recall)


@dataclass(frozen=True, eq=False, repr=False)
class F1Scores:
    """F1 figures of one system on one test set, with the decisions they were counted from.

    Made by :func:`f1_by_assignment` and :func:`f1_by_argmax`; taken by
    :func:`~textensor.evaluate.f1_intervals` and the significance tests.

    Attributes
    ----------
    protocol : {"assignment", "argmax"}
        How a document gets its categories.
    macro_average : {"mean_f1", "f1_of_means"}
        Which average ``macro`` is.
    labels : ndarray of shape (n_categories,)
        The categories, in the order of all arrays here.
    truth, assigned : csr_array of bool, documents x categories
        What is true, and what the system says.
    """

    protocol: Protocol
    macro_average: Macro
    labels: NDArray[Any]
    truth: sparse.csr_array
    assigned: sparse.csr_array

    @cached_property
    def hits(self) -> sparse.csr_array:
        """Documents x categories: assigned and true."""
        return self.truth.multiply(self.assigned).tocsr()

    @cached_property
    def counts(self) -> tuple[Counts, Counts, Counts]:
        """Hits, assigned documents and true documents per category."""
        hits, assigned, actual = (matrix.sum(axis=0) for matrix in (self.hits, self.assigned, self.truth))
        return hits, assigned, actual

    @property
    def n_documents(self) -> int:
        """Number of documents in the test set."""
        return int(self.truth.shape[0])

    @property
    def support(self) -> Counts:
        """True documents per category."""
        return self.counts[2]

    @property
    def precision(self) -> Floats:
        """Precision per category."""
        return ratio(self.counts[0], self.counts[1])

    @property
    def recall(self) -> Floats:
        """Recall per category."""
        return ratio(self.counts[0], self.counts[2])

    @property
    def per_category(self) -> Floats:
        """F1 per category."""
        return category_f1(*self.counts)

    @property
    def micro(self) -> float:
        """F1 of all decisions taken together."""
        return float(micro_f1(*self.counts))

    @property
    def macro(self) -> float:
        """The macro average that was asked for."""
        return self.macro_mean_f1 if self.macro_average == "mean_f1" else self.macro_f1_of_means

    @property
    def macro_mean_f1(self) -> float:
        """Mean of the categories' F1."""
        return float(mean_f1(*self.counts))

    @property
    def macro_f1_of_means(self) -> float:
        """F1 of the mean precision and the mean recall."""
        return float(f1_of_means(*self.counts))

    def __repr__(self) -> str:
        return (
            f"F1Scores(by {self.protocol}: micro={self.micro:.4f}, macro={self.macro:.4f} "
            f"({self.macro_average}), {len(self.labels)} categories, {self.n_documents} documents)"
        )


class Result(NamedTuple):
    """The scores of one method on one split.

    Attributes
    ----------
    method : str
        Name of the method.
    size : str
        Name of the training size, such as ``"5%"``.
    n_train : int
        Number of training documents with a label.
    scores : sequence of F1Scores
        One for each protocol.
    seconds : float
        Time to fit and to decide.
    """

    method: str
    size: str
    n_train: int
    scores: Sequence[F1Scores]
    seconds: float


def f1_by_assignment(
    y_true: Any, decisions: Any, *, classes: Any = None, labels: Any = None, macro: Macro = "mean_f1"
) -> F1Scores:
    """Score every one-vs-rest decision: a document gets each category with a decision value above zero.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,), indicator of shape (n_documents, n_columns) or Labels
        One label per document, or in multilabel mode a collection of labels per document or an indicator of
        zeros and ones, dense or sparse.
    decisions : array-like or sparse matrix of shape (n_documents, n_columns) or (n_documents,)
        Decision values; f > 0 assigns, so a matrix of 0/1 predictions works too. A single column is a binary
        decision and scores one category: the second of the two ``classes``.
    classes : array-like, optional
        The labels of the columns, such as ``classifier.classes_``. By default the sorted labels of
        ``y_true``, if there are as many as columns; 0, 1, ... for an indicator.
    labels : array-like, optional
        The categories to score, in this order; by default those of the columns. A category without a true
        document has F1 = 0 and *is* part of the macro averages: leave it out of ``labels`` to leave it out of
        them. A category without a column is never assigned. What is true of, or assigned to, categories that
        are not named does not count.
    macro : {"mean_f1", "f1_of_means"}
        Which average ``.macro`` is; the other one stays at hand.

    Examples
    --------
    The first document gets "a", the second none, the third both.

    >>> from textensor.evaluate import f1_by_assignment
    >>> scores = f1_by_assignment(["a", "b", "b"], [[0.7, -0.1], [-0.2, -0.3], [0.1, 0.4]])
    >>> scores
    F1Scores(by assignment: micro=0.6667, macro=0.6667 (mean_f1), 2 categories, 3 documents)
    >>> scores.precision, scores.recall
    (array([0.5, 1. ]), array([1. , 0.5]))
    """
    matrix = decision_matrix(decisions)
    classes = None if classes is None else label_names(classes, "classes")
    truth = read_truth(y_true, "y_true", classes)
    return _score("assignment", truth, assigned_pairs(matrix), matrix.shape, classes, labels, macro)


def f1_by_argmax(
    y_true: Any, predictions: Any, *, classes: Any = None, labels: Any = None, macro: Macro = "mean_f1"
) -> F1Scores:
    """Score one category per document: the predicted one, or that of the largest decision value.

    Parameters
    ----------
    y_true, labels, macro
        As in :func:`f1_by_assignment`.
    predictions : array-like of shape (n_documents,) or (n_documents, n_columns)
        Predicted labels (one dimension) or decision values (two). The first of equal decision values wins. A
        single column of decision values is binary: f > 0 is the second class, else the first.
    classes : array-like, optional
        The labels of the columns, such as ``classifier.classes_``. By default the sorted labels of ``y_true``
        (and of predicted labels); 0, 1, ... for an indicator.

    Examples
    --------
    >>> from textensor.evaluate import f1_by_argmax
    >>> f1_by_argmax(["a", "b", "b", "c"], ["a", "b", "c", "c"])
    F1Scores(by argmax: micro=0.7500, macro=0.7778 (mean_f1), 3 categories, 4 documents)
    """
    classes = None if classes is None else label_names(classes, "classes")
    truth = read_truth(y_true, "y_true", classes)
    if np.ndim(predictions) == 2:
        matrix = decision_matrix(predictions, accept_sparse=False)
        assigned, n_columns = top_columns(matrix), max(2, matrix.shape[1])
    else:
        classes, assigned = _predicted(predictions, truth, classes)
        n_columns = len(classes)
    shape = len(assigned), n_columns
    return _score("argmax", truth, (np.arange(shape[0]), assigned), shape, classes, labels, macro)


def _predicted(
    predictions: Any, truth: Labels, classes: NDArray[Any] | None
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes, and the number of each document's predicted one."""
    found = read_vector(predictions, "predictions")
    if found.names.dtype.kind == "f" and (found.names != np.round(found.names)).any():
        raise ValueError("predictions are no labels: give decision values as documents x columns.")
    if classes is None:
        classes = truth.names if truth.several else np.union1d(truth.names, found.names)
    columns = positions(found.names, classes)[found.codes]
    if (columns < 0).any():
        row = int(np.argmax(columns < 0))
        raise ValueError(f"predictions has {found.of(row)[0]!s} in row {row}: add it to classes.")
    return classes, columns


def _score(
    protocol: Protocol,
    truth: Labels,
    assigned: Pairs,
    shape: tuple[int, int],
    classes: NDArray[Any] | None,
    labels: Any,
    macro: Macro,
) -> F1Scores:
    """Bring the true and the assigned pairs to the scored categories."""
    check("macro", macro, one_of("mean_f1", "f1_of_means"))
    if truth.n_documents != shape[0]:
        raise ValueError(
            f"y_true has {counted(truth.n_documents, 'document')}, the predictions {shape[0]}: give the same."
        )
    known = truth.names if classes is None else classes
    columns = known[1:] if shape[1] == 1 and len(known) == 2 and not truth.several else known
    if len(columns) != shape[1]:
        raise ValueError(
            f"{counted(shape[1], 'column')} for {counted(len(columns), 'label')}: give a column for each "
            "label, and name the labels in classes= if they are not those of y_true."
        )
    actual = truth.indicator.nonzero()
    if labels is None:
        _refuse_unknown(actual, truth.names, known)
    scored = columns if labels is None else label_names(labels, "labels")
    size = (shape[0], len(scored))
    true = marked(actual, positions(truth.names, scored), size)
    return F1Scores(protocol, macro, scored, true, marked(assigned, positions(columns, scored), size))


def _refuse_unknown(actual: Pairs, names: NDArray[Any], known: NDArray[Any]) -> None:
    """Raise if a document's label has no column: leaving it out silently would flatter the system."""
    unknown = positions(names, known)[actual[1]] < 0
    if unknown.any():
        first = int(np.argmax(unknown))
        raise ValueError(
            f"y_true has {names[actual[1][first]]!s} in row {actual[0][first]}, which no column stands for: "
            "name the categories to score in labels= (with it, it counts as never found; else not at all)."
        )
