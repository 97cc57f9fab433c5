"""The extractors that LRWMMC is compared with: against literal versions, by identities, at the edges."""

import logging
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles
from sklearn.base import clone
from sklearn.decomposition import KernelPCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.oracles import discriminant as oracle
from textensor.reduce import (
    CLSI,
    KDA,
    SDA,
    SRDA,
    CentroidProjection,
    FewerAxesWarning,
    KernelLRWMMC,
    LatentSemanticKernel,
)
from textensor.reduce.discriminant import lsk
from textensor.reduce.discriminant.clsi import apportion
from textensor.reduce.discriminant.regression import centred, class_responses, regress
from textensor.reduce.kernel_projection import reserve

ALL = [SRDA(), SDA(), KDA(), CLSI(), CentroidProjection(), LatentSemanticKernel(2)]
SUPERVISED = [SRDA(), SDA(), KDA(), CLSI(), CentroidProjection()]
TELL_APART = [SRDA(), SDA(), KDA()]

#: What the tests ask of an iterative solution that should be exact.
EXACT = {"tol": 1e-14, "max_iter": 5000}


@parametrize_with_checks(ALL)
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def documents(seed=0, n=60, p=12, n_classes=4):
    """Sparse counts with some sense in the classes, every class there."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    X = rng.poisson(0.3 + 1.5 * (np.arange(p) % n_classes == y[:, None])).astype(float)
    return X, y


def small_sets():
    """Return a strategy of documents of all shapes, more terms than documents among them."""
    return st.builds(
        documents,
        seed=st.integers(0, 10_000),
        n=st.integers(6, 30),
        p=st.integers(2, 40),
        n_classes=st.integers(2, 5),
    )


def same_span(A, B):
    """Return whether two sets of columns span the same space."""
    return A.shape == B.shape and np.abs(subspace_angles(A, B)).max() < 1e-5


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


# KDA and LSK


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear", "cosine", laplacian_kernel])
def test_kda_is_the_regression_on_kernels(kernel):
    X, y = documents()
    new = documents(seed=1)[0]
    settings = {"gamma": 0.2, "degree": 2, "coef0": 0.5}
    if callable(kernel):
        K, k_new = kernel(X, X), kernel(new, X)
    else:
        K = pairwise_kernels(X, metric=kernel, filter_params=True, **settings)
        k_new = pairwise_kernels(new, X, metric=kernel, filter_params=True, **settings)
    coefficients = oracle.kda(K, y, 0.3)
    model = KDA(0.3, kernel=kernel, **settings).fit(X, y)
    np.testing.assert_allclose(model.coefficients_, coefficients, atol=1e-8)
    np.testing.assert_allclose(model.transform(new), k_new @ coefficients, atol=1e-8)
    given = KDA(0.3, kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.transform(k_new), model.transform(new), atol=1e-8)
    if not callable(kernel):
        sparse = clone(model).fit(sp.csr_array(X), y).transform(sp.csr_array(new))
        np.testing.assert_allclose(sparse, model.transform(new), atol=1e-8)


@pytest.mark.parametrize("p", [12, 90])
def test_kda_with_a_linear_kernel_is_srda_on_centred_documents(p):
    X, y = documents(p=p)
    X = X - X.mean(axis=0)
    linear = SRDA(0.7, **EXACT).fit(X, y)
    np.testing.assert_allclose(linear.intercept_, 0, atol=1e-12)
    np.testing.assert_allclose(KDA(0.7, kernel="linear").fit_transform(X, y), linear.transform(X), atol=1e-9)


@pytest.mark.parametrize("small", [2000, 10])  # by the dense solver, and by Lanczos
def test_lsk_is_kernel_pca_without_centring(small, monkeypatch):
    monkeypatch.setattr(lsk, "SMALL", small)
    X, _ = documents(n=300, p=20)
    new = documents(seed=3, p=20)[0]
    model = LatentSemanticKernel(5, gamma=0.1).fit(sp.csr_matrix(X))
    K, k_new = (pairwise_kernels(A, X, metric="rbf", gamma=0.1) for A in (X, new))
    Z = model.transform(sp.csr_matrix(new))
    expected = oracle.lsk(K, k_new, 5)
    np.testing.assert_allclose(Z * np.sign((Z * expected).sum(axis=0)), expected, atol=1e-7)
    np.testing.assert_allclose(
        model.transform(X).T @ model.transform(X), np.diag(model.eigenvalues_), atol=1e-7
    )


@pytest.mark.parametrize("n", [22, 35, 47, 53, 56])
def test_lsk_keeps_as_many_of_equal_axes_as_are_asked_for(n):
    for k in (1, 2, 3, 5, 8):
        model = LatentSemanticKernel(k, gamma=50).fit(np.eye(n))
        assert model.eigenvalues_ == pytest.approx(np.ones(k))


def test_lsk_of_a_centred_kernel_is_kernel_pca():
    X, _ = documents()
    X = X - X.mean(axis=0)
    ours = LatentSemanticKernel(3, kernel="linear").fit_transform(X)
    theirs = KernelPCA(3, kernel="linear").fit_transform(X)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-8)


def test_lsk_with_a_linear_kernel_is_lsi():
    X, _ = documents()
    ours = LatentSemanticKernel(4, kernel="linear").fit(X)
    theirs = TruncatedSVD(4, algorithm="arpack", random_state=0).fit(X)
    new = documents(seed=5)[0]
    np.testing.assert_allclose(np.abs(ours.transform(new)), np.abs(theirs.transform(new)), atol=1e-8)


def test_lsk_keeps_the_axes_there_are():
    with pytest.warns(FewerAxesWarning, match="Only 2 of 5 axes are in the kernel matrix"):
        model = LatentSemanticKernel(5, kernel="linear").fit(np.eye(3)[[0, 1, 1, 0]])
    assert model.transform(np.eye(3)).shape == (3, 2)
    with pytest.raises(ValueError, match="nothing to project on"):
        LatentSemanticKernel(2, kernel="linear").fit(np.zeros((4, 3)))


@pytest.mark.parametrize("model", [KDA(max_memory=1e-6), LatentSemanticKernel(max_memory=1e-6)])
def test_a_kernel_matrix_above_the_limit_is_refused_with_a_way_out(model):
    X, y = documents()
    with pytest.raises(MemoryError, match=r"60 documents takes .* raise it, or use make_pipeline\(Nystroem"):
        model.fit(X, y)


def test_the_size_of_a_large_kernel_matrix_is_said(caplog):
    with caplog.at_level(logging.WARNING, logger="textensor"):
        reserve(12_000**2, 4.0, "The kernel matrix", "less")
        reserve(1000**2, 4.0, "The kernel matrix", "less")
    assert [record.message for record in caplog.records] == ["The kernel matrix takes 1.1 GiB."]


def test_kernels_that_are_wrong_are_named():
    X, y = documents()
    for model, message in [
        (KDA(kernel="gauss"), "kernel must be one of rbf, poly"),
        (KDA(kernel="precomputed"), "square, not 60 x 12"),
        (KDA(kernel=["rbf"]), "kernel must be one of rbf, poly"),
        (KDA(kernel=np.ones(2)), "kernel must be one of rbf, poly"),
        (KDA(kernel=lambda A, B: np.ones(3)), r"gave \(3,\) for 60 x 60"),
        (KDA(kernel=lambda A, B: 1j * A @ B.T), "values of type complex128"),
        (KDA(0.0, kernel="linear"), "not positive definite: raise delta"),
        (KDA(-1.0), "delta must be a number of 0 or more"),
        (KDA(max_memory=0), "max_memory must be a number of GiB above 0"),
        (KDA(max_memory="all"), "max_memory must be a number of GiB above 0"),
        (KDA(gamma=-1.0), "gamma must be a number of 0 or more"),
        (KDA(coef0="one"), "coef0 must be a number"),
        (KDA(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)), "values that are not finite"),
        (LatentSemanticKernel(0), "n_components must be a whole number of 1 or more"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.fit(X, y)


@pytest.mark.parametrize("model", [SRDA(10**30), SDA(alpha=10**30, beta=10**30)])
def test_ridges_may_be_whole_numbers_of_any_size(model):
    X, y = documents()
    assert np.isfinite(model.fit_transform(X, y)).all()


@pytest.mark.parametrize("model", [LatentSemanticKernel(2), KernelLRWMMC(2, 3), KDA()])
def test_own_kernels_are_symmetric(model):
    X, y = documents()
    K = pairwise_kernels(X, metric="rbf")
    model = clone(model).set_params(kernel="precomputed")
    rounded = K + 1e-7 * np.random.default_rng(0).random(K.shape)
    assert np.isfinite(model.fit(rounded, y).transform(K)).all()
    K[3, 5] += 0.1
    for wrong, rows in ((model, K), (clone(model).set_params(kernel=lambda _A, _B: K), X)):
        with pytest.raises(
            ValueError, match=r"symmetric, and this one has .* in row 3, column 5, and .* average"
        ):
            wrong.fit(rows, y)


@pytest.mark.parametrize("model", [LatentSemanticKernel(2), KernelLRWMMC(2, 3)])
def test_own_kernels_are_inner_products(model):
    X, y = documents()
    K = pairwise_kernels(X, metric="rbf")
    large = K.copy()
    large[3, 5] = large[5, 3] = 2
    for wrong in (-K, K - 2 * np.eye(len(K)), large):
        for kernel, rows in (("precomputed", wrong), (lambda _A, _B, wrong=wrong: wrong, X)):
            with pytest.raises(ValueError, match="not positive semi-definite"):
                clone(model).set_params(kernel=kernel).fit(rows, y)


@pytest.mark.parametrize("model", [SDA(tol=2.5), SRDA(tol=1)])
def test_a_tolerance_that_leaves_nothing_is_refused(model):
    with pytest.raises(ValueError, match="tol must be a number of 0 or more and below 1"):
        model.fit(*documents())


def test_precomputed_kernels_are_left_alone_and_cut_on_both_sides():
    X, y = documents()
    K = X @ X.T
    K.flags.writeable = False
    model = make_pipeline(KDA(kernel="precomputed"), KNeighborsClassifier(1))
    search = GridSearchCV(model, {"kda__delta": [0.1, 1.0]}, cv=3).fit(K, y)
    assert search.best_score_ > 0.5


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
