"""SRDA, SDA and the regression that both rest on."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

from tests.oracles import discriminant as oracle
from tests.reduce.comparator_data import EXACT, documents, same_span, small_sets
from textensor.reduce import SDA, SRDA
from textensor.reduce.discriminant.regression import centred, class_responses, regress

# Responses and regression


@given(small_sets())
@settings(max_examples=25)
def test_responses_are_gram_schmidt_of_the_indicators(data):
    _, y = data
    Y = class_responses(y)
    np.testing.assert_allclose(Y, oracle.responses(y), atol=1e-10)
    np.testing.assert_allclose(Y.T @ Y, np.eye(y.max()), atol=1e-10)


@given(small_sets(), st.sampled_from([1e-3, 0.1, 10.0]))
@settings(max_examples=25)
def test_the_regression_is_ridge_regression_with_a_free_intercept(data, alpha):
    X, y = data
    W, b = oracle.ridge_with_intercept(X, oracle.responses(y), alpha)
    model = SRDA(alpha, **EXACT).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(model.components_.T, W, atol=1e-7)
    np.testing.assert_allclose(model.intercept_, b, atol=1e-7)


def test_the_regression_is_that_of_scikit_learn():
    X, y = documents(n=200, p=50)
    model = SRDA(0.5).fit(sp.csr_matrix(X), y)
    peer = Ridge(0.5, solver="cholesky").fit(X, oracle.responses(y))
    np.testing.assert_allclose(model.components_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(model.transform(X), peer.predict(X), atol=1e-5)


def test_without_a_ridge_the_solution_is_the_shortest():
    X, y = documents(n=15, p=40)
    Y = class_responses(y)
    operator, mean = centred(sp.csr_matrix(X))
    weights, _, converged = regress(operator, Y, 0.0, **EXACT)
    assert converged
    np.testing.assert_allclose(weights, np.linalg.pinv(X - mean) @ Y, atol=1e-8)


def test_responses_that_say_nothing_have_no_weights():
    X, y = documents()
    operator, _ = centred(X)
    Y = np.column_stack([np.zeros(len(y)), class_responses(y), np.ones(len(y))])
    weights, _, _ = regress(operator, Y, 0.1, **EXACT)
    np.testing.assert_array_equal(weights[:, 0], 0)
    np.testing.assert_allclose(weights[:, -1], 0, atol=1e-12)


def test_a_regression_that_is_cut_short_says_so():
    X, y = documents()
    with pytest.warns(ConvergenceWarning, match="did not settle in 1 iterations"):
        SRDA(1e-6, max_iter=1).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        SDA(max_iter=1).fit(X, y)


# SRDA


@pytest.mark.parametrize("seed", range(3))
def test_srda_spans_the_subspace_of_lda(seed):
    X, y = documents(seed, n=100)
    axes = SRDA(1e-10, **EXACT).fit(sp.csr_matrix(X), y).components_.T
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    assert same_span(axes, lda.scalings_[:, :3])
    assert same_span(axes, oracle.sda(X, y, 0, 0, 1)[1])


@given(small_sets(), st.sampled_from([0.01, 1.0, 100.0]))
@settings(max_examples=20)
def test_srda_spans_regularised_lda_whatever_the_ridge(data, alpha):
    X, y = data
    values, axes = oracle.sda(X, y, 0, alpha, 1)
    if y.max() <= X.shape[1] and values[-1] > 1e-3:
        assert same_span(SRDA(alpha, **EXACT).fit(X, y).components_.T, axes)


def test_coordinates_of_classes_that_differ_are_the_responses():
    X = np.eye(6)[[0, 0, 1, 1, 2, 2]]
    Z = SRDA(1e-12, **EXACT).fit_transform(X, [0, 0, 1, 1, 2, 2])
    np.testing.assert_allclose(Z, oracle.responses(np.array([0, 0, 1, 1, 2, 2])), atol=1e-9)


@pytest.mark.parametrize("model", [SRDA(10**30), SDA(alpha=10**30, beta=10**30)])
def test_ridges_may_be_whole_numbers_of_any_size(model):
    X, y = documents()
    assert np.isfinite(model.fit_transform(X, y)).all()


@pytest.mark.parametrize("model", [SDA(tol=2.5), SRDA(tol=1)])
def test_a_tolerance_that_leaves_nothing_is_refused(model):
    with pytest.raises(ValueError, match="tol must be a number of 0 or more and below 1"):
        model.fit(*documents())


# SDA


@given(small_sets(), st.sampled_from([0.0, 0.1, 5.0]), st.sampled_from([0.05, 1.0]), st.integers(1, 6))
@settings(max_examples=40)
def test_sda_solves_the_dense_eigenproblem(data, alpha, beta, k):
    X, y = data
    rng = np.random.default_rng(len(X))
    # Where cosines tie, who is a neighbour is left open: real numbers do not. The last two share no term.
    X = X + rng.uniform(0, 0.5, X.shape)
    X = np.block([[X, np.zeros((len(X), 1))], [np.zeros((1, X.shape[1])), 1.0], [np.zeros(X.shape[1] + 1)]])
    y = np.concatenate([y, y[:2]])
    y = np.where((rng.random(len(y)) < 0.4) & (np.arange(len(y)) >= y.max() + 1), -1, y)
    values, axes = oracle.sda(X, y, alpha, beta, k)
    model = SDA(alpha=alpha, beta=beta, n_neighbors=k, **EXACT).fit(sp.csr_matrix(X), y)
    kept = len(model.eigenvalues_)
    np.testing.assert_allclose(model.eigenvalues_, values[:kept], atol=1e-8)
    np.testing.assert_allclose(values[kept:], 0, atol=1e-8)
    if np.min(-np.diff(values), initial=1.0) > 1e-4 and values[-1] > 1e-4:
        found, axes = model.components_.T, axes / np.linalg.norm(axes, axis=0)
        signs = np.sign((found * axes).sum(axis=0))
        np.testing.assert_allclose(found * signs, axes, rtol=1e-4, atol=1e-5)


def test_sda_without_the_graph_is_regularised_lda_of_the_labelled_documents():
    X, y = documents()
    hidden = np.where(np.arange(len(y)) % 3 == 2, -1, y)
    model = SDA(alpha=0, beta=0.3, **EXACT).fit(X, hidden)
    labelled = hidden != -1
    assert same_span(model.components_.T, oracle.sda(X[labelled], y[labelled], 0, 0.3, 1)[1])
    assert same_span(model.components_.T, SRDA(0.3, **EXACT).fit(X[labelled], y[labelled]).components_.T)
    np.testing.assert_allclose(model.transform(X[labelled]).mean(axis=0), 0, atol=1e-10)


def test_sda_looks_at_unlabelled_documents():
    X, y = documents()
    hidden = np.where(np.arange(len(y)) % 3 == 2, -1, y)
    labelled = hidden != -1
    with_graph = SDA(alpha=1.0).fit(X, hidden)
    assert not np.allclose(with_graph.components_, SDA(alpha=1.0).fit(X[labelled], y[labelled]).components_)
    names = np.where(hidden == -1, "", np.char.add("class ", y.astype(str)))
    named = SDA(alpha=1.0, unlabeled_value="").fit(X, names)
    np.testing.assert_array_equal(named.components_, with_graph.components_)
    assert named.classes_.tolist() == ["class 0", "class 1", "class 2", "class 3"]


def test_sda_keeps_the_leading_axes():
    X, y = documents()
    all_axes = SDA().fit(X, y)
    two = SDA(2).fit(X, y)
    np.testing.assert_array_equal(two.components_, all_axes.components_[:2])
    assert SDA(99).fit(X, y).components_.shape == (3, 12)
    with pytest.raises(ValueError, match="n_neighbors must be a whole number of 1 or more"):
        SDA(n_neighbors=0).fit(X, y)
