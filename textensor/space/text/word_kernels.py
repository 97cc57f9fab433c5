"""The compiled passes over text: words of bytes, and their counts. Numba infers the types.

A kernel reads past an array without an error, so callers hand it only what has been checked.
"""

import numpy as np

from textensor.base.compiled import kernel
from textensor.space.tensor_kernels import sort


@kernel
def split_words(
    buffer, offsets, done, is_word, kinds, min_length, table, keys, starts, stops, ids, indptr, sizes
):
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
    for k in range(a_stop - a):
        if buffer[a + k] != buffer[b + k]:
            return False
    return True


@kernel
def grow_table(table, keys):
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
def spell_words(buffer, starts, stops):
    """Write words one after the other, each with a line end."""
    length = len(starts)
    for number in range(len(starts)):
        length += stops[number] - starts[number]
    spelling = np.empty(length, dtype=np.uint8)
    at = 0
    for number in range(len(starts)):
        for k in range(starts[number], stops[number]):
            spelling[at] = buffer[k]
            at += 1
        spelling[at] = 0x0A
        at += 1
    return spelling


@kernel
def count_tokens(ids, indptr, n_names):
    """Count each document's tokens, in the order they first appear in it."""
    n_documents = len(indptr) - 1
    place = np.zeros(n_names, dtype=np.int64)  # of the next entry, so that 0 is nowhere
    rows = np.zeros(n_documents + 1, dtype=np.int64)
    indices = np.empty(len(ids), dtype=np.int32)
    counts = np.empty(len(ids), dtype=np.int32)
    n = 0
    for d in range(n_documents):
        for t in range(indptr[d], indptr[d + 1]):
            k = ids[t]
            if place[k] > rows[d]:
                counts[place[k] - 1] += 1
            else:
                indices[n] = k
                counts[n] = 1
                n += 1
                place[k] = n
        rows[d + 1] = n
    return rows, indices, counts


@kernel
def sort_rows(indptr, indices, counts, columns):
    """Put the names of a counted block into columns, sorted; those whose column is -1 are left out."""
    n_documents = len(indptr) - 1
    rows = np.zeros(n_documents + 1, dtype=np.int64)
    # Column and count in one number, so that sorting moves both.
    packed = np.empty(len(indices), dtype=np.int64)
    n = 0
    for d in range(n_documents):
        for t in range(indptr[d], indptr[d + 1]):
            column = columns[indices[t]]
            if column >= 0:
                packed[n] = np.int64(column) << 32 | np.int64(counts[t])
                n += 1
        rows[d + 1] = n
        sort(packed[rows[d] : n])
    new_indices = np.empty(n, dtype=np.int32)
    new_counts = np.empty(n, dtype=np.int32)
    for t in range(n):
        new_indices[t] = packed[t] >> 32
        new_counts[t] = packed[t] & 0xFFFFFFFF
    return rows, new_indices, new_counts
