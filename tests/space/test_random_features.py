import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from textensor.classify import SupportTensorMachine
from textensor.space import Arrangement, RandomTensorFeatures, TermTensors


@parametrize_with_checks([RandomTensorFeatures(4, 3)])
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def kernel(grids, gamma):
    """Return the closed form, from the singular values of differences."""
    differences = grids[:, None] - grids[None]
    return np.prod(1 + 2 * gamma * np.linalg.svd(differences, compute_uv=False) ** 2, axis=-1) ** -0.5


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([(4, 3), (12, 1), (1, 12), (5, 3)]), st.floats(0.01, 3))
def test_features_are_the_formula(seed, shape, gamma):
    X = np.random.default_rng(seed).poisson(0.5, size=(7, 12)).astype(float)
    features = RandomTensorFeatures(3, 2, gamma=gamma, shape=shape, random_state=seed).fit(X)
    A, B, offsets = features.row_directions_, features.column_directions_, features.offsets_
    assert (A.shape, B.shape, offsets.shape) == ((shape[0], 3), (shape[1], 2), (3, 2))
    for row, grid in zip(
        features.transform(X), TermTensors(X, features.arrangement_).to_dense(), strict=True
    ):
        expected = np.sqrt(2 / 6) * np.cos(np.sqrt(2 * gamma) * A.T @ grid @ B + offsets)
        np.testing.assert_allclose(row.reshape(3, 2, order="F"), expected, atol=1e-12)


@pytest.mark.parametrize("gamma", [0.05, 1.0, 4.0])
def test_inner_products_approach_the_kernel(gamma):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((8, 20)) / np.sqrt(20)
    grids = X.reshape(8, 4, 5).transpose(0, 2, 1)
    exact = kernel(grids, gamma)

    def error(r):
        found = []
        for seed in range(6):
            Z = RandomTensorFeatures(
                r, r, gamma=gamma, shape=(5, 4), arrangement="given", random_state=seed
            ).fit_transform(X)
            found.append(np.sqrt(np.mean((Z @ Z.T - exact) ** 2)))
        return np.mean(found)

    fine = error(400)
    assert fine < 0.04
    assert fine < 0.5 * error(40)  # a square root law: 0.32


def test_the_bandwidth_is_that_of_the_rbf_kernel():
    X = np.random.default_rng(0).standard_normal((6, 20))
    near = kernel(1e-2 * X.reshape(6, 4, 5), 0.7)
    np.testing.assert_allclose(near, rbf_kernel(1e-2 * X, gamma=0.7), atol=1e-4)
    assert (kernel(X.reshape(6, 4, 5), 0.7) >= rbf_kernel(X, gamma=0.7)).all()


