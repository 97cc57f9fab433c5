import io
import pickle
import tracemalloc
import unicodedata

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from textensor.space import CharTrigramVectorizer, TermVectorizer, read_csr

TEXTS = [
    "The quick brown fox jumps over the lazy dog; the dog sleeps.",
    "Foxes and dogs are animals, and animals sleep.",
    "",
    "A fox is quick. Quick, quick, QUICK!",
    "Über naïve Café-Größe: ½ of the_code 𝔘𝔫𝔦",
    "the the the",
    "dog fox dog fox dog",
]

SETTINGS = [
    {},
    {"lowercase": False},
    {"stop_words": "english"},
    {"stop_words": ["fox", "the"]},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "stop_words": ["the"]},
    {"ngram_range": (3, 3)},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"token_pattern": r"[a-z]+"},
    {"token_pattern": r"(\w)\w+"},
    {"tokenizer": str.split, "token_pattern": None},
    {"tokenizer": str.split, "token_pattern": None, "ngram_range": (1, 2)},
    {"preprocessor": str.upper},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii"},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 3)},
    {"analyzer": str.split},
    {"min_df": 2},
    {"min_df": 0.3, "max_df": 0.9},
    {"max_df": 2},
    {"max_features": 4},
    {"max_features": 7, "min_df": 1, "max_df": 3, "binary": True},
    {"vocabulary": ["dog", "fox", "unicorn"]},
    {"vocabulary": {"fox": 1, "dog": 0}},
    {"binary": True},
]


@pytest.mark.parametrize("options", SETTINGS, ids=lambda options: " ".join(map(str, options)) or "default")
def test_the_vocabulary_and_the_counts_are_those_of_scikit_learn(options):
    ours = TermVectorizer(weighting="tf", norm=None, **options)
    theirs = CountVectorizer(**options)
    X = ours.fit_transform(TEXTS)
    expected = theirs.fit_transform(TEXTS)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert ours.fixed_vocabulary_ == theirs.fixed_vocabulary_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    np.testing.assert_array_equal(X.toarray(), expected.toarray())
    assert X.has_canonical_format
    new = ["a dog, the unicorn", "", "QUICK quick"]
    np.testing.assert_array_equal(ours.transform(new).toarray(), theirs.transform(new).toarray())
    np.testing.assert_array_equal(ours.fit(TEXTS).transform(TEXTS).toarray(), expected.toarray())


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("accents", ["unicode", "ascii"])
def test_many_marks_are_not_normalized_and_change_nothing(analyzer, accents, monkeypatch):
    texts = ["e" + "\u0301\u0323" * 400 + "a\u0301 \u00c9t\u00e9", "\u1e69" + "\u0f73" * 500 + "o to"]
    options = {"analyzer": analyzer, "strip_accents": accents}
    theirs = CountVectorizer(**options)
    expected = theirs.fit_transform(texts)
    given, normalize = [], unicodedata.normalize
    monkeypatch.setattr(
        unicodedata, "normalize", lambda form, text: given.append(len(text)) or normalize(form, text)
    )
    ours = TermVectorizer(weighting="tf", norm=None, **options)
    X = ours.fit_transform(texts)
    assert given
    assert max(given) < 50
    assert ours.vocabulary_ == theirs.vocabulary_
    np.testing.assert_array_equal(X.toarray(), expected.toarray())


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("abc AB-é"), max_size=30), min_size=1, max_size=12),
    st.sampled_from([None, 1, 3]),
    st.sampled_from([(1, 1), (1, 2), (2, 2)]),
)
def test_any_text_gives_what_scikit_learn_gives(documents, max_features, ngram_range):
    options = {"max_features": max_features, "ngram_range": ngram_range, "token_pattern": r"\b\w+\b"}
    theirs = CountVectorizer(**options)
    ours = TermVectorizer(weighting="tf", norm=None, **options)
    try:
        expected = theirs.fit_transform(documents)
    except ValueError:
        with pytest.raises(ValueError, match="vocabulary"):
            ours.fit_transform(documents)
        return
    np.testing.assert_array_equal(ours.fit_transform(documents).toarray(), expected.toarray())
    assert ours.vocabulary_ == theirs.vocabulary_


