"""Is system A better than system B? The sign tests and t-tests of Yang and Liu (SIGIR 1999).

- s-test: sign test over all decisions of the two systems,
- S-test: sign test over the categories' F1,
- T-test: paired t-test over the categories' F1.

Over repeated splits of one corpus, the t-test is corrected for their overlap (Nadeau and Bengio, 2003), and
Holm's method corrects for the number of tests.

All are one-sided in the observed direction, and sign tests are exact (binomial). The marks read "A mark B":
``>>`` p <= .01, ``>`` .01 < p <= .05, ``~`` above, ``<`` and ``<<`` where B is ahead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from textensor.base.arrays import Floats
from textensor.base.checks import check, number
from textensor.evaluate.f1 import F1Scores

# F1 figures that differ by less than this differ by rounding: a sum over splits taken in another order.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Comparison:
    """What a significance test says of systems A and B.

    Attributes
    ----------
    mark : {">>", ">", "~", "<", "<<"}
        A much better, A better, no significant difference, B better, B much better.
    p_value : float
        One-sided, in the observed direction.
    statistic : float
        Sign tests: how often A was the better one. t-tests: Student's t, positive where A is ahead.
    n : int
        Sign tests: how often one was better than the other. t-tests: the number of pairs.
    """

    mark: str
    p_value: float
    statistic: float
    n: int


def micro_sign_test(a: F1Scores | Sequence[F1Scores], b: F1Scores | Sequence[F1Scores]) -> Comparison:
    """Compare two systems by the decisions in which exactly one of them is right (s-test).

    By assignment, every document/category pair is a decision. By arg max, every document is one: a right
    label against a wrong one settles two pairs at once, and counting both would halve the evidence asked for.

    Parameters
    ----------
    a, b : F1Scores or sequence of F1Scores
        Both systems on the same test documents; several splits are pooled. Splits of one corpus share
        documents, so pooled decisions are not independent and the p-value is on the small side.

    Examples
    --------
    A is right and B wrong five times: p = 1/2**5.

    >>> from textensor.evaluate import f1_by_argmax, micro_sign_test
    >>> truth, a, b = list("aaabbb"), list("aaabba"), list("bbbaaa")
    >>> micro_sign_test(f1_by_argmax(truth, a), f1_by_argmax(truth, b))
    Comparison(mark='>', p_value=0.03125, statistic=5.0, n=5)
    """
    splits = _same_tests(a, b)
    a_ahead, b_ahead = np.sum([_lone_rights(one, other) for one, other in splits], axis=0)
    return sign_test(int(a_ahead), int(b_ahead))


def macro_sign_test(a: Any, b: Any) -> Comparison:
    """Compare two systems by how many categories each has the higher F1 in (S-test); equals are dropped.

    Parameters
    ----------
    a, b : F1Scores, sequence of F1Scores, or array-like of shape (n_categories,) or (n_splits, n_categories)
        F1 per category; several splits are averaged first.

    Examples
    --------
    Four of five categories differ and A has three of them: p = (4 + 1)/2**4.

    >>> from textensor.evaluate import macro_sign_test
    >>> macro_sign_test([0.9, 0.8, 0.7, 0.6, 0.5], [0.8, 0.7, 0.6, 0.9, 0.5])
    Comparison(mark='~', p_value=0.3125, statistic=3.0, n=4)
    """
    figures_a, figures_b = _category_figures(a, b)
    difference = figures_a - figures_b
    return sign_test(int((difference > ROUNDING).sum()), int((difference < -ROUNDING).sum()))


def macro_t_test(a: Any, b: Any) -> Comparison:
    """Compare two systems by a paired t-test over the categories' F1 (T-test).

    Parameters
    ----------
    a, b
        As in :func:`macro_sign_test`, with at least two categories.

    Examples
    --------
    >>> from textensor.evaluate import macro_t_test
    >>> macro_t_test([0.9, 0.8, 0.7, 0.6], [0.8, 0.6, 0.6, 0.4]).mark
    '>>'
    """
    return _t_test(*_category_figures(a, b))


def paired_t_test(a: Any, b: Any) -> Comparison:
    """Compare two systems by a paired t-test over their figures, one per split (or data set, or query).

    The mark says which figures are larger; for times that is the slower system. Training parts of repeated
    splits overlap, so over splits of one corpus the test is bolder than its p-value says:
    :func:`corrected_t_test` is for those.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        The figures, in the same order, at least two.

    Examples
    --------
    >>> from textensor.evaluate import paired_t_test
    >>> paired_t_test([71.0, 72.5, 70.5], [71.5, 74.0, 73.0]).mark
    '~'
    """
    return _t_test(*_pairs(a, b, dimensions=(1,)))


def corrected_t_test(a: Any, b: Any, *, n_train: float, n_test: float) -> Comparison:
    """Compare two systems by a t-test over repeated splits of one corpus, corrected for their overlap.

    The variance of the mean over J splits is taken as (1/J + n_test/n_train) times that of a split: the
    figures of two splits are assumed to have the correlation n_test/(n_train + n_test).

    Parameters
    ----------
    a, b : array-like of shape (n_splits,)
        The figures, in the same order, at least two.
    n_train, n_test : float
        Numbers of training and test documents of a split; n_test may be 0, which gives
        :func:`paired_t_test`.

    References
    ----------
    C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52(3), 2003.

    Examples
    --------
    >>> from textensor.evaluate import corrected_t_test, paired_t_test
    >>> a, b = [0.75, 0.76, 0.74, 0.77], [0.74, 0.73, 0.72, 0.75]
    >>> paired_t_test(a, b).mark, corrected_t_test(a, b, n_train=50, n_test=50).mark
    ('>>', '~')
    """
    check("n_train", n_train, number(above=0))
    check("n_test", n_test, number(least=0))
    return _t_test(*_pairs(a, b, dimensions=(1,)), overlap=n_test / n_train)


def holm(p_values: Any) -> Floats:
    """Return p-values corrected for their number by Holm's method.

    If every hypothesis with a corrected p of .01 or less is rejected, the probability of any wrong rejection
    is .01 at the most, however the tests depend on each other.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        The p-values.

    References
    ----------
    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics
    6, 1979.

    Examples
    --------
    The smallest is multiplied by 3, the next by 2, the last by 1.

    >>> from textensor.evaluate import holm
    >>> holm([0.02, 0.5, 0.001]).round(3).tolist()
    [0.04, 0.5, 0.003]
    """
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p_values must be one list of numbers from 0 to 1: leave out tests without one.")
    order = np.argsort(p, kind="stable")
    corrected = np.empty_like(p)
    # A hypothesis is rejected only if all those with smaller p-values are.
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return corrected


def mark(p_value: float, a_ahead: bool) -> str:
    """Return the papers' mark for a one-sided p-value."""
    if p_value > 0.05:
        return "~"
    sign = ">" if a_ahead else "<"
    return sign * 2 if p_value <= 0.01 else sign


