r"""Words of many documents at once: the fast path of :class:`textensor.space.TermVectorizer`.

The documents of a block are joined, encoded once as UTF-8, and cut into words by one compiled
pass over the bytes, which gives each distinct word a number. What counts as a word is what the
regular expression ``\b\w\w+\b`` finds: a longest run of at least two characters that are letters,
digits or the underscore in Unicode's sense.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor._numba import kernel

__all__ = ["WORD_PATTERNS", "Tokens", "split_words"]

#: Regular expressions the compiled pass stands in for, and the shortest word each of them finds.
WORD_PATTERNS = {
    r"(?u)\b\w\w+\b": 2,
    r"\b\w\w+\b": 2,
    r"(?u)\b\w+\b": 1,
    r"\b\w+\b": 1,
    r"(?u)\w+": 1,
    r"\w+": 1,
}


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
    ids, indptr, starts, stops = _number_words(buffer, offsets, _word_characters(beyond_plane_0), min_length)
    return Tokens(ids, indptr, _spell(buffer, starts, stops).tobytes().decode("utf-8").split("\n")[:-1])


def _number_words(
    buffer: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    is_word: npt.NDArray[np.bool_],
    min_length: int,
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Give numbers to the words of a block; tell where documents begin and where words start and stop."""
    n_documents = len(offsets) - 1
    most = len(buffer) // (min_length + 1) + n_documents
    ids = np.empty(most, dtype=np.int32)
    indptr = np.zeros(n_documents + 1, dtype=np.int64)
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
        done = _split(
            buffer, offsets, done, is_word, kinds, min_length, table, keys, starts, stops, ids, indptr, sizes
        )
        if done == n_documents:
            return ids[: sizes[1]].copy(), indptr, starts[: sizes[0]], stops[: sizes[0]]
        table, keys = _grow(table, keys)


@cache
def _word_characters(every_plane: bool) -> npt.NDArray[np.bool_]:
    r"""For each code point whether ``\w`` matches it; rarely is more than the first plane needed."""
    table = np.array([chr(code).isalnum() for code in range(0x110000 if every_plane else 0x10000)])
    table[ord("_")] = True
    return table


# The kernels carry no annotations: Numba infers the types.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code=no-untyped-def


@kernel
def _split(buffer, offsets, done, is_word, kinds, min_length, table, keys, starts, stops, ids, indptr, sizes):
    """Give numbers to words in the order they first appear, until the table might get too full.

    The key of a word of at most seven bytes is these bytes, so equal keys mean equal words. That of a
    longer one is a hash, recognised by its highest byte, which is not zero. Returns how many documents
    are done.
    """
    n_words, n_ids = sizes
    for d in range(done, len(offsets) - 1):
        at = offsets[d]
        end = offsets[d + 1]
        if 2 * (n_words + (end - at) // (min_length + 1) + 1) > len(table):
            break
        while at < end:
            if kinds[buffer[at]] == 0:
                at += 1
                continue
            start = at
            key = np.uint64(0)
            near = min(end, start + 7)
            while at < near and kinds[buffer[at]] == 1:
                key = key << np.uint64(8) | np.uint64(buffer[at])
                at += 1
            length = at - start
            width = 1
            if at < end and kinds[buffer[at]] != 0:
                key, more, at, width = _go_on(buffer, start, at, end, is_word, key)
                length += more
            if length >= min_length:
                slot = _slot(key, len(table))
                number = table[slot]
                while number >= 0 and not (
                    keys[slot] == key
                    and (key >> np.uint64(56) == 0 or _same(buffer, starts[number], stops[number], start, at))
                ):
                    slot = (slot + 1) & (len(table) - 1)
                    number = table[slot]
                if number < 0:
                    number = n_words
                    table[slot] = number
                    keys[slot] = key
                    starts[number] = start
                    stops[number] = at
                    n_words += 1
                ids[n_ids] = number
                n_ids += 1
            at += width
        indptr[d + 1] = n_ids
        done = d + 1
    sizes[0] = n_words
    sizes[1] = n_ids
    return done


@kernel
def _go_on(buffer, start, at, end, is_word, key):
    """Read the rest of a word that is long or goes beyond ASCII.

    Returns its key, how many more characters it has, where it stops, and how many bytes the character
    there takes.
    """
    length = 0
    width = 1
    while at < end:
        code, width = _decode(buffer, at)
        if not is_word[code]:
            break
        for k in range(at, at + width):
            if k - start < 7:
                key = key << np.uint64(8) | np.uint64(buffer[k])
            else:
                key = (key ^ np.uint64(buffer[k])) * np.uint64(0x9E3779B97F4A7C15)
        at += width
        length += 1
    if at - start > 7:
        key |= np.uint64(1 << 63)
    return key, length, at, width


@kernel
def _decode(buffer, at):
    """Return the code point that starts at a byte of UTF-8, and the number of bytes it takes."""
    first = np.int64(buffer[at])
    if first < 0x80:
        return first, 1
    code = np.int64(buffer[at + 1]) & 0x3F
    if first < 0xE0:
        return (first & 0x1F) << 6 | code, 2
    code = code << 6 | np.int64(buffer[at + 2]) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | code, 3
    return (first & 0x07) << 18 | code << 6 | np.int64(buffer[at + 3]) & 0x3F, 4


@kernel
def _slot(key, size):
    """Return where to look first for a key in a table whose size is a power of two."""
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((key >> np.uint64(32)) & np.uint64(size - 1))


@kernel
def _same(buffer, a, a_stop, b, b_stop):
    """Whether two stretches of the buffer hold the same bytes."""
    if a_stop - a != b_stop - b:
        return False
    for k in range(a_stop - a):  # noqa: SIM110, Numba has no generators inside all()
        if buffer[a + k] != buffer[b + k]:
            return False
    return True


@kernel
def _grow(table, keys):
    """Return a table of twice the size with the same words in it."""
    larger = np.full(2 * len(table), -1, dtype=np.int32)
    larger_keys = np.zeros(2 * len(table), dtype=np.uint64)
    for old in range(len(table)):
        if table[old] >= 0:
            slot = _slot(keys[old], len(larger))
            while larger[slot] >= 0:
                slot = (slot + 1) & (len(larger) - 1)
            larger[slot] = table[old]
            larger_keys[slot] = keys[old]
    return larger, larger_keys


@kernel
def _spell(buffer, starts, stops):
    """Write words one after the other, each with a line end."""
    spelling = np.empty((stops - starts).sum() + len(starts), dtype=np.uint8)
    at = 0
    for number in range(len(starts)):
        for k in range(starts[number], stops[number]):
            spelling[at] = buffer[k]
            at += 1
        spelling[at] = 0x0A
        at += 1
    return spelling
