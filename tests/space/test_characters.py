import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from textensor.space import TermVectorizer
from textensor.space.text import characters
from textensor.space.text.characters import count_ngrams, names_of, terms_named
from textensor.space.text.table import Terms

# Spaces of all kinds, words of one to many bytes a character, lone surrogates.
alphabet = st.one_of(
    st.sampled_from("ab é\t\n\r\x1c\x85\xa0\u2003\u3000語𝔘"),
    st.characters(),
    st.characters(categories=["Cs"]),
)


def oracle(documents, analyzer, lengths):
    """Count n-grams as scikit-learn's analyzer finds them."""
    analyze = CountVectorizer(analyzer=analyzer, ngram_range=lengths, lowercase=False).build_analyzer()
    counted = []
    for document in documents:
        grams = analyze(document)
        counted.append({gram: grams.count(gram) for gram in grams})
    return counted


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet, max_size=25), max_size=6), st.integers(1, 5), st.integers(0, 4))
@example(["a", "", "ab abc", " ", "a  b", "\ud800\udc00 x"], 3, 2)
@example(["語" * 5, "é" * 3], 4, 0)
def test_ngrams_are_those_of_scikit_learn(analyzer, documents, shortest, more):
    lengths = shortest, shortest + more
    block = count_ngrams(documents, *lengths, within_words=analyzer == "char_wb")
    names = block.terms.names()
    found = [
        {names[k]: n for k, n in zip(block.indices[a:b].tolist(), block.counts[a:b].tolist(), strict=True)}
        for a, b in zip(block.indptr, block.indptr[1:], strict=False)
    ]
    expected = oracle(documents, analyzer, lengths)
    assert found == expected
    assert dict(zip(names, block.df.tolist(), strict=True)) == {
        name: sum(name in document for document in expected) for name in names
    }
    assert dict(zip(names, block.tf.tolist(), strict=True)) == {
        name: sum(document.get(name, 0) for document in expected) for name in names
    }


def test_places_are_found_a_few_documents_at_a_time(monkeypatch):
    documents = ["to be or not to be", "", "that is", "the question " * 20]
    whole = count_ngrams(documents, 2, 4, within_words=False)
    monkeypatch.setattr(characters, "_PLACES", 30)
    parts = count_ngrams(documents, 2, 4, within_words=False)
    assert parts.terms.names() == whole.terms.names()
    for name in ("indptr", "indices", "counts", "df", "tf"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


@pytest.mark.parametrize("options", [{}, {"lowercase": False}, {"strip_accents": "unicode"}, {"min_df": 2}])
@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
def test_the_vectorizer_counts_them_so(analyzer, options):
    texts = ["Über die  Brücke", "ÜBER\n\ndie Brücken", "naïve", "", "x"]
    options = {"analyzer": analyzer, "ngram_range": (1, 4), **options}
    ours, theirs = TermVectorizer(weighting="tf", norm=None, **options), CountVectorizer(**options)
    X = ours.fit_transform(texts)
    np.testing.assert_array_equal(X.toarray(), theirs.fit_transform(texts).toarray())
    assert ours.vocabulary_ == theirs.vocabulary_


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.sampled_from("'\\ aé"), max_size=5), unique=True, max_size=12))
def test_names_tell_words_from_ngrams(words):
    beside = {"beside_words": True}
    names = names_of(Terms.of(words), **beside)
    assert terms_named(names, **beside).names() == words
    marked = Terms.of(words).wrapped(b"\xff", b"")
    grams = names_of(marked, **beside)
    assert grams == [f"'{word}'" for word in words]
    assert not set(grams) & set(names)
    assert terms_named(grams, **beside).letters.tobytes() == marked.letters.tobytes()
    assert terms_named(words, beside_words=False).names() == names_of(Terms.of(words), beside_words=False)
