import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from tests.oracles import lrwmmc as oracle
from textensor.reduce.axes import embedding, lanczos, sides
from textensor.reduce.axes.embedding import kernel_axes, linear_axes, tensor_axes
from textensor.reduce.eigen import leading_eigenvectors
from textensor.reduce.graph import graphs
from textensor.space import Arrangement, TermTensors


def problem(n=40, d=12, n_classes=3, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, size=(n, d)).astype(float)
    y = rng.integers(n_classes, size=n)
    W = graphs.relevance_graph(graphs.regions(X, y, k))
    return X, y, W, graphs.laplacian(W)


def angle(A, B):
    """The sine of the largest angle between two subspaces."""
    A, B = np.linalg.qr(A)[0], np.linalg.qr(B)[0]
    return np.linalg.norm(A - B @ (B.T @ A), 2)


@given(
    st.integers(0, 2**32 - 1), st.sampled_from([(12, 5), (5, 12), (9, 9)]), st.sampled_from(embedding.SOLVERS)
)
def test_axes_are_those_of_the_sum_over_pairs(seed, shape, solver):
    X, _, W, L = problem(*shape, seed=seed)
    values, vectors = oracle.direct(X, W.toarray())
    p = int((values > 1e-7 * np.abs(values).max()).sum())
    if not p:
        return
    found = linear_axes(sp.csr_matrix(X), L, 20, solver=solver)
    np.testing.assert_allclose(found.values[:p], values[:p], atol=1e-7 * np.abs(values).max())
    assert angle(found.vectors[:, :p], vectors[:, :p]) < 1e-4
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(len(found.values)), atol=1e-8)


@pytest.mark.parametrize("shape", [(60, 25), (25, 60)])
def test_all_solvers_span_the_same_subspace(shape):
    X, _, _, L = problem(*shape)
    everything = linear_axes(X, L, 99, solver="dense")
    m = int(np.argmax(everything.values[:10] - everything.values[1:11])) + 1
    for solver in ("qr", "lanczos"):
        found = linear_axes(sp.csr_matrix(X), L, m, solver=solver)
        assert len(found.values) == m
        assert angle(found.vectors, everything.vectors[:, :m]) < 1e-8
        np.testing.assert_allclose(found.vectors, everything.vectors[:, :m], atol=1e-6)


def large(shape, k=10, seed=0):
    """Documents of a long-tailed vocabulary, so many that the basis of the Lanczos method is restarted."""
    n, d = shape
    rng = np.random.default_rng(seed)
    y = rng.integers(8, size=n)
    topics = rng.dirichlet(np.full(d, 0.02), size=8) + 2 * rng.dirichlet(np.full(d, 0.2))
    X = np.array([rng.multinomial(60, p / p.sum()) for p in topics[y]], dtype=float)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return sp.csr_matrix(X), graphs.laplacian(graphs.relevance_graph(graphs.regions(X, y, k)))


@pytest.mark.parametrize("shape", [(500, 900), (900, 500)])
def test_restarts_reach_the_optimum(shape):
    X, L = large(shape)
    exact = linear_axes(X, L, 20, solver="dense")
    found = linear_axes(X, L, 20, solver="lanczos")
    assert len(found.values) == len(exact.values)
    assert found.values.sum() == pytest.approx(exact.values.sum(), rel=1e-6)
    gaps = -np.diff(exact.values) >= 1e-2 * exact.values[0]
    for m in np.flatnonzero(gaps) + 1:
        assert angle(found.vectors[:, :m], exact.vectors[:, :m]) < 1e-6


@pytest.mark.parametrize("shape", [(500, 900), (900, 500)])
def test_a_loose_tolerance_takes_fewer_steps(shape, monkeypatch):
    steps = []
    operate = lanczos._Basis._step
    monkeypatch.setattr(lanczos._Basis, "_step", lambda self: (steps.append(1), operate(self))[1])
    X, L = large(shape)
    exact = linear_axes(X, L, 20, solver="dense").values.sum()
    taken = []
    for tol in (1e-9, 1e-2):
        steps.clear()
        found = linear_axes(X, L, 20, solver="lanczos", tol=tol)
        assert found.values.sum() == pytest.approx(exact, rel=tol)
        np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(len(found.values)), atol=1e-10)
        taken.append(len(steps))
    assert taken[1] < taken[0]


