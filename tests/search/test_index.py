import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline

from tests.oracles.search import PlainIndex
from textensor.reduce import TensorLSI
from textensor.search import DocumentIndex, nearest
from textensor.space import TermVectorizer

TEXTS = ["wheat and maize rose", "maize fell", "the bank cut its rates", "rates of the bank rose"]


def random_rows(n, d, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal((n, d)).astype(dtype)


def filled(X, **options):
    index = DocumentIndex(**options)
    index.add(X)
    return index


def assert_same(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.fixture
def small_parts(monkeypatch):
    """Cut the work so that few documents make several chunks, spans and tiles."""
    monkeypatch.setattr(nearest, "CHUNK", 40)
    monkeypatch.setattr(nearest, "SPAN", 128)


@pytest.mark.parametrize("k", [1, 7, 64, 500])
@pytest.mark.parametrize(
    "make", [np.asarray, sp.csr_matrix, sp.csr_array, sp.coo_array, np.asfortranarray, np.ndarray.tolist]
)
def test_what_is_found_is_what_brute_force_finds(small_parts, k, make):
    X, Q = random_rows(500, 9), random_rows(70, 9, seed=1)
    plain = PlainIndex()
    plain.add(list(X))
    ids, similarities = filled(make(X), block=64, n_jobs=2).search(make(Q), k)
    for found, cosines, query in zip(ids, similarities, Q, strict=True):
        expected = plain.search(query, k)
        np.testing.assert_allclose(cosines, [s for _, s in expected], atol=1e-6)
        # Near-ties may change places within the rounding of float32; everything else is in order.
        order = dict(plain.search(query, 500))
        np.testing.assert_allclose([order[name] for name in found], cosines, atol=1e-6)
        assert len(set(found)) == k


def in_order_of(rows, query, k):
    """Search float32 rows by sums in float64, in order, each rounded once to float32."""
    total = np.zeros(len(rows))
    for t in range(rows.shape[1]):
        total += rows[:, t].astype(np.float64) * np.float64(query[t])
    cosines = np.minimum(total, 1).astype(np.float32)
    return sorted(range(len(rows)), key=lambda i: (-cosines[i], i))[:k], cosines


@pytest.mark.parametrize("d", [2, 30, 300])
def test_near_ties_are_decided_exactly(d):
    """The products that leave documents out are off by more than these documents differ."""
    X = np.repeat(random_rows(1, d), 2000, axis=0) + 2e-7 * random_rows(2000, d, seed=1)
    Q = X[:40] + 1e-3 * random_rows(40, d, seed=2)
    index = filled(X)
    ids, similarities = index.search(Q, 15)
    rows, queries = nearest.unit_rows(X, 0, 2000), nearest.unit_rows(Q, 0, 40)
    for i, query in enumerate(queries):
        expected, cosines = in_order_of(rows, query, 15)
        assert ids[i].astype(int).tolist() == expected
        assert similarities[i].tolist() == cosines[expected].tolist()


values = st.integers(-2, 2)
vectors = st.lists(st.tuples(values, values, values), min_size=1, max_size=8)
names = st.sampled_from("abcdefghijklmn")
steps = st.one_of(
    st.tuples(st.just("add"), vectors, st.none() | st.lists(names, min_size=1, max_size=8)),
    st.tuples(st.just("remove"), st.lists(names | st.sampled_from("0123"), max_size=3), st.none()),
    st.tuples(st.just("search"), vectors, st.integers(1, 12)),
    st.tuples(st.just("save"), st.none(), st.none()),
)


@given(st.lists(steps, max_size=12))
@settings(max_examples=60)
def test_any_sequence_of_calls_does_what_a_dict_would(tmp_path_factory, sequence):
    index, plain = DocumentIndex(block=1), PlainIndex()
    folder = tmp_path_factory.mktemp("index") / "index"
    for action, what, how in sequence:
        if action == "save":
            index.save(folder)
            index = DocumentIndex.load(folder, block=1, verify=True)
        elif action == "search":
            ids, similarities = index.search(np.array(what), how)
            for row, query in enumerate(np.array(what)):
                expected = plain.search(query, how)
                np.testing.assert_allclose(similarities[row], [s for _, s in expected], atol=1e-6)
                every = dict(plain.search(query, None))
                np.testing.assert_allclose([every[i] for i in ids[row]], similarities[row], atol=1e-6)
        else:
            try:
                getattr(plain, action)(*((what, how) if action == "add" else (what,)))
            except ValueError:
                with pytest.raises(ValueError, match="Nothing was"):
                    getattr(index, action)(*((what, how) if action == "add" else (what,)))
            else:
                getattr(index, action)(*((what, how) if action == "add" else (what,)))
        assert index.ids == list(plain.vectors)
        assert len(index) == len(plain.vectors)


def test_equals_come_in_the_order_they_were_added(small_parts):
    X = np.repeat(random_rows(3, 20), 100, axis=0)
    ids, similarities = filled(X, block=64).search(X[[0, 150]], k=100)
    assert ids[0].tolist() == [str(i) for i in range(100)]
    assert ids[1].tolist() == [str(i) for i in range(100, 200)]
    assert len(np.unique(similarities)) <= 2


@pytest.mark.parametrize("d", [1, 2, 3, 17, 100, 385])
def test_nothing_but_the_pair_decides_a_similarity(small_parts, d):
    """Bit-equal for any number of threads, size of block, company of queries, and place of the document."""
    X, Q = random_rows(700, d), random_rows(90, d, seed=1)
    expected = filled(X).search(Q, 20)
    for n_jobs, block in ((1, 64), (2, 100), (3, 300), (-1, 5000)):
        assert_same(filled(X, n_jobs=n_jobs, block=block).search(Q, 20), expected)
    index = filled(X)
    for start in (0, 1, 50):
        part = index.search(Q[start : start + 33], 20)
        assert_same(part, (expected[0][start : start + 33], expected[1][start : start + 33]))
    every, gone = index.search(Q, 700), [str(i) for i in range(0, 700, 3)]
    index.remove(gone)
    kept = ~np.isin(every[0].astype(int) % 3, 0)
    assert_same(index.search(Q, 20), tuple(a[kept].reshape(90, -1)[:, :20] for a in every))


def test_a_large_k_is_searched_in_small_parts(monkeypatch):
    X = random_rows(300, 5)
    expected = filled(X).search(X, 300)
    monkeypatch.setattr(nearest, "MAX_KEPT", 1)
    monkeypatch.setattr(nearest, "SPAN", 64)
    assert_same(filled(X, block=64).search(X, 300), expected)


def test_the_matrix_of_all_similarities_never_exists():
    X = random_rows(20_000, 4, dtype=np.float32)
    index = filled(X, n_jobs=2)
    index.search(X[:1])  # compiles
    tracemalloc.start()
    index.search(X[:2000])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2000 * 20_000 * 4 / 10


def test_rows_of_zeros_are_like_nothing():
    ids, similarities = filled([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]).search([[2.0, 0.0], [0.0, 0.0]], 3)
    assert ids.tolist() == [["1", "0", "2"], ["0", "1", "2"]]
    assert similarities.tolist() == [[1, 0, -1], [0, 0, 0]]
    assert not np.signbit(similarities[1]).any()


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-30, 1e30, 1e200, 1e308])
def test_the_length_of_a_vector_does_not_matter(scale):
    _, similarities = filled([[3.0, 4.0], [4.0, -3.0]]).search(np.array([[0.6, 0.8]]) * scale)
    np.testing.assert_allclose(similarities, [[1, 0]], atol=1e-2 if scale < 1e-300 else 1e-6)