def exclusive_or(seed, n=400, p=40):
    """Make documents with terms of one group, of the other, of both or of none; the label is exclusive or."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 2, (2, n))
    rates = np.full((n, p), 0.3)
    rates[:, :10] += 1.5 * first[:, None]
    rates[:, 10:20] += 1.5 * second[:, None]
    X = rng.poisson(rates).astype(float)
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), first ^ second


def nonlinear(**settings):
    return make_pipeline(
        RandomTensorFeatures(64, 32, random_state=0, **settings),
        SupportTensorMachine(10.0, shape=(64, 32), arrangement="given", rank=3, random_state=0),
    )


def test_a_tensor_machine_learns_exclusive_or():
    X, y = exclusive_or(0)
    X_test, y_test = exclusive_or(1)
    assert LinearSVC().fit(X, y).score(X_test, y_test) < 0.65
    assert SupportTensorMachine(shape=(8, 5)).fit(X, y).score(X_test, y_test) < 0.65
    assert nonlinear(gamma=1.0, shape=(10, 4), arrangement="given").fit(X, y).score(X_test, y_test) > 0.85


def test_a_tensor_machine_learns_one_class_around_another():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 6))
    radius = np.linalg.norm(X, axis=1)
    y = radius > np.median(radius)
    model = nonlinear(gamma=0.1, shape=(3, 2), arrangement="given").fit(X[:300], y[:300])
    assert LinearSVC().fit(X[:300], y[:300]).score(X[300:], y[300:]) < 0.65
    assert model.score(X[300:], y[300:]) > 0.85


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whatever_the_documents_come_in_the_features_are_the_same(container, dtype):
    X, _ = exclusive_or(0, n=30)
    features = RandomTensorFeatures(4, 3, random_state=0).fit(X)
    found = features.transform(container(X.toarray().astype(dtype)))
    assert type(found) is np.ndarray
    assert found.dtype == dtype
    np.testing.assert_allclose(found, features.transform(X), atol=1e-5 if dtype == np.float32 else 1e-12)


def test_float32_documents_give_float32_all_through():
    X = exclusive_or(0, n=30)[0].astype(np.float32)
    features = RandomTensorFeatures(4, 3, random_state=0).fit(X)
    arrays = features.row_directions_, features.column_directions_, features.offsets_, features.transform(X)
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}


def test_one_seed_one_result_and_two_seeds_two():
    X, _ = exclusive_or(0, n=20)
    features = RandomTensorFeatures(4, 3, random_state=5)
    once = features.fit_transform(X)
    np.testing.assert_array_equal(clone(features).fit(X).transform(X), once)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(features)).transform(X), once)
    np.testing.assert_array_equal(features.transform(X[3:4]), once[3:4])
    assert not np.allclose(clone(features).set_params(random_state=6).fit_transform(X), once)


def test_names_columns_and_a_read_only_input():
    X, y = exclusive_or(0, n=60)
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    features = RandomTensorFeatures(4, 3, random_state=0).fit(X)
    assert features.get_feature_names_out().tolist() == [f"randomtensorfeatures{k}" for k in range(12)]
    frame = features.set_output(transform="pandas").transform(X)
    assert list(frame.columns) == features.get_feature_names_out().tolist()
    model = make_pipeline(RandomTensorFeatures(4, 3), SupportTensorMachine(shape=(4, 3), arrangement="given"))
    GridSearchCV(model, {"randomtensorfeatures__gamma": [0.1, 1]}, cv=2).fit(X, y)


def test_arrangements_given_in_any_way_agree():
    X, _ = exclusive_or(0, n=20)
    order = np.random.default_rng(0).permutation(40)
    by_array = RandomTensorFeatures(4, 3, shape=(8, 5), arrangement=order, random_state=0)
    by_object = RandomTensorFeatures(4, 3, arrangement=Arrangement(order, shape=(8, 5)), random_state=0)
    by_columns = RandomTensorFeatures(4, 3, shape=(8, 5), arrangement="given", random_state=0)
    np.testing.assert_array_equal(by_array.fit_transform(X), by_object.fit_transform(X))
    np.testing.assert_allclose(by_array.fit_transform(X), by_columns.fit_transform(X[:, order]), atol=1e-12)


def test_a_document_without_terms_has_the_offsets_alone():
    X, _ = exclusive_or(0, n=20)
    features = RandomTensorFeatures(4, 3, random_state=0).fit(X)
    expected = np.sqrt(2 / 12) * np.cos(features.offsets_).ravel(order="F")
    np.testing.assert_allclose(features.transform(sp.csr_matrix((1, 40)))[0], expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_rows": 0}, "n_rows must be a whole number of 1 or more, not 0"),
        ({"n_columns": 2.5}, "n_columns must be a whole number of 1 or more"),
        ({"gamma": 0}, "gamma must be a number above 0"),
        ({"gamma": np.nan}, "gamma must be a number above 0"),
        ({"shape": (5, 4, 2)}, "two modes, not 3"),
        ({"shape": (2, 2)}, "too few for 40 terms"),
        ({"arrangement": "alphabetical"}, "no arrangement"),
    ],
)
def test_wrong_settings_are_said_in_a_sentence(options, message):
    X, _ = exclusive_or(0, n=20)
    with pytest.raises(ValueError, match=message):
        RandomTensorFeatures(**options).fit(X)
