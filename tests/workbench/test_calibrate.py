import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit, log_softmax
from sklearn.calibration import _SigmoidCalibration

from textensor.workbench.answers import calibrate as module
from textensor.workbench.answers import sigmoid
from textensor.workbench.answers.calibrate import (
    SHRINKAGE,
    SPREAD,
    calibrate,
    calibrate_shares,
    level_thresholds,
    probabilities,
    shares,
)


def test_sigmoids_are_those_of_platt():
    random = np.random.default_rng(0)
    scores = random.normal(size=(400, 3)) * [1.0, 30.0, 0.01]
    truth = random.random((400, 3)) < 1 / (1 + np.exp(-scores / [0.5, 10.0, 0.01] + 1))
    sigmoids = calibrate(scores, truth)
    for k in range(3):
        other = _SigmoidCalibration().fit(scores[:, k], truth[:, k])
        found = probabilities(scores[:, [k]], sigmoids[[k]])[:, 0]
        np.testing.assert_allclose(found, other.predict(scores[:, k]), atol=2e-3)


@pytest.mark.parametrize("share", [0.0003, 0.02, 0.5, 0.98])
def test_the_summary_of_very_many_scores_has_their_sigmoid(share, monkeypatch):
    random = np.random.default_rng(0)
    truth = random.random((30_000, 1)) < share
    scores = random.normal(size=truth.shape) + 2 * truth
    found = probabilities(scores, calibrate(scores, truth))
    monkeypatch.setattr(sigmoid, "KEPT", len(scores))
    np.testing.assert_allclose(found, probabilities(scores, calibrate(scores, truth)), atol=2e-3)


def test_the_sigmoid_of_all_labels_is_that_of_some_documents_if_there_are_very_many(monkeypatch):
    random = np.random.default_rng(0)
    scores = random.normal(size=(4000, 5))
    truth = scores + random.normal(size=scores.shape) > 0
    truth[:, 4] = False  # it takes the sigmoid of all
    whole = calibrate(scores, truth)
    monkeypatch.setattr(module, "MOST_SCORES", 5000)
    some = calibrate(scores, truth)
    np.testing.assert_array_equal(some[:4], whole[:4])
    np.testing.assert_allclose(some[4], whole[4], rtol=0.2)
    assert (some[4] != whole[4]).any()


def test_scores_that_mislead_give_no_falling_sigmoid():
    scores = np.arange(10.0)[:, None]
    sigmoids = calibrate(scores, scores < 5)
    assert sigmoids[0, 0] == 0
    np.testing.assert_allclose(probabilities(scores, sigmoids), 0.5, atol=1e-6)


def test_a_rare_label_takes_the_sigmoid_of_all_together():
    random = np.random.default_rng(1)
    scores = random.normal(size=(50, 3))
    truth = scores + random.normal(size=(50, 3)) > 0
    truth[:, 2] = False
    truth[0, 2] = True
    sigmoids = calibrate(scores, truth)
    together = calibrate(scores.reshape(-1, 1), truth.reshape(-1, 1))
    np.testing.assert_array_equal(sigmoids[2], together[0])
    assert (sigmoids[0] != together[0]).all()


def test_no_score_at_all_is_no_error():
    assert calibrate(np.full((3, 2), np.nan), np.zeros((3, 2), dtype=bool)).tolist() == [[1, 0], [1, 0]]