def test_no_cosine_is_over_1():
    X = random_rows(3000, 50, dtype=np.float32)
    _, similarities = filled(X).search(X, 1)
    assert similarities.max() <= 1
    assert similarities.min() > 1 - 1e-6


def test_texts_go_through_the_transformer():
    projection = make_pipeline(TermVectorizer(), TruncatedSVD(3, random_state=0)).fit(TEXTS)
    index = DocumentIndex(projection)
    assert index.add(TEXTS[:1]) == ["0"]
    assert index.add(iter(TEXTS[1:])) == ["1", "2", "3"]
    by_text = index.search(TEXTS, 2)
    assert by_text[0][:, 0].tolist() == ["0", "1", "2", "3"]
    assert_same(filled(projection.transform(TEXTS)).search(projection.transform(TEXTS), 2), by_text)
    reducer = projection[-1]
    other = filled(projection[0].transform(TEXTS), transformer=reducer)
    assert_same(other.search(projection[0].transform(TEXTS), 2), by_text)


def test_running_numbers_go_on_after_removal():
    index = filled(np.eye(3))
    index.remove(["2", "2"])
    assert index.add(np.eye(3)) == ["3", "4", "5"]
    assert index.ids == ["0", "1", "3", "4", "5"]
    assert index.add(np.eye(3)[:1], ids=["2"]) == ["2"]
    assert repr(index) == "DocumentIndex(6 documents x 3 dimensions, transformer=None)"


def test_an_empty_index_finds_nothing():
    index = DocumentIndex()
    assert index.add([]) == []
    for made in (index, filled(np.eye(2))):
        made.remove(made.ids)
        ids, similarities = made.search(np.eye(2), 5)
        assert ids.shape == similarities.shape == (2, 0)
    assert filled(np.eye(2)).search(np.empty((0, 2)), 5)[0].shape == (0, 2)


def test_fewer_documents_than_k_cut_k_down():
    ids, similarities = filled(np.eye(2)).search(np.eye(2), 5)
    assert ids.shape == similarities.shape == (2, 2)


