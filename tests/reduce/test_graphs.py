import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.neighbors import NearestNeighbors

from tests.oracles import lrwmmc as oracle
from textensor.datasets import make_documents
from textensor.reduce.graph import graphs

COUNTS = hnp.arrays(float, st.tuples(st.integers(2, 9), st.integers(1, 4)), elements=st.integers(-1, 3))


def corpus(n=120, seed=0):
    made = make_documents(n, 300, 3, random_state=seed)
    return sp.csr_matrix(made.X, dtype=float), made.y[:, [0]].toarray().ravel().astype(int)


@given(COUNTS, st.integers(1, 5), st.data())
def test_regions_are_the_most_relevant_documents(X, k, data):
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X))))
    r = oracle.cosines(X)
    found = graphs.regions(X, y, k)
    for neighbours, region in [(found.within, oracle.within), (found.between, oracle.between)]:
        for i in range(len(X)):
            expected = region(r, y, i, k)
            np.testing.assert_allclose(
                neighbours.relevance[i, : len(expected)], r[i, expected], atol=1e-12, err_msg=str(i)
            )
            assert (neighbours.indices[i, len(expected) :] == -1).all()
            # Which of equally relevant documents is there may hang on the last bit of a cosine.
            chosen = neighbours.indices[i, : len(expected)]
            np.testing.assert_allclose(r[i, chosen], r[i, expected], atol=1e-12)


def test_equally_relevant_documents_come_in_the_order_of_their_index():
    X = np.ones((6, 1))
    y = [1, 0, 1, 0, 1, 0]
    found = graphs.regions(X, y, 2)
    assert found.within.indices.tolist() == [[2, 4], [3, 5], [0, 4], [1, 5], [0, 2], [1, 3]]
    assert found.between.indices.tolist() == [[1, 3], [0, 2], [1, 3], [0, 2], [1, 3], [0, 2]]


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 200])
def test_threads_do_not_show(n_jobs):
    X, y = corpus()
    one, several = graphs.regions(X, y, 5), graphs.regions(X, y, 5, n_jobs)
    for a, b in zip(one.found, several.found, strict=True):
        np.testing.assert_array_equal(a.indices, b.indices)
        np.testing.assert_array_equal(a.relevance, b.relevance)


def test_the_neighbours_are_those_of_scikit_learn():
    X, _ = corpus()
    distance, _ = NearestNeighbors(n_neighbors=7, metric="cosine").fit(X).kneighbors()
    found = graphs.regions(X, np.zeros(X.shape[0], dtype=int), 7).within
    np.testing.assert_allclose(1 - found.relevance, distance, atol=1e-12)


@pytest.mark.parametrize("k", [1, 3, 50])
def test_graphs_have_the_weights_of_the_equations(k):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(15, 6)) ** 2, rng.integers(3, size=15)
    r = oracle.cosines(X)
    found = graphs.regions(X, y, k)
    np.testing.assert_allclose(graphs.relevance_graph(found).toarray(), oracle.weights(r, y, k), atol=1e-12)
    np.testing.assert_array_equal(graphs.unit_graph(found).toarray(), oracle.weights(r, y, k, unit=True))
    W = graphs.knn_graph(X, k)
    np.testing.assert_allclose(W.toarray(), oracle.neighbour_weights(r, k), atol=1e-12)
    Y = rng.normal(size=(15, 2))
    for L, value in [
        (graphs.laplacian(W), oracle.criterion(Y, W.toarray())),
        (graphs.normalized_laplacian(W), oracle.criterion(oracle.scaled(Y, W.toarray()), W.toarray())),
    ]:
        assert 2 * np.trace(Y.T @ (L @ Y)) == pytest.approx(value)


def test_regions_of_a_linear_kernel_are_those_of_the_documents():
    X, y = corpus()
    K = (X @ X.T).toarray()
    for k in (1, 8, 500):
        for a, b in zip(graphs.regions(X, y, k).found, graphs.kernel_regions(K, y, k, 2).found, strict=True):
            np.testing.assert_allclose(a.relevance, b.relevance, atol=1e-12)


