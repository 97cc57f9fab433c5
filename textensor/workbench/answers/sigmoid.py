"""Platt's sigmoid of scores, by Newton's method (Lin, Lin and Weng, 2007), on a summary of very many scores.

Scores far from those of the other kind hardly matter one by one. Of very many, the highest ones without the
label and the lowest ones with it are kept; neighbours among the others are replaced by their mean, which
counts as often as they did.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from textensor.base.arrays import Floats

#: Numbers of scores of each kind that are kept one by one, and of means that the others are reduced to.
KEPT, MEANS = 500, 250
#: Newton steps; ten are usual.
MOST_STEPS = 100


def sigmoid(scores: Floats, yes: npt.NDArray[np.bool_]) -> Floats:
    """Return the slope, never below 0, and the intercept of the largest likelihood.

    The targets are Platt's, a little inside of 0 and 1, so that scores without an error have a finite slope.

    Examples
    --------
    >>> scores = np.array([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0])
    >>> sigmoid(scores, scores > 0).round(2).tolist()
    [0.99, 0.0]
    """
    n_yes = np.count_nonzero(yes)
    n_no = len(yes) - n_yes
    low, n_low = summary(scores[~yes])
    high, n_high = summary(-scores[yes])
    values, weights = np.concatenate([low, -high]), np.concatenate([n_low, n_high])
    targets = np.repeat([1 / (n_no + 2), (n_yes + 1) / (n_yes + 2)], [len(low), len(high)])
    scale = max(float(np.abs(values).max()), np.finfo(float).tiny)
    slope, intercept = _newton(values / scale, weights / len(yes), targets)
    return np.array([slope / scale, intercept])


def summary(scores: Floats) -> tuple[Floats, Floats]:
    """Return scores and how often each counts: the highest ones as they are, means of neighbours below.

    Examples
    --------
    >>> values, times = summary(np.arange(3000.0))
    >>> len(values), values[[0, -1]].tolist(), times[[0, -1]].tolist(), float(times.sum())
    (750, [4.5, 2999.0], [10.0, 1.0], 3000.0)
    """
    rest = len(scores) - KEPT
    if rest <= MEANS:
        return scores, np.ones(len(scores))
    ranked = np.sort(scores)
    starts = np.arange(MEANS) * rest // MEANS
    times = np.diff(starts, append=rest).astype(float)
    means = np.add.reduceat(ranked[:rest], starts) / times
    return np.concatenate([means, ranked[rest:]]), np.concatenate([times, np.ones(KEPT)])


def _newton(scores: Floats, weights: Floats, targets: Floats) -> tuple[float, float]:
    """Return slope and intercept with the least weighted cross-entropy among slopes of 0 and above."""
    mean = float(weights @ targets)
    slope, intercept = 0.0, float(np.log(mean / (1 - mean)))
    # The loss is convex: if it rises from slope 0, with the best intercept there, it does so for every slope.
    if weights @ ((mean - targets) * scores) >= 0:
        return slope, intercept

    def loss(slope: float, intercept: float) -> float:
        z = slope * scores + intercept
        return float(weights @ (np.logaddexp(0, z) - targets * z))

    value = loss(slope, intercept)
    for _ in range(MOST_STEPS):
        shown = expit(slope * scores + intercept)
        wrong, spread = weights * (shown - targets), weights * shown * (1 - shown) + 1e-300
        by_slope, by_intercept = wrong @ scores, wrong.sum()
        if max(abs(by_slope), abs(by_intercept)) < 1e-9:
            break
        # A trace of a ridge keeps equal scores, which leave the slope open, from a division by 0.
        a, b, c = spread @ scores**2 + 1e-12, spread @ scores, spread.sum() + 1e-12
        bottom = a * c - b * b
        step_slope = (c * by_slope - b * by_intercept) / bottom
        step_intercept = (a * by_intercept - b * by_slope) / bottom
        part = 1.0
        while (found := loss(slope - part * step_slope, intercept - part * step_intercept)) > value:
            part /= 2
            if part < 1e-10:
                return slope, intercept
        slope, intercept, value = slope - part * step_slope, intercept - part * step_intercept, found
    return max(slope, 0.0), intercept
