"""TensorLSI: against the paper by the letter, by identities, at the edges."""

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
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.oracles import tensorlsi as oracle
from tests.oracles.tensors import dense_tensors
from tests.reduce.latent_data import corpus, documents
from textensor.datasets import make_documents
from textensor.reduce import HOSVD, FewerAxesWarning, TensorLSI, topics
from textensor.reduce.latent.moments import Moments, Spectrum
from textensor.reduce.latent.sources import squares
from textensor.reduce.latent.tensorlsi import choose_pairs


def expected_to_fail(estimator):
    if not hasattr(estimator, "partial_fit"):
        return {}
    return {
        "check_fit_score_takes_y": "It calls partial_fit after fit. fit keeps neither moments nor a sample, "
        "so that would forget what was fitted, or keep documents in every model: it is refused."
    }


@parametrize_with_checks(
    [TensorLSI(), TensorLSI(arrangement="given"), TensorLSI(shape=(-1,)), TensorLSI(2, n_pairs=4), HOSVD()],
    expected_failed_checks=expected_to_fail,
)
@pytest.mark.filterwarnings("ignore::textensor.reduce.FewerAxesWarning")
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def same_subspace(A, B, atol=1e-7):
    """Whether orthonormal columns span the same space."""
    return np.allclose(np.linalg.svd(A.T @ B)[1], 1, atol=atol)


@settings(max_examples=25)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(6, 4), (8, 3), (24, 1), (24,), (4, 3, 2), (3, 2, 2, 2)]),
    st.integers(1, 12),
)
@pytest.mark.filterwarnings("ignore::textensor.reduce.FewerAxesWarning")
def test_it_is_the_papers(seed, shape, k):
    X = documents(seed, n=12)
    model = TensorLSI(k, shape=shape).fit(X)
    tensors = dense_tensors(X, model.arrangement_.permutation_, model.arrangement_.shape_)
    factors = []
    for moment, ours, values in zip(oracle.moments(tensors), model.factors_, model.eigenvalues_, strict=True):
        expected, vectors = oracle.eigenvectors(moment)
        np.testing.assert_allclose(values, expected[: len(values)], atol=1e-10)
        np.testing.assert_allclose(moment @ ours, ours * values, atol=1e-10)
        # Vectors of equal eigenvalues may be any; ours in front, theirs for the rest.
        signs = np.sign(np.einsum("ij,ij->j", vectors[:, : ours.shape[1]], ours))
        factors.append(vectors * np.append(signs, np.ones(vectors.shape[1] - len(signs))))
    f = oracle.importance(tensors, factors)
    cells = oracle.best_cells(f, k)
    expected = np.array([f[cell] for cell in cells])
    kept = expected > 1e-12
    np.testing.assert_allclose(
        model.importance_, expected[kept][: len(model.importance_)], rtol=1e-6, atol=1e-9
    )
    coordinates = [
        [
            oracle.coordinate(T, [u[:, i] for u, i in zip(model.factors_, pair, strict=True)])
            for pair in model.pairs_
        ]
        for T in tensors
    ]
    np.testing.assert_allclose(model.transform(X), coordinates, atol=1e-10)


@pytest.mark.parametrize("k", [1, 5, 30, 100])
def test_pruning_chooses_what_the_full_computation_does(k):
    X = corpus()
    model = TensorLSI(k, shape=(-1, 10)).fit(X)
    full = TensorLSI(300, shape=(-1, 10)).fit(X)
    assert {tuple(pair) for pair in model.pairs_} == {tuple(pair) for pair in full.pairs_[:k]}
    np.testing.assert_allclose(model.importance_, full.importance_[:k], rtol=1e-10)