def test_weights_are_equation_2_1_of_unit_length():
    texts = ["aa bb bb", "aa cc", "aa bb cc cc"]
    vectorizer = TermVectorizer()
    X = vectorizer.fit_transform(texts).toarray()
    # df: aa 3, bb 2, cc 2 of n = 3, so idf is log 1 = 0, log 1.5, log 1.5.
    np.testing.assert_allclose(vectorizer.idf_, [0, np.log(1.5), np.log(1.5)], rtol=0, atol=1e-16)
    np.testing.assert_allclose(X, [[0, 1, 0], [0, 0, 1], [0, 1 / 5**0.5, 2 / 5**0.5]], rtol=1e-15)
    counts = TermVectorizer(weighting="tf").fit_transform(texts).toarray()
    np.testing.assert_allclose(counts[0], np.array([1, 2, 0]) / 5**0.5, rtol=1e-15)


def test_no_explicit_zeros_and_empty_documents_stay_zero():
    X = TermVectorizer().fit_transform(["common", "common rare", "common ."])
    assert X.nnz == 1
    assert TermVectorizer().fit(["aa", "bb"]).transform(["", "cc"]).nnz == 0


@pytest.mark.parametrize(
    "options", [{"sublinear_tf": True}, {"norm": "l1"}, {"norm": None}, {"binary": True}]
)
def test_the_other_weights_are_those_of_scikit_learn(options):
    ours = TermVectorizer(weighting="tf", **options).fit_transform(TEXTS)
    theirs = TfidfVectorizer(use_idf=False, **options).fit_transform(TEXTS)
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-15)


@pytest.mark.parametrize("options", [{}, {"sublinear_tf": True}, {"min_df": 2, "ngram_range": (1, 2)}])
def test_smooth_weights_are_those_of_scikit_learn(options):
    ours, theirs = TermVectorizer(weighting="smooth", **options), TfidfVectorizer(**options)
    X, expected = ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS)
    assert ours.vocabulary_ == theirs.vocabulary_
    np.testing.assert_allclose(ours.idf_, theirs.idf_, rtol=1e-15)
    np.testing.assert_allclose(X.toarray(), expected.toarray(), rtol=1e-14)
    given = {"vocabulary": ["dog", "unicorn"]}
    ours, theirs = TermVectorizer(weighting="smooth", **given), TfidfVectorizer(**given)
    np.testing.assert_allclose(ours.fit(TEXTS).idf_, theirs.fit(TEXTS).idf_, rtol=1e-15)


def test_character_ngrams_stand_beside_words():
    options = {"weighting": "smooth", "sublinear_tf": True, "min_df": 2}
    both = TermVectorizer(char_ngram_range=(2, 3), stop_words=["the"], stemmer="english", **options)
    X = both.fit_transform(TEXTS)
    words = TermVectorizer(stop_words=["the"], stemmer="english", **options).fit(TEXTS)
    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3), sublinear_tf=True, min_df=2).fit(TEXTS)
    names = [*words.get_feature_names_out(), *(f"'{name}'" for name in grams.get_feature_names_out())]
    assert both.get_feature_names_out().tolist() == names
    assert "' th'" in both.vocabulary_
    parts = words.transform(TEXTS).toarray(), grams.transform(TEXTS).toarray()
    n_kinds = sum(part.any(axis=1) for part in parts)
    assert set(n_kinds.tolist()) == {0, 1, 2}
    np.testing.assert_allclose(X.toarray(), np.hstack(parts) / np.sqrt(np.maximum(n_kinds, 1))[:, None])


def test_each_kind_weighs_the_same_by_any_norm():
    options = {"weighting": "tf", "char_ngram_range": (1, 1), "vocabulary": ["'b'", "aa", "'a'"]}
    texts = ["aa b", "a"]
    l1 = TermVectorizer(norm="l1", **options).fit_transform(texts).toarray()
    np.testing.assert_allclose(l1, [[1 / 6, 1 / 2, 1 / 3], [0, 0, 1]])
    raw = TermVectorizer(norm=None, dtype=np.float32, **options).fit_transform(texts)
    assert raw.toarray().tolist() == [[1, 1, 2], [0, 0, 1]]
    assert raw.dtype == np.float32
    l2 = TermVectorizer(dtype=np.float32, **options).fit_transform(texts)
    assert l2.dtype == np.float32
    np.testing.assert_allclose(l2.toarray()[0], np.array([1, 5**0.5, 2]) / 10**0.5, rtol=1e-6)


