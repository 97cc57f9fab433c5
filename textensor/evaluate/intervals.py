"""Confidence intervals for every F1: Wilson's, with an effective number of documents.

Wilson's interval of a share needs the share and the number of documents behind it. A category's F1 is a
function of such a share: of J, the part of hits among the documents that have the category or got it. An
average of many categories is not a share of documents, but its variance tells how many documents a share of
the same variance would have: F (1 - F) / variance, the *effective* number (Korn and Graubard, 1998).

The variance is a sum over documents of squared influences, which takes into account that one document counts
in several categories. A category of one or two documents shows no variance of its own, since it is often
right or wrong throughout. Each document is therefore compared with the other documents of its category and
one more, whose value is the mean of all categories. Resampling cannot do this: draws lose rare categories, or
repeat them without any variance. Since the variance of a mean of categories comes from few documents,
Student's quantile takes the place of the normal one.

``python -m experiments.coverage`` counts how often intervals hold the true figure.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textensor.base.arrays import Floats
from textensor.base.checks import check, number
from textensor.evaluate.f1 import F1Scores, Macro, ratio


class Interval(NamedTuple):
    """The two ends of a confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class F1Intervals:
    """Confidence intervals for the figures of an :class:`~textensor.evaluate.F1Scores`.

    Attributes
    ----------
    confidence : float
        The share of test sets whose interval should hold the true figure.
    macro_average : {"mean_f1", "f1_of_means"}
        Which average ``macro`` is.
    micro, macro_mean_f1, macro_f1_of_means : Interval
        Ends of the intervals of the averages.
    per_category : ndarray of shape (n_categories, 2)
        Ends of the intervals of the categories' F1.
    """

    confidence: float
    macro_average: Macro
    micro: Interval
    macro_mean_f1: Interval
    macro_f1_of_means: Interval
    per_category: Floats

    @property
    def macro(self) -> Interval:
        """Interval of the macro average that was asked for."""
        return self.macro_mean_f1 if self.macro_average == "mean_f1" else self.macro_f1_of_means


