"""Where documents come from, and what happens when something is wrong with them."""

import tracemalloc
from copy import copy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from tests.reduce.latent_data import corpus, documents
from textensor.reduce import HOSVD, FewerAxesWarning, TensorLSI, topics
from textensor.reduce.latent.moments import Spectrum, applied_moment
from textensor.space import Arrangement, SemanticArrangement, TermTensors


def given(n_components=3, **options):
    return TensorLSI(n_components, shape=(6, 4), arrangement="given", **options)


class Onwards:
    """Batches that go on from where they were, from the beginning again after the last."""

    def __init__(self, batches, at_once):
        self.batches, self.at, self.at_once = batches, 0, at_once

    def __iter__(self):
        for _ in range(self.at_once):
            yield self.batches[self.at % len(self.batches)]
            self.at += 1


@pytest.mark.parametrize("model", [TensorLSI(3), given(), HOSVD((2, 2))])
def test_batches_that_do_not_start_anew_are_refused(model):
    X = documents(n=60)  # of unit length: as many squares in any twenty of them
    with pytest.raises(ValueError, match="other documents when they were read again"):
        model.fit_batches(Onwards([X[:20], X[20:40], X[40:]], at_once=2))

    class Once:
        def __init__(self):
            self.left = [X[:30], X[30:]]

        def __iter__(self):
            while self.left:
                yield self.left.pop()

    with pytest.raises(ValueError, match=r"other documents .*\(0, at first 60\)"):
        model.fit_batches(Once())
    assert not hasattr(model, "arrangement_")


def test_what_cannot_be_a_source_is_said():
    X = documents()
    for model in (TensorLSI(3), given()):
        with pytest.raises(ValueError, match="There are no batches to learn from"):
            model.fit_batches([])
        with pytest.raises(ValueError, match="There are no parts to learn from"):
            model.fit_partitions([])
        for single in (X, sp.csr_matrix(X), sp.csr_array(X), pd.DataFrame(X), "folder"):
            with pytest.raises(TypeError, match="The batches are a single one: give a list of batches"):
                model.fit_batches(single)
            with pytest.raises(TypeError, match="The parts are a single one: give a list of parts"):
                model.fit_partitions(single)
        for nothing in (None, 5):
            with pytest.raises(TypeError, match=f"The batches are a list, .* not {nothing}"):
                model.fit_batches(nothing)
            with pytest.raises(TypeError, match=f"The parts are a list, .* not {nothing}"):
                model.fit_partitions(nothing)
        with pytest.raises(ValueError, match="A part has 5 terms, one before it 24"):
            model.fit_partitions([X, X[:, :5]])
    with pytest.raises(ValueError, match="There are no batches to learn from"):
        given().fit_batches(iter([]))


def test_empty_batches_and_generators_are_welcome():
    X = documents()
    parts = [X[:0], X[:20], X[20:20], X[20:]]
    expected = given().fit(X).transform(X)
    for model in (
        given().fit_batches(parts),
        given().fit_batches(iter(parts)),
        given().fit_partitions(part for part in parts),
        given().partial_fit(X[:0]).partial_fit(X),
    ):
        np.testing.assert_allclose(model.transform(X), expected, atol=1e-12)


def test_names_of_terms_do_not_outlive_their_fit():
    X = pd.DataFrame(documents(), columns=[f"term{j}" for j in range(24)])
    model = TensorLSI(3, shape=(6, 4)).fit(X)
    model.fit_batches([X.to_numpy()])
    assert not hasattr(model, "feature_names_in_")
    model.transform(X.to_numpy())


def test_what_was_fitted_at_once_is_not_forgotten_by_a_stream():
    A, B = documents(0), documents(1)
    for model in (given().fit(A), given().fit_batches([A]), given().fit_partitions([A])):
        before = model.transform(A)
        with pytest.raises(ValueError, match="cannot be added to: begin with partial_fit"):
            model.partial_fit(B)
        np.testing.assert_array_equal(model.transform(A), before)
    model = given().fit_batches(iter([A])).partial_fit(B)
    both = given().fit(np.vstack([A, B]))
    np.testing.assert_allclose(model.transform(A), both.transform(A), atol=1e-10)
    model.fit(A)
    np.testing.assert_array_equal(model.transform(A), given().fit(A).transform(A))


