import numpy as np
from sklearn.calibration import _SigmoidCalibration

from textensor.workbench.calibrate import calibrate, probabilities


def test_sigmoids_are_those_of_platt():
    random = np.random.default_rng(0)
    scores = random.normal(size=(400, 3)) * [1.0, 30.0, 0.01]
    truth = random.random((400, 3)) < 1 / (1 + np.exp(-scores / [0.5, 10.0, 0.01] + 1))
    sigmoids = calibrate(scores, truth)
    for k in range(3):
        other = _SigmoidCalibration().fit(scores[:, k], truth[:, k])
        found = probabilities(scores[:, [k]], sigmoids[[k]])[:, 0]
        np.testing.assert_allclose(found, other.predict(scores[:, k]), atol=2e-3)


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
