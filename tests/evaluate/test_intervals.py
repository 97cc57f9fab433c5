"""Bootstrap intervals: against a literal loop over draws, and their coverage where categories are rare."""

import numpy as np
import pytest
from sklearn.utils import check_random_state

from textensor.evaluate import f1_by_argmax, f1_by_assignment, f1_intervals, intervals


def rare_categories(rng, sizes, n_confused=0.2):
    """Labels of the given category sizes and predictions that confuse a share of them at random."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    wrong = rng.random(len(truth)) < n_confused
    elsewhere = rng.choice(len(sizes), size=len(truth), p=np.asarray(sizes) / np.sum(sizes))
    return truth, np.where(wrong, elsewhere, truth)


@pytest.mark.parametrize("protocol", ["assignment", "argmax"])
def test_draws_are_what_scoring_each_of_them_gives(protocol):
    rng = np.random.default_rng(1)
    truth = np.r_[np.zeros(10), np.ones(8), np.full(6, 2)].astype(int)
    values = rng.normal(size=(24, 3)) + 2 * np.eye(3)[truth] - 0.5
    score = {"assignment": f1_by_assignment, "argmax": f1_by_argmax}[protocol]
    averages, categories = intervals._draws(score(truth, values), 30, check_random_state(5))
    drawn = check_random_state(5).randint(24, size=(30, 24))
    for rows, average, category in zip(drawn, averages, categories, strict=True):
        literal = score(truth[rows], values[rows], classes=[0, 1, 2])
        assert literal.support.min() > 0  # no category is lost, so nothing is left out of the means
        expected = (literal.micro, literal.macro_mean_f1, literal.macro_f1_of_means)
        np.testing.assert_allclose(average, expected)
        np.testing.assert_allclose(category, literal.per_category)


def test_the_ends_are_mirrored_quantiles_for_averages_and_quantiles_for_categories():
    scores = f1_by_argmax(*rare_categories(np.random.default_rng(2), [30, 20, 10]))
    averages, categories = intervals._draws(scores, 200, check_random_state(7))
    result = f1_intervals(scores, n_resamples=200, confidence=0.9, random_state=7)
    assert result.micro.low == pytest.approx(2 * scores.micro - np.quantile(averages[:, 0], 0.95))
    assert result.micro.high == pytest.approx(2 * scores.micro - np.quantile(averages[:, 0], 0.05))
    assert result.macro_f1_of_means.low == pytest.approx(
        2 * scores.macro_f1_of_means - np.quantile(averages[:, 2], 0.95)
    )
    np.testing.assert_allclose(result.per_category, np.quantile(categories, [0.05, 0.95], axis=0).T)


def test_a_lost_category_is_left_out_of_the_draws_mean_only_if_it_was_there():
    # category 2 has one document, category 3 none at all and is never predicted
    scores = f1_by_argmax([0, 0, 1, 1, 2], [0, 0, 1, 1, 2], classes=[0, 1, 2, 3])
    averages, categories = intervals._draws(scores, 300, check_random_state(0))
    lost = categories[:, 2] == 0
    assert lost.any()
    complete = (categories[:, :2] == 1).all(axis=1)
    np.testing.assert_allclose(averages[complete & lost, 1], 2 / 3)  # (1 + 1 + 0)/3: category 3 counts as 0
    np.testing.assert_allclose(averages[complete & ~lost, 1], 3 / 4)


def test_a_draw_that_loses_everything_scores_zero():
    scores = f1_by_assignment([0, 0, 1], [-1.0, -1.0, 1.0])
    averages, _ = intervals._draws(scores, 100, check_random_state(0))
    assert set(averages.ravel()) == {0.0, 1.0}


def test_one_document():
    result = f1_intervals(f1_by_argmax([1], [1]), random_state=0)
    assert result.micro == result.macro == (1, 1)
    assert result.per_category.tolist() == [[1, 1]]


def test_seeds_repeat_and_blocks_do_not_show(monkeypatch):
    scores = f1_by_argmax(*rare_categories(np.random.default_rng(3), [400, 50, 20]))
    first = f1_intervals(scores, random_state=11)
    monkeypatch.setattr(intervals, "BLOCK_WEIGHTS", 5000)
    again = f1_intervals(scores, random_state=11)
    other = f1_intervals(scores, random_state=12)
    assert (first.micro, first.macro) == (again.micro, again.macro)
    np.testing.assert_array_equal(first.per_category, again.per_category)
    assert first.macro != other.macro


def test_more_confidence_is_wider_and_all_is_within_bounds():
    scores = f1_by_argmax(*rare_categories(np.random.default_rng(4), [20, 3, 1]), macro="f1_of_means")
    narrow = f1_intervals(scores, confidence=0.5, random_state=0)
    wide = f1_intervals(scores, confidence=0.99, random_state=0)
    for name in ("micro", "macro_mean_f1", "macro_f1_of_means"):
        inner, outer = getattr(narrow, name), getattr(wide, name)
        assert 0 <= outer.low <= inner.low <= inner.high <= outer.high <= 1
    assert wide.macro == wide.macro_f1_of_means
    assert (wide.per_category[:, 0] <= narrow.per_category[:, 0]).all()


def test_coverage_of_the_macro_interval_with_rare_categories():
    """95% intervals hold the expected macro-F1 in most test sets; plain percentiles of the draws do not."""
    sizes = [300, 120, 60, 30, 20, 15, 12, 10, 8, 6, 5, 5, 4, 4, 3, 3, 3, 2, 2, 2]
    rng = np.random.default_rng(0)
    # The figure of a test set 200 times as large stands for the true one.
    true = f1_by_argmax(*rare_categories(rng, np.multiply(sizes, 200))).macro
    covered = percentiles = 0
    for seed in range(100):
        scores = f1_by_argmax(*rare_categories(rng, sizes), classes=range(len(sizes)))
        low, high = f1_intervals(scores, n_resamples=300, random_state=seed).macro
        covered += low <= true <= high
        draws = intervals._draws(scores, 300, check_random_state(seed))[1].mean(axis=1)
        percentiles += np.quantile(draws, 0.025) <= true <= np.quantile(draws, 0.975)
    assert covered >= 85
    assert percentiles < covered


@pytest.mark.parametrize(("option", "value"), [("confidence", 1.0), ("confidence", 0), ("n_resamples", 0)])
def test_options_out_of_range(option, value):
    with pytest.raises(ValueError, match=option):
        f1_intervals(f1_by_argmax([0, 1], [0, 1]), **{option: value})
