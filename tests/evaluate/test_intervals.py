"""Intervals of F1: literal leave-one-out sums, known cases, and coverage with rare categories."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import f1_score

from textensor.evaluate import f1_by_argmax, f1_by_assignment, f1_intervals
from textensor.evaluate.intervals import f1_bounds, wilson


def rare_categories(rng, sizes, n_confused=0.2):
    """Labels of the given category sizes and predictions that confuse a share of them at random."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    wrong = rng.random(len(truth)) < n_confused
    elsewhere = rng.choice(len(sizes), size=len(truth), p=np.asarray(sizes) / np.sum(sizes))
    return truth, np.where(wrong, elsewhere, truth)


def effective(figure, interval, confidence=0.95):
    """Return the number of documents whose Wilson interval is the given one."""
    z2 = stats.norm.ppf((1 + confidence) / 2) ** 2
    # The ends sum to (2 figure n + z2) / (n + z2) and their product is figure^2 n / (n + z2).
    product = interval.low * interval.high
    return product * z2 / (figure**2 - product)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (3, 7), (7, 7), (81, 263)])
def test_wilson_is_the_interval_of_scipy(hits, n):
    expected = stats.binomtest(hits, n).proportion_ci(0.9, method="wilson")
    np.testing.assert_allclose([float(end) for end in wilson(hits, n, 0.9)], expected, atol=1e-12)


def test_nothing_is_known_from_no_documents():
    assert [float(end) for end in wilson(0, 0, 0.95)] == [0, 1]
    empty = f1_intervals(f1_by_assignment(np.zeros((3, 2), dtype=int), -np.ones((3, 2))))
    assert empty.micro == empty.macro_mean_f1 == empty.macro_f1_of_means == (0, 1)
    assert empty.per_category.tolist() == [[0, 1], [0, 1]]


def test_the_interval_of_accuracy_is_wilsons():
    scores = f1_by_argmax([0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 2, 0, 2])
    expected = stats.binomtest(5, 7).proportion_ci(0.95, method="wilson")
    np.testing.assert_allclose(f1_intervals(scores).micro, expected, atol=1e-12)


def test_a_categorys_interval_is_that_of_its_share_of_hits():
    truth, got = [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1, 1]
    low, high = stats.binomtest(2, 4).proportion_ci(0.95, method="wilson")  # 2 hits, 1 missed, 1 wrong
    found = f1_intervals(f1_by_argmax(truth, got)).per_category[0]
    np.testing.assert_allclose(found, [2 * low / (1 + low), 2 * high / (1 + high)])


@pytest.mark.parametrize("several", [False, True])
def test_the_macro_variance_is_the_sum_over_documents_written_out(several):
    rng = np.random.default_rng(3)
    if several:
        truth = (rng.random((40, 4)) < [0.5, 0.3, 0.1, 0.03]).astype(int)
        scores = f1_by_assignment(truth, np.where(rng.random((40, 4)) < 0.8, truth, 1 - truth) - 0.5)
    else:
        scores = f1_by_argmax(*rare_categories(rng, [20, 9, 3, 1]))
    true, got = scores.truth.toarray(), scores.assigned.toarray()
    n_labels, variance = true.shape[1], 0.0
    there = true | got
    shares = [(true & got)[:, k].sum() / there[:, k].sum() for k in range(n_labels)]
    for d in range(len(true)):
        influence = 0.0
        for k in np.flatnonzero(there[d]):
            others = [float(true[e, k] and got[e, k]) for e in np.flatnonzero(there[:, k]) if e != d]
            expected = np.mean([*others, np.mean(shares)])
            levelled = (sum((true & got)[:, k]) + np.mean(shares)) / (sum(there[:, k]) + 1)
            own = float(true[d, k] and got[d, k])
            influence += (own - expected) / sum(there[:, k]) * 2 / (1 + levelled) ** 2 / n_labels
        variance += influence**2
    n = scores.macro * (1 - scores.macro) / variance
    alike = n_labels**2 / sum(1 / there.sum(axis=0))
    n = min(n, alike) * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, alike - 1)) ** 2
    assert effective(scores.macro, f1_intervals(scores).macro) == pytest.approx(n)


def test_decisions_that_are_independent_have_the_interval_of_one_category():
    """With several labels, micro-F1 is a function of the share of hits, as a category's F1 is."""
    rng = np.random.default_rng(0)
    truth = np.ones((400, 1), dtype=int)
    scores = f1_by_assignment(truth, np.where(rng.random(truth.shape) < 0.95, 1.0, -1.0))
    found = f1_intervals(scores)
    np.testing.assert_allclose(found.micro, found.per_category[0], atol=3e-3)
    right = f1_intervals(f1_by_assignment(truth, truth))
    np.testing.assert_allclose(right.micro, right.per_category[0])


@pytest.mark.parametrize("n_categories", [1, 2, 7])
def test_equal_large_categories_have_the_variance_of_the_delta_method(n_categories):
    """Labels that are asked for alone, with as many hits each: the mean has 1 / K of one label's variance."""
    truth = np.ones((300 * n_categories, n_categories), dtype=int)
    got = np.zeros(truth.shape)
    for k in range(n_categories):
        truth[:, k] = 0
        truth[300 * k : 300 * (k + 1), k] = 1
        got[300 * k : 300 * k + 180, k] = 1
    scores = f1_by_assignment(truth, got)
    share = 0.6
    variance = (2 / (1 + share) ** 2) ** 2 * share * (1 - share) / 300 / n_categories
    expected = scores.macro * (1 - scores.macro) / variance
    assert effective(scores.macro, f1_intervals(scores).macro) == pytest.approx(
        min(expected, 300 * n_categories), rel=0.02
    )


