"""How many documents could be automated: counted one by one, and what is odd."""

import numpy as np
import pytest
from scipy import stats

from textensor.evaluate import coverage
from textensor.evaluate.coverage import LEVELS, POINTS


def test_points_are_what_counting_gives():
    rng = np.random.default_rng(0)
    sure = rng.random(200).round(2)
    right = rng.random(200) < sure
    for point in coverage(sure, right, confidence=0.9):
        some = [bool(r) for p, r in zip(sure, right, strict=True) if p >= point.above]
        assert (point.n_documents, point.n_right) == (len(some), sum(some))
        assert point.share == len(some) / 200
        assert point.right == sum(some) / len(some)
        expected = stats.binomtest(sum(some), len(some)).proportion_ci(0.9, method="wilson")
        np.testing.assert_allclose((point.low, point.high), expected, atol=1e-12)


def test_levels_that_no_document_reaches_are_left_out():
    assert [point.above for point in coverage([0.4, 0.85], [True, False])] == [0.0, 0.3, 0.5, 0.6, 0.7, 0.8]
    assert coverage([0.4, 0.85], [True, False])[0].above == LEVELS[0]
    assert coverage([], []) == coverage([], [], at=None) == []


def test_a_curve_begins_with_the_most_certain_and_ends_with_all():
    sure = np.linspace(0.2, 0.99, 1000)[::-1]
    found = coverage(sure, sure > 0.5, at=None)
    assert len(found) == POINTS
    assert (found[0].above, found[0].n_documents) == (0.99, 1)
    assert (found[-1].n_documents, found[-1].share) == (1000, 1.0)
    assert [point.n_documents for point in found] == sorted({point.n_documents for point in found})


def test_equally_certain_documents_are_automated_together():
    found = coverage([0.5, 0.9, 0.5, 0.5], [True, True, False, True], at=None)
    assert [(point.above, point.n_documents, point.n_right) for point in found] == [(0.9, 1, 1), (0.5, 4, 3)]


def test_intervals_hold_the_true_share_about_as_often_as_they_say():
    rng = np.random.default_rng(1)
    held = []
    for _ in range(500):
        sure = rng.uniform(0.5, 1, size=60)
        point = coverage(sure, rng.random(60) < sure, at=[0.8])[0]
        held.append(point.low <= 0.9 <= point.high)
    assert 0.92 < np.mean(held) < 0.985


@pytest.mark.parametrize(
    ("certainty", "right", "message"),
    [
        ([0.5], [True, False], "give one of each"),
        ([[0.5]], [[True]], "give one of each"),
        ([0.5, np.nan], [True, False], "NaN in row 1"),
    ],
)
def test_what_cannot_be_counted(certainty, right, message):
    with pytest.raises(ValueError, match=message):
        coverage(certainty, right)
    with pytest.raises(ValueError, match="confidence"):
        coverage([0.5], [True], confidence=1.5)