def competing(n=300, n_labels=4, seed=0, shift=0.0):
    """Return scores whose highest is often that of the label; those of the first label lie off by a shift."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_labels, size=n)
    scores = rng.normal(size=(n, n_labels)) + 2 * np.eye(n_labels)[codes]
    scores[:, 0] += shift
    return scores, codes


def test_thresholds_have_the_largest_penalized_likelihood():
    scores, codes = competing(80, 3)
    spread, rows = scores.std(), np.arange(80)

    def loss(parameters):
        odds = log_softmax(parameters[0] * (scores / spread - parameters[1:]), axis=1)
        return -odds[rows, codes].sum() + SHRINKAGE / 2 * parameters[1:] @ parameters[1:]

    expected = minimize(loss, np.r_[1.0, np.zeros(3)], method="BFGS", options={"gtol": 1e-8}).x[1:] * spread
    found = level_thresholds(scores, codes)
    np.testing.assert_allclose(found, expected - expected.mean(), atol=2e-3)
    assert found.sum() == pytest.approx(0, abs=1e-12)


def test_a_label_whose_scores_lie_too_high_gets_a_threshold():
    scores, codes = competing(1000, 3, shift=1.5)
    found = level_thresholds(scores, codes)
    np.testing.assert_allclose(found - found[1], [1.5, 0, 0], atol=0.15)
    before, after = ((one.argmax(axis=1) == codes).mean() for one in (scores, scores - found))
    assert after > before + 0.05
    np.testing.assert_allclose(level_thresholds(scores * 1e6, codes), found * 1e6, rtol=1e-3)


def test_scores_that_say_nothing_move_thresholds_little():
    rng = np.random.default_rng(0)
    assert np.abs(level_thresholds(rng.normal(size=(8, 2)), np.array([0] * 6 + [1] * 2))).max() < 0.7
    assert level_thresholds(np.zeros((5, 3)), np.array([0, 1, 2, 0, 1])).tolist() == [0, 0, 0]
    assert level_thresholds(np.full((2, 3), np.nan), np.array([0, 1])).tolist() == [0, 0, 0]
    assert level_thresholds(np.empty((0, 3)), np.empty(0, dtype=int)).tolist() == [0, 0, 0]


def test_documents_without_a_score_for_their_label_do_not_count_and_unknown_labels_are_out_of_the_race():
    scores, codes = competing(60, 3)
    more = np.vstack([scores, [[np.nan, 9.0, 9.0]]])
    np.testing.assert_array_equal(level_thresholds(more, np.r_[codes, 0]), level_thresholds(scores, codes))
    np.testing.assert_array_equal(calibrate_shares(more, np.r_[codes, 0]), calibrate_shares(scores, codes))
    # The last label has scores in no document: the others compete as if it were not there.
    some = codes < 2
    scores[:, 2] = np.nan
    two, three = (level_thresholds(scores[some][:, :n], codes[some]) for n in (2, 3))
    assert three[1] - three[0] == pytest.approx(two[1] - two[0], abs=1e-3)


def test_one_sigmoid_is_platts_of_all_questions_together():
    scores, codes = competing()
    slope, intercept, _ = calibrate_shares(scores, codes)
    together = calibrate(scores.reshape(-1, 1), (codes[:, None] == np.arange(4)).reshape(-1, 1))
    np.testing.assert_allclose([slope, intercept], together[0])


def test_the_power_has_the_largest_penalized_likelihood():
    scores, codes = competing(2000)
    slope, intercept, power = calibrate_shares(scores, codes)

    def loss(log_power):
        part = expit(slope * scores + intercept) ** np.exp(log_power)
        shown = part / part.sum(axis=1, keepdims=True)
        return -np.log(shown[np.arange(2000), codes]).sum() + (log_power / SPREAD) ** 2 / 2

    assert abs(approx_fprime([np.log(power)], lambda x: loss(x[0]), 1e-6)[0]) < 0.1
    assert loss(np.log(power)) < loss(0.0)


def test_shares_are_calibrated_and_better_than_sums_of_sigmoids():
    scores, codes = competing(4000, 6)
    rise = calibrate_shares(scores[:2000], codes[:2000])
    shown, truth = shares(scores[2000:], rise), codes[2000:]
    every = np.arange(2000)
    for low in (0.4, 0.6, 0.8):
        some = (shown.max(axis=1) >= low) & (shown.max(axis=1) < low + 0.2)
        assert abs((shown.argmax(axis=1) == truth)[some].mean() - shown.max(axis=1)[some].mean()) < 0.06
    plain = expit(rise[0] * scores[2000:] + rise[1])
    plain /= plain.sum(axis=1, keepdims=True)
    assert np.log(shown[every, truth]).mean() > np.log(plain[every, truth]).mean()


def test_scores_that_mislead_give_equal_shares_with_the_first_highest_a_little_ahead():
    scores = np.array([[1.0, 0.0], [0.0, 1.0]] * 10)
    rise = calibrate_shares(scores, np.array([1, 0] * 10))
    assert rise[0] == 0
    shown = shares(scores, rise)
    np.testing.assert_allclose(shown, 0.5)
    assert (shown.argmax(axis=1) == scores.argmax(axis=1)).all()


def test_no_competing_score_at_all_is_no_error():
    assert calibrate_shares(np.full((3, 2), np.nan), np.array([0, 1, 0])).tolist() == [1, 0, 1]
    assert shares(np.empty((0, 3)), [1.0, 0.0, 1.0]).shape == (0, 3)


def test_of_very_many_scores_some_are_compared(monkeypatch):
    scores, codes = competing(3000, 3, shift=1.0)
    whole = level_thresholds(scores, codes)
    monkeypatch.setattr(module, "MOST_SCORES", 3000)
    some = level_thresholds(scores, codes)
    assert (some != whole).any()
    np.testing.assert_allclose(some, whole, atol=0.15)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_scores_of_any_float_that_nobody_may_write_to(kind):
    scores, codes = competing(100, 3)
    given = scores.astype(kind)
    given.flags.writeable = False
    np.testing.assert_allclose(level_thresholds(given, codes), level_thresholds(scores, codes), atol=1e-3)
    shown = shares(given, calibrate_shares(given, codes))
    np.testing.assert_allclose(shown, shares(scores, calibrate_shares(scores, codes)), atol=1e-3)
