"""From truth, decisions and texts to an evaluation."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textensor.base.labels import positions
from textensor.base.plain import counted
from textensor.base.reading.y import label_names, read_truth
from textensor.evaluate import F1Scores, f1_by_argmax, f1_by_assignment
from textensor.evaluate.decisions import decision_matrix
from textensor.evaluate.f1 import MEASURABLE
from textensor.report.data import Duplicate, Evaluation, Headline, Mistake, Reason, Run, SizePoint
from textensor.report.duplicates import near_duplicates
from textensor.report.measuring import automation, confusions, curves, headline, label_figures

#: Mistakes and duplicates that are shown, labels of a mistake that are explained, terms of an explanation.
N_MISTAKES, N_DUPLICATES, N_REASONS, N_TERMS = 20, 20, 4, 8
LARGEST = 1e300
#: What an explanation names beside terms.
NO_TERMS = frozenset(
    ["(all other terms)", "(everything else)", "(coordinates)", "(intercept)", "(threshold)"]
)

#: Given the number of a document and labels of the model, says why they were decided on as they were:
#: for each something with ``label``, ``decision`` and ``parts``, as ``explain`` of the classifiers returns.
Explain = Callable[[int, list[Any]], Iterable[Any]]


def evaluate_model(
    truth: Any,
    decisions: Any,
    classes: Any,
    *,
    run: Run | None = None,
    texts: Sequence[str] | None = None,
    train_texts: Sequence[str] | None = None,
    n_train: Mapping[Any, int] | None = None,
    terms: Mapping[Any, Sequence[tuple[str, float]]] | None = None,
    explain: Explain | None = None,
    certainty: Any = None,
    sizes: Sequence[SizePoint] = (),
    confidence: float = 0.95,
    min_documents: int = MEASURABLE,
) -> Evaluation:
    """Measure the decisions of a model, and find its worst mistakes.

    One label per document is scored by arg max and by assignment, several labels by assignment alone.

    Parameters
    ----------
    truth : array-like of shape (n_documents,) or indicator of shape (n_documents, n_labels)
        A label or a collection of labels for each document, or zeros and ones. A label that is not among
        ``classes`` is scored as one that is never found.
    decisions : array-like of shape (n_documents, n_classes) or (n_documents,)
        Decision values, above 0 is yes; a single column is for the second of two classes. Predictions of
        zeros and ones will do, but have no precision-recall curves.
    classes : array-like of shape (n_classes,)
        The labels of the columns.
    run : Run, optional
        What was run, and how to run it again.
    texts, train_texts : sequence of str, optional
        What the documents say: for the mistakes, and to find near-duplicates between test and training.
    n_train : mapping of label to int, optional
        Training documents of each label.
    terms : mapping of label to sequence of (term, weight), optional
        The most telling terms of each label.
    explain : callable, optional
        ``explain(document, labels)`` returns an :class:`~textensor.classify.onevsrest.Explanation` for each
        label; it is asked about the mistakes that are shown.
    certainty : array-like of shape (n_documents,), optional
        The probability that a document's labels are right: how many documents could be automated.
    sizes : sequence of SizePoint, optional
        F1 against training size.
    confidence : float, default=0.95
        Of all intervals.
    min_documents : int, default=5
        With fewer true documents, a label is not measurable.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from textensor.report import evaluate_model
    >>> found = evaluate_model(["tea", "tea", "rice"], [[2, -1], [-1, 3], [-2, 1]], ["tea", "rice"])
    >>> round(found.headlines[0].micro.value, 3), found.labels[0].measurable
    (0.667, False)
    >>> found.mistakes[0]
    Mistake(document=1, text=None, true=('tea',), assigned=('rice',), margin=4.0, reasons=())
    """
    # An infinite decision is a decision, but two of them have no difference.
    values = np.clip(decision_matrix(decisions, accept_sparse=False).astype(np.float64), -LARGEST, LARGEST)
    scored, columns = _scored(truth, values, classes)
    scores = scored[0]
    if texts is not None and len(texts) != scores.n_documents:
        raise ValueError(
            f"{counted(len(texts), 'text')} for {counted(scores.n_documents, 'document')}: give one for each."
        )
    counts = (
        None if n_train is None else np.array([n_train.get(label, 0) for label in scores.labels.tolist()])
    )
    worst, n_mistakes = _mistakes(scores, columns, texts, explain)
    duplicates = None
    if texts is not None and train_texts is not None:
        duplicates = near_duplicates(train_texts, texts)
    others = _without(scores, duplicates or [])

    def averages(one: F1Scores) -> Headline:
        return headline(one, confidence=confidence, min_documents=min_documents)

    return Evaluation(
        run=run or Run(),
        n_documents=scores.n_documents,
        multilabel=scores.protocol == "assignment",
        confidence=confidence,
        min_documents=min_documents,
        headlines=[averages(one) for one in scored],
        labels=label_figures(scores, counts, confidence=confidence, min_documents=min_documents),
        confusion=confusions(scores),
        curves=list(curves(scores, columns, confidence=confidence)) if _are_graded(columns) else (),
        coverage=None if certainty is None else automation(scores, certainty, confidence=confidence),
        sizes=list(sizes),
        terms=terms or {},
        mistakes=worst,
        n_mistakes=n_mistakes,
        duplicates=duplicates,
        duplicate_texts=_pairs_of_texts(duplicates, texts, train_texts),
        without_duplicates=None if others is None else averages(others),
    )


def _scored(truth: Any, values: NDArray[Any], classes: Any) -> tuple[list[F1Scores], NDArray[Any]]:
    """Return the scores, of the protocol that matters first, and decisions with a column for each class."""
    names = label_names(classes, "classes")
    known = read_truth(truth, "truth", names)
    labels = np.concatenate([names, known.names[positions(known.names, names) < 0]])
    if known.several:
        return [f1_by_assignment(known, values, classes=names, labels=labels)], values
    by_argmax = f1_by_argmax(known, values, classes=names, labels=labels)
    if values.shape[1] == 1:  # two classes: what says yes to one says no to the other
        by_assignment = f1_by_assignment(known, values, classes=names, labels=labels[1:])
        return [by_argmax, by_assignment], np.column_stack([-values, values])
    return [by_argmax, f1_by_assignment(known, values, classes=names, labels=labels)], values


def _are_graded(columns: NDArray[Any]) -> bool:
    """Return whether decisions say more than yes or no."""
    return bool((columns != columns.flat[0]).any() and len(np.unique(columns[:1000])) > 2)


def _mistakes(
    scores: F1Scores, columns: NDArray[Any], texts: Sequence[str] | None, explain: Explain | None
) -> tuple[list[Mistake], int]:
    """Return the documents whose decisions are furthest on the wrong side, and how many are wrong."""
    truth, assigned = scores.truth.astype(np.int8), scores.assigned.astype(np.int8)
    difference = sparse.coo_array(assigned - truth)
    difference.eliminate_zeros()
    rows, labels, sign = difference.row, difference.col, difference.data
    seen = labels < columns.shape[1]
    amount = np.zeros(len(rows))
    amount[seen] = sign[seen] * columns[rows[seen], labels[seen]]
    margin = np.full(scores.n_documents, -np.inf)
    if scores.protocol == "argmax":  # the wrong label's decision less the right one's
        margin[rows] = 0
        np.add.at(margin, rows, amount)
    else:
        np.maximum.at(margin, rows, amount)
    wrong = np.unique(rows)
    worst = wrong[np.argsort(-margin[wrong], kind="stable")][:N_MISTAKES]
    shown = [
        _mistake(int(document), float(margin[document]), scores, columns.shape[1], texts, explain)
        for document in worst
    ]
    return shown, len(wrong)


def _mistake(
    document: int,
    margin: float,
    scores: F1Scores,
    n_columns: int,
    texts: Sequence[str] | None,
    explain: Explain | None,
) -> Mistake:
    true, assigned = (_row(matrix, document) for matrix in (scores.truth, scores.assigned))
    reasons: tuple[Reason, ...] = ()
    if explain is not None:
        # What was wrongly said first, then what was missed; of labels never seen nothing can be told.
        asked = [k for k in [*np.setdiff1d(assigned, true), *np.setdiff1d(true, assigned)] if k < n_columns]
        found = explain(document, scores.labels[asked[:N_REASONS]].tolist())
        reasons = tuple(_reason(one) for one in found)
    return Mistake(
        document,
        None if texts is None else str(texts[document]),
        tuple(scores.labels[true].tolist()),
        tuple(scores.labels[assigned].tolist()),
        margin,
        reasons,
    )


def _row(matrix: sparse.csr_array, document: int) -> NDArray[Any]:
    return np.sort(matrix.indices[matrix.indptr[document] : matrix.indptr[document + 1]])


def _reason(explanation: Any) -> Reason:
    """Return the terms that moved a decision most; what is no term, such as an intercept, is all else."""
    moved = [(str(name), float(amount)) for name, amount in explanation.parts if name not in NO_TERMS]
    moved.sort(key=lambda part: -abs(part[1]))
    shown = tuple(part for part in moved[:N_TERMS] if abs(part[1]) > abs(moved[0][1]) / 50)
    decision = float(explanation.decision)
    return Reason(explanation.label, decision, shown, decision - sum(amount for _, amount in shown))


def _without(scores: F1Scores, duplicates: Sequence[Duplicate]) -> F1Scores | None:
    """Return the scores of the documents without a duplicate in training, if some have one and some none."""
    others = np.setdiff1d(np.arange(scores.n_documents), [pair.test for pair in duplicates])
    if not duplicates or not len(others):
        return None
    return replace(scores, truth=scores.truth[others], assigned=scores.assigned[others])


def _pairs_of_texts(
    duplicates: Sequence[Duplicate] | None, texts: Sequence[str] | None, train_texts: Sequence[str] | None
) -> dict[int, tuple[str, str]]:
    if not duplicates or texts is None or train_texts is None:
        return {}
    return {
        pair.test: (str(texts[pair.test]), str(train_texts[pair.train])) for pair in duplicates[:N_DUPLICATES]
    }
