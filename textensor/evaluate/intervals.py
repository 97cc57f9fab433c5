"""Bootstrap confidence intervals for every F1.

The documents of the test set are drawn with replacement. A draw is a vector of weights, one per document, and
the counts of all categories in a thousand draws are three sparse products, so no draw is scored on its own.

Averages get *basic* intervals: the quantiles of the draws mirrored at the figure itself. A draw loses rare
categories, and F1 bends downwards in few documents, so macro averages of draws lie below the figure they are
drawn from; percentiles would repeat that shift where mirroring takes it out. For the same reason a category
that a draw has lost altogether (something to count in the test set, nothing in the draw) is left out of that
draw's macro average. Single categories keep percentiles, because mirroring an F1 of 1 leaves nothing.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, gen_batches

from textensor.base.arrays import Floats
from textensor.base.checks import check, number, whole
from textensor.evaluate.f1 import Counts, F1Scores, Macro, category_f1, f1_of_means, mean_f1, micro_f1

BLOCK_WEIGHTS = 1 << 22


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


def f1_intervals(
    scores: F1Scores, *, n_resamples: int = 1000, confidence: float = 0.95, random_state: Any = None
) -> F1Intervals:
    """Return bootstrap confidence intervals for micro, both macros and every category.

    They speak of the documents: how the figures would move with another test set of the same kind. They do
    not speak of another training set. Memory is ``n_resamples`` x categories numbers and about 100 MB.

    Parameters
    ----------
    scores : F1Scores
        From :func:`~textensor.evaluate.f1_by_assignment` or :func:`~textensor.evaluate.f1_by_argmax`.
    n_resamples : int
        How many times the documents are drawn.
    confidence : float
        Between 0 and 1.
    random_state : int, RandomState instance or None
        Seed of the draws.

    Returns
    -------
    F1Intervals

    Examples
    --------
    >>> from textensor.evaluate import f1_by_argmax, f1_intervals
    >>> scores = f1_by_argmax(["a", "b"] * 50, ["a", "b", "a", "a"] * 25)
    >>> intervals = f1_intervals(scores, random_state=0)
    >>> intervals.micro.low < scores.micro < intervals.micro.high
    True
    """
    check("n_resamples", n_resamples, whole(1))
    check("confidence", confidence, number(above=0, below=1))
    averages, categories = _draws(scores, n_resamples, check_random_state(random_state))
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    figures = np.array([scores.micro, scores.macro_mean_f1, scores.macro_f1_of_means])
    high, low = np.clip(2 * figures - np.quantile(averages, tails, axis=0), 0, 1)
    micro, mean, of_means = (Interval(float(a), float(b)) for a, b in zip(low, high, strict=True))
    per_category = np.quantile(categories, tails, axis=0).T
    return F1Intervals(confidence, scores.macro_average, micro, mean, of_means, per_category)


def _draws(scores: F1Scores, n_resamples: int, rng: np.random.RandomState) -> tuple[Floats, Floats]:
    """Return the three averages (draws x 3) and the categories' F1 (draws x categories) of all draws."""
    averages = np.empty((n_resamples, 3))
    categories = np.empty((n_resamples, len(scores.labels)))
    nothing = scores.counts[1] + scores.counts[2] == 0
    for block in gen_batches(n_resamples, max(1, BLOCK_WEIGHTS // scores.n_documents)):
        weights = _document_weights(scores.n_documents, block.stop - block.start, rng)
        hits, assigned, actual = (
            (matrix.T.astype(np.int64) @ weights).T for matrix in (scores.hits, scores.assigned, scores.truth)
        )
        kept = _still_there(assigned + actual, nothing)
        averages[block, 0] = micro_f1(hits, assigned, actual)
        averages[block, 1] = mean_f1(hits, assigned, actual, kept)
        averages[block, 2] = f1_of_means(hits, assigned, actual, kept)
        categories[block] = category_f1(hits, assigned, actual)
    return averages, categories


def _document_weights(n_documents: int, n_draws: int, rng: np.random.RandomState) -> Counts:
    """Return how often each document is drawn: documents x draws, every column sums to ``n_documents``."""
    drawn = rng.randint(n_documents, size=(n_draws, n_documents))
    drawn += n_documents * np.arange(n_draws)[:, None]
    return np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).T


def _still_there(counted: Counts, nothing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask the categories of each draw's macro average; a draw that lost all of them keeps them, at 0."""
    kept = (counted > 0) | nothing
    return kept | ~kept.any(axis=-1, keepdims=True)