@pytest.mark.parametrize(
    "fail",
    [
        lambda model: model.fit(np.zeros((3, 24))),
        lambda model: model.fit(np.full((3, 5), np.nan)),
        lambda model: model.set_params(shape=(2, 2)).fit(documents()),
        lambda model: model.fit_batches(iter([])),
        lambda model: model.fit_batches([np.zeros((3, 24))]),
        lambda model: model.fit_batches(iter([documents(), np.zeros((3, 5))])),
        lambda model: model.fit_partitions([documents(), np.zeros((3, 5))]),
    ],
)
def test_a_fit_that_fails_changes_nothing(fail):
    X = documents()
    fresh = given()
    with pytest.raises(ValueError):
        fail(fresh)
    with pytest.raises(NotFittedError):
        check_is_fitted(fresh)
    for model in (given().fit(X), given().partial_fit(X)):
        before = model.transform(X)
        with pytest.raises(ValueError):
            fail(model)
        np.testing.assert_array_equal(model.transform(X), before)
        assert model.n_features_in_ == 24


def test_settings_of_a_stream_stay():
    X = documents()
    model = given().partial_fit(X)
    for change in ({"shape": (8, 3)}, {"arrangement": np.arange(24)[::-1]}, {"random_state": 1}):
        with pytest.raises(ValueError, match="stay as they were when the stream began"):
            clone(model).partial_fit(X).set_params(**change).partial_fit(X)
    assert model.set_params(n_components=2, shape=(6, -1)).partial_fit(X).n_components_ == 2


def test_only_reducers_of_the_same_settings_are_merged():
    X = documents()
    with pytest.raises(TypeError, match="Only another TensorLSI can be merged, not HOSVD"):
        given().partial_fit(X).merge(HOSVD((2, 2), shape=(6, 4)).partial_fit(X))
    for other, name in (
        (given(4), "n_components cannot be merged: 3 and 4"),
        (given(random_state=1), "random_state cannot be merged: 0 and 1"),
    ):
        with pytest.raises(ValueError, match=f"Two settings of {name}"):
            given().partial_fit(X).merge(other.partial_fit(X))
    same = TensorLSI(3, shape=(6, 4), arrangement=np.arange(24), n_jobs=2).partial_fit(X[20:])
    merged = given().partial_fit(X[:20]).merge(same)
    np.testing.assert_allclose(merged.transform(X), given().fit(X).transform(X), atol=1e-10)


@pytest.mark.parametrize("seed", [None, "x", np.random.RandomState(0), -1, True, 2**32])
def test_a_seed_is_a_number(seed):
    X = documents()
    for fit in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match="random_state must be a whole number"):
            getattr(given(random_state=seed), fit)(X)
    given(random_state=np.int64(7)).partial_fit(X)


@pytest.mark.parametrize(("dtype", "scale"), [(np.float32, 1e20), (np.float32, 1e-23), (float, 1e120)])
def test_large_and_small_documents_are_learnt_from(dtype, scale):
    X = documents()
    expected = np.abs(given().fit(X).transform(X))
    scaled = (X * scale).astype(dtype)
    for model in (given().fit(scaled), given().partial_fit(scaled), given().fit_batches([scaled])):
        np.testing.assert_allclose(np.abs(model.transform(scaled)) / scale, expected, atol=1e-5)


@pytest.mark.parametrize("fit", ["fit", "partial_fit", "fit_batches", "fit_partitions"])
@pytest.mark.parametrize(("scale", "said"), [(1e160, "squares overflow"), (1e-170, "their squares vanish")])
def test_squares_that_are_no_numbers_are_said(fit, scale, said):
    X = documents() * scale
    with pytest.raises(ValueError, match=f"{said}: .*scale"):
        getattr(given(), fit)(X if fit in ("fit", "partial_fit") else [X]).transform(X)


def test_documents_that_are_too_large_do_not_spoil_a_stream():
    X = documents()
    model = given().partial_fit(X)
    before = model.transform(X)
    with pytest.raises(ValueError, match="squares overflow"):
        model.partial_fit(X * 1e160)
    with pytest.raises(ValueError, match="squares overflow"):
        given().partial_fit(X * 1.2e139).merge(given().partial_fit(X * 1.2e139))
    np.testing.assert_array_equal(model.transform(X), before)
    np.testing.assert_array_equal(
        model.partial_fit(X).factors_[0], given().partial_fit(X).partial_fit(X).factors_[0]
    )


def test_a_merge_leaves_shallow_copies_as_they_were():
    X = documents()
    model = given().partial_fit(X[:20])
    before = model.transform(X)
    copy(model).merge(given().partial_fit(X[20:]))
    np.testing.assert_array_equal(model.transform(X), before)
    assert model._sample.n_documents == 20