def test_threads_and_seeds_of_the_lanczos_method(monkeypatch):
    monkeypatch.setattr(sides, "ROWS", 100)
    X, L = large((500, 900))
    one = linear_axes(X, L, 10, solver="lanczos")
    two = linear_axes(X, L, 10, solver="lanczos", n_jobs=2)
    np.testing.assert_array_equal(one.vectors, two.vectors)
    other = linear_axes(X, L, 10, solver="lanczos", seed=1)
    assert other.values.sum() == pytest.approx(one.values.sum(), rel=1e-6)


def test_a_basis_that_never_settles_says_so(monkeypatch):
    monkeypatch.setattr(lanczos, "MAX_RESTARTS", 0)
    X, L = large((500, 900))
    with pytest.warns(ConvergenceWarning, match="take fewer"):
        linear_axes(X, L, 10, solver="lanczos")


@pytest.mark.parametrize("solver", embedding.SOLVERS)
def test_dependent_documents_and_many_equal_eigenvalues(solver):
    # 30 classes of two equal documents: eigenvalues of multiplicity 29, more than a block holds.
    X = np.repeat(np.eye(30), 2, axis=0)
    W = np.ones((60, 60)) - np.kron(np.eye(30), 2 * np.ones((2, 2)))
    values, A = linear_axes(sp.csr_matrix(X), graphs.laplacian(sp.csr_matrix(W)), 50, solver=solver)
    exact = oracle.direct(X, W)[0]
    np.testing.assert_allclose(values, exact[exact > 1e-9], rtol=1e-9)
    np.testing.assert_allclose(A.T @ A, np.eye(len(values)), atol=1e-9)


@pytest.mark.parametrize("solver", embedding.SOLVERS)
def test_where_nothing_is_positive_the_best_axis_stays(solver):
    X, _, W, _ = problem()
    L = graphs.laplacian(-abs(W))
    values, A = linear_axes(sp.csr_matrix(X), L, 5, solver=solver)
    assert len(values) == 1
    assert values[0] == pytest.approx(oracle.direct(X, -abs(W).toarray())[0][0], abs=1e-9)
    assert np.linalg.norm(A) == pytest.approx(1)


@pytest.mark.parametrize("solver", embedding.SOLVERS)
def test_where_nothing_is_positive_a_direction_without_documents_is_no_axis(solver):
    X, _, W, _ = problem()
    X = np.column_stack([X, np.zeros(len(X)), X[:, 0]])  # a term of no document, and one that is another
    L = graphs.laplacian(-abs(W))
    values, A = linear_axes(sp.csr_matrix(X), L, 5, solver=solver)
    assert len(values) == 1
    assert values[0] < 0
    assert values[0] == pytest.approx((A.T @ X.T @ (L @ (X @ A))).item())
    exact = linear_axes(X, L, 5, solver="qr")
    assert values[0] == pytest.approx(exact.values[0])
    assert angle(A, exact.vectors) < 1e-6


@pytest.mark.parametrize("m", [1, 2])
def test_few_axes_settle_at_once(m, monkeypatch):
    monkeypatch.setattr(lanczos, "MAX_RESTARTS", 5)
    X, L = large((500, 900))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = linear_axes(X, L, m, solver="lanczos")
    exact = linear_axes(X, L, m, solver="dense")
    np.testing.assert_allclose(found.values, exact.values, rtol=1e-9)
    assert angle(found.vectors, exact.vectors) < 1e-6


@pytest.mark.parametrize("solver", embedding.SOLVERS)
@pytest.mark.parametrize("shape", [(60, 25), (25, 60)])
def test_a_linear_kernel_with_axes_orthonormal_in_its_space_is_the_plain_method(solver, shape):
    X, _, _, L = problem(*shape)
    plain = linear_axes(X, L, 4)
    found = kernel_axes(X @ X.T, L, 4, solver=solver)
    # Axes are found to a tolerance of 1e-6, by whatever start; what they raise, to about its square.
    np.testing.assert_allclose(found.values, plain.values, rtol=1e-10)
    assert angle(X.T @ found.vectors, plain.vectors) < 1e-6
    np.testing.assert_allclose(found.vectors.T @ X @ X.T @ found.vectors, np.eye(4), atol=1e-8)