def sign_test(a_ahead: int, b_ahead: int) -> Comparison:
    """Compare two systems by how often each was the better one."""
    n = a_ahead + b_ahead
    ahead = max(a_ahead, b_ahead)
    p_value = float(stats.binomtest(ahead, n, alternative="greater").pvalue) if n else 1.0
    return Comparison(mark(p_value, a_ahead > b_ahead), p_value, float(a_ahead), n)


def _t_test(a: Floats, b: Floats, overlap: float = 0.0) -> Comparison:
    """Return a paired t-test; ``overlap`` is added to 1/n in the variance of the mean."""
    n = len(a)
    if n < 2:
        raise ValueError(f"A t-test needs at least two pairs: got {n}.")
    mean, spread = float(np.mean(a - b)), float(np.ptp(a - b))
    rounding = ROUNDING * max(np.abs(a).max(), np.abs(b).max())
    if spread > rounding:
        t, p_value = stats.ttest_rel(a, b, alternative="greater" if mean >= 0 else "less")
        if overlap:
            t /= np.sqrt(1 + n * overlap)
            p_value = stats.t.sf(abs(t), n - 1)
    elif abs(mean) > rounding:
        # The same difference in every pair: the limit of Student's t as the spread goes to zero.
        t, p_value = np.copysign(np.inf, mean), 0.0
    else:
        t, p_value = 0.0, 1.0
    return Comparison(mark(p_value, mean > 0), float(p_value), float(t), n)