def test_few_pairs_are_looked_at(monkeypatch):
    """Of all pairs, in estimates too, few are measured: only those that the bound does not rule out."""
    X = corpus(n=600, p=2000)
    looked = []

    def count(tensors, factors, n_jobs=None):
        looked.append(np.prod([factor.shape[1] for factor in factors]))
        return squares(tensors, factors, n_jobs)

    monkeypatch.setattr("textensor.reduce.latent.tensorlsi.squares", count)
    empty = sp.csr_matrix(X.shape)
    for fit in (
        lambda model: model.fit(X),
        lambda model: model.fit(sp.vstack([empty, X])),
        lambda model: model.fit_batches([empty, X]),
        lambda model: model.fit_partitions([empty, X]),
        lambda model: model.set_params(arrangement="given").partial_fit(X),
    ):
        looked.clear()
        model = fit(TensorLSI(10, shape=(-1, 20)))
        spectra = [Spectrum(moment) for moment in exact_moments(model, X)]
        for spectrum in spectra:
            spectrum.extend(spectrum.length)
        needed = np.prod([spectrum.count_above(model.importance_[-1]) for spectrum in spectra])
        assert len(looked) <= 6
        assert all(pairs <= 4 * needed for pairs in looked)
        assert max(looked) < 0.2 * 2000


def exact_moments(model, X):
    moments = Moments(model.arrangement_)
    moments.add(X)
    return [moments.matrix(mode) for mode in (1, 2)]


def test_a_bad_first_guess_is_made_good():
    X = corpus()
    model = TensorLSI(40, shape=(-1, 10)).fit(X)
    tensors = dense_tensors(X.toarray(), model.arrangement_.permutation_, model.arrangement_.shape_)
    spectra = [Spectrum(moment) for moment in oracle.moments(tensors)]
    for spectrum in spectra:
        spectrum.extend(30)

    def measure(factors):
        return (np.einsum("dij,ia,jb->dab", tensors, *factors, optimize=True) ** 2).sum(axis=0)

    for scale in (1e-9, 1e9):
        pairs, f = choose_pairs(
            spectra, 40, measure, lambda factors, scale=scale: scale * measure(factors), 0.0
        )
        np.testing.assert_array_equal(pairs, model.pairs_)
        np.testing.assert_allclose(f, model.importance_)


@pytest.mark.parametrize("shape", [(-1,), (-1, 1), (1, -1)])
def test_of_order_1_or_one_column_it_is_lsi(shape):
    X = corpus()
    model = TensorLSI(5, shape=shape).fit(X)
    lsi = TruncatedSVD(5, algorithm="arpack").fit(X)
    assert same_subspace(model.components_.T, lsi.components_.T)
    np.testing.assert_allclose(model.importance_, lsi.singular_values_**2, rtol=1e-8)
    np.testing.assert_allclose(np.abs(model.transform(X)), np.abs(lsi.transform(X)), atol=1e-6)


@pytest.mark.parametrize("shape", [(-1, 10), (-1, 7), (8, 8, 5)])
def test_within_more_pairs_it_is_lsi_of_their_coordinates(shape):
    X = corpus()
    plain = TensorLSI(100, shape=shape).fit(X)
    model = TensorLSI(12, n_pairs=100, shape=shape).fit(X)
    Z = plain.transform(X)
    _, values, axes = np.linalg.svd(Z, full_matrices=False)
    np.testing.assert_array_equal(model.pairs_, plain.pairs_)
    np.testing.assert_allclose(model.importance_, values[:12] ** 2)
    np.testing.assert_allclose(np.abs(model.transform(X)), np.abs(Z @ axes[:12].T), atol=1e-8)
    np.testing.assert_allclose((model.transform(X) ** 2).sum(axis=0), model.importance_)
    np.testing.assert_allclose(X @ model.components_.T, model.transform(X), atol=1e-10)
    np.testing.assert_allclose(model.components_, model.turn_.T @ plain.components_, atol=1e-12)
    names = [str(j) for j in range(300)]
    assert topics(model, names, 1)[3][0][0] == names[np.abs(model.components_[3]).argmax()]
    # With all pairs it is LSI.
    lsi = TruncatedSVD(5, algorithm="arpack").fit(X)
    everything = TensorLSI(5, n_pairs=300, shape=(-1, 10)).fit(X)
    assert same_subspace(everything.components_.T, lsi.components_.T)