@pytest.mark.parametrize("solver", embedding.SOLVERS)
def test_coefficients_are_the_eigenvectors_of_k_l_k(solver):
    X, _, _, L = problem(25, 60)
    K = X @ X.T
    found = kernel_axes(K, L, 4, axes="coefficients", solver=solver)
    values, vectors = np.linalg.eigh(K @ L.toarray() @ K)
    np.testing.assert_allclose(found.values, values[::-1][:4])
    assert angle(found.vectors, vectors[:, ::-1][:, :4]) < 1e-6


@given(st.integers(0, 2**32 - 1), st.sampled_from([((6, 4), (2, 3)), ((24,), (5,)), ((4, 3, 2), (2, 2, 1))]))
def test_the_criterion_of_tensors_never_falls_and_is_what_it_says(seed, shape_and_ranks):
    shape, ranks = shape_and_ranks
    X, _, W, L = problem(15, 24, seed=seed)
    tensors = TermTensors(X, Arrangement("given", shape=shape))
    factors, history, _ = tensor_axes(tensors, L, ranks, max_iter=6, tol=1e-9)
    scale = abs(oracle.criterion(X, abs(W).toarray()))
    assert (np.diff(history) >= 0).all()
    assert oracle.criterion(tensors.project(factors), W.toarray()) == pytest.approx(
        history[-1], abs=1e-9 * scale
    )
    for factor in factors:
        np.testing.assert_allclose(factor.T @ factor, np.eye(factor.shape[1]), atol=1e-9)


def test_tensors_of_order_1_are_the_plain_method():
    X, _, _, L = problem(60, 25)
    tensors = TermTensors(X, Arrangement("given", shape=(25,)))
    (factor,), history, converged = tensor_axes(tensors, L, (4,), max_iter=5, tol=1e-9)
    plain = linear_axes(X, L, 4)
    assert converged
    assert history[-1] == pytest.approx(2 * plain.values.sum())
    assert angle(factor, plain.vectors) < 1e-8


def test_few_terms_of_many_documents_are_dense_a_part_at_a_time(monkeypatch):
    X, y, _, L = problem(60, 25)
    for graph in (L, graphs.ClassScatter(y)):
        whole = linear_axes(sp.csr_matrix(X), graph, 3, solver="dense")
        with monkeypatch.context() as patch:
            patch.setattr(embedding, "DENSE_NUMBERS", 60 * 7)
            parts = linear_axes(sp.csr_matrix(X), graph, 3, solver="dense")
        np.testing.assert_array_equal(parts.vectors, whole.vectors)


def test_no_array_over_the_limit_is_tried(monkeypatch):
    X, _, _, L = problem(25, 60)
    monkeypatch.setattr(embedding, "MAX_DENSE_BYTES", 1000)
    for solver in ("qr", "dense"):
        with pytest.raises(MemoryError, match='take solver="lanczos"'):
            linear_axes(X, L, 3, solver=solver)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert linear_axes(X, L, 3, solver="lanczos").vectors.shape == (60, 3)


def test_the_search_for_a_positive_axis_ends(monkeypatch):
    """Classes that share no term: no axis raises the criterion, however well the best one is known."""
    restarts = []
    restart = lanczos._Basis.restart
    monkeypatch.setattr(lanczos, "_settled", lambda *_: False)
    monkeypatch.setattr(lanczos._Basis, "restart", lambda *given: (restarts.append(1), restart(*given)))
    X = sp.block_diag([sp.random(120, 150, 0.05, random_state=k) for k in range(3)], format="csr")
    L = graphs.laplacian(graphs.relevance_graph(graphs.regions(X, np.repeat([0, 1, 2], 120), 5)))
    values, axes = linear_axes(X, L, 5, solver="lanczos")
    assert axes.shape == (450, 1)
    assert values[0] <= 1e-10
    assert len(restarts) == lanczos.PATIENCE


@pytest.mark.parametrize("n", [22, 35, 47, 53, 56])
def test_no_axis_is_lost_among_equal_eigenvalues(n):
    X = sp.eye_array(n, format="csr")
    y = np.arange(n) % 3
    L = graphs.laplacian(graphs.relevance_graph(graphs.regions(X, y, 5)))
    for operator in (L, -L, graphs.ClassScatter(y)):  # their eigenvalues are few and each is there often
        exact = np.linalg.eigvalsh(operator @ np.eye(n))[::-1]
        for k in (1, 2, 3, 5, 8, 13):
            wanted = exact[:k][exact[:k] > 1e-9]
            for solver in ("dense", "qr"):
                found = linear_axes(sp.csr_matrix(X), operator, k, solver=solver)
                assert len(found.values) == max(1, len(wanted))
                np.testing.assert_allclose(found.values[: len(wanted)], wanted)
                np.testing.assert_allclose(
                    found.vectors.T @ found.vectors, np.eye(len(found.values)), atol=1e-9
                )


