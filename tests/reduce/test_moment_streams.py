"""TensorLSI of batches, streams, merged parts and clusters."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from tests.reduce.latent_data import corpus, documents
from textensor.reduce import TensorLSI
from textensor.reduce.latent.sources import Reservoir
from textensor.space import SemanticArrangement, write_csr


def stream(X, cuts):
    return np.split(np.arange(X.shape[0]), cuts)


@pytest.mark.parametrize("cuts", [[], [1], [100, 101, 350], list(range(20, 400, 20))])
def test_batches_give_what_one_matrix_does(cuts):
    X = corpus()
    whole = TensorLSI(30).fit(X)
    batches = [X[rows] for rows in stream(X, cuts)]
    for model in (TensorLSI(30).fit_batches(batches), TensorLSI(30, n_jobs=2).fit_batches(batches)):
        np.testing.assert_array_equal(model.factors_[0], whole.factors_[0])
        np.testing.assert_array_equal(model.pairs_, whole.pairs_)
        np.testing.assert_allclose(model.importance_, whole.importance_, rtol=1e-12)
        assert model.importance_from_ == "all documents"
    order = whole.arrangement_.permutation_
    model = TensorLSI(30, arrangement=order)
    for batch in batches:
        model.partial_fit(batch)
    np.testing.assert_array_equal(model.factors_[0], whole.factors_[0])
    np.testing.assert_allclose(model.transform(X), whole.transform(X), atol=1e-10)
    streamed = TensorLSI(30, arrangement=order).fit_batches(iter(batches))
    np.testing.assert_array_equal(streamed.transform(X), model.transform(X))


@settings(max_examples=10)
@given(st.permutations(range(4)))
def test_merging_in_any_order_is_the_same(order):
    X = corpus()
    whole = TensorLSI(20, arrangement="given").fit(X)
    parts = [TensorLSI(20, arrangement="given").partial_fit(X[k::4]) for k in range(4)]
    model = parts[order[0]]
    for k in order[1:]:
        model.merge(parts[k])
    np.testing.assert_array_equal(model.pairs_, whole.pairs_)
    np.testing.assert_allclose(model.importance_, whole.importance_, rtol=1e-10)
    np.testing.assert_allclose(model.transform(X), whole.transform(X), atol=1e-10)


def symmetric(seed=0):
    """Return documents whose grids come with their mirror images: entries of every u_i tie in pairs."""
    grids = np.random.default_rng(seed).random((8, 6, 3))
    return np.concatenate([grids, grids[:, ::-1]]).transpose(0, 2, 1).reshape(16, 18)


@pytest.mark.parametrize("shape", [(6, 3), (-1,)])
def test_rounding_decides_no_sign(shape):
    X = symmetric()

    def merged(order):
        parts = [TensorLSI(10, shape=shape, arrangement="given").partial_fit(X[k::4]) for k in range(4)]
        for k in order[1:]:
            parts[order[0]].merge(parts[k])
        return parts[order[0]].transform(X)

    expected = merged([0, 1, 2, 3])
    np.testing.assert_allclose(merged([3, 2, 1, 0]), expected, atol=1e-10)
    turned = TensorLSI(10, shape=shape, arrangement="given").fit(X[::-1]).transform(X)
    np.testing.assert_allclose(turned, expected, atol=1e-10)


def test_a_sample_stands_for_a_stream(monkeypatch):
    monkeypatch.setattr("textensor.reduce.latent.sources.SAMPLE", 150)
    X = corpus(n=600)
    model = TensorLSI(20, arrangement="given").partial_fit(X[:350]).partial_fit(X[350:])
    assert model.importance_from_ == "a sample of 150 documents"
    whole = TensorLSI(20, arrangement="given").fit(X)
    np.testing.assert_array_equal(model.factors_[0][:, :5], whole.factors_[0][:, :5])
    assert model.importance_.sum() == pytest.approx(whole.importance_.sum(), rel=0.1)
    again = TensorLSI(20, arrangement="given").fit_batches(X[k : k + 50] for k in range(0, 600, 50))
    np.testing.assert_array_equal(again.pairs_, model.pairs_)
    other = TensorLSI(20, arrangement="given", random_state=1).fit_batches(iter([X]))
    assert not np.array_equal(other.importance_, model.importance_)


def test_samples_do_not_depend_on_the_order_of_merges(monkeypatch):
    monkeypatch.setattr("textensor.reduce.latent.sources.SAMPLE", 30)
    X = corpus(n=300)

    def sample(rows):
        reservoir = Reservoir(X.shape[1], 0)
        reservoir.add(sp.csr_matrix(X[rows]))
        return reservoir

    ab, ba = (
        (sample(slice(0, 100)), sample(slice(100, 300))),
        (sample(slice(100, 300)), sample(slice(0, 100))),
    )
    for one, other in (ab, ba):
        one.merge(other)
    np.testing.assert_array_equal(ab[0].keys, ba[0].keys)
    np.testing.assert_array_equal(ab[0].rows.toarray(), ba[0].rows.toarray())


def test_parts_give_the_same_bits_on_any_number_of_threads(tmp_path):
    X = corpus()
    parts = [X[k : k + 70] for k in range(0, 400, 70)]
    serial = TensorLSI(30).fit_partitions(parts)
    threads = TensorLSI(30, n_jobs=3).fit_partitions(parts)
    for k, part in enumerate(parts):
        write_csr(tmp_path / f"{k}", [sp.csr_matrix(part)], X.shape[1])
    folders = TensorLSI(30).fit_partitions([tmp_path / f"{k}" for k in range(len(parts))])
    for model in (threads, folders):
        np.testing.assert_array_equal(model.factors_[0], serial.factors_[0])
        np.testing.assert_array_equal(model.importance_, serial.importance_)
        np.testing.assert_array_equal(model.transform(X), serial.transform(X))
    whole = TensorLSI(30).fit(X)
    np.testing.assert_allclose(serial.importance_, whole.importance_, rtol=1e-10)
    np.testing.assert_array_equal(serial.pairs_, whole.pairs_)
    with pytest.raises(ValueError, match="no parts"):
        TensorLSI().fit_partitions([])


def test_a_cluster_gives_the_same_bits():
    distributed = pytest.importorskip("distributed", reason="the extra [dask] is not installed")
    X = corpus()
    parts = [X[k : k + 90] for k in range(0, 400, 90)]
    serial = TensorLSI(30).fit_partitions(parts)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        models = [
            TensorLSI(30).fit_partitions(parts, client=client),
            TensorLSI(30).fit_partitions(client.scatter(parts), client=client),
        ]
    for model in models:
        np.testing.assert_array_equal(model.factors_[0], serial.factors_[0])
        np.testing.assert_array_equal(model.importance_, serial.importance_)


def test_streams_need_an_arrangement_that_does_not_depend_on_them():
    X = documents()
    for model in (TensorLSI(2), TensorLSI(2, arrangement=SemanticArrangement())):
        assert not hasattr(model, "partial_fit")
        with pytest.raises(AttributeError, match="does not depend on its batches"):
            model.partial_fit(X)
        with pytest.raises(ValueError, match="does not depend on its batches"):
            model.fit_batches(iter([X]))
    with pytest.raises(ValueError, match="learned from one matrix"):
        TensorLSI(2, arrangement=SemanticArrangement()).fit_batches([X])
    with pytest.raises(ValueError, match="Batch 1 has 5 terms"):
        TensorLSI(2).fit_batches([X, X[:, :5]])


def test_only_streams_of_the_same_kind_are_merged():
    X = documents()
    model = TensorLSI(2, arrangement="given", shape=(6, 4)).partial_fit(X)
    with pytest.raises(ValueError, match="count twice"):
        model.merge(model)
    with pytest.raises(NotFittedError, match="Only what partial_fit learnt"):
        model.merge(TensorLSI(2, arrangement="given", shape=(6, 4)).fit(X))
    with pytest.raises(ValueError, match="two arrangements"):
        model.merge(TensorLSI(2, arrangement="given", shape=(8, 3)).partial_fit(X))
    with pytest.raises(ValueError, match="24 features"):
        model.partial_fit(X[:, :5])


def test_a_stream_takes_bounded_memory(monkeypatch):
    monkeypatch.setattr("textensor.reduce.latent.sources.SAMPLE", 100)
    X = corpus(n=8000, p=400)
    model = TensorLSI(10, arrangement="given", shape=(-1, 10))
    model.partial_fit(X[:100])
    tracemalloc.start()
    for k in range(100, 8000, 100):
        model.partial_fit(X[k : k + 100])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (X.data.nbytes + X.indices.nbytes) / 3
