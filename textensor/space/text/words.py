r"""Words of many documents at once: the fast path of :class:`textensor.space.TermVectorizer`.

The documents of a block are joined, encoded once as UTF-8, and cut into words by one compiled pass over the
bytes. What counts as a word is what the regular expression ``\b\w\w+\b`` finds: a longest run of at least
two characters that are letters, digits or the underscore in Unicode's sense.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.space.text import term_kernels as kernels
from textensor.space.text.table import Terms, TermTable, join_terms

#: Regular expressions the compiled pass stands in for, and the shortest word each of them finds.
WORD_PATTERNS = {
    r"(?u)\b\w\w+\b": 2,
    r"\b\w\w+\b": 2,
    r"(?u)\b\w+\b": 1,
    r"\b\w+\b": 1,
    r"(?u)\w+": 1,
    r"\w+": 1,
}
#: Tables of code points end before one of these: ASCII, most alphabets, the first plane, all planes. A text
#: whose highest byte of UTF-8 is below the second number has none beyond.
ENDS = ((0x80, 0x80), (0x3000, 0xE3), (0x10000, 0xF0), (0x110000, 0x100))
#: The kind of each code point below an end.
Kinds = Callable[[int], npt.NDArray[np.uint8]]
#: Bits of each number in a pair: two are seven bytes, which are a key of the table of terms, and no hash.
_PAIR_BITS = 28
_LOW = (1 << _PAIR_BITS) - 1


class Tokens(NamedTuple):
    """The tokens of a block of documents, in order, as numbers of terms.

    Document ``d`` holds ``ids[indptr[d]:indptr[d + 1]]``.
    """

    ids: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]
    terms: Terms


def split_words(documents: list[str], min_length: int = 2) -> Tokens:
    """Cut documents into words of at least ``min_length`` characters.

    Examples
    --------
    >>> split_words(["to be, or not to be"]).terms.names()
    ['to', 'be', 'or', 'not']
    """
    return cut(documents, word_characters, min_length)


def split_at_spaces(documents: list[str]) -> Tokens:
    """Cut documents into what ``str.split`` returns."""
    return cut(documents, _no_spaces, 1)


def cut(documents: list[str], kinds: Kinds, min_length: int) -> Tokens:
    """Cut documents into words, given the kind of each code point: see the kernel."""
    texts = Terms.of(documents)
    offsets = np.append(texts.starts, len(texts.letters))
    highest = int(texts.letters.max(initial=0))
    table = kinds(next(end for end, byte in ENDS if highest < byte))
    # The shortest are one letter and a space, or two letters and a character that is paired.
    most = len(texts.letters) // 2 + len(documents)
    starts, stops = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    indptr = np.zeros(len(documents) + 1, dtype=np.int64)
    n = kernels.find_words(texts.letters, offsets, table, min_length, starts, stops, indptr)
    return numbered(Terms(texts.letters, starts[:n], stops[:n]), indptr)


def numbered(found: Terms, indptr: npt.NDArray[np.int64]) -> Tokens:
    """Give equal terms of a block one number."""
    table = TermTable()
    ids = table.add(found)
    return Tokens(ids, indptr, table.terms)


@cache
def word_characters(end: int) -> npt.NDArray[np.uint8]:
    r"""For each code point below an end whether ``\w`` matches it; rarely are many needed."""
    table = np.array([chr(code).isalnum() for code in range(end)])
    table[ord("_")] = True
    return table.astype(np.uint8)


@cache
def _no_spaces(end: int) -> npt.NDArray[np.uint8]:
    """For each code point below an end whether it is not white space, of which the first plane has all."""
    table = np.ones(end, dtype=np.uint8)
    table[[code for code in range(min(end, 0x10000)) if chr(code).isspace()]] = 0
    return table


def number_tokens(documents: Iterable[Iterable[str]]) -> Tokens:
    """Give numbers to the tokens of documents that some other code has cut up."""
    columns: dict[str, int] = {}
    ids: list[int] = []
    indptr = [0]
    for document in documents:
        ids.extend(columns.setdefault(token, len(columns)) for token in document)
        indptr.append(len(ids))
    return Tokens(np.array(ids, dtype=np.int32), np.array(indptr, dtype=np.int64), Terms.of(columns))


def replace_names(tokens: Tokens, rename: Callable[[list[str]], list[str | None]]) -> Tokens:
    """Rename tokens, each distinct one once; those renamed to None are dropped, equal names become one."""
    columns: dict[str, int] = {}
    number = np.array(
        [
            -1 if name is None else columns.setdefault(name, len(columns))
            for name in rename(tokens.terms.names())
        ],
        dtype=np.int32,
    )
    ids = number[tokens.ids]
    kept = ids >= 0
    indptr = np.concatenate(([0], np.cumsum(kept)))[tokens.indptr]
    return Tokens(ids[kept], indptr, Terms.of(columns))


def with_ngrams(tokens: Tokens, shortest: int, longest: int) -> Tokens:
    """Return the n-grams of each document in place of its tokens."""
    if (shortest, longest) == (1, 1):
        return tokens
    # Grams of n tokens are those of n - 1 with the next token behind; each distinct pair is spelt once.
    levels = [tokens]
    for _ in range(2, longest + 1):
        levels.append(_longer(levels[-1], tokens))
    joined = _join(levels[shortest - 1 :])
    if not (tokens.terms.letters == ord(" ")).any():
        return joined
    # A token with a space in it can spell the same as two tokens: these are one term.
    number = numbered(joined.terms, joined.indptr)
    return number._replace(ids=number.ids[joined.ids])


def _longer(grams: Tokens, tokens: Tokens) -> Tokens:
    """Return the n-grams of one token more. The k-th of a document's begins at its k-th token."""
    lengths = np.maximum(np.diff(grams.indptr) - 1, 0)
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    place = np.arange(indptr[-1])
    left = grams.ids[place + np.repeat(grams.indptr[:-1] - indptr[:-1], lengths)]
    right = tokens.ids[place + np.repeat(tokens.indptr[1:] - indptr[1:], lengths)]
    both = left.astype(np.int64) << _PAIR_BITS | right
    starts = 8 * np.arange(len(both))
    table = TermTable()
    ids = table.add(Terms(Terms.cut(both, indptr).letters, starts, starts + 7))
    pairs = np.empty(len(table), dtype=np.int64)
    pairs[ids] = both
    return Tokens(ids, indptr, _pairs(grams.terms.take(pairs >> _PAIR_BITS), tokens.terms.take(pairs & _LOW)))


def _pairs(left: Terms, right: Terms) -> Terms:
    """Spell pairs of terms with a space between."""
    middle = left.stops - left.starts
    ends = np.concatenate(([0], np.cumsum(middle + 1 + right.stops - right.starts)))
    middle += ends[:-1]
    letters = np.empty(ends[-1], dtype=np.uint8)
    left.copy_to(letters, ends[:-1])
    letters[middle] = ord(" ")
    right.copy_to(letters, middle + 1)
    return Terms.cut(letters, ends)


def _join(kinds: list[Tokens]) -> Tokens:
    """Return tokens of several kinds of the same documents as one."""
    indptr = np.sum([kind.indptr for kind in kinds], axis=0)
    ids = np.empty(indptr[-1], dtype=np.int32)
    begin, n_terms = indptr[:-1], 0
    for kind in kinds:
        lengths = np.diff(kind.indptr)
        ids[np.arange(kind.indptr[-1]) + np.repeat(begin - kind.indptr[:-1], lengths)] = kind.ids + n_terms
        begin, n_terms = begin + lengths, n_terms + len(kind.terms)
    return Tokens(ids, indptr, join_terms([kind.terms for kind in kinds]))
