"""From scores to probabilities: a sigmoid for each label, from held-out scores (Platt, 1999)."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

from textensor.base.arrays import Floats

#: A label with fewer held-out documents than this, or fewer others, takes the sigmoid of all labels together.
FEWEST = 3


def calibrate(scores: Floats, truth: npt.NDArray[np.bool_]) -> Floats:
    """Return slope and intercept of each label's sigmoid, labels x 2, from held-out scores.

    Scores are documents x labels, NaN where there is none; ``truth`` says which labels the documents have.

    Examples
    --------
    >>> import numpy as np
    >>> scores, truth = np.array([[-2.0], [-1.0], [-0.5], [0.5], [1.0], [2.0]]), np.arange(6)[:, None] > 2
    >>> sigmoids = calibrate(scores, truth)
    >>> probabilities(scores, sigmoids).round(2).ravel().tolist()
    [0.12, 0.27, 0.38, 0.62, 0.73, 0.88]
    """
    known = ~np.isnan(scores)
    if not known.any():
        return np.tile([1.0, 0.0], (scores.shape[1], 1))
    together = _sigmoid(scores[known], truth[known])
    sigmoids = np.tile(together, (scores.shape[1], 1))
    for label in range(scores.shape[1]):
        there = known[:, label]
        yes = truth[there, label]
        if FEWEST <= np.count_nonzero(yes) <= len(yes) - FEWEST:
            sigmoids[label] = _sigmoid(scores[there, label], yes)
    return sigmoids


def probabilities(scores: Any, sigmoids: Floats) -> Floats:
    """Return the probability of each label, documents x labels."""
    return np.asarray(expit(scores * sigmoids[:, 0] + sigmoids[:, 1]))


def _sigmoid(scores: Floats, yes: npt.NDArray[np.bool_]) -> Floats:
    """Return the slope, never below 0, and the intercept of the largest likelihood.

    The targets are Platt's, a little inside of 0 and 1, so that scores without an error have a finite slope.
    """
    n_yes = np.count_nonzero(yes)
    target = np.where(yes, (n_yes + 1) / (n_yes + 2), 1 / (len(yes) - n_yes + 2))
    scale = max(float(np.abs(scores).max()), np.finfo(float).tiny)
    scaled = scores / scale

    def loss(parameters: Floats) -> tuple[float, Floats]:
        z = parameters[0] * scaled + parameters[1]
        wrong = expit(z) - target
        return float((np.logaddexp(0, z) - target * z).mean()), np.array([wrong @ scaled, wrong.sum()]) / len(
            z
        )

    prior = np.log((n_yes + 1) / (len(yes) - n_yes + 1))
    found = minimize(
        loss, np.array([0.0, prior]), jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)]
    )
    return np.array([found.x[0] / scale, found.x[1]])