def test_a_stream_that_was_cut_short_says_so(monkeypatch):
    X = np.random.default_rng(0).random((40, 24))
    model, other = given().partial_fit(X), given().partial_fit(X)
    whole = TermTensors.add_gram

    def cut(tensors, mode, half):
        if mode == 2:
            raise KeyboardInterrupt
        whole(tensors, mode, half)

    with monkeypatch.context() as patched:
        patched.setattr(TermTensors, "add_gram", cut)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X)
    for go_on in (lambda: model.partial_fit(X), lambda: other.merge(model)):
        with pytest.raises(RuntimeError, match="interrupted"):
            go_on()
    other.partial_fit(X)


def test_an_arrangement_has_its_own_shape():
    X = documents()
    for shape in ((6, 4), (8, 3), None):
        with pytest.raises(ValueError, match="An arrangement that is given has its own shape"):
            TensorLSI(3, shape=shape, arrangement=Arrangement("given", shape=(12, 2))).fit(X)
    for shape in ((-1, 20), (12, 2)):
        model = TensorLSI(3, shape=shape, arrangement=Arrangement("given", shape=(12, 2)))
        assert model.fit(X).arrangement_.shape_ == (12, 2)


def test_an_arrangement_that_is_fixed_is_one_of_streams():
    X = documents()
    weights = np.random.default_rng(0).standard_normal(24)
    for arrangement in (
        Arrangement("given", shape=(6, 4)),
        Arrangement(np.arange(24)[::-1], shape=(6, 4)),
        Arrangement("weight", shape=(6, 4), weights=weights),
    ):
        model = TensorLSI(3, arrangement=arrangement)
        expected = model.fit(X).transform(X)
        np.testing.assert_allclose(clone(model).partial_fit(X).transform(X), expected, atol=1e-12)
        np.testing.assert_allclose(clone(model).fit_batches([X]).transform(X), expected, atol=1e-12)
    counted = TensorLSI(3, arrangement=Arrangement(shape=(6, 4)))
    assert not hasattr(counted, "partial_fit")
    np.testing.assert_allclose(counted.fit_batches([X]).transform(X), counted.fit(X).transform(X), atol=1e-12)


def test_latent_columns_are_refused():
    X = documents()
    with pytest.raises(ValueError, match="adds columns of its own cannot be reduced: set n_latent=0"):
        TensorLSI(3, arrangement=SemanticArrangement(n_latent=2, shape=(6, 4))).fit(X)
    model = TensorLSI(3, arrangement=SemanticArrangement(n_latent=0, shape=(6, 4))).fit(X)
    assert model.components_.shape == (3, 24)
    np.testing.assert_allclose(model.explained_variance_ratio_.sum(), (model.transform(X) ** 2).sum() / 40)
    assert len(topics(model, [str(j) for j in range(24)])) == 3


def test_vectors_of_repeated_eigenvalues_are_those_that_were_measured():
    """Where more vectors are computed, those of a repeated eigenvalue may be others: f is measured again."""
    A = np.random.default_rng(0).random((25, 20)) ** 3
    for _ in range(200):
        A *= 20 / A.sum(axis=1, keepdims=True)
        A *= 25 / A.sum(axis=0)
    cells = np.full(2500 * 20, 0.0).reshape(2500, 20)
    cells[:25] = np.sqrt(A)
    cells[np.arange(25, 2500), np.arange(25, 2500) % 20] = 0.1
    row, column = np.nonzero(cells)
    place = row + 2500 * column
    X = sp.csr_matrix((cells[row, column], (np.arange(len(place)), place)), shape=(len(place), 50_000))
    model = TensorLSI(10, shape=(2500, 20), arrangement="given").fit(X)
    np.testing.assert_allclose(model.importance_, (model.transform(X) ** 2).sum(axis=0), rtol=1e-8)


def peak_of(run):
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_an_applied_moment_is_no_larger_than_the_documents():
    n = 4000
    X = sp.csr_matrix((np.ones(n), (np.arange(n), np.arange(n) % 5000)), shape=(n, 5000))
    tensors = TermTensors(X, Arrangement("given", shape=(50, 100)).fit(X))
    moment = applied_moment(tensors, 1)
    assert (
        peak_of(lambda: moment.matvec(np.ones(50))) < 30 * n
    )  # one number for each of n * 100 columns: 800 n
    np.testing.assert_allclose(moment @ np.eye(50), tensors.gram(1))