def test_no_word_has_the_name_of_a_character_ngram():
    texts = [r"'ab' \'ab' ab", r"\\x"]
    vectorizer = TermVectorizer(token_pattern=r"\S+", char_ngram_range=(2, 2), weighting="tf", norm=None)
    X = vectorizer.fit_transform(texts)
    words = [name for name in vectorizer.vocabulary_ if not name.startswith("'")]
    assert words == [r"\'ab'", r"\\'ab'", r"\\\x", "ab"]
    grams = CountVectorizer(analyzer="char_wb", ngram_range=(2, 2)).fit(texts)
    assert len(vectorizer.vocabulary_) == 4 + len(grams.vocabulary_)
    assert X.sum() == 4 + grams.transform(texts).sum()


def test_very_long_words_are_not_stemmed():
    """Some stemmers take time with the square of the length."""
    texts = ["\u0b95" * 300_000 + " boats"]
    names = TermVectorizer(stemmer="tamil").fit(texts).get_feature_names_out()
    assert sorted(map(len, names)) == [5, 300_000]


def test_stems_join_columns_after_the_stop_words():
    vectorizer = TermVectorizer(stemmer="english", stop_words=["jumps"], weighting="tf", norm=None)
    X = vectorizer.fit_transform(["jumping jumped jumps foxes", "fox"])
    assert vectorizer.vocabulary_ == {"fox": 0, "jump": 1}
    np.testing.assert_array_equal(X.toarray(), [[1, 2], [1, 0]])
    pairs = TermVectorizer(stemmer="porter", ngram_range=(2, 2)).fit(["jumping foxes", "jumped fox"])
    assert list(pairs.vocabulary_) == ["jump fox"]


def test_blocks_and_threads_change_nothing(monkeypatch):
    texts = [f"term{i % 17} term{i % 5} word" for i in range(300)]
    whole = TermVectorizer()
    X = whole.fit_transform(texts)
    monkeypatch.setattr("textensor.space.text.counts.BLOCK_DOCUMENTS", 7)
    for n_jobs in (1, 2, 3):
        cut = TermVectorizer(n_jobs=n_jobs)
        for Y in (
            cut.fit_transform(texts),
            cut.transform(texts),
            cut.fit(iter(texts)).transform(iter(texts)),
        ):
            for name in ("data", "indices", "indptr"):
                np.testing.assert_array_equal(getattr(Y, name), getattr(X, name))
        assert cut.vocabulary_ == whole.vocabulary_


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, len(TEXTS)))
def test_counting_in_parts_in_any_order_equals_counting_at_once(random, cut):
    options = {"min_df": 2, "max_features": 5, "char_ngram_range": (2, 2)}
    whole = TermVectorizer(**options).fit(TEXTS)
    texts = random.sample(TEXTS, len(TEXTS))
    left = TermVectorizer(**options).partial_fit(texts[:cut])
    right = TermVectorizer(**options).partial_fit(iter(texts[cut:]))
    for merged in (clone(whole).merge(right).merge(left), left.merge(right)):
        assert merged.vocabulary_ == whole.vocabulary_
        np.testing.assert_array_equal(merged.idf_, whole.idf_)


def test_counting_goes_on_from_counts_alone():
    vectorizer = TermVectorizer().partial_fit(TEXTS[:3])
    assert vectorizer.transform(TEXTS[:1]).nnz
    vectorizer.partial_fit(TEXTS[3:])
    np.testing.assert_array_equal(vectorizer.idf_, TermVectorizer().fit(TEXTS).idf_)
    assert list(vectorizer.vocabulary_) == list(TermVectorizer().fit(TEXTS).vocabulary_)
    with pytest.raises(ValueError, match="fit keeps no counts"):
        TermVectorizer().fit(TEXTS).partial_fit(TEXTS)


