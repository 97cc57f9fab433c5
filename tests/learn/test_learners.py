import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.svm import SVC, LinearSVC

from textensor.classify import TensorClassifier
from textensor.learn import Foreign, Hinge, Rows, SquaredHinge, SquaredLoss, rows_of
from textensor.learn.dual import DualLearner


def data(seed=0, n=80, p=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.2, 1.0, -1.0)
    return X, y, rng.uniform(0.5, 2.0, size=n)


def objective(learner, X, y, weight, w, b):
    return learner.loss(X @ w + b, y, weight) + learner.penalty(float(w @ w), b)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("kind", "loss"), [(Hinge, "hinge"), (SquaredHinge, "squared_hinge")])
@pytest.mark.parametrize("options", [{}, {"C": 10.0}, {"fit_intercept": False}, {"intercept_scaling": 5.0}])
def test_support_vector_machines_reach_liblinears_objective(sparse, kind, loss, options):
    X, y, weight = data()
    learner = kind(**options, max_epochs=200_000)
    solution = learner.solve(rows_of(sp.csr_matrix(X) if sparse else X), y, weight, tol=1e-6)
    peer = LinearSVC(loss=loss, tol=1e-10, max_iter=1_000_000, dual=True, **options).fit(X, y, weight)
    ours = objective(learner, X, y, weight, solution.weights, solution.intercept)
    theirs = objective(learner, X, y, weight, peer.coef_[0], float(np.ravel(peer.intercept_)[0]))
    assert ours == pytest.approx(theirs, rel=1e-4)


def test_a_large_intercept_scaling_comes_near_the_free_intercept_of_libsvm():
    X, y, _ = data()
    learner = Hinge(1.0, intercept_scaling=100.0, max_epochs=1_000_000)
    solution = learner.solve(rows_of(X), y, np.ones(len(y)), tol=1e-3)
    peer = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)
    free = Hinge(1.0, intercept_scaling=1e9)
    assert objective(free, X, y, np.ones(len(y)), solution.weights, solution.intercept) == pytest.approx(
        objective(free, X, y, np.ones(len(y)), peer.coef_[0], peer.intercept_[0]), rel=1e-3
    )


def test_columns_that_repeat_in_a_row_add_up():
    X, y, weight = data(p=4)
    doubled = sp.csr_matrix(np.hstack([X, X]))
    rows = rows_of(doubled)
    repeated = Rows(4, None, rows.indptr, rows.indices % 4, rows.data)
    np.testing.assert_allclose(repeated.to_scipy().toarray(), 2 * X)
    np.testing.assert_allclose(repeated.gram(), 4 * X.T @ X)
    once = Hinge(max_epochs=100_000).solve(rows_of(2 * X), y, weight, tol=1e-9)
    twice = Hinge(max_epochs=100_000).solve(repeated, y, weight, tol=1e-9)
    np.testing.assert_allclose(twice.weights, once.weights, rtol=1e-6, atol=1e-8)


def test_a_warm_start_at_the_solution_stays_there():
    X, y, weight = data()
    rows = rows_of(X)
    cold = Hinge(max_epochs=100_000).solve(rows, y, weight, tol=1e-9)
    warm = Hinge(max_epochs=1).solve(rows, y, weight, state=cold.state, tol=1e-6)
    np.testing.assert_allclose(warm.weights, cold.weights, rtol=1e-6)


def test_descent_is_repeatable_and_leaves_its_start_alone():
    X, y, weight = data()
    start = np.full(len(y), 0.3)
    first = Hinge(max_epochs=3).solve(rows_of(X), y, weight, state=start, seed=1)
    again = Hinge(max_epochs=3).solve(rows_of(X), y, weight, state=start, seed=1)
    np.testing.assert_array_equal(first.weights, again.weights)
    assert (start == 0.3).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 12), st.sampled_from([0.0, 0.5]))
