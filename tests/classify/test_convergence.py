"""The machines themselves, at every cost: what they stop at is what they say."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import normalize
from sklearn.svm import SVC, LinearSVC

from textensor.classify import SupportTensorMachine, TensorClassifier, TensorLeastSquares
from textensor.learn import Hinge, SquaredHinge, rows_of


def noisy(seed=0, n=200, p=60):
    rng = np.random.default_rng(seed)
    X = normalize(rng.poisson(1.0, (n, p)).astype(float))
    y = (X @ rng.normal(size=p) > 0).astype(int)
    y[rng.random(n) < 0.15] ^= 1
    return X, y


def objective(X, y, w, b, C, scale=1.0):
    slack = np.maximum(0, 1 - (2 * y - 1) * (X @ w + b)).sum()
    return 0.5 * w @ w + 0.5 * (b / scale) ** 2 + C * slack


def best(X, y, C, scale=1.0):
    model = LinearSVC(
        loss="hinge", C=C, intercept_scaling=scale, tol=1e-7, max_iter=10_000_000, random_state=0
    ).fit(X, y)
    return objective(X, y, model.coef_[0], model.intercept_[0], C, scale)


@pytest.mark.parametrize("C", [1, 10, 100, 1000])
@pytest.mark.parametrize("options", [{"order": 1}, {"shape": (10, 6), "rank": 6}])
def test_the_machine_is_near_the_optimum_at_every_cost(C, options):
    X, y = noisy()
    model = SupportTensorMachine(C, arrangement="given", random_state=0, **options).fit(X, y)
    reached = objective(X, y, model.coef_[0], model.intercept_[0], C)
    assert reached == pytest.approx(model.objective_history_[0][-1])
    assert reached <= 1.011 * best(X, y, C)


def test_order_1_has_the_objective_of_libsvm():
    """LIBSVM leaves the intercept free; a large scaling leaves next to nothing of its penalty."""
    X, y = noisy(n=80, p=20)
    peer = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)
    model = SupportTensorMachine(
        1.0, order=1, arrangement="given", intercept_scaling=50, tol=3e-5, random_state=0
    ).fit(X, y)
    ours, theirs = (objective(X, y, m.coef_[0], m.intercept_[0], 1.0, scale=np.inf) for m in (model, peer))
    assert ours == pytest.approx(theirs, rel=1e-4)


def test_a_scaled_intercept_is_solved_for():
    X, y = noisy()
    model = SupportTensorMachine(1.0, order=1, arrangement="given", intercept_scaling=10).fit(X, y)
    assert model.objective_history_[0][-1] <= 1.011 * best(X, y, 1.0, scale=10)


@pytest.mark.parametrize("C", [1, 100])
def test_a_plugged_in_estimator_solves_its_own_problem(C):
    X, y = noisy()
    peer = LinearSVC(loss="hinge", C=C, tol=1e-6, max_iter=500_000)
    plugged = TensorClassifier(peer, shape=(10, 6), tol=1e-4).fit(X, y)
    own = TensorClassifier(Hinge(C), shape=(10, 6), tol=1e-4).fit(X, y)
    values = [objective(X, y, m.coef_[0], m.intercept_[0], C) for m in (plugged, own)]
    assert values[0] == pytest.approx(values[1], rel=0.02)
    assert np.isnan(plugged.objective_history_[0]).all()


def test_a_plugged_in_logistic_regression_of_full_rank_is_that_of_vectors():
    X, y = noisy()
    peer = LogisticRegression(C=100, fit_intercept=False, tol=1e-8, max_iter=10_000)
    plugged = TensorClassifier(peer, shape=(10, 6), rank=6, tol=1e-5).fit(X, y)
    assert (plugged.predict(X) == peer.fit(X, y).predict(X)).mean() > 0.97


def test_too_little_work_is_said():
    X, y = noisy()
    with pytest.warns(UserWarning, match="did not settle"):
        SupportTensorMachine(1000, order=1, arrangement="given", max_iter=3).fit(X, y)


@pytest.mark.parametrize("arrangement", ["document-frequency", "semantic"])
def test_documents_of_weight_zero_have_no_say_in_the_arrangement(arrangement):
    X, y = noisy()
    X = np.where(X > 0.15, X, 0.0)
    weight = np.ones(len(y))
    weight[150:] = 0.0
    model = SupportTensorMachine(arrangement=arrangement, thresholds="tuned", random_state=0)
    weighted = model.fit(X, y, weight).decision_function(X)
    kept = SupportTensorMachine(arrangement=arrangement, thresholds="tuned", random_state=0)
    without = kept.fit(X[:150], y[:150])
    np.testing.assert_array_equal(model.arrangement_.permutation_, without.arrangement_.permutation_)
    np.testing.assert_allclose(
        weighted + model.thresholds_, without.decision_function(X) + without.thresholds_, atol=1e-12
    )


@pytest.mark.parametrize(("weight", "message"), [(-1.0, "[Nn]egative"), (np.nan, "NaN"), (0.0, "non-zero")])
def test_bad_weights_of_documents_are_said(weight, message):
    X, y = noisy()
    with pytest.raises(ValueError, match=message):
        SupportTensorMachine().fit(X, y, np.full(len(y), weight))


def test_huge_numbers_are_said():
    X, y = noisy()
    with pytest.raises(ValueError, match="too large to be squared"):
        SupportTensorMachine().fit(X * 1e200, y)


def test_a_label_with_one_answer_needs_no_estimator():
    X, y = noisy()
    Y = np.column_stack([np.ones(len(y)), y]).astype(int)
    model = TensorClassifier(LinearSVC(), arrangement="weight", shape=(10, 6), max_iter=5)
    with pytest.warns(UserWarning, match="did not settle"):
        assert model.set_params(max_iter=1).fit(X, Y).predict(X)[:, 0].all()


def test_labels_in_odd_clothes():
    X, y = noisy()
    column = sp.csr_matrix(y[:, None])
    assert SupportTensorMachine().fit(X, column).predict(X).shape == (200, 1)
    mixed = ["yes" if label else "no" for label in y[:100]] + [-1] * 100
    model = SupportTensorMachine(unlabeled_value=-1).fit(X, mixed)
    assert model.classes_.tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match="an indicator of documents x labels"):
        SupportTensorMachine().fit(X, np.array([["a", "b"]] * 200))
    with pytest.raises(ValueError, match="has another meaning in an indicator"):
        SupportTensorMachine(unlabeled_value=0).fit(X, np.column_stack([y, 1 - y]))


def test_both_answers_of_a_question_are_explained():
    X, y = noisy()
    model = SupportTensorMachine(thresholds="tuned", random_state=0).fit(X, y)
    no, yes = model.explain(X[:1], labels=[0, 1])[0]
    assert (no.label, yes.label) == (0, 1)
    assert yes.decision == pytest.approx(model.decision_function(X[:1])[0])
    assert no.decision == pytest.approx(-yes.decision)
    assert sum(amount for _, amount in no.parts) == pytest.approx(no.decision)
    assert model.explain(X[:2], labels=[]) == [[], []]
    with pytest.raises(ValueError, match="top must be a whole number"):
        model.explain(X[:1], top=-1)


def test_the_settings_of_a_learner_can_be_searched():
    X, y = noisy()
    search = GridSearchCV(TensorClassifier(Hinge(), shape=(10, 6)), {"learner__C": [0.1, 1.0]}, cv=2)
    assert search.fit(X, y).best_params_["learner__C"] in (0.1, 1.0)


def test_a_model_forgets_the_labels_of_its_documents():
    X, y = noisy()
    model = TensorLeastSquares(0.1).fit(X, y)
    assert model._labels.indicator.shape[0] == 0


@pytest.mark.parametrize(
    "model",
    [
        SupportTensorMachine(1e8, order=1, random_state=0),
        SupportTensorMachine(1.0, intercept_scaling=1e6, order=1, random_state=0),
        TensorClassifier(SquaredHinge(1e6), shape=(10, 6), random_state=0),
    ],
)
def test_hopeless_settings_come_to_an_end(model, monkeypatch):
    """How long a fit may take has a bound, whatever is asked of it."""
    monkeypatch.setattr("textensor.classify.tensor.descent.MOST_WORK", 1_000_000)
    X, y = noisy()
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_nobody_tries_harder_than_the_most_there_is():
    learner = Hinge(max_epochs=3)
    tried = []
    while learner is not None:
        tried.append(learner.max_epochs)
        learner = learner.harder(100)
    assert tried == [3, 12, 48, 100]


@pytest.mark.parametrize("learner", [Hinge(max_epochs=200_000), SquaredHinge(max_epochs=200_000)])
def test_rows_that_cost_nothing_have_no_say(learner):
    X, y = noisy(n=40, p=10)
    weight = (np.arange(40) % 2).astype(float)
    found = learner.solve(rows_of(X), 2.0 * y - 1, weight, tol=1e-9)
    kept = weight > 0
    alone = learner.solve(rows_of(X[kept]), 2.0 * y[kept] - 1, weight[kept], tol=1e-9)
    np.testing.assert_allclose(found.weights, alone.weights, atol=1e-6)
    assert found.objective == pytest.approx(alone.objective)


@pytest.mark.parametrize("seed", range(6))
def test_reached_means_near_the_optimum(seed):
    X = np.array([[1.0, 0], [0, 1], [1, -1]])
    found = Hinge(10, fit_intercept=False).solve(rows_of(X), np.ones(3), np.ones(3), tol=1e-9, seed=seed)
    assert found.reached
    assert found.objective == pytest.approx(2.5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_plugged_in_estimators_repeat_themselves():
    X, y = noisy()
    y = y + (np.arange(len(y)) % 2)
    one, again, two = (
        TensorClassifier(SGDClassifier(), random_state=0, max_iter=3, n_jobs=n_jobs).fit(X, y).coef_
        for n_jobs in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, again)
    np.testing.assert_array_equal(one, two)


def test_the_weight_arrangement_takes_the_cost_of_the_learner():
    X, y = noisy()
    by_learner = TensorClassifier(Hinge(100, max_epochs=3), arrangement="weight", random_state=0).fit(X, y)
    by_cost = SupportTensorMachine(100, arrangement="weight", random_state=0).fit(X, y)
    np.testing.assert_array_equal(by_learner.coef_, by_cost.coef_)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_fit_that_leaves_no_residual_has_settled(order, scale):
    # The objective is rounding, whose relative changes mean nothing; warnings are errors here.
    for seed in range(10):
        X = scale * (np.random.default_rng(seed).random((8, 112)) < 0.3)
        y = np.arange(8) % 2
        model = TensorLeastSquares(order=order, random_state=0).fit(X, y)
        assert model.n_iter_ < model.max_iter
        if order == 1:
            np.testing.assert_allclose(model.decision_function(X), 2 * y - 1, atol=1e-6)