def test_within_more_pairs_sources_agree():
    X = corpus()
    whole = TensorLSI(10, n_pairs=60, arrangement="given").fit(X)
    parts = [X[k : k + 150] for k in range(0, 400, 150)]
    merged = TensorLSI(10, n_pairs=60, arrangement="given").partial_fit(parts[2])
    merged.merge(TensorLSI(10, n_pairs=60, arrangement="given").partial_fit(sp.vstack(parts[:2])))
    for model in (
        TensorLSI(10, n_pairs=60, arrangement="given", n_jobs=2).fit(X),
        TensorLSI(10, n_pairs=60, arrangement="given").fit_batches(parts),
        TensorLSI(10, n_pairs=60, arrangement="given").fit_partitions(parts),
        merged,
    ):
        np.testing.assert_array_equal(model.pairs_, whole.pairs_)
        np.testing.assert_allclose(model.transform(X), whole.transform(X), atol=1e-9)
    single = whole.transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_array_equal(clone(whole).set_params(n_jobs=2).fit(X).transform(X), whole.transform(X))
    assert whole.storage_["kept"] > 8 * 60 * 10
    for n_pairs in (9, 60.5, True):
        with pytest.raises(ValueError, match=r"n_pairs must be (at least n_components=10|a whole number)"):
            TensorLSI(10, n_pairs=n_pairs).fit(X)
    with pytest.raises(MemoryError, match=r"within 20000 pairs takes 3\.0 GiB, over the limit of 1"):
        TensorLSI(10, n_pairs=20_000).fit(X)
    with pytest.warns(FewerAxesWarning, match="Only 3 of"):
        assert TensorLSI(10, n_pairs=60, shape=(6, 4)).fit(documents(n=3)).n_components_ == 3


def test_a_long_mode_is_applied_not_formed(monkeypatch):
    X = corpus(n=300, p=2600)
    formed = TensorLSI(20, shape=(-1, 2), arrangement="given").fit(X)
    monkeypatch.setattr("textensor.reduce.latent.streaming.DENSE_LENGTH", 100)
    monkeypatch.setattr("textensor.reduce.latent.moments.DENSE_LENGTH", 100)
    applied = TensorLSI(20, shape=(-1, 2), arrangement="given").fit(X)
    np.testing.assert_array_equal(applied.pairs_, formed.pairs_)
    np.testing.assert_allclose(applied.importance_, formed.importance_, rtol=1e-8)
    np.testing.assert_allclose(applied.transform(X), formed.transform(X), atol=1e-7)


def test_a_moment_that_does_not_fit_is_said_before_it_is_made():
    X = sp.csr_matrix((np.ones(3), ([0, 1, 2], [0, 150_000, 299_999])), shape=(3, 300_000))
    with pytest.raises(MemoryError, match="choose a shape whose longest mode is shorter"):
        TensorLSI(2, arrangement="given", shape=(-1, 2)).partial_fit(X)
    assert TensorLSI(2, shape=(-1, 2)).fit(X).transform(X).shape == (3, 2)


def test_threads_and_kinds_of_matrices_change_nothing():
    X = sp.csr_matrix(corpus())
    model = TensorLSI(30).fit(X)
    expected = model.transform(X)
    np.testing.assert_array_equal(TensorLSI(30, n_jobs=2).fit(X).transform(X), expected)
    unsorted = X.copy()
    unsorted.indices, unsorted.data = unsorted.indices[::-1].copy(), unsorted.data[::-1].copy()
    wide = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    for other in (X.toarray(), sp.csc_array(X), wide):
        np.testing.assert_array_equal(model.transform(other), expected)
    X.data.flags.writeable = False
    np.testing.assert_array_equal(model.transform(X), expected)
    single = TensorLSI(30).fit(X.astype(np.float32))
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(np.abs(single.transform(X)), np.abs(expected), atol=1e-4)