def test_what_cannot_be_merged_is_said_in_a_sentence():
    counted = TermVectorizer().partial_fit(TEXTS)
    with pytest.raises(ValueError, match="differ in lowercase, min_df"):
        counted.merge(TermVectorizer(lowercase=False, min_df=2).partial_fit(TEXTS))
    with pytest.raises(ValueError, match="count twice"):
        counted.merge(counted)
    assert counted.merge(TermVectorizer(n_jobs=2).partial_fit(TEXTS)).counts_.n_documents == 2 * len(TEXTS)


def test_vectorizers_with_an_array_of_terms_merge():
    made = [TermVectorizer(vocabulary=np.array(["dog", "fox"])).partial_fit(TEXTS) for _ in range(2)]
    assert made[0].merge(made[1]).counts_.n_documents == 2 * len(TEXTS)


def test_idf_can_be_set():
    vectorizer = TermVectorizer(vocabulary=["dog", "fox"])
    vectorizer.idf_ = [2.0, 0.5]
    np.testing.assert_allclose(vectorizer.transform(["dog fox"]).toarray(), [[4 / 17**0.5, 1 / 17**0.5]])
    with pytest.raises(ValueError, match="2 numbers"):
        vectorizer.idf_ = [1.0]


def test_settings_that_change_after_a_fit_count():
    vectorizer = TermVectorizer().fit(["dog fox", "dog"])
    assert vectorizer.transform(["dog fox"]).toarray().tolist() == [[0, 1]]
    vectorizer.idf_ = [3.0, 4.0]
    np.testing.assert_allclose(vectorizer.transform(["dog fox"]).toarray(), [[0.6, 0.8]])
    vectorizer.set_params(weighting="tf", norm=None, dtype=np.float32)
    assert vectorizer.transform(["dog fox fox"]).toarray().tolist() == [[1, 2]]
    assert vectorizer.transform(["dog"]).dtype == np.float32
    vectorizer.vocabulary_ = {"fox": 0, "cow": 1}
    assert vectorizer.transform(["dog fox cow"]).toarray().tolist() == [[1, 1]]


def test_a_fit_that_failed_leaves_nothing_half_fitted():
    vectorizer = TermVectorizer(min_df=2).fit(["aa bb", "aa"])
    with pytest.raises(ValueError, match="no terms remain"):
        vectorizer.fit(["aa", "bb"])
    with pytest.raises(NotFittedError):
        vectorizer.transform(["aa"])


def test_to_disk_equals_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("textensor.space.text.counts.BLOCK_DOCUMENTS", 2)
    vectorizer = TermVectorizer(dtype=np.float32)
    X = vectorizer.fit_transform(TEXTS)
    for Y in (vectorizer.transform_to_disk(iter(TEXTS), tmp_path / "X"), read_csr(tmp_path / "X")):
        assert Y.dtype == np.float32
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(Y, name), getattr(X, name))
    assert [path.name for path in tmp_path.iterdir()] == ["X"]


def test_a_failure_on_the_way_to_disk_leaves_nothing(tmp_path):
    vectorizer = TermVectorizer().fit(TEXTS)
    with pytest.raises(ValueError, match="Document 1 is of type int"):
        vectorizer.transform_to_disk(["fox", 3], tmp_path / "X")
    assert list(tmp_path.iterdir()) == []


def test_bytes_files_and_file_names_are_read(tmp_path):
    (tmp_path / "a.txt").write_bytes("naïve fox".encode("latin-1"))
    expected = {"naïve": 1, "fox": 0}
    latin = {"encoding": "latin-1"}
    assert TermVectorizer(**latin).fit(["naïve fox".encode("latin-1")]).vocabulary_ == expected
    assert TermVectorizer(input="filename", **latin).fit([tmp_path / "a.txt"]).vocabulary_ == expected
    assert TermVectorizer(input="file").fit([io.StringIO("naïve fox")]).vocabulary_ == expected
    chars = TermVectorizer(input="filename", analyzer="char", **latin).fit([tmp_path / "a.txt"])
    assert "ï" in chars.vocabulary_


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("one string", "iterable of documents"),
        (["fine", None], "Document 1 is of type NoneType"),
        ([3.5], "Document 0 is of type float"),
        ([], "Empty vocabulary"),
        (["", " . "], "Empty vocabulary"),
    ],
)
def test_what_is_no_text_is_said_in_a_sentence(documents, message):
    with pytest.raises(ValueError, match=message):
        TermVectorizer().fit(documents)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_df": 2}, "no terms remain"),
        ({"min_df": 5, "max_df": 2}, "fewer documents than min_df"),
        ({"weighting": "bm25"}, "weighting"),
        ({"stemmer": "klingon"}, "stemmer"),
        ({"ngram_range": (2, 1)}, "ngram_range"),
        ({"char_ngram_range": (2, 1)}, "char_ngram_range must be a tuple"),
        ({"char_ngram_range": [2, 3]}, "char_ngram_range must be a tuple"),
        ({"char_ngram_range": (2, 3), "analyzer": "char"}, 'needs analyzer="word"'),
        ({"vocabulary": ["a", "a"]}, "Duplicate term"),
    ],
)
def test_wrong_settings_are_said_in_a_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        TermVectorizer(**options).fit(["aa bb", "cc"])


