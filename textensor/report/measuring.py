"""The figures of an evaluation: averages and labels with their intervals, confusions, curves."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import average_precision_score, precision_recall_curve

from textensor.evaluate import F1Scores, coverage, f1_intervals
from textensor.evaluate.coverage import LEVELS
from textensor.evaluate.intervals import f1_bounds, wilson
from textensor.report.data import Automation, Curve, Figure, Headline, LabelFigures

#: Points of a drawn curve.
POINTS = 80


def headline(scores: F1Scores, *, confidence: float, min_documents: int) -> Headline:
    """Return micro and macro F1 with their intervals."""
    ends = f1_intervals(scores, confidence=confidence)
    measurable = scores.support >= min_documents
    some = measurable.any() and not measurable.all()
    return Headline(
        scores.protocol,
        Figure(scores.micro, *ends.micro),
        Figure(scores.macro_mean_f1, *ends.macro_mean_f1),
        float(scores.per_category[measurable].mean()) if some else None,
    )


def label_figures(
    scores: F1Scores, n_train: NDArray[Any] | None, *, confidence: float, min_documents: int
) -> list[LabelFigures]:
    """Return precision, recall and F1 of each label."""
    hits, assigned, actual = scores.counts
    precision = np.column_stack([scores.precision, *wilson(hits, assigned, confidence)])
    recall = np.column_stack([scores.recall, *wilson(hits, actual, confidence)])
    f1 = np.column_stack([scores.per_category, *f1_bounds(hits, assigned, actual, confidence)])
    return [
        LabelFigures(
            label,
            Figure(*precision[k].tolist()),
            Figure(*recall[k].tolist()),
            Figure(*f1[k].tolist()),
            int(actual[k]),
            int(assigned[k]),
            int(hits[k]),
            None if n_train is None else int(n_train[k]),
            bool(actual[k] >= min_documents),
        )
        for k, label in enumerate(scores.labels.tolist())
    ]


def automation(scores: F1Scores, certainty: Any, *, confidence: float) -> Automation:
    """Return how many documents are right above each probability; all labels of a document have to be."""
    right = (scores.truth != scores.assigned).sum(axis=1) == 0
    levels, curve = (coverage(certainty, right, at=at, confidence=confidence) for at in (LEVELS, None))
    return Automation(levels, curve)


def confusions(scores: F1Scores) -> sparse.csr_array:
    """Return how often a missed label (row) met a wrongly assigned one (column), hits on the diagonal.

    The last column counts labels missed in documents where nothing wrong was assigned, the last row labels
    wrongly assigned where none was missed. With one label per document this is the usual matrix.

    Examples
    --------
    >>> from textensor.evaluate import f1_by_argmax
    >>> confusions(f1_by_argmax(["a", "a", "b"], ["a", "b", "b"])).toarray()
    array([[1, 1, 0],
           [0, 1, 0],
           [0, 0, 0]])
    """
    hits = scores.hits.astype(np.int64)
    missed, wrong = (matrix.astype(np.int64) - hits for matrix in (scores.truth, scores.assigned))
    none_missed, none_wrong = (matrix.sum(axis=1) == 0 for matrix in (missed, wrong))
    missed = sparse.hstack([missed, sparse.csr_array((none_missed & ~none_wrong)[:, None].astype(np.int64))])
    wrong = sparse.hstack([wrong, sparse.csr_array((none_wrong & ~none_missed)[:, None].astype(np.int64))])
    found = sparse.diags_array(np.append(hits.sum(axis=0), 0), dtype=np.int64)
    result = sparse.csr_array(missed.T @ wrong + found).astype(np.int64)
    result.eliminate_zeros()
    return result


def curves(scores: F1Scores, decisions: NDArray[Any], *, confidence: float) -> Iterator[Curve]:
    """Yield precision against recall of every label that has a column and a document.

    The average precision is a mean over the documents that have the label: its interval is that of a share of
    so many.
    """
    truth = sparse.csc_array(scores.truth)
    for k, label in enumerate(scores.labels[: decisions.shape[1]].tolist()):
        true = np.zeros(scores.n_documents, dtype=bool)
        true[truth.indices[truth.indptr[k] : truth.indptr[k + 1]]] = True
        if true.any():
            values = decisions[:, k]
            precision, recall, _ = precision_recall_curve(true, values)
            precision, recall = precision[::-1], recall[::-1]
            at = np.unique(np.searchsorted(recall, np.linspace(0, 1, POINTS)).clip(max=len(recall) - 1))
            average = float(average_precision_score(true, values))
            low, high = wilson(average * true.sum(), true.sum(), confidence)
            yield Curve(
                label,
                tuple(recall[at].tolist()),
                tuple(precision[at].tolist()),
                Figure(average, float(low), float(high)),
                (float(scores.recall[k]), float(scores.precision[k])),
            )
