import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from textensor.datasets import make_documents
from textensor.reduce import DNE, LRWMMC, SDA, SemiSupervisedLRWMMC, TensorLRWMMC
from textensor.reduce.graph import approximate, graphs

COUNTS = hnp.arrays(float, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(-1, 3))
fewer = pytest.mark.filterwarnings("ignore:Only .* axes:UserWarning")


@pytest.fixture(autouse=True)
def small_sets_too(monkeypatch):
    monkeypatch.setattr(graphs, "EXACT_UP_TO", 0)


def corpus(n=1500, n_classes=4, seed=0):
    X = make_documents(n, 3000, 3, mean_length=40, random_state=seed).X.astype(float)
    X.data = 1 + np.log(X.data)
    df = np.bincount(X.indices, minlength=X.shape[1])
    X = sp.csr_matrix(X @ sp.diags(np.log(n / np.maximum(df, 1))))
    return X, np.random.default_rng(seed).integers(n_classes, size=n)


def same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.indices, b.indices)
        np.testing.assert_array_equal(a.relevance, b.relevance)


def part_found(found, exact):
    """The part of the exact neighbours found, equally relevant ones taken for each other."""
    return [
        ((a.relevance >= e.relevance[:, -1:]) & (a.indices >= 0)).sum() / (e.indices >= 0).sum()
        for a, e in zip(found, exact, strict=True)
    ]


@pytest.mark.parametrize("k", [1, 5, 40])
def test_it_is_the_exact_search_where_nothing_is_pruned(k, monkeypatch):
    X, y = corpus(400)
    monkeypatch.setattr(approximate, "HEAVIEST", 400)
    monkeypatch.setattr(approximate, "MORE_CANDIDATES", 300)  # fewer than there are others: lists are walked
    same(graphs.regions(X, y, k, search="approximate"), graphs.regions(X, y, k))


@given(COUNTS, st.integers(1, 5), st.data())
def test_small_sets_have_all_documents_for_candidates(X, k, data):
    y = data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X)))
    same(graphs.regions(X, y, k, search="approximate"), graphs.regions(X, y, k))


@given(COUNTS, st.integers(1, 3), st.integers(1, 3), st.data())
def test_what_it_finds_are_others_of_the_right_class_with_their_cosine(X, k, heaviest, data):
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(approximate, "HEAVIEST", heaviest)
        patch.setattr(approximate, "MORE_CANDIDATES", 0)
        found = graphs.regions(X, y, k, search="approximate")
    everything = graphs.regions(X, y, len(X))
    for near, exact, own in zip(found, everything, (True, False), strict=True):
        for i, row in enumerate(near.indices):
            given_ = row[row >= 0]
            assert len(given_) == min(near.indices.shape[1], (exact.indices[i] >= 0).sum())
            assert len(set(given_)) == len(given_)
            assert i not in given_
            assert ((y[given_] == y[i]) == own).all()
            relevance = dict(zip(exact.indices[i], exact.relevance[i], strict=True))
            assert near.relevance[i, row >= 0].tolist() == [relevance[j] for j in given_]


def test_documents_that_share_no_term_are_not_compared_with_all(monkeypatch):
    rng = np.random.default_rng(0)
    n = 600
    X = sp.random(n, 5000, density=3 / 5000, random_state=0, format="csr")
    X.data = rng.standard_normal(X.nnz)  # a relevance below that of strangers, too
    X = sp.csr_matrix(sp.diags(np.where(np.arange(n) == 5, 0.0, 1.0)) @ X)  # and a row of zeros
    y = rng.integers(3, size=n)
    products = 0
    offer = approximate.kernels._offer_product.py_func

    def counted(*arguments):
        nonlocal products
        products += 1
        offer(*arguments)

    monkeypatch.setattr(approximate.kernels, "_offer_product", counted)
    for name in ("look_up", "_walk", "_offer"):
        monkeypatch.setattr(approximate.kernels, name, getattr(approximate.kernels, name).py_func)
    found = graphs.regions(X, y, 20, search="approximate")
    assert products < 20 * n
    monkeypatch.undo()
    same(found, graphs.regions(X, y, 20))