def test_leading_eigenvectors_of_nearly_equal_values():
    for n in range(40, 60):
        M = np.eye(n) + np.equal.outer(np.arange(n) % 3, np.arange(n) % 3) * 1e-14
        for k in (1, 2, 3, 5, 8):
            values, vectors = leading_eigenvectors(M.copy(), k)
            np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-9)
            np.testing.assert_allclose(M @ vectors, vectors * values, atol=1e-9)


@pytest.mark.parametrize("kernel", [False, True])
def test_documents_that_are_there_twice_do_not_spoil_the_axes(kernel):
    rng = np.random.default_rng(0)
    X = sp.random(300, 2500, density=0.02, random_state=0, format="csr")
    X.data = rng.standard_normal(X.nnz)
    X = sp.csr_matrix(sp.vstack([X, X[:150], -2 * X[:80], 0 * X[:2]]))
    y = rng.integers(4, size=X.shape[0])
    L = graphs.laplacian(graphs.relevance_graph(graphs.regions(X, y, 8)))
    of, data = (kernel_axes, (X @ X.T).toarray()) if kernel else (linear_axes, X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        found = of(data, L, 120, solver="lanczos")
    exact = of(data, L, 120, solver="dense")
    np.testing.assert_allclose(found.values.sum(), exact.values.sum(), rtol=1e-6)
    np.testing.assert_allclose(found.values[:5], exact.values[:5], rtol=1e-6)


@pytest.mark.parametrize("kernel", [False, True])
@pytest.mark.parametrize("tol", [1e-2, 1e-6, 1e-12])
def test_documents_that_are_sums_of_others_do_not_spoil_the_axes(kernel, tol):
    B = sp.random(400, 900, density=0.02, random_state=1, format="csr")
    X = sp.csr_matrix(sp.vstack([B, B[:100] + B[100:200]]))
    y = np.random.default_rng(0).integers(5, size=500)
    L = graphs.laplacian(graphs.relevance_graph(graphs.regions(X, y, 10)))
    of, data = (kernel_axes, (X @ X.T).toarray()) if kernel else (linear_axes, X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        found = of(data, L, 100, solver="lanczos", tol=tol)
    exact = of(data, L, 100, solver="dense")
    np.testing.assert_allclose(found.values, exact.values, rtol=max(tol, 1e-9))
    A = X.T @ found.vectors if kernel else found.vectors
    np.testing.assert_allclose(A.T @ A, np.eye(len(found.values)), atol=1e-10)


def test_a_kernel_of_low_rank_has_the_axes_of_its_documents():
    rng = np.random.default_rng(0)
    X, y = rng.random((500, 20)), rng.integers(3, size=500)
    L = graphs.laplacian(graphs.relevance_graph(graphs.kernel_regions(X @ X.T, y, 10)))
    plain = linear_axes(X, L, 30, solver="dense")
    found = kernel_axes(X @ X.T, L, 30, solver="lanczos")
    np.testing.assert_allclose(found.values, plain.values, rtol=1e-6)
    np.testing.assert_allclose(np.abs((X.T @ found.vectors).T @ plain.vectors), np.eye(20), atol=1e-6)


@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("shape", [(300, 900), (900, 300)])
def test_where_nothing_is_positive_one_axis_of_unit_length_stays(dependent, shape):
    X = sp.random(*shape, density=0.05, random_state=1, format="csr")
    X = sp.csr_matrix(sp.vstack([X, X[:50] + X[50:100]])) if dependent else X
    L = -graphs.normalized_laplacian(graphs.knn_graph(X, 5))
    values, A = linear_axes(X, L, 10, solver="lanczos")
    best = linear_axes(X, L, 10, solver="dense").values[0]
    assert A.shape == (X.shape[1], 1)
    assert np.linalg.norm(A) == pytest.approx(1)
    assert 1.5 * best - 1e-9 <= values[0] <= best + 1e-9  # it need not be the best
    assert (A.T @ (X.T @ (L @ (X @ A)))).item() == pytest.approx(values[0], abs=1e-9)
