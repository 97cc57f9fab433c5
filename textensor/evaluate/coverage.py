"""How many documents can be left to a model, and how many of them it gets right."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from textensor.base.checks import check, number
from textensor.evaluate.intervals import wilson

#: Probabilities that tables show.
LEVELS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
#: Points of a curve.
POINTS = 80


class CoveragePoint(NamedTuple):
    """The documents whose labels are at least so probable: how many there are, and how many are right.

    Attributes
    ----------
    above : float
        The lowest probability.
    n_documents, n_right : int
        How many there are, and how many of them have the right labels.
    share : float
        Their share of all documents.
    right, low, high : float
        The share that is right, and the ends of its confidence interval.
    """

    above: float
    n_documents: int
    n_right: int
    share: float
    right: float
    low: float
    high: float


def coverage(
    certainty: Any, right: Any, *, at: Iterable[float] | None = LEVELS, confidence: float = 0.95
) -> list[CoveragePoint]:
    """Return how many documents are at least so certain, and how many of those are right.

    Intervals are Wilson's, for each point on its own.

    Parameters
    ----------
    certainty : array-like of shape (n_documents,)
        The probability that the labels of each document are right.
    right : array-like of bool of shape (n_documents,)
        Whether they are.
    at : iterable of float or None
        The lowest probabilities; those that no document has are left out. None is about 80 of those that
        documents have, the highest first.
    confidence : float, default=0.95
        Of the intervals, between 0 and 1.

    Examples
    --------
    >>> from textensor.evaluate import coverage
    >>> [point[:4] for point in coverage([0.9, 0.6, 0.8, 0.7], [True, False, True, True], at=[0.0, 0.8])]
    [(0.0, 4, 3, 1.0), (0.8, 2, 2, 0.5)]
    """
    check("confidence", confidence, number(above=0, below=1))
    sure, hits = np.asarray(certainty, dtype=float), np.asarray(right, dtype=bool)
    if sure.ndim != 1 or sure.shape != hits.shape:
        raise ValueError(
            f"certainty has the shape {sure.shape} and right {hits.shape}: give one of each for a document."
        )
    if np.isnan(sure).any():
        raise ValueError(f"certainty has NaN in row {int(np.argmax(np.isnan(sure)))}: give a number.")
    order = np.argsort(-sure, kind="stable")
    n_right = np.concatenate([[0], np.cumsum(hits[order])])
    levels = _levels(sure[order]) if at is None else list(at)
    # How many are as certain as the level, or more.
    counts = [int(np.searchsorted(-sure[order], -level, side="right")) for level in levels]
    found = []
    for level, n in zip(levels, counts, strict=True):
        if n:
            low, high = (float(end) for end in wilson(n_right[n], n, confidence))
            share = float(n_right[n] / n)
            found.append(CoveragePoint(float(level), n, int(n_right[n]), n / len(sure), share, low, high))
    return found


def _levels(falling: Any) -> list[float]:
    """Return certainties at about even distances of documents, from the highest to the lowest."""
    if not len(falling):
        return []
    places = np.unique(np.linspace(0, len(falling) - 1, POINTS).round().astype(int))
    return list(dict.fromkeys(falling[places].tolist()))
