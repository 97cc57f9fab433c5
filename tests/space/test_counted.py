"""Counts that are weighed for each fold equal a vectorizer that was fitted to the fold's texts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from textensor.space import TermVectorizer

TEXTS = [
    "The quick brown fox jumps over the lazy dog; the dog sleeps.",
    "Foxes and dogs are animals, and animals sleep.",
    "",
    "A fox is quick. Quick, quick, QUICK!",
    "Über naïve Café-Größe: ½ of the_code",
    "the the the",
    "dog fox dog fox dog",
    "a b",
]
SETTINGS = [
    {},
    {"weighting": "smooth", "sublinear_tf": True},
    {"weighting": "tf", "norm": None, "dtype": np.float32},
    {"char_ngram_range": (2, 3)},
    {"char_ngram_range": (1, 2), "max_features": 6, "norm": "l1", "weighting": "smooth"},
    {"min_df": 2, "ngram_range": (1, 2)},
    {"min_df": 0.3, "max_df": 0.8},
    {"max_df": 1, "binary": True, "max_features": 4},
    {"stop_words": ["the"], "stemmer": "english", "n_jobs": 2},
    {"analyzer": "char_wb", "ngram_range": (2, 3), "min_df": 2},
    {"vocabulary": ["dog", "unicorn", "fox"]},
    {"vocabulary": ["dog", "'do'", "fox", "' f'"], "char_ngram_range": (2, 2)},
]
ROWS = [None, [0, 1, 3, 6], [6, 3, 0], np.arange(8) % 3 > 0]


def assert_same(X, Y):
    assert X.dtype == Y.dtype
    assert X.shape == Y.shape
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(X, name), getattr(Y, name))


def check(options, texts, rows):
    chosen = texts if rows is None else np.array(texts, dtype=object)[rows].tolist()
    expected = TermVectorizer(**options)
    counted = clone(expected).count(texts)
    try:
        expected.fit(chosen)
    except ValueError as error:
        assert "vocabulary" in str(error) or "terms remain" in str(error) or "max_df" in str(error)
        with pytest.raises(ValueError, match=r"vocabulary|terms remain|max_df"):
            counted.weigh(rows)
        return
    fitted, X = counted.weigh(rows)
    assert_same(X, expected.transform(texts))
    assert fitted.vocabulary_ == expected.vocabulary_
    assert list(fitted.vocabulary_) == list(expected.vocabulary_)
    np.testing.assert_array_equal(fitted._idf, expected._idf)
    assert_same(fitted.transform(["a dog", ""]), expected.transform(["a dog", ""]))


@pytest.mark.parametrize("rows", ROWS, ids=str)
@pytest.mark.parametrize("options", SETTINGS, ids=lambda options: " ".join(options) or "default")
def test_weighing_some_rows_equals_fitting_them(options, rows):
    check(options, TEXTS, rows)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("abc -é"), max_size=20), min_size=1, max_size=10),
    st.data(),
    st.sampled_from(SETTINGS[:8]),
)
def test_any_texts_and_rows(texts, data, options):
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), min_size=1, max_size=12, unique=True))
    check(options, texts, rows)


def test_many_rows_are_weighed_in_blocks(monkeypatch):
    monkeypatch.setattr("textensor.space.text.counted._ROWS", 3)
    check({"n_jobs": 2, "min_df": 2}, TEXTS, [0, 1, 3, 4, 6])


def test_one_count_serves_several_weightings():
    counted = TermVectorizer(char_ngram_range=(2, 3)).count(TEXTS)
    for options in (
        {"weighting": "tf", "norm": None, "char_ngram_range": None},
        {"weighting": "smooth", "sublinear_tf": True, "min_df": 2},
    ):
        expected = TermVectorizer(**{"char_ngram_range": (2, 3), **options})
        assert_same(counted.weigh(**options)[1], expected.fit_transform(TEXTS))


def test_terms_that_are_too_rare_in_all_texts_are_not_kept():
    counted = TermVectorizer(min_df=2).count(["aa bb", "aa cc", "cc"])
    assert counted.terms.names() == ["aa", "cc"]
    assert counted.X.toarray().tolist() == [[1, 0], [1, 1], [0, 1]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ngram_range": (1, 2)}, "ngram_range concerns what is counted"),
        ({"char_ngram_range": (2, 3)}, "char_ngram_range must be None"),
        ({"min_df": 1}, "min_df must be 2 or more"),
        ({"min_df": 0.5}, "min_df must be 2 or more"),
        ({"rows": [True]}, "mask has 1 entries for 8 texts"),
        ({"rows": [1, 3, 1]}, "twice"),
        ({"rows": [-1]}, "numbers from 0 to 7"),
        ({"rows": [8]}, "numbers from 0 to 7"),
        ({"rows": [2]}, "Empty vocabulary"),
    ],
)
def test_what_counts_cannot_give_is_said_in_a_sentence(options, message):
    counted = TermVectorizer(min_df=2).count(TEXTS)
    with pytest.raises(ValueError, match=message):
        counted.weigh(**options)


def test_a_given_vocabulary_keeps_its_kinds():
    counted = TermVectorizer(vocabulary=["dog", "'do'"], char_ngram_range=(2, 2)).count(TEXTS)
    with pytest.raises(ValueError, match="vocabulary was given"):
        counted.weigh(char_ngram_range=None)


def test_counting_fits_nothing():
    vectorizer = TermVectorizer()
    vectorizer.count(TEXTS)
    assert not hasattr(vectorizer, "vocabulary_")