def test_components_are_orthonormal_vectors_of_terms():
    X = documents(n=30)
    model = TensorLSI(24, shape=(6, 4)).fit(X)
    assert model.n_components_ == 24
    np.testing.assert_allclose(model.transform(X) @ model.components_, X, atol=1e-10)
    few = TensorLSI(3, shape=(6, 4)).fit(X)
    np.testing.assert_allclose(few.components_ @ few.components_.T, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(X @ few.components_.T, few.transform(X), atol=1e-10)


def test_explained_variance_and_storage_are_as_they_are_counted():
    X = corpus()
    model = TensorLSI(50, shape=(-1, 10)).fit(X)
    explained = (model.transform(X) ** 2).sum(axis=0)
    np.testing.assert_allclose(model.importance_, explained)
    np.testing.assert_allclose(model.explained_variance_ratio_, explained / X.multiply(X).sum())
    assert model.storage_["paper"] == 8 * (30**2 + 10**2)
    assert model.storage_["kept"] < model.storage_["paper"] + 16 * 50 + 8 * (50 + 40 + 300) + 1
    streamed = TensorLSI(50, shape=(-1, 10), arrangement="given").partial_fit(X)
    for each in (model, streamed):
        counted = each.storage_["kept"] + each.storage_["stream"]
        assert counted == pytest.approx(len(pickle.dumps(each)), abs=4000)
    assert streamed.storage_["stream"] > 8 * streamed.storage_["kept"]
    assert list(model.get_feature_names_out()[:2]) == ["tensorlsi0", "tensorlsi1"]


def test_degenerate_documents():
    X = documents(n=30)
    X[3] = 0.0
    model = TensorLSI(4, shape=(6, 4)).fit(X)
    assert not model.transform(X)[3].any()
    one = X[:1]
    with pytest.warns(FewerAxesWarning, match="Only . of .* axes have any importance"):
        model = TensorLSI(20, shape=(6, 4)).fit(one)
    np.testing.assert_allclose(np.linalg.norm(model.transform(one)), 1.0)
    with pytest.raises(ValueError, match="All documents are empty"):
        TensorLSI(2).fit(np.zeros((3, 5)))
    with pytest.raises(ValueError, match="NaN"):
        TensorLSI(2).fit(np.full((3, 5), np.nan))
    with pytest.raises(ValueError, match="n_components must be a whole number of 1 or more"):
        TensorLSI(0).fit(X)
    with pytest.raises(ValueError, match="too few for 24 terms"):
        TensorLSI(shape=(2, 2)).fit(X)
    with pytest.raises(NotFittedError):
        TensorLSI().transform(X)
    with pytest.raises(NotFittedError):
        _ = TensorLSI().storage_


def test_the_usual_company():
    corpus_ = make_documents(300, 200, 4, random_state=0)
    y = np.asarray(corpus_.y.argmax(axis=1)).ravel()
    model = make_pipeline(TensorLSI(20, shape=(-1, 5)), KNeighborsClassifier(4, metric="cosine"))
    assert model.fit(corpus_.X, y).score(corpus_.X, y) > 0.5
    reducer = clone(model[0]).fit(corpus_.X.astype(float))
    again = pickle.loads(pickle.dumps(reducer))
    np.testing.assert_array_equal(again.transform(corpus_.X), reducer.transform(corpus_.X))
    assert reducer.set_output(transform="pandas").transform(corpus_.X).shape == (300, 20)


def test_topics_are_the_heaviest_terms():
    X = corpus()
    names = [f"term{j}" for j in range(300)]
    model = TensorLSI(6, shape=(-1, 10)).fit(X)
    found = topics(model, names, top=3)
    assert [len(topic) for topic in found] == [3] * 6
    for topic, component in zip(found, model.components_, strict=True):
        order = np.argsort(-np.abs(component), kind="stable")[:3]
        assert topic == [(names[j], pytest.approx(component[j])) for j in order]
    assert topics(TruncatedSVD(2).fit(X), names, top=1)[0][0][0] in names
    with pytest.raises(ValueError, match="2 names for 300 terms"):
        topics(model, ["a", "b"])
    with pytest.raises(ValueError, match="top must be"):
        topics(model, names, top=0)
