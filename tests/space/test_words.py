import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textensor.space.text.words import WORD_PATTERNS, split_words

# Text in which words repeat, of one to many bytes a character, lone surrogates among them.
alphabet = st.one_of(st.sampled_from("ab_1é ß-\n"), st.characters(), st.characters(categories=["Cs"]))
texts = st.text(alphabet, max_size=40)


@pytest.mark.parametrize(("pattern", "min_length"), WORD_PATTERNS.items())
@settings(max_examples=100, deadline=None)
@given(documents=st.lists(texts, max_size=6))
@example(documents=["", "a", "ab", "a b", "ab" * 30, "ab" * 30 + "c", "x" * 7, "x" * 8, "x" * 9])
@example(documents=["𝔘𝔫𝔦 co_de", "naïve Ωμέγα", "\ud800word", "٣٤ ²³ ½", "a\u0301b"])
def test_words_are_those_of_the_regular_expression(pattern, min_length, documents):
    tokens = split_words(documents, min_length)
    names = tokens.terms.names()
    found = [
        [names[i] for i in tokens.ids[start:stop]]
        for start, stop in zip(tokens.indptr, tokens.indptr[1:], strict=False)
    ]
    assert found == [re.findall(pattern, document) for document in documents]
    assert len(set(names)) == len(names)


def test_many_distinct_words_outgrow_the_table():
    words = [f"w{i}" for i in range(30_000)] + [f"a_rather_long_word{i}" for i in range(20_000)]
    tokens = split_words([" ".join(words), " ".join(reversed(words))])
    names = tokens.terms.names()
    assert len(names) == 50_000
    assert names[tokens.ids[-1]] == "w0"


def test_words_of_different_length_whose_bytes_agree_stay_apart():
    words = ["abcdefg", "abcdefgh", "abcdefghi", "abcdefgi", "abcdefgh"]
    tokens = split_words([" ".join(words)])
    assert [tokens.terms.names()[i] for i in tokens.ids] == words
