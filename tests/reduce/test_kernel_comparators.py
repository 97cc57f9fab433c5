"""KDA and the latent semantic kernel, and kernels that are given."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import KernelPCA, TruncatedSVD
from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from tests.oracles import discriminant as oracle
from tests.reduce.comparator_data import EXACT, documents
from textensor.reduce import KDA, SRDA, FewerAxesWarning, KernelLRWMMC, LatentSemanticKernel
from textensor.reduce.discriminant import lsk
from textensor.reduce.kernel_projection import reserve


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


def test_precomputed_kernels_are_left_alone_and_cut_on_both_sides():
    X, y = documents()
    K = X @ X.T
    K.flags.writeable = False
    model = make_pipeline(KDA(kernel="precomputed"), KNeighborsClassifier(1))
    search = GridSearchCV(model, {"kda__delta": [0.1, 1.0]}, cv=3).fit(K, y)
    assert search.best_score_ > 0.5
