"""Significance tests: p-values worked by hand, marks, symmetry, several splits."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from textensor.evaluate import (
    Comparison,
    corrected_t_test,
    f1_by_argmax,
    f1_by_assignment,
    holm,
    macro_sign_test,
    macro_t_test,
    micro_sign_test,
    paired_t_test,
)
from textensor.evaluate.significance import mark

FLIPPED = {">>": "<<", ">": "<", "~": "~", "<": ">", "<<": ">>"}


@pytest.mark.parametrize(
    ("p_value", "expected"), [(0, ">>"), (0.01, ">>"), (0.0101, ">"), (0.05, ">"), (0.0501, "~"), (1, "~")]
)
def test_marks(p_value, expected):
    assert mark(p_value, a_ahead=True) == expected
    assert mark(p_value, a_ahead=False) == FLIPPED[expected]


def test_micro_sign_test_by_hand():
    # Ten decisions (5 documents, 2 categories). Wrong ones: A (0, 0) and (4, 1); B (4, 1), and six others.
    truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1]])
    a, b = truth.copy(), truth.copy()
    a[[0, 4], [0, 1]] ^= 1
    b[[4, 0, 1, 1, 2, 2, 3], [1, 1, 0, 1, 0, 1, 0]] ^= 1
    # Both are wrong at (4, 1): left out. Only A is right 6 times, only B once: n = 7, k = 6,
    # p = (C(7, 6) + C(7, 7))/2**7 = 8/128
    result = micro_sign_test(f1_by_assignment(truth, a), f1_by_assignment(truth, b))
    assert result == Comparison("~", 8 / 128, 6, 7)
    # With (0, 0) right as well, A has all 6: p = 1/2**6 = .0156, "better"
    a[0, 0] ^= 1
    result = micro_sign_test(f1_by_assignment(truth, a), f1_by_assignment(truth, b))
    assert result == Comparison(">", 1 / 64, 6, 6)
    assert micro_sign_test(f1_by_assignment(truth, b), f1_by_assignment(truth, a)).mark == "<"
    # Twice the same split, pooled: 12 of 12, p = 1/2**12, "much better"
    pair = [f1_by_assignment(truth, a)] * 2, [f1_by_assignment(truth, b)] * 2
    assert micro_sign_test(*pair) == Comparison(">>", 1 / 4096, 12, 12)


def test_micro_sign_test_by_argmax_counts_documents():
    truth = list("aabbcc")
    # only A right: documents 0, 1, 2; only B right: 3; both wrong, differently: 4; both right: 5
    a, b = list("aabcac"), list("bccbbc")
    result = micro_sign_test(f1_by_argmax(truth, a), f1_by_argmax(truth, b))
    assert result == Comparison("~", (4 + 1) / 16, 3, 4)


def test_macro_sign_test_by_hand():
    a = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.0]
    b = [0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.3, 0.0]
    # one tie dropped, A ahead in 7 of 8: p = (8 + 1)/2**8 = .0352
    assert macro_sign_test(a, b) == Comparison(">", 9 / 256, 7, 8)


def test_macro_sign_test_takes_rounding_for_a_tie():
    a, b = [[0.1], [0.2], [0.3]], [[0.3], [0.2], [0.1]]
    assert np.mean(a, axis=0) != np.mean(b, axis=0)  # in floating point
    assert macro_sign_test(a, b) == Comparison("~", 1, 0, 0)


def test_macro_t_test_by_hand():
    # differences .1, .2, .3, .2: mean .2, variance (.01 + 0 + .01 + 0)/3, standard error sqrt(.02/3/4),
    # t = .2/sqrt(.02/12) = sqrt(24); one-sided p of t with 3 degrees of freedom
    result = macro_t_test([0.6, 0.7, 0.8, 0.5], [0.5, 0.5, 0.5, 0.3])
    assert result.statistic == pytest.approx(math.sqrt(24))
    # The tail of Student's t with 3 degrees of freedom in closed form
    x = math.sqrt(24) / math.sqrt(3)
    tail = 0.5 - (math.atan(x) + x / (1 + x * x)) / math.pi
    assert result.p_value == pytest.approx(tail)
    assert result.n == 4
    assert result.mark == ">>"


def test_macro_tests_average_over_splits():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=(4, 50))
    a, b = (
        [f1_by_argmax(t, np.where(rng.random(50) < noise, 2 - t, t), classes=range(3)) for t in truth]
        for noise in (0.2, 0.4)
    )
    mean_a, mean_b = (np.mean([scores.per_category for scores in system], axis=0) for system in (a, b))
    expected = stats.ttest_rel(mean_a, mean_b, alternative="greater")
    for result in (
        macro_t_test(a, b),
        macro_t_test([s.per_category for s in a], np.array([s.per_category for s in b])),
    ):
        assert result.p_value == pytest.approx(expected.pvalue)
        assert result.n == 3
    assert macro_sign_test(tuple(a), tuple(b)) == macro_sign_test(mean_a, mean_b)


def test_paired_t_test_is_one_sided():
    a, b = [0.85, 0.87, 0.86, 0.88], [0.84, 0.86, 0.87, 0.85]
    two_sided = stats.ttest_rel(a, b).pvalue
    assert paired_t_test(a, b).p_value == pytest.approx(two_sided / 2)


def test_no_spread_at_all():
    assert paired_t_test([0.5, 0.6], [0.5, 0.6]) == Comparison("~", 1, 0, 2)
    # .1 everywhere up to rounding: the limit of a certain difference
    assert paired_t_test([0.4, 0.8, 0.9], [0.3, 0.7, 0.8]) == Comparison(">>", 0, math.inf, 3)
    assert paired_t_test([0.3, 0.7, 0.8], [0.4, 0.8, 0.9]) == Comparison("<<", 0, -math.inf, 3)


def test_small_figures_have_a_spread_too():
    a, b = np.array([1e-13, 3e-13, 2e-13]), np.array([2e-13, 2.5e-13, 4e-13])
    assert paired_t_test(a, b).statistic == pytest.approx(paired_t_test(a * 1e13, b * 1e13).statistic)


def test_equal_systems():
    scores = f1_by_argmax([0, 1, 2], [0, 1, 1], classes=[0, 1, 2])
    for test in (micro_sign_test, macro_sign_test, macro_t_test):
        result = test(scores, scores)
        assert (result.mark, result.p_value) == ("~", 1)


def test_large_counts_stay_sparse_and_finite():
    n = 200_000
    truth = sparse.eye_array(n, 1000, format="csr")
    nothing = sparse.csr_array((n, 1000))
    result = micro_sign_test(f1_by_assignment(truth, truth), f1_by_assignment(truth, nothing))
    assert (result.mark, result.n) == (">>", 1000)


@pytest.mark.parametrize(
    ("message", "a", "b"),
    [
        ("different documents", f1_by_argmax([0, 1], [0, 1]), f1_by_argmax([1, 0], [0, 1])),
        ("different documents", f1_by_argmax([0, 1], [0, 1]), f1_by_argmax([0, 1, 1], [0, 1, 1])),
        ("different categories", f1_by_argmax([0, 1], [0, 1]), f1_by_argmax([0, 1], [0, 2])),
        ("by argmax and by assignment", f1_by_argmax([0, 1], [0, 1]), f1_by_assignment([0, 1], np.eye(2))),
        ("1 splits and B 2", f1_by_argmax([0, 1], [0, 1]), [f1_by_argmax([0, 1], [0, 1])] * 2),
        ("score both first", f1_by_argmax([0, 1], [0, 1]), [0.5]),
    ],
)
@pytest.mark.parametrize("test", [micro_sign_test, macro_sign_test, macro_t_test])
def test_figures_that_cannot_be_compared(test, message, a, b):
    with pytest.raises(ValueError, match=message):
        test(a, b)


def test_splits_with_different_categories():
    a = [f1_by_argmax([0, 1], [0, 1]), f1_by_argmax([0, 2], [0, 2])]
    with pytest.raises(ValueError, match="The splits have different categories"):
        macro_t_test(a, a)


@pytest.mark.parametrize(
    ("message", "a", "b"),
    [
        ("at least two pairs", [0.5], [0.6]),
        ("give pairs", [0.5, 0.6], [0.5]),
        ("give pairs", [], []),
        ("give pairs", [[0.5, 0.6]], [[0.5, 0.7]]),
        ("not finite", [0.5, np.nan], [0.5, 0.6]),
    ],
)
def test_paired_t_test_refuses(message, a, b):
    with pytest.raises(ValueError, match=message):
        paired_t_test(a, b)


def test_corrected_t_test_by_hand():
    # differences .1, .2, .3, .2: mean .2, variance .02/3; 40 test documents for 20 training documents:
    # t = .2/sqrt((1/4 + 40/20) * .02/3) = sqrt(.04/.015) = sqrt(8/3), with 3 degrees of freedom
    a, b = [0.6, 0.7, 0.8, 0.5], [0.5, 0.5, 0.5, 0.3]
    result = corrected_t_test(a, b, n_train=20, n_test=40)
    assert result.statistic == pytest.approx(math.sqrt(8 / 3))
    x = math.sqrt(8 / 3) / math.sqrt(3)
    assert result.p_value == pytest.approx(0.5 - (math.atan(x) + x / (1 + x * x)) / math.pi)
    assert (result.mark, result.n) == ("~", 4)
    back = corrected_t_test(b, a, n_train=20, n_test=40)
    assert (back.statistic, back.p_value) == (-result.statistic, result.p_value)
    # The paper's other form: the correlation rho of two splits is n_test/(n_train + n_test).
    rho, S2 = 40 / 60, np.var(np.subtract(a, b), ddof=1)
    assert result.statistic == pytest.approx(0.2 / math.sqrt((1 / 4 + rho / (1 - rho)) * S2))


def test_corrected_t_test_without_test_documents_is_the_paired_one():
    a, b = [0.85, 0.87, 0.86, 0.88], [0.84, 0.86, 0.87, 0.85]
    assert corrected_t_test(a, b, n_train=3, n_test=0) == paired_t_test(a, b)
    assert corrected_t_test(a, a, n_train=3, n_test=7) == Comparison("~", 1, 0, 4)
    assert corrected_t_test([0.5, 0.75], [0.25, 0.5], n_train=3, n_test=7) == Comparison(">>", 0, math.inf, 2)


def test_corrected_t_test_keeps_its_level_if_splits_are_correlated():
    # 10 splits whose figures have the correlation that the test assumes, and no difference in the mean
    rng = np.random.default_rng(0)
    n_train, n_test, n_draws = 30, 70, 4000
    rho = n_test / (n_train + n_test)
    common, own = rng.standard_normal((n_draws, 1)), rng.standard_normal((n_draws, 10))
    draws = math.sqrt(rho) * common + math.sqrt(1 - rho) * own
    zeros = np.zeros(10)
    corrected = np.mean(
        [corrected_t_test(d, zeros, n_train=n_train, n_test=n_test).p_value <= 0.05 for d in draws]
    )
    paired = np.mean([paired_t_test(d, zeros).p_value <= 0.05 for d in draws])
    assert corrected == pytest.approx(0.1, abs=0.02)  # 5% on each side
    assert paired > 0.6


@pytest.mark.parametrize(
    ("message", "more"),
    [
        ("n_train must be a number above 0", {"n_train": 0, "n_test": 1}),
        ("n_test must be a number of 0 or more", {"n_train": 1, "n_test": -1}),
        ("n_test must be a number of 0 or more", {"n_train": 1, "n_test": math.nan}),
    ],
)
def test_corrected_t_test_refuses(message, more):
    with pytest.raises(ValueError, match=message):
        corrected_t_test([0.5, 0.6], [0.4, 0.3], **more)


def literal_holm(p):
    """Reject by Holm's steps at every level among the candidates: the smallest that rejects is the p."""
    found = []
    for k in range(len(p)):
        levels = sorted({min(1.0, q * m) for q in p for m in range(1, len(p) + 1)} | {1.0})
        found.append(next(level for level in levels if k in rejected(p, level)))
    return found