def test_it_finds_most_neighbours(monkeypatch):
    X, y = corpus()
    exact = graphs.regions(X, y, 10)
    monkeypatch.setattr(approximate, "HEAVIEST", 60)
    found = part_found(graphs.regions(X, y, 10, search="approximate"), exact)
    assert min(found) > 0.9
    assert max(found) < 1  # or nothing was pruned, and this says nothing
    monkeypatch.setattr(approximate, "HEAVIEST", 10)
    assert min(part_found(graphs.regions(X, y, 10, search="approximate"), exact)) < min(found)


def test_a_rare_class_is_found_beside_a_large_one(monkeypatch):
    X, _ = corpus()
    y = (np.arange(X.shape[0]) % 20 == 0).astype(int)
    monkeypatch.setattr(approximate, "HEAVIEST", 60)
    found = part_found(graphs.regions(X, y, 10, search="approximate"), graphs.regions(X, y, 10))
    assert min(found) > 0.9


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_threads_and_repeats_do_not_show(n_jobs, monkeypatch):
    X, y = corpus()
    monkeypatch.setattr(approximate, "BLOCK", 100)
    one = graphs.regions(X, y, 5, search="approximate")
    same(graphs.regions(X, y, 5, n_jobs, search="approximate"), one)


def test_classes_of_one_document_empty_documents_and_duplicates(monkeypatch):
    monkeypatch.setattr(approximate, "HEAVIEST", 3)
    monkeypatch.setattr(approximate, "MORE_CANDIDATES", 0)
    X = np.zeros((40, 3))
    X[5:35, 0] = 1  # thirty of the same
    X[35:, 1] = 1
    y = np.r_[np.arange(39) % 2, 2]
    found, exact = graphs.regions(X, y, 4, search="approximate"), graphs.regions(X, y, 4)
    assert (found.within.indices[39] == -1).all()
    for a, b in zip(found, exact, strict=True):
        np.testing.assert_array_equal(a.relevance, b.relevance)
    np.testing.assert_array_equal(found.within.indices[:5], exact.within.indices[:5])
    assert graphs.regions([[1.0]], [0], 3, search="approximate").within.indices.tolist() == [[-1]]
    few = graphs.regions(X, y, 30, search="approximate")  # more than a class has
    assert ((few.within.indices >= 0).sum(axis=1)[:39] == np.bincount(y)[y[:39]] - 1).all()


def test_small_sets_are_searched_exactly(monkeypatch):
    X, y = corpus(300)
    monkeypatch.setattr(graphs, "EXACT_UP_TO", 300)
    monkeypatch.setattr(approximate, "HEAVIEST", 1)
    same(graphs.regions(X, y, 5, search="approximate"), graphs.regions(X, y, 5))


@pytest.mark.parametrize("estimator", [LRWMMC, DNE, SemiSupervisedLRWMMC, TensorLRWMMC, SDA])
@fewer
def test_estimators_pass_it_on(estimator, monkeypatch):
    X, y = corpus(300)
    monkeypatch.setattr(approximate, "HEAVIEST", 2)
    monkeypatch.setattr(approximate, "MORE_CANDIDATES", -5)
    exact = estimator(10, n_neighbors=5).fit(X, y)
    model = estimator(10, n_neighbors=5, search="approximate").fit(X, y)
    assert model.get_params()["search"] == "approximate"
    learnt = "objective_history_" if estimator is TensorLRWMMC else "components_"
    assert not np.array_equal(getattr(model, learnt), getattr(exact, learnt))
    again = estimator(10, n_neighbors=5, search="approximate", n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(getattr(again, learnt), getattr(model, learnt))
    with pytest.raises(ValueError, match="search"):
        estimator(2, search="fast").fit(X, y)


def test_a_search_that_there_is_not():
    with pytest.raises(ValueError, match="search must be one of 'exact', 'approximate', not 'fast'"):
        graphs.knn_graph([[1.0], [2.0]], 1, search="fast")