def _lone_rights(a: F1Scores, b: F1Scores) -> tuple[int, int]:
    """Return how often only A and only B is right."""
    if a.protocol == "argmax":
        a_right, b_right = (scores.hits.sum(axis=1) > 0 for scores in (a, b))
        return int((a_right & ~b_right).sum()), int((b_right & ~a_right).sum())
    a_wrong, b_wrong = (scores.assigned != scores.truth for scores in (a, b))
    both = a_wrong.multiply(b_wrong).sum()
    return int(b_wrong.sum() - both), int(a_wrong.sum() - both)


def _same_tests(a: Any, b: Any) -> list[tuple[F1Scores, F1Scores]]:
    """Pair the splits of two systems, refusing figures that were not counted on the same documents."""
    a, b = ([scores] if isinstance(scores, F1Scores) else list(scores) for scores in (a, b))
    if len(a) != len(b) or not a:
        raise ValueError(f"A has {len(a)} splits and B {len(b)}: compare the same ones, at least one.")
    if not all(isinstance(scores, F1Scores) for scores in (*a, *b)):
        raise ValueError("A and B must be figures of f1_by_assignment or f1_by_argmax: score both first.")
    for split, (one, other) in enumerate(zip(a, b, strict=True)):
        if one.protocol != other.protocol:
            raise ValueError(
                f"Split {split} is scored by {one.protocol} and by {other.protocol}: choose one."
            )
        if not np.array_equal(one.labels, other.labels):
            raise ValueError(f"Split {split} is scored on different categories: use one labels= for both.")
        if one.truth.shape != other.truth.shape or (one.truth != other.truth).nnz:
            raise ValueError(f"Split {split} is scored on different documents: use the same ones for both.")
    return list(zip(a, b, strict=True))


def _category_figures(a: Any, b: Any) -> tuple[Floats, Floats]:
    """Return the F1 of A and of B per category, averaged over splits."""
    scored = isinstance(a, F1Scores) or (isinstance(a, Sequence) and any(isinstance(x, F1Scores) for x in a))
    if not scored:
        pairs = _pairs(a, b, dimensions=(1, 2))
        return pairs if pairs[0].ndim == 1 else (pairs[0].mean(axis=0), pairs[1].mean(axis=0))
    splits = _same_tests(a, b)
    if any(not np.array_equal(one.labels, splits[0][0].labels) for one, _ in splits):
        raise ValueError("The splits have different categories: score all of them with one labels=.")
    of_a, of_b = zip(*((one.per_category, other.per_category) for one, other in splits), strict=True)
    return np.mean(of_a, axis=0), np.mean(of_b, axis=0)


def _pairs(a: Any, b: Any, dimensions: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return two arrays of figures, refusing what does not pair up or is not finite."""
    figures_a, figures_b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if figures_a.shape != figures_b.shape or figures_a.ndim not in dimensions or figures_a.size == 0:
        raise ValueError(f"A has figures of shape {figures_a.shape}, B {figures_b.shape}: give pairs.")
    if not np.isfinite(figures_a + figures_b).all():
        raise ValueError("A or B has a figure that is not finite: leave that pair out of both.")
    return figures_a, figures_b