def test_before_fitting():
    assert not hasattr(TermVectorizer(), "vocabulary_")
    for vectorizer in (TermVectorizer(), TermVectorizer(vocabulary=["fox"])):
        with pytest.raises(NotFittedError):
            vectorizer.transform(TEXTS)
    with pytest.raises(NotFittedError):
        TermVectorizer().merge(TermVectorizer())
    fixed = TermVectorizer(vocabulary=["fox"], weighting="tf")
    assert fixed.transform(["fox dog"]).toarray().tolist() == [[1]]
    assert not hasattr(TermVectorizer(weighting="tf").fit(TEXTS), "idf_")


def test_no_documents_to_transform_give_no_rows():
    assert TermVectorizer().fit(TEXTS).transform([]).shape == (
        0,
        len(TermVectorizer().fit(TEXTS).vocabulary_),
    )


def test_a_given_term_that_no_document_holds_weighs_nothing():
    vectorizer = TermVectorizer(vocabulary=["unicorn", "fox"]).fit(TEXTS)
    assert vectorizer.idf_[0] == 0
    assert vectorizer.transform(["unicorn fox"]).toarray().tolist() == [[0, 1]]


def test_it_is_a_good_scikit_learn_citizen():
    y = [0, 1, 0, 0, 1, 1, 0]
    pipeline = make_pipeline(TermVectorizer(), LogisticRegression())
    search = GridSearchCV(pipeline, {"termvectorizer__weighting": ["tf", "tfidf"]}, cv=2).fit(TEXTS, y)
    assert search.predict(["a fox"]).shape == (1,)
    vectorizer = clone(TermVectorizer(min_df=2, stemmer="english"))
    assert vectorizer.get_params()["min_df"] == 2
    X = vectorizer.fit_transform(TEXTS)
    again = pickle.loads(pickle.dumps(vectorizer))
    assert (again.transform(TEXTS) != X).nnz == 0
    assert vectorizer.inverse_transform(X)[6].tolist() == ["dog", "fox"]


def test_the_sparse_interface_follows_scikit_learn(tmp_path):
    assert isinstance(TermVectorizer().fit_transform(TEXTS), sp.csr_matrix)
    if "sparse_interface" not in get_config():
        pytest.skip("this scikit-learn has no sparse_interface setting")
    with config_context(sparse_interface="sparray"):
        vectorizer = TermVectorizer(dtype=np.float32)
        assert isinstance(vectorizer.fit_transform(TEXTS), sp.csr_array)
        on_disk = vectorizer.transform_to_disk([], tmp_path / "X")
        assert isinstance(on_disk, sp.csr_array)
        assert on_disk.dtype == np.float32
        assert isinstance(CharTrigramVectorizer().transform(TEXTS), sp.csr_array)


def test_the_terms_of_documents_take_no_room_for_the_longest():
    texts = ["x" * 100_000, *(f"word{k} and more" for k in range(200))]
    vectorizer = TermVectorizer(weighting="tf").fit(texts)
    X = vectorizer.transform(texts)
    tracemalloc.start()
    found = vectorizer.inverse_transform(X)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found[0].tolist() == texts[:1]
    assert sorted(found[7]) == ["and", "more", "word6"]
    assert [one.tolist() for one in vectorizer.inverse_transform(X.toarray())] == [
        one.tolist() for one in found
    ]
    assert taken < 5_000_000
