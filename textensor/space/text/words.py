r"""Words of many documents at once: the fast path of :class:`textensor.space.TermVectorizer`.

The documents of a block are joined, encoded once as UTF-8, and cut into words by one compiled
pass over the bytes, which gives each distinct word a number. What counts as a word is what the
regular expression ``\b\w\w+\b`` finds: a longest run of at least two characters that are letters,
digits or the underscore in Unicode's sense.
"""

import codecs
import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base import kept
from textensor.base.checks import one_of, whole
from textensor.base.disk import DamageError
from textensor.space.text import word_kernels as kernels

#: Regular expressions the compiled pass stands in for, and the shortest word each of them finds.
WORD_PATTERNS = {
    r"(?u)\b\w\w+\b": 2,
    r"\b\w\w+\b": 2,
    r"(?u)\b\w+\b": 1,
    r"\b\w+\b": 1,
    r"(?u)\w+": 1,
    r"\w+": 1,
}
#: N-grams longer than this are no terms, and cost time in proportion.
MAX_NGRAM, MAX_SPAN = 50, 8


class Tokens(NamedTuple):
    """The tokens of a block of documents, in order, as numbers into a list of names.

    Document ``d`` holds ``ids[indptr[d]:indptr[d + 1]]``.
    """

    ids: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]
    names: list[str]


def split_words(documents: list[str], min_length: int = 2) -> Tokens:
    """Cut documents into words of at least ``min_length`` characters.

    Examples
    --------
    >>> split_words(["to be, or not to be"]).names
    ['to', 'be', 'or', 'not']
    """
    # A lone surrogate is no letter, but it must not stop the encoder either.
    encoded = [document.encode("utf-8", "surrogatepass") for document in documents]
    buffer = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    offsets = np.zeros(len(documents) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    beyond_plane_0 = len(buffer) > 0 and bool(buffer.max() >= 0xF0)
    is_word = _word_characters(beyond_plane_0)
    most = len(buffer) // (min_length + 1) + len(documents)
    ids = np.empty(most, dtype=np.int32)
    indptr = np.zeros(len(documents) + 1, dtype=np.int64)
    starts, stops = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    sizes = np.zeros(2, dtype=np.int64)
    # Of an ASCII byte: 1 for a word character, 0 for any other. 2 for what begins a longer character.
    kinds = np.full(256, 2, dtype=np.uint8)
    kinds[:128] = is_word[:128]
    # Open addressing: a table of keys and numbers, at most half full.
    table = np.full(1 << 12, -1, dtype=np.int32)
    keys = np.zeros(1 << 12, dtype=np.uint64)
    done = 0
    while True:
        done = kernels.split_words(
            buffer, offsets, done, is_word, kinds, min_length, table, keys, starts, stops, ids, indptr, sizes
        )
        if done == len(documents):
            break
        table, keys = kernels.grow_table(table, keys)
    n_words, n_ids = sizes
    spelling = kernels.spell_words(buffer, starts[:n_words], stops[:n_words]).tobytes().decode("utf-8")
    return Tokens(ids[:n_ids].copy(), indptr, spelling.split("\n")[:-1])


@cache
def _word_characters(every_plane: bool) -> npt.NDArray[np.bool_]:
    r"""For each code point whether ``\w`` matches it; rarely is more than the first plane needed."""
    table = np.array([chr(code).isalnum() for code in range(0x110000 if every_plane else 0x10000)])
    table[ord("_")] = True
    return table


def _check_ngrams(value: Any, sizes: kept.Sizes) -> None:
    kept.tuple_of(whole(1, MAX_NGRAM), whole(1, MAX_NGRAM)).check(value, sizes)
    kept.require(value[0] <= value[1], "the shortest n-gram is longer than the longest")
    kept.require(value[1] - value[0] < MAX_SPAN, f"its n-grams have more than {MAX_SPAN} lengths")


#: What model files require of the lengths of n-grams.
NGRAMS = kept.Keep(_check_ngrams)

#: Token patterns that model files may hold, each of a kind that takes linear time on any text. A repeat that
#: nothing must follow never backtracks. A final \b makes it backtrack only between two boundaries, if the
#: pattern begins with \b; behind \w it always holds. A list of what is dangerous would never be complete.
_CLASS = r"(?:\\[wdsWDS]|\[\^?(?:[\w'.@#&+]|\w-\w|\\[wdsWDS.-])+-?\]|\w)"
_REPEAT = r"(?:\+|\{\d{1,2}(?:,\d{0,2})?\})?"
_JOINED = r"(?:\(\?:(?:['_-]|\[['_-]+\])%s%s\)\?)?"
_WORD = r"\\w"
_SAFE_PATTERNS = [
    re.compile(rf"(?:\(\?u\))?{pattern}")
    for pattern in (
        rf"(?:\\b)?{_CLASS}{{1,4}}{_REPEAT}{_JOINED % (_CLASS, _REPEAT)}",
        rf"\\b{_CLASS}{{1,4}}{_REPEAT}\\b",
        rf"(?:\\b)?{_CLASS}{{0,3}}\\w{_REPEAT}{_JOINED % (_WORD, _REPEAT)}\\b",
    )
]


def _check_pattern(value: Any, sizes: kept.Sizes) -> None:
    """Hold for regular expressions that take no long time on any text."""
    del sizes
    simple = type(value) is str and len(value) <= 200
    simple = simple and any(safe.fullmatch(value) for safe in _SAFE_PATTERNS)
    kept.require(
        simple,
        "it is not a regular expression of the simple kind that model files may hold (docs/model-files.md)",
    )
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        raise DamageError(f"it is not a regular expression: {error}") from error


def check_words(vectorizer: Any) -> None:
    """Hold for a vectorizer that knows what its words are."""
    known = vectorizer.analyzer != "word" or vectorizer.token_pattern is not None
    kept.require(known, "it has no token_pattern to find words with")
    try:
        codecs.lookup(vectorizer.encoding)
    except LookupError as error:
        raise DamageError("its encoding is not known") from error


#: What model files require of those parameters of a vectorizer that are used after fitting.
VECTORIZER: dict[str, kept.Rule] = {
    "input": one_of("content"),
    "analyzer": kept.absent_or(one_of("word", "char", "char_wb")),
    "preprocessor": kept.absent_or(one_of(None)),
    "tokenizer": kept.absent_or(one_of(None)),
    "token_pattern": kept.none_or(kept.Keep(_check_pattern)),
    "ngram_range": NGRAMS,
    "stop_words": kept.either(one_of(None, "english"), kept.each(kept.text)),
    "dtype": kept.dtype,
}
