"""From the settings of a vectorizer to the function that counts the terms of a block of documents."""

from collections.abc import Callable
from typing import Any

import Stemmer

from textensor.base.late.mode import without_scikit
from textensor.base.late.parts import CountVectorizer
from textensor.space.text.characters import beside, count_ngrams
from textensor.space.text.counts import CountedBlock, count
from textensor.space.text.scripts import normalizing, word_kinds
from textensor.space.text.words import (
    WORD_PATTERNS,
    Tokens,
    cut,
    number_tokens,
    replace_names,
    with_ngrams,
    word_characters,
)

Count = Callable[[list[str]], CountedBlock]
#: Longer words are no words of a language, and some stemmers take time with the square of the length.
LONGEST_STEMMED = 1000


def misfit(vectorizer: Any) -> str:
    """Return what is wrong with settings that are right one by one, the empty string if nothing is."""
    words = vectorizer.analyzer == "word"
    if vectorizer.char_ngram_range is not None and not words:
        return 'char_ngram_range adds to words: it needs analyzer="word"'
    usual = vectorizer.tokenizer is None and vectorizer.token_pattern in WORD_PATTERNS
    if vectorizer.scripts and (callable(vectorizer.analyzer) or (words and not usual)):
        return "scripts=True finds words itself: it needs no tokenizer and the usual token_pattern"
    return ""


def counter(vectorizer: Any) -> Count:
    """Return the function that counts the terms of documents that are decoded."""
    if callable(vectorizer.analyzer):
        return lambda block: count(number_tokens(map(vectorizer.analyzer, block)))
    preprocess = vectorizer.build_preprocessor()
    if vectorizer.scripts:
        preprocess = normalizing(preprocess)
    if vectorizer.analyzer == "word":
        counted = _word_counter(vectorizer)
    else:
        counted = _gram_counter(vectorizer.ngram_range, within_words=vectorizer.analyzer == "char_wb")
    return lambda block: counted([preprocess(document) for document in block])


def _word_counter(vectorizer: Any) -> Count:
    """Return the function that counts the words of preprocessed documents, and n-grams within them."""
    words = _tokenizer(vectorizer)
    if vectorizer.char_ngram_range is None:
        return lambda block: count(words(block))
    grams = _gram_counter(vectorizer.char_ngram_range, within_words=True)
    return lambda block: beside(count(words(block)), grams(block))


def _gram_counter(lengths: tuple[int, int], *, within_words: bool) -> Count:
    return lambda block: count_ngrams(block, *lengths, within_words=within_words)


def _tokenizer(vectorizer: Any) -> Callable[[list[str]], Tokens]:
    """Return the function that cuts preprocessed documents into words and n-grams of words."""
    if isinstance(vectorizer.stop_words, list) and not without_scikit():
        # scikit-learn's analyzer warns of stop words that the preprocessing would change.
        settings = {name: getattr(vectorizer, name) for name in CountVectorizer().get_params()}
        CountVectorizer(**settings).build_analyzer()
    min_length = WORD_PATTERNS.get(vectorizer.token_pattern or "") if vectorizer.tokenizer is None else None
    split = vectorizer.build_tokenizer() if min_length is None else None
    kinds = word_kinds if vectorizer.scripts else word_characters
    stop_words = frozenset(vectorizer.get_stop_words() or ())
    rename = _renamer(stop_words, vectorizer.stemmer) if stop_words or vectorizer.stemmer else None

    def tokenize(block: list[str]) -> Tokens:
        tokens = number_tokens(map(split, block)) if split else cut(block, kinds, min_length or 2)
        if rename is not None:
            tokens = replace_names(tokens, rename)
        return with_ngrams(tokens, *vectorizer.ngram_range)

    return tokenize


def _renamer(stop_words: frozenset[str], stemmer: str | None) -> Callable[[list[str]], list[str | None]]:
    """Return the function that drops stop words and stems what is left."""

    def rename(names: list[str]) -> list[str | None]:
        # A stemmer keeps state, so each block, which a thread may be at work on, has its own.
        stems = names if stemmer is None else stemmed(names, stemmer)
        return [None if name in stop_words else stem for name, stem in zip(names, stems, strict=True)]

    return rename


def stemmed(names: list[str], stemmer: str) -> list[str]:
    """Return the stems of words; very long words stay as they are.

    Examples
    --------
    >>> stemmed(["boats", "boats" * 1000], "english")[0]
    'boat'
    """
    stem = Stemmer.Stemmer(stemmer).stemWord
    return [name if len(name) > LONGEST_STEMMED else stem(name) for name in names]