def rejected(p, level):
    order, out = sorted(range(len(p)), key=lambda k: p[k]), set()
    for step, k in enumerate(order):
        if p[k] * (len(p) - step) > level:
            break
        out.add(k)
    return set(range(len(p))) if level == 1 else out


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 64).map(lambda i: i / 64), min_size=1, max_size=8))
def test_holm_is_the_smallest_level_that_rejects(p):
    assert holm(p).tolist() == literal_holm(p)


def test_holm_of_none_and_of_equal_p_values():
    assert holm([]).tolist() == []
    assert holm([0.25, 0.25]).tolist() == [0.5, 0.5]
    assert holm(np.array([0.125, 1.0], dtype=np.float32)).tolist() == [0.25, 1.0]


@pytest.mark.parametrize("p", [[0.1, math.nan], [1.5], [-0.1], [[0.1]], 0.1])
def test_holm_refuses(p):
    with pytest.raises(ValueError, match="numbers from 0 to 1"):
        holm(p)


figures = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 20).map(lambda i: i / 20), min_size=n, max_size=n),) * 2)
)


@settings(max_examples=100, deadline=None)
@given(figures)
def test_swapping_the_systems_flips_the_mark(pair):
    for test in (macro_sign_test, macro_t_test, paired_t_test):
        forth, back = test(*pair), test(*pair[::-1])
        assert back.mark == FLIPPED[forth.mark]
        assert back.p_value == pytest.approx(forth.p_value)
        assert 0 <= forth.p_value <= 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(2, 5))
def test_micro_sign_test_is_a_literal_count(seed, n_documents, n_labels):
    truth, a, b = np.random.default_rng(seed).integers(2, size=(3, n_documents, n_labels))
    result = micro_sign_test(f1_by_assignment(truth, a), f1_by_assignment(truth, b))
    only_a, only_b = ((a == truth) & (b != truth)).sum(), ((b == truth) & (a != truth)).sum()
    assert (result.statistic, result.n) == (only_a, only_a + only_b)
    flipped = micro_sign_test(f1_by_assignment(truth, b), f1_by_assignment(truth, a))
    assert flipped.mark == FLIPPED[result.mark]
    assert flipped.p_value == result.p_value