def test_least_squares_are_the_shortest_of_the_best(seed, n, p, alpha):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(1)
    y = rng.choice([-1.0, 1.0], size=n)
    weight = rng.uniform(0.5, 2.0, size=n)
    A = np.sqrt(weight)[:, None] * np.column_stack([X, np.ones(n)])
    b = np.sqrt(weight) * y
    if alpha:
        expected = np.linalg.solve(A.T @ A + alpha * np.eye(p + 1), A.T @ b)
    else:
        expected = np.linalg.lstsq(A, b)[0]
    for given_X in (X, sp.csr_matrix(X)):
        solution = SquaredLoss(alpha).solve(rows_of(given_X), y, weight)
        np.testing.assert_allclose(np.append(solution.weights, solution.intercept), expected, atol=1e-6)


def test_least_squares_of_duplicate_columns_and_rows_share_the_weight():
    X = np.array([[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]])
    y = np.array([1.0, -1.0, 1.0])
    solution = SquaredLoss().solve(rows_of(X), y, np.ones(3))
    assert solution.weights[0] == pytest.approx(solution.weights[1])
    np.testing.assert_allclose(X @ solution.weights + solution.intercept, y, atol=1e-9)


def test_ridge_without_intercept_is_scikit_learns():
    X, y, weight = data()
    peer = Ridge(alpha=0.7, fit_intercept=False).fit(X, y, weight)
    solution = SquaredLoss(0.7, fit_intercept=False).solve(rows_of(X), y, weight)
    np.testing.assert_allclose(solution.weights, peer.coef_, rtol=1e-9)
    assert solution.intercept == 0


def test_any_linear_estimator_can_be_plugged_in():
    X, y, weight = data()
    solution = Foreign(RidgeClassifier(alpha=0.7)).solve(rows_of(X), y, weight)
    peer = RidgeClassifier(alpha=0.7).fit(X, y, weight)
    np.testing.assert_allclose(solution.weights, np.ravel(peer.coef_))
    assert solution.intercept == pytest.approx(np.ravel(peer.intercept_)[0])
    with pytest.raises(ValueError, match="no coef_"):
        Foreign(SVC(kernel="rbf")).solve(rows_of(X), y, weight)


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (Hinge(0.0), "C must be a number above 0"),
        (Hinge(np.nan), "C must be a number above 0"),
        (Hinge("a"), "C must be a number above 0"),
        (Hinge(intercept_scaling=np.inf), "intercept_scaling must be a number above 0"),
        (SquaredLoss(-1.0), "alpha must be"),
    ],
)
def test_wrong_settings_are_said_in_a_sentence(learner, message):
    X, y, weight = data()
    with pytest.raises(ValueError, match=message):
        learner.solve(rows_of(X), y, weight)


@pytest.mark.parametrize(
    "learner",
    [
        Hinge(3.0, max_epochs=100_000),
        SquaredHinge(3.0, max_epochs=100_000),
        SquaredLoss(0.2),
        SquaredLoss(0.2, True, 5.0),
    ],
)
def test_the_objective_is_that_of_the_solution(learner):
    X, y, weight = data()
    solution = learner.solve(rows_of(X), y, weight, tol=1e-7)
    decision = X @ solution.weights + solution.intercept
    primal = learner.loss(decision, y, weight) + learner.penalty(
        solution.weights @ solution.weights, solution.intercept
    )
    assert solution.reached
    assert solution.objective == pytest.approx(primal, rel=1e-5)
    assert solution.objective <= primal * (1 + 1e-9)


def test_a_solution_says_that_it_is_not_there_yet():
    X, y, weight = data()
    hasty = Hinge(1000.0, max_epochs=1).solve(rows_of(X), y, weight, tol=1e-6)
    assert not hasty.reached
    assert Hinge(1000.0, max_epochs=1).harder(100).max_epochs == 4