def test_what_the_caller_gave_is_not_changed():
    X = random_rows(5, 3)
    before = X.copy()
    X.flags.writeable = False
    filled(X).search(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        (["a"], ValueError, "2 documents and 1 id"),
        (["a", "a"], ValueError, "'a' is given twice"),
        (["0", "a"], ValueError, "'0' is in the index already"),
        ([1, 2], TypeError, "1 is not"),
        ("ab", TypeError, "single string"),
        (["a", "\ud800"], ValueError, "half a character"),
        (["a", "b" * 10_001], ValueError, "has 10,001 characters: give at most 10,000"),
    ],
)
def test_ids_that_cannot_be_are_refused_and_nothing_is_added(ids, error, message):
    index = filled(np.eye(2))
    with pytest.raises(error, match=message):
        index.add(np.eye(2), ids=ids)
    assert index.ids == ["0", "1"]
    assert index.add(np.eye(2)) == ["2", "3"]


@pytest.mark.parametrize("n", [1, 64, 70, 200])
def test_an_interrupted_call_adds_nothing(monkeypatch, tmp_path, n):
    X, index = random_rows(300, 3), DocumentIndex(block=64)
    index.add(X[:n])

    def interrupt(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(index, "_enter", interrupt)
        with pytest.raises(KeyboardInterrupt):
            index.add(X[n:], ids=[f"lost {i}" for i in range(n, 300)])
    assert len(index) == n
    index.add(X[n:], ids=[str(i) for i in range(n, 300)])
    assert_same(index.search(X, 300), filled(X).search(X, 300))
    index.save(tmp_path / "index")
    assert len(DocumentIndex.load(tmp_path / "index")) == 300


def test_what_is_not_there_cannot_be_removed_and_nothing_is():
    index = filled(np.eye(2))
    with pytest.raises(ValueError, match="no document 'x'"):
        index.remove(["0", "x"])
    with pytest.raises(TypeError, match="single string"):
        index.remove("0")
    assert index.ids == ["0", "1"]


@pytest.mark.parametrize(
    ("documents", "error", "message"),
    [
        ("wheat", TypeError, "single string"),
        (["wheat"], TypeError, "no transformer"),
        ([[1.0, 2.0, 3.0]], ValueError, "documents have 3 numbers each, this index holds 2"),
        ([[1.0, np.nan]], ValueError, "NaN"),
        ([[1.0, np.inf]], ValueError, "infinity"),
        (sp.csr_array((1, 10_000)), ValueError, "at most 8192 numbers, not 10000"),
    ],
)
def test_documents_that_do_not_fit_are_refused(documents, error, message):
    index = filled(np.eye(2))
    for call in (index.add, index.search):
        with pytest.raises(error, match=message):
            call(documents)
    assert len(index) == 2


def test_a_transformer_that_does_not_fit_is_refused(tmp_path):
    filled(np.eye(4)).save(tmp_path / "index")
    projection = make_pipeline(TermVectorizer(), TruncatedSVD(3, random_state=0)).fit(TEXTS)
    index = DocumentIndex.load(tmp_path / "index", projection)
    with pytest.raises(ValueError, match="transformer gives 3 numbers each, this index holds 4"):
        index.search(TEXTS)
    with pytest.raises(TypeError, match="method transform"):
        DocumentIndex(len)


@pytest.mark.parametrize("bad", [0, -1, 2.5, "3", True, None])
def test_numbers_that_cannot_be_are_refused(bad):
    with pytest.raises(ValueError, match="block must be a whole number"):
        DocumentIndex(block=bad)
    with pytest.raises(ValueError, match="k must be a whole number"):
        filled(np.eye(2)).search(np.eye(2), bad)


def test_running_numbers_leave_out_what_is_there():
    index = DocumentIndex()
    index.add(np.eye(3), ids=["1", "2", "3"])
    assert index.add(np.eye(3)[:2]) == ["4", "5"]
    index.remove(["5"])
    assert index.add(np.eye(3)) == ["6", "7", "8"]
    index.add(np.eye(3)[:1], ids=["11"])
    assert index.add(np.eye(3)) == ["10", "12", "13"]
    index.remove(["13"])
    assert index.add(np.eye(3)[:1]) == ["14"]


@pytest.mark.parametrize("make", [np.array, sp.csr_matrix, sp.csr_array])
def test_nothing_can_be_added_with_a_transformer_too(make):
    X = np.random.default_rng(0).random((20, 12))
    index = DocumentIndex(TensorLSI(2, shape=(4, 3)).fit(X))
    for _ in range(2):
        assert index.add(make(X)[:0]) == []
        assert index.search(make(X)[:0])[0].shape[0] == 0
        index.add(make(X))
    assert len(index) == 40


def test_the_python_on_the_page_runs(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "search.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(block, names)
    assert names["ids"].shape == (1, 3)
    assert (tmp_path / "my-index" / "header.json").exists()