@pytest.mark.parametrize("k", [1, 3, 60, 500])
def test_the_first_neighbours_are_those_of_a_smaller_search(k):
    X, y = corpus()
    K = (X @ X.T).toarray()
    for search, data in [(graphs.regions, X), (graphs.kernel_regions, K)]:
        for cut, found in zip(search(data, y, 500).first(k).found, search(data, y, k).found, strict=True):
            np.testing.assert_array_equal(cut.indices, found.indices)
            np.testing.assert_array_equal(cut.relevance, found.relevance)


def test_a_search_over_k_looks_for_neighbours_once(monkeypatch):
    X, y = corpus()
    K = (X @ X.T).toarray()
    searches = [(graphs.regions, X), (graphs.kernel_regions, K)]
    expected = [search(data, y, k).found for search, data in searches for k in (20, 5, 30)]
    made, heaps = [], graphs._sorted_regions
    monkeypatch.setattr(graphs, "_sorted_regions", lambda *args: made.append(1) or heaps(*args))
    with graphs.neighbours_once():
        found = [search(data.copy(), y, k).found for search, data in searches for k in (20, 5, 30)]
        assert len(made) == 4  # 30 are more than were found
        graphs.regions(X, y[::-1], 5).found  # noqa: B018
        assert len(made) == 5
    for one, other in zip(expected, found, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a.indices, b.indices)
            np.testing.assert_array_equal(a.relevance, b.relevance)
    graphs.regions(X, y, 5).found  # noqa: B018
    assert len(made) == 6


def test_nothing_is_searched_before_it_is_asked_for():
    found = graphs.Regions(np.array([0, 1]), pytest.fail)
    assert graphs.class_scatter(found).shape == (2, 2)
    assert graphs.read_graph(sp.eye(2), found).shape == (2, 2)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (sp.eye(3), "A graph of 2 labelled documents is 2 x 2, not 3 x 3"),
        (sp.csr_array((2, 3)), "not 2 x 3"),
        ("relevance", "A graph is a sparse matrix of documents x documents, or a rule that returns one"),
        (lambda found: None, "A graph is a sparse matrix"),
        (sp.csr_array([[0.0, 1], [2, 0]]), "A graph is symmetric"),
        (sp.csr_array([[0.0, np.nan], [np.nan, 0]]), "NaN"),
        (graphs.ClassScatter([0, 1, 1]), "not 3 x 3"),
        (lambda found: sp.eye(1 + len(found.codes)), "not 3 x 3"),
    ],
)
def test_a_ready_graph_is_checked(graph, message):
    with pytest.raises(ValueError, match=message):
        graphs.read_graph(graph, graphs.regions(np.eye(2), [0, 1], 1))


def test_class_scatter_is_the_laplacian_of_its_weights():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 4)), np.array([0, 1, 2] * 4)
    L = graphs.ClassScatter(y)
    W = oracle.scatter_weights(y)
    np.testing.assert_allclose(L @ np.eye(12), np.diag(W.sum(axis=1)) - W, atol=1e-12)
    np.testing.assert_allclose(X.T @ (L @ X), oracle.scatter_matrix(X, y), atol=1e-12)


def test_a_document_without_neighbours_has_no_row_in_the_normalised_laplacian():
    L = graphs.normalized_laplacian(graphs.knn_graph([[1.0, 0], [1, 0], [0, 1]], 1))
    assert L.toarray().tolist() == [[1, -1, 0], [-1, 1, 0], [0, 0, 0]]


def test_one_document_and_empty_documents():
    assert graphs.regions([[1.0]], [0], 3).within.indices.tolist() == [[-1]]
    found = graphs.regions(np.zeros((3, 2)), [0, 0, 1], 2)
    assert found.within.indices.tolist() == [[1, -1], [0, -1], [-1, -1]]
    assert (found.between.relevance == 0).all()


def test_the_documents_stay_as_they_are():
    X, y = corpus()
    before = X.copy()
    X.data.flags.writeable = False
    graphs.regions(X, y, 3)
    assert (before != X).nnz == 0
    wide = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    np.testing.assert_array_equal(
        graphs.regions(wide, y, 3).between.indices, graphs.regions(X, y, 3).between.indices
    )