def test_modes_beside_the_longest_are_not_taken_whole():
    n_terms = 61 * 60 * 60
    words = (n_terms ** np.random.default_rng(0).random((200, 50))).astype(int)  # some often, most seldom
    X = sp.csr_matrix((np.ones(words.size), words.ravel(), np.arange(0, words.size + 1, 50)), (200, n_terms))
    model = TensorLSI(5, shape=(-1, 60, 60), arrangement="given")
    model.fit(X)
    assert peak_of(lambda: model.fit(X)) < 40 * 2**20  # all of both modes: 3600^2 numbers, 99 MiB


def test_more_vectors_than_fit_are_refused_before_they_are_tried(monkeypatch):
    class Huge:
        shape = 60_000, 60_000

    with pytest.raises(MemoryError, match=r"To find 4000 vectors .* takes 5\.4 GiB, over the limit of 4"):
        Spectrum(Huge()).extend(4000)
    with pytest.raises(MemoryError, match="need the whole moment of a mode of length 12000"):
        Spectrum(type("Long", (), {"shape": (12_000, 12_000)})(), lambda: None).extend(4510)


def test_values_of_order_1_go_as_low_as_those_of_a_truncated_svd():
    """Both solve X^T X: what is below 1e-7 of the largest singular value is rounding."""
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.standard_normal((n, 4)))[0] for n in (40, 30))
    X = U * [1, 1e-3, 1e-6, 1e-8] @ V.T
    with pytest.warns(FewerAxesWarning, match="Only 3 of"):
        model = TensorLSI(4, shape=(-1,)).fit(X)
    np.testing.assert_allclose(np.sqrt(model.importance_), [1, 1e-3, 1e-6], rtol=1e-3)
    arpack = TruncatedSVD(4, algorithm="arpack", random_state=0).fit(X).singular_values_
    np.testing.assert_allclose(np.sqrt(model.importance_), arpack[:3], rtol=1e-3)


def test_ranks_may_be_an_array_and_are_not_cut_silently():
    X = documents()
    model = HOSVD(np.array([3, 2]), shape=(6, 4)).fit(X)
    np.testing.assert_array_equal(model.transform(X), HOSVD((3, 2), shape=(6, 4)).fit(X).transform(X))
    assert clone(model).fit(X).transform(X).shape == (40, 6)
    with pytest.warns(FewerAxesWarning, match=r"Ranks \(9, 2\) are cut to .* modes, \(6, 4\)"):
        assert HOSVD((9, 2), shape=(6, 4)).fit(X).transform(X).shape == (40, 12)
    for ranks in (np.array([1.5, 2]), (True, 2), 3):
        with pytest.raises(ValueError, match="ranks must be whole numbers above 0"):
            HOSVD(ranks, shape=(6, 4)).fit(X)


def test_what_cannot_be_a_topic_is_said():
    X = documents()
    names = [str(j) for j in range(24)]
    with pytest.raises(TypeError, match="HOSVD has no components_"):
        topics(HOSVD((2, 2), shape=(6, 4)).fit(X), names)
    with pytest.raises(NotFittedError):
        topics(given(), names)
    with pytest.raises(ValueError, match="top must be a whole number"):
        topics(given().fit(X), names, top=2.5)
    with pytest.raises(TypeError, match="names is a mapping"):
        topics(given().fit(X), {name: j for j, name in enumerate(names)})
    with pytest.raises(ValueError, match="n_components must be a whole number of 1 or more, not True"):
        given(True).fit(X)


def test_documents_are_counted_by_a_sample_of_those_that_hold_anything(monkeypatch):
    monkeypatch.setattr("textensor.reduce.latent.sources.SAMPLE", 30)
    X = documents(n=60)
    X[::2] = 0
    model = given().partial_fit(X)
    assert model.importance_from_ == "all documents"
    np.testing.assert_allclose(model.importance_, given().fit(X).importance_)
    assert given().partial_fit(corpus(n=100, p=24)).importance_from_ == "a sample of 30 documents"


def test_equal_eigenvalues_are_not_lost():
    same = np.arange(48) % 3
    spectrum = Spectrum(np.eye(48) + 1e-14 * (same[:, None] == same))
    spectrum.extend(5)
    assert len(spectrum.values) >= 5
    np.testing.assert_allclose(spectrum.values, 1, rtol=1e-10)
    np.testing.assert_allclose(
        spectrum.vectors.T @ spectrum.vectors, np.eye(len(spectrum.values)), atol=1e-12
    )
