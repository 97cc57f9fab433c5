"""The extractors that LRWMMC is compared with: CLSI and centroids, and what holds for all of them."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.oracles import discriminant as oracle
from tests.reduce.comparator_data import documents, same_span, small_sets
from textensor.reduce import CLSI, KDA, SDA, SRDA, CentroidProjection, LatentSemanticKernel
from textensor.reduce.discriminant.clsi import apportion

ALL = [SRDA(), SDA(), KDA(), CLSI(), CentroidProjection(), LatentSemanticKernel(2)]
SUPERVISED = [SRDA(), SDA(), KDA(), CLSI(), CentroidProjection()]
TELL_APART = [SRDA(), SDA(), KDA()]


@parametrize_with_checks(ALL)
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


# CLSI and CM


@given(small_sets(), st.integers(1, 12))
@settings(max_examples=30)
def test_clsi_spans_the_singular_vectors_of_the_classes(data, m):
    X, y = data
    X = X + np.random.default_rng(0).uniform(0, 0.1, X.shape)  # no two singular values are the same
    model = CLSI(m).fit(sp.csr_matrix(X), y)
    joined = model.n_vectors_.sum()
    assert (model.n_vectors_ >= 1).all()
    assert joined == max(min(m, sum(min(n, X.shape[1]) for n in np.bincount(y))), y.max() + 1)
    if joined <= X.shape[1]:
        P = model.components_.T @ model.components_
        np.testing.assert_allclose(P, oracle.clsi_span(X, y, model.n_vectors_), atol=1e-5)


def test_clsi_of_large_classes_is_the_same():
    rng = np.random.default_rng(0)
    X, y = rng.gamma(0.3, size=(400, 150)), np.repeat([0, 1], [240, 160])
    model = CLSI(9).fit(sp.csr_matrix(X), y)
    P = model.components_.T @ model.components_
    np.testing.assert_allclose(P, oracle.clsi_span(X, y, model.n_vectors_), atol=1e-8)
    norms = [np.linalg.norm(X[y == name]) for name in (0, 1)]
    np.testing.assert_allclose(model.n_vectors_ / 9, norms / np.sum(norms), atol=0.5 / 9)


def test_one_class_is_latent_semantic_indexing():
    X, _ = documents()
    theirs = TruncatedSVD(4, algorithm="arpack", random_state=0).fit(X).components_
    assert same_span(CLSI(4).fit(X, np.zeros(len(X))).components_.T, theirs.T)


@given(
    st.integers(1, 40),
    st.lists(st.tuples(st.floats(0, 100), st.integers(1, 9)), min_size=1, max_size=8),
)
def test_shares_add_up(total, classes):
    sizes, room = np.array([size for size, _ in classes]), np.array([r for _, r in classes])
    shares = apportion(total, sizes, room)
    assert shares.sum() == max(min(total, room.sum()), len(classes))
    assert (shares >= 1).all() and (shares <= room).all()


@given(small_sets())
@settings(max_examples=25)
def test_cm_spans_the_centroids(data):
    X, y = data
    X = X + np.random.default_rng(0).uniform(0, 0.1, X.shape)
    model = CentroidProjection().fit(sp.csr_array(X), y)
    if y.max() + 1 <= X.shape[1]:
        assert model.components_.shape == (y.max() + 1, X.shape[1])
        P = model.components_.T @ model.components_
        np.testing.assert_allclose(P, oracle.centroid_span(X, y), atol=1e-6)
    np.testing.assert_allclose(
        model.components_ @ model.components_.T, np.eye(len(model.components_)), atol=1e-10
    )


def test_centroids_that_depend_on_each_other_are_one_axis_fewer():
    X = np.array([[1.0, 0, 0], [0, 1, 0], [1, 1, 0], [2, 2, 0]])
    assert CentroidProjection().fit(X, [0, 1, 2, 3]).transform(X).shape == (4, 2)
    assert CLSI(4).fit(X, [0, 1, 2, 3]).transform(X).shape == (4, 2)


# All of them


@pytest.mark.parametrize("estimator", ALL)
def test_every_form_of_documents_gives_the_same_and_stays_as_it_is(estimator):
    X, y = documents()
    X += np.random.default_rng(0).uniform(0, 0.1, X.shape)  # no ties between neighbours
    estimator = clone(estimator)
    if hasattr(estimator, "n_components"):
        estimator.set_params(n_components=3)
    expected = estimator.fit(X, y).transform(X)
    unsorted = sp.csr_matrix(X)
    for row in range(len(X)):
        part = slice(unsorted.indptr[row], unsorted.indptr[row + 1])
        unsorted.indices[part], unsorted.data[part] = unsorted.indices[part][::-1], unsorted.data[part][::-1]
    unsorted.has_sorted_indices = False
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    locked = sp.csr_matrix(X)
    for array in (locked.data, locked.indices, locked.indptr):
        array.flags.writeable = False
    for form in (unsorted, wide, locked, sp.coo_array(X), sp.csc_matrix(X)):
        before = form.copy()
        Z = clone(estimator).fit(form, y).transform(form)
        np.testing.assert_allclose(Z, expected, atol=1e-6)
        for name in ("data", "indices", "indptr"):
            if hasattr(form, name):
                np.testing.assert_array_equal(getattr(form, name), getattr(before, name))
    single = clone(estimator).fit(sp.csr_matrix(X, dtype=np.float32), y).transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, atol=1e-3)
    threads = {"n_jobs": 2} if hasattr(estimator, "n_jobs") else {}
    again = clone(estimator).set_params(**threads).fit(X, y).transform(X)
    np.testing.assert_array_equal(again, expected)
    copied = pickle.loads(pickle.dumps(estimator))
    for name, value in vars(estimator).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(copied, name), value)
    # The last digit may depend on how the copies lie in memory.
    np.testing.assert_allclose(copied.transform(X), expected, rtol=1e-12, atol=1e-20)


@pytest.mark.parametrize("estimator", ALL)
def test_names_and_frames(estimator):
    X, y = documents()
    estimator = clone(estimator).set_output(transform="pandas")
    if hasattr(estimator, "n_components"):
        estimator.set_params(n_components=2)
    with pytest.raises(NotFittedError):
        estimator.transform(X)
    frame = estimator.fit(X, y).transform(X)
    prefix = type(estimator).__name__.lower()
    assert frame.columns.tolist() == [f"{prefix}{k}" for k in range(frame.shape[1])]
    assert frame.columns.tolist() == estimator.get_feature_names_out().tolist()


@pytest.mark.parametrize("estimator", SUPERVISED)
def test_the_pipeline_with_the_nearest_neighbour(estimator):
    X, y = documents(n=150)
    X = normalize(X)
    model = make_pipeline(clone(estimator), KNeighborsClassifier(1)).fit(sp.csr_matrix(X[:100]), y[:100])
    assert model.score(sp.csr_matrix(X[100:]), y[100:]) > 0.5


@pytest.mark.parametrize("estimator", SUPERVISED)
def test_a_class_of_one_duplicates_and_empty_documents(estimator):
    X, y = documents(n=20)
    X = np.vstack([X, X[:5], np.zeros((2, 12)), np.arange(12.0)])
    y = np.concatenate([y, y[:5], [0, 1], [9]])
    Z = clone(estimator).fit_transform(sp.csr_matrix(X), y)
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(Z[20:25], Z[:5], atol=1e-12)
    np.testing.assert_array_equal(Z[25], Z[26])
    assert KNeighborsClassifier(1).fit(Z[:25], y[:25]).score(Z[:25], y[:25]) > 0.9


@pytest.mark.parametrize("estimator", TELL_APART)
def test_one_class_cannot_be_told_apart(estimator):
    X, _ = documents()
    with pytest.raises(ValueError, match="y has one class: give two or more"):
        clone(estimator).fit(X, np.zeros(len(X)))


@pytest.mark.parametrize("X", [np.ones((6, 3)), np.zeros((6, 3)), np.eye(3)[[0, 1, 0, 1, 0, 1]]])
def test_classes_of_the_same_mean_have_no_axis_that_tells(X):
    y = [0, 0, 1, 1, 2, 2]
    for estimator in (SRDA(), KDA()):
        np.testing.assert_allclose(estimator.fit_transform(X, y), 0, atol=1e-12)
    with pytest.raises(ValueError, match="same mean: no axis tells them apart"):
        SDA().fit(X, y)


def test_classes_of_which_two_have_the_same_mean_are_one_axis_fewer():
    X, y = documents()
    X, y = np.vstack([X, X[y == 3]]), np.concatenate([y, np.full((y == 3).sum(), 4)])
    model = SDA().fit(X, y)
    assert model.components_.shape == (3, 12)
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.parametrize("estimator", [CLSI(), CentroidProjection()])
def test_nothing_to_project_on_is_said(estimator):
    with pytest.raises(ValueError, match="nothing to project on"):
        clone(estimator).fit(sp.csr_matrix((4, 3)), [0, 0, 1, 1])
    assert clone(estimator).fit(np.eye(4), np.zeros(4)).transform(np.eye(4)).shape[1] >= 1


def test_labels_that_are_missing_are_said():
    X, y = documents()
    with pytest.raises(ValueError, match="No document has a label"):
        SDA().fit(X, np.full(len(y), -1))
    for estimator in SUPERVISED:
        with pytest.raises(ValueError, match="requires y to be passed"):
            clone(estimator).fit(X, None)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            clone(estimator).fit(X, y[:-1])


@pytest.mark.parametrize(
    "estimator", [SRDA(-1.0), SRDA(tol=-1), SRDA(max_iter=0), SDA(beta=-1.0), SDA(0), CLSI(0), SRDA(np.nan)]
)
def test_wrong_settings_are_said_in_a_sentence(estimator):
    with pytest.raises(ValueError, match=r"of [01] or more.*, not"):
        estimator.fit(*documents())


@pytest.mark.parametrize("estimator", ALL)
def test_numbers_that_cannot_be_squared_are_named(estimator):
    X, y = documents()
    for scale, message in [(1e200, "too large to be squared"), (1e-200, "too small to be squared")]:
        for scaled in (X * scale, sp.csr_array(X * scale)):
            with pytest.raises(ValueError, match=message):
                clone(estimator).fit(scaled, y)


@pytest.mark.parametrize(
    "estimator", [SRDA("much"), SRDA(max_iter=2.5), SDA(2.5), SDA(n_neighbors=None), CLSI(2.5), KDA("much")]
)
def test_settings_of_the_wrong_kind_are_named(estimator):
    with pytest.raises(ValueError, match=r"must be a (whole )?number of [01] or more.*, not"):
        estimator.fit(*documents())


def test_a_mark_that_is_no_string_among_labels_that_are():
    X, y = documents()
    names = np.array(["a", "b", "c", "d"])[y].tolist()
    marked = [name if i < 40 else -1 for i, name in enumerate(names)]
    assert SDA().fit(X, marked).classes_.tolist() == ["a", "b", "c", "d"]
    for labels, message in [(["a", None] * 30, "y holds None"), (["a", 1] * 30, "y holds 1 at entry 1")]:
        with pytest.raises(ValueError, match=message):
            SRDA().fit(X, np.array(labels, dtype=object))