def test_the_shortest_solution_of_a_large_sparse_problem_is_not_made_dense(monkeypatch):
    rng = np.random.default_rng(0)
    X = sp.random(30, 80, 0.2, random_state=0, format="csr")
    X = sp.vstack([X, X[:3]]).tocsr()
    y = np.sign(rng.normal(size=33))
    y[30:] = y[:3]
    dense = SquaredLoss().solve(rows_of(X), y, np.ones(33))
    monkeypatch.setattr("textensor.learn.squares.MAX_DENSE_BYTES", 100)
    sparse = SquaredLoss().solve(rows_of(X), y, np.ones(33))
    np.testing.assert_allclose(sparse.weights, dense.weights, atol=1e-7)


class Lenient(DualLearner):
    """Half the hinge loss: a new loss is two short methods."""

    def losses(self, margin):
        return 0.5 * np.maximum(0.0, 1.0 - margin)

    def box(self, cost):
        return 0.5 * cost, np.zeros(len(cost))


def test_a_new_loss_is_a_small_class():
    X, y, weight = data()
    ours, same = Lenient(2.0), Hinge(1.0)
    np.testing.assert_array_equal(*(learner.solve(rows_of(X), y, weight).weights for learner in (ours, same)))
    fitted = [TensorClassifier(one, shape=(3, 2), random_state=0).fit(X, y) for one in (ours, same)]
    np.testing.assert_array_equal(*(model.decision_function(X) for model in fitted))
    assert fitted[0].objective_history_[0] == pytest.approx(fitted[1].objective_history_[0])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "learner", [Hinge(), SquaredHinge(), SquaredLoss(0.1), Foreign(RidgeClassifier())], ids=repr
)
def test_rows_that_do_not_take_part_have_no_say(learner, sparse):
    X, y, weight = data()
    X = sp.csr_matrix(X) if sparse else X
    which = np.flatnonzero(np.arange(len(y)) % 3)
    rows = rows_of(X)
    for some in (which[:40], which):  # what the first call learnt about the rows does not harm the second
        found = learner.solve(rows, y[some], weight[some], which=some, seed=1)
        alone = learner.solve(rows_of(X[some]), y[some], weight[some], seed=1)
        np.testing.assert_array_equal(found.weights, alone.weights)
        assert found.intercept == alone.intercept


def test_a_learner_is_cloned_and_set_like_a_part_of_an_estimator():
    model = TensorClassifier(Hinge(3.0, max_epochs=7))
    copy = clone(model)
    assert copy.learner == Hinge(3.0, max_epochs=7)
    assert copy.learner is not model.learner
    assert copy.set_params(learner__C=5.0).learner.C == 5.0
    assert model.learner.C == 3.0
    assert Hinge() != SquaredHinge()
    with pytest.raises(ValueError, match="Hinge has no setting 'alpha': it has C, fit_intercept"):
        Hinge().set_params(alpha=1.0)


@pytest.mark.parametrize("kind", [Hinge, SquaredHinge])
@pytest.mark.parametrize("width", [1, 7])
def test_sparse_rows_with_a_dense_end_are_rows_of_both(kind, width):
    random = np.random.default_rng(0)
    X = sp.random(60, 30, density=0.2, format="csr", random_state=0)
    Z, y = random.normal(size=(60, width)), np.where(random.random(60) < 0.5, 1.0, -1.0)
    whole, parts = rows_of(sp.hstack([X, sp.csr_matrix(Z)], format="csr")), rows_of(X, Z)
    learner, weight = kind(2.0, max_epochs=100_000), random.random(60) + 0.5
    which = np.flatnonzero(random.random(60) < 0.8)
    for rows in (None, which):
        some = slice(None) if rows is None else rows
        one, two = (learner.solve(R, y[some], weight[some], which=rows, tol=1e-10) for R in (whole, parts))
        np.testing.assert_allclose(two.weights, one.weights, atol=1e-7)
        assert two.intercept == pytest.approx(one.intercept, abs=1e-7)
    assert rows_of(X, Z[:, :0]).end is None
