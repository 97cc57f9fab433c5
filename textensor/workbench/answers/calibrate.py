"""From scores to decisions and probabilities, by held-out scores.

With one label to a document, labels compete: a threshold for each label brings the scores to one level, the
highest one decides, and one rising function turns all of them into probabilities. The label that is predicted
is therefore the most probable one, whatever the scores. A sigmoid of its own for each label would be noisy
with few documents, and could contradict the scores.

With several labels to a document, each label is a question of its own and has a sigmoid of its own (Platt,
1999).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from textensor.base.arrays import Floats, by_column

#: In multilabel mode, a label with fewer held-out documents than this, or fewer others, takes the sigmoid of
#: all labels together.
FEWEST = 3
#: How strongly thresholds of competing labels are held at 0, in documents, and the spread of the logarithm of
#: the power. Both were chosen on 20 Newsgroups, docstrings and R52 with 1, 5 and 10% of the labels.
SHRINKAGE, SPREAD = 3.0, 0.25
#: Labels are compared with each other on as many documents as have this many scores.
MOST_SCORES = 1 << 20


def level_thresholds(scores: Floats, codes: npt.NDArray[Any]) -> Floats:
    """Return a threshold for each label, so that the highest of scores less thresholds is most often right.

    They have the largest likelihood in a softmax of slope * (score - threshold), less a penalty on the
    squares of thresholds in units of the scores' standard deviation. The mean of all is 0.

    Examples
    --------
    >>> scores = np.repeat([[0.0, -1.0], [0.0, -3.0]], 50, axis=0)
    >>> thresholds = level_thresholds(scores, np.repeat([1, 0], 50))
    >>> thresholds.round(1).tolist(), (scores[::50] - thresholds).argmax(axis=1).tolist()
    ([0.6, -0.6], [1, 0])
    """
    scores, codes = _scored(scores, codes)
    n, n_labels = scores.shape
    known = ~np.isnan(scores)
    spread = float(scores[known].std()) if n else 0.0
    if spread == 0:
        return np.zeros(n_labels)
    unknown, rows = ~known, np.arange(n)
    scaled = np.where(known, scores / spread, -np.inf)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        slope, thresholds = np.exp(parameters[0]), parameters[1:]
        moved = scaled - thresholds
        wrong, total = _softmax(slope * moved)
        value = total.sum() - slope * moved[rows, codes].sum() + SHRINKAGE / 2 * thresholds @ thresholds
        wrong[rows, codes] -= 1
        moved[unknown] = 0.0
        by_slope = slope * np.einsum("ij,ij", wrong, moved)
        return float(value), np.r_[by_slope, SHRINKAGE * thresholds - slope * wrong.sum(axis=0)]

    # A slope outside of these bounds is one of scores that say nothing, or all.
    bounds = [(-6.0, 4.0)] + [(None, None)] * n_labels
    from scipy.optimize import minimize  # here: it is slow to import, and scores need none of it

    with threadpool_limits(1, user_api="blas"):  # threads wait for each other longer than they work here
        found = minimize(loss, np.zeros(1 + n_labels), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray((found.x[1:] - found.x[1:].mean()) * spread)


def calibrate_shares(scores: Floats, codes: npt.NDArray[Any]) -> Floats:
    """Return slope, intercept and power that make probabilities of competing labels' scores.

    Slope and intercept are those of one sigmoid for all questions "is it this label?"; the power, near 1 with
    few documents, makes up for what is lost when a document's answers are made to sum to 1.
    """
    scores, codes = _scored(scores, codes)
    if not len(scores):
        return np.array([1.0, 0.0, 1.0])
    known = ~np.isnan(scores)
    truth = codes[:, None] == np.arange(scores.shape[1])
    from textensor.workbench.answers.sigmoid import sigmoid

    slope, intercept = sigmoid(scores[known], truth[known])
    odds = -np.logaddexp(0, -np.where(known, slope * scores + intercept, -np.inf))
    rows = np.arange(len(odds))

    def loss(log_power: float) -> float:
        raised = np.exp(log_power) * odds
        total = _softmax(raised)[1]
        return float((total - raised[rows, codes]).sum() + (log_power / SPREAD) ** 2 / 2)

    from scipy.optimize import minimize_scalar

    found = minimize_scalar(loss, bounds=(-2.0, 2.0), method="bounded")
    return np.array([slope, intercept, np.exp(found.x)])


def shares(scores: Any, rise: Any) -> Floats:
    """Return the probabilities of competing labels, documents x labels, from slope, intercept and power.

    A label's part is expit(slope * score + intercept) ** power. The first of the highest scores has the
    highest probability, always.

    Examples
    --------
    >>> shares(np.array([[2.0, 0.0, 0.0]]), (1.0, 0.0, 1.0)).round(3).tolist()
    [[0.468, 0.266, 0.266]]
    """
    slope, intercept, power = rise
    odds = np.maximum(-power * np.logaddexp(0, -(slope * np.asarray(scores) + intercept)), -1e300)
    found = _softmax(odds)[0]
    # A slope of 0, or rounding, makes scores equal that are not: the highest one stays ahead by the least.
    top = scores.argmax(axis=1)
    behind = np.flatnonzero(found.argmax(axis=1) != top)
    found[behind, top[behind]] = np.nextafter(found[behind].max(axis=1), 2)
    return np.asarray(found)


def calibrate(scores: Floats, truth: npt.NDArray[np.bool_]) -> Floats:
    """Return slope and intercept of each label's sigmoid, labels x 2, from held-out scores.

    Scores are documents x labels, NaN if there is none; ``truth`` says which labels the documents have.

    Examples
    --------
    >>> import numpy as np
    >>> scores, truth = np.array([[-2.0], [-1.0], [-0.5], [0.5], [1.0], [2.0]]), np.arange(6)[:, None] > 2
    >>> sigmoids = calibrate(scores, truth)
    >>> probabilities(scores, sigmoids).round(2).ravel().tolist()
    [0.12, 0.27, 0.38, 0.62, 0.73, 0.88]
    """
    scored = np.flatnonzero(~np.isnan(scores).all(axis=1))
    if not scored.size:
        return np.tile([1.0, 0.0], (scores.shape[1], 1))
    from textensor.workbench.answers.sigmoid import sigmoid

    some = scored[:: 1 + scored.size * scores.shape[1] // MOST_SCORES]
    known = ~np.isnan(scores[some])
    together = sigmoid(scores[some][known], truth[some][known])
    sigmoids = np.tile(together, (scores.shape[1], 1))
    for label, (values, yes) in enumerate(by_column(scores, truth)):
        there = ~np.isnan(values)
        yes = yes[there]
        if FEWEST <= np.count_nonzero(yes) <= len(yes) - FEWEST:
            sigmoids[label] = sigmoid(values[there], yes)
    return sigmoids


def probabilities(scores: Any, sigmoids: Floats) -> Floats:
    """Return the probability of each label, documents x labels."""
    from scipy.special import expit

    return np.asarray(expit(scores * sigmoids[:, 0] + sigmoids[:, 1]))


def _scored(scores: Floats, codes: npt.NDArray[Any]) -> tuple[Floats, npt.NDArray[Any]]:
    """Return the documents whose own label has a score, and of very many only some, evenly."""
    has_own = np.flatnonzero(~np.isnan(scores[np.arange(len(scores)), codes]))
    some = has_own[:: 1 + has_own.size * scores.shape[1] // MOST_SCORES]
    return scores[some], codes[some]


def _softmax(odds: Floats) -> tuple[Floats, Floats]:
    """Return the shares of each row, and the logarithms of the sums that they are shares of."""
    top = odds.max(axis=1)
    found = np.exp(odds - top[:, None])
    total = found.sum(axis=1)
    found /= total[:, None]
    return found, top + np.log(total)