def wilson(hits: Any, n: Any, confidence: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of Wilson's interval of a share of n; 0 and 1 if n is 0.

    Examples
    --------
    >>> low, high = wilson(5, 5, 0.95)
    >>> round(float(low), 3), float(high)
    (0.566, 1.0)
    """
    hits, n = np.asarray(hits, dtype=float), np.asarray(n, dtype=float)
    from scipy.special import ndtri  # here: it is slow to import

    z = ndtri((1 + confidence) / 2)
    share = ratio(hits, n)
    middle = (share * n + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * np.sqrt(share * (1 - share) * n + z * z / 4)
    # At the bounds, and next to them, rounding must not leave the share outside.
    low = np.where(hits > 0, np.minimum(middle - half, share), 0.0)
    return low, np.where(hits < n, np.maximum(middle + half, share), 1.0)


def f1_bounds(hits: Any, assigned: Any, actual: Any, confidence: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of the interval of a category's F1.

    Each document that has the category or got it is a hit or not. With J the share of hits,
    F1 = 2J / (1 + J), which rises with J: the ends of J's interval give those of F1's.
    """
    low, high = wilson(hits, np.asarray(assigned) + actual - hits, confidence)
    return 2 * low / (1 + low), 2 * high / (1 + high)


def f1_intervals(scores: F1Scores, *, confidence: float = 0.95) -> F1Intervals:
    """Return confidence intervals for micro, both macros and every category.

    They tell how the figures would change with another test set of the same kind, not with another training
    set. An interval always holds its figure.

    Parameters
    ----------
    scores : F1Scores
        From :func:`~textensor.evaluate.f1_by_assignment` or :func:`~textensor.evaluate.f1_by_argmax`.
    confidence : float, default=0.95
        Between 0 and 1.

    Returns
    -------
    F1Intervals

    Examples
    --------
    >>> from textensor.evaluate import f1_by_argmax, f1_intervals
    >>> intervals = f1_intervals(f1_by_argmax(["a", "b", "c"] * 20, ["a", "b", "a"] * 20))
    >>> [round(end, 3) for end in intervals.micro]
    [0.541, 0.773]
    """
    check("confidence", confidence, number(above=0, below=1))
    hits, assigned, actual = scores.counts
    counted = assigned + actual - hits
    decisions = _decisions(scores)

    # The number for a mean of categories is never above that of documents in categories of one size.
    alike = float(ratio(np.count_nonzero(counted) ** 2, (1 / counted[counted > 0]).sum()))

    def ends(figure: float, n: float) -> Interval:
        low, high = wilson(figure * n, n, confidence)
        return Interval(float(low), float(high))

    def macro_ends(figure: float, variance: float) -> Interval:
        n = _effective(figure, variance, alike)
        return ends(figure, n * _left(alike - 1, confidence) if variance > 0 else n)

    return F1Intervals(
        confidence,
        scores.macro_average,
        ends(scores.micro, _effective(scores.micro, _micro_variance(scores), _most(scores))),
        macro_ends(scores.macro_mean_f1, _mean_variance(scores, decisions)),
        macro_ends(scores.macro_f1_of_means, _of_means_variance(scores, decisions)),
        np.column_stack(f1_bounds(hits, assigned, actual, confidence)),
    )


def _effective(figure: float, variance: float, most: float) -> float:
    """Return how many documents a share of the same variance has."""
    return min(figure * (1 - figure) / variance, most) if variance > 0 and 0 < figure < 1 else most


def _most(scores: F1Scores) -> float:
    """Return the effective number behind micro-F1 if all decisions were independent.

    By arg max it is that of the documents that were right or wrong. Otherwise F1 = 2J / (1 + J), where J is a
    share of n decisions; with its slope 2 / (1 + J)**2, F (1 - F) / variance is n (1 + J)**2 / 2.
    """
    hits, assigned, actual = (counts.sum() for counts in scores.counts)
    n = float(assigned + actual - hits)
    return n if scores.protocol == "argmax" else n * (1 + float(ratio(hits, n))) ** 2 / 2


def _left(freedom: float, confidence: float) -> float:
    """Return what is left of an effective number since its variance is an estimate: (normal / Student's)**2.

    Korn and Graubard's correction; few documents tell the variance badly.
    """
    from scipy.special import ndtri, stdtrit

    share = (1 + confidence) / 2
    return float((ndtri(share) / stdtrit(max(freedom, 1.0), share)) ** 2)


class _Decisions(NamedTuple):
    """The pairs of a document and a category that it has or got: which of the two, or both."""

    documents: NDArray[Any]
    categories: NDArray[Any]
    actual: NDArray[np.bool_]
    assigned: NDArray[np.bool_]


def _decisions(scores: F1Scores) -> _Decisions:
    pairs = (scores.truth.astype(np.int8) + 2 * scores.assigned.astype(np.int8)).tocoo()
    return _Decisions(pairs.row, pairs.col, pairs.data != 2, pairs.data != 1)


def _micro_variance(scores: F1Scores) -> float:
    """Return the variance of a ratio of two sums over documents."""
    twice_hits, marked = 2 * scores.hits.sum(axis=1), scores.assigned.sum(axis=1) + scores.truth.sum(axis=1)
    influence = ratio(twice_hits - scores.micro * marked, np.full(len(marked), marked.sum()))
    return float(influence @ influence)


def _mean_variance(scores: F1Scores, decisions: _Decisions) -> float:
    """Return the variance of the mean F1: that of the categories' J, times the slope of F1 = 2J / (1 + J)."""
    hit = (decisions.actual & decisions.assigned).astype(float)
    pull, level = _pull(decisions.categories, hit, len(scores.labels))
    slope = 2 / (1 + level) ** 2
    return _variance(scores, decisions.documents, slope[decisions.categories] * pull)


def _of_means_variance(scores: F1Scores, decisions: _Decisions) -> float:
    """Return the variance of the F1 of the mean precision and the mean recall."""
    hit = (decisions.actual & decisions.assigned).astype(float)
    precision, recall = scores.precision.mean(), scores.recall.mean()
    total = np.zeros(len(hit))
    for other, some in ((recall, decisions.assigned), (precision, decisions.actual)):
        slope = ratio(2 * other**2, (precision + recall) ** 2)
        total[some] += slope * _pull(decisions.categories[some], hit[some], len(scores.labels))[0]
    return _variance(scores, decisions.documents, total)


def _pull(categories: NDArray[Any], hit: Floats, n_categories: int) -> tuple[Floats, Floats]:
    """Return how far each decision moves its category's share of hits, and the shares, a little levelled.

    A decision is compared with the other ones of its category and one more that has the mean share of all
    categories: the only one is compared with that mean.
    """
    n = np.bincount(categories, minlength=n_categories)
    hits = np.bincount(categories, weights=hit, minlength=n_categories)
    mean = float(ratio((hits[n > 0] / n[n > 0]).sum(), np.count_nonzero(n)))
    others = (hits[categories] - hit + mean) / n[categories]
    return (hit - others) / n[categories], (hits + mean) / (n + 1)


def _variance(scores: F1Scores, documents: NDArray[Any], pull: Floats) -> float:
    """Return the sum of squared influences on a mean over categories."""
    influence = np.bincount(documents, weights=pull, minlength=scores.n_documents) / len(scores.labels)
    return float(influence @ influence)