def test_categories_without_a_document_do_not_move_the_interval_from_its_figure():
    """Draws of a bootstrap that left lost categories out had 0.556 [0.611, 0.778] here."""
    scores = f1_by_argmax([0, 4, 2, 3, 7], [0, 4, 2, 3, 7], classes=range(9))
    low, high = f1_intervals(scores).macro
    assert low < scores.macro < high
    assert (low, high) == wilson(5 / 9 * 5, 5, 0.95)  # no mistake in five documents


@settings(deadline=None, max_examples=200)
@given(
    st.integers(1, 12),
    st.integers(1, 6),
    st.booleans(),
    st.floats(0.01, 0.999),
    st.randoms(use_true_random=False),
)
def test_every_interval_holds_its_figure_and_is_within_bounds(n, n_labels, several, confidence, random):
    rng = np.random.default_rng(random.randrange(2**32))
    if several:
        scores = f1_by_assignment(
            (rng.random((n, n_labels)) < rng.random()).astype(int), rng.random((n, n_labels)) - rng.random()
        )
    else:
        got = rng.integers(n_labels, size=n)
        scores = f1_by_argmax(np.where(rng.random(n) < rng.random(), got, 0), got, classes=range(n_labels))
    found = f1_intervals(scores, confidence=confidence)
    for name in ("micro", "macro_mean_f1", "macro_f1_of_means"):
        low, high = getattr(found, name)
        assert 0 <= low <= getattr(scores, name) <= high <= 1, name
    assert (found.per_category[:, 0] <= scores.per_category + 1e-12).all()
    assert (scores.per_category <= found.per_category[:, 1] + 1e-12).all()
    assert found.macro == found.macro_mean_f1


def test_one_document_and_no_mistake_is_no_certainty():
    result = f1_intervals(f1_by_argmax([1], [1]))
    expected = stats.binomtest(1, 1).proportion_ci(0.95, method="wilson")
    assert result.micro == result.macro == pytest.approx(expected)


def test_more_documents_or_less_confidence_is_narrower():
    truth, got = rare_categories(np.random.default_rng(4), [20, 6, 3])
    widths = [
        np.diff(f1_intervals(f1_by_argmax(np.tile(truth, k), np.tile(got, k)), confidence=c).macro)[0]
        for k, c in ((1, 0.99), (1, 0.95), (1, 0.5), (100, 0.5))
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.03


def test_the_other_macro_has_the_interval_of_its_own_figure():
    scores = f1_by_argmax(*rare_categories(np.random.default_rng(4), [20, 3, 1]), macro="f1_of_means")
    found = f1_intervals(scores)
    assert found.macro == found.macro_f1_of_means != found.macro_mean_f1
    large = f1_by_argmax(*rare_categories(np.random.default_rng(4), [2000, 2000]), macro="f1_of_means")
    np.testing.assert_allclose(f1_intervals(large).macro, f1_intervals(large).macro_mean_f1, atol=2e-3)


def test_unscored_categories_do_not_count():
    truth, got = rare_categories(np.random.default_rng(5), [30, 20, 10])
    some = f1_by_argmax(truth, got, labels=[0, 1])
    assert some.micro == pytest.approx(f1_score(truth, got, labels=[0, 1], average="micro"))
    low, high = f1_intervals(some).micro
    assert low < some.micro < high


@pytest.mark.parametrize("several", [False, True])
def test_coverage_with_rare_categories(several):
    """95% intervals hold the figure of a very large test set."""
    sizes = np.array([60, 30, 12, 8, 5, 5, 3, 3, 2, 2, 1, 1])
    rng = np.random.default_rng(0)

    def test_set(times):
        truth, got = rare_categories(rng, sizes * times)
        if not several:
            return f1_by_argmax(truth, got, classes=range(len(sizes)))
        actual = np.eye(len(sizes), dtype=int)[truth]
        wrong = rng.random(actual.shape) < np.where(actual, 0.2, 0.005)
        return f1_by_assignment(actual, np.where(wrong, 1 - actual, actual) - 0.5)

    true = test_set(500)
    held = []
    for _ in range(300):
        scores = test_set(1)
        found = f1_intervals(scores)
        names = ("micro", "macro_mean_f1", "macro_f1_of_means")
        averages = [getattr(found, of).low <= getattr(true, of) <= getattr(found, of).high for of in names]
        low, high = found.per_category.T
        each = (low <= true.per_category) & (true.per_category <= high)
        held.append([*averages, each.mean()])
    assert (np.mean(held, axis=0) > 0.925).all(), np.mean(held, axis=0)
    assert np.mean(held, axis=0)[0] < 0.995


def test_f1_of_one_label_holds_the_true_figure_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    # A label on 30% of documents, found in 70% of them, wrongly given to 10% of the others.
    true = 2 * 0.3 * 0.7 / (0.3 + 0.3 * 0.7 + 0.7 * 0.1)
    actual = rng.random((400, 40)) < 0.3
    assigned = rng.random(actual.shape) < np.where(actual, 0.7, 0.1)
    low, high = f1_bounds((actual & assigned).sum(axis=1), assigned.sum(axis=1), actual.sum(axis=1), 0.95)
    assert 0.92 < ((low <= true) & (true <= high)).mean() < 0.985


@pytest.mark.parametrize("value", [1.0, 0, float("nan")])
def test_a_confidence_out_of_range(value):
    with pytest.raises(ValueError, match="confidence"):
        f1_intervals(f1_by_argmax([0, 1], [0, 1]), confidence=value)
