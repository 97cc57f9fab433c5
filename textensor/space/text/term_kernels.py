"""The compiled passes over text: terms as bytes, their numbers and their counts. Numba infers the types.

A kernel reads past an array without an error, so callers hand it only what has been checked.
"""

import numpy as np

from textensor.base.compiled import kernel


@kernel
def find_words(buffer, offsets, kinds, min_length, starts, stops, indptr):
    """Find words and pairs of characters, given the kind of each code point.

    A word is a longest run of characters of kind 1, of ``min_length`` at least; marks, of kind 2, and what
    stacks characters, of kind 4, belong to it. In a run of characters of kind 3 each one, with its marks, is
    paired with the next; one by itself stays alone. Kind 0 separates.
    """
    n = 0
    for d in range(len(offsets) - 1):
        at = offsets[d]
        end = offsets[d + 1]
        now = 0  # the kind of the run that we are in
        start = at  # of the word, or of the last character but one in a run of pairs, if there is one
        last = at  # the last character of a run of pairs
        length = 0
        stacked = False
        while at <= end:
            width = 1
            kind = 0  # the end separates, too
            if at < end:
                code = np.int64(buffer[at])
                if code >= 0x80:
                    code, width = _decode(buffer, at)
                kind = kinds[code]
            if kind == now:
                length += 1
                if kind == 3 and not stacked:
                    if length > 2:
                        starts[n] = start
                        stops[n] = at
                        n += 1
                    start = last
                    last = at
                elif kind == 3:
                    length -= 1
                stacked = False
            elif kind == 2 or kind == 4:
                if now == 1:
                    length += 1
                stacked = kind == 4
            else:
                if now == 3 or (now == 1 and length >= min_length):
                    starts[n] = start
                    stops[n] = at
                    n += 1
                now = kind
                start = at
                last = at
                length = 1
                stacked = False
            at += width
        indptr[d + 1] = n
    return n


@kernel
def _decode(buffer, at):
    """Return the code point that starts at a byte of UTF-8, and the number of bytes it takes."""
    first = np.int64(buffer[at])
    code = np.int64(buffer[at + 1]) & 0x3F
    if first < 0xE0:
        return (first & 0x1F) << 6 | code, 2
    code = code << 6 | np.int64(buffer[at + 2]) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | code, 3
    return (first & 0x07) << 18 | code << 6 | np.int64(buffer[at + 3]) & 0x3F, 4


@kernel
def number_terms(
    letters, starts, stops, first, entries, shift, seed, known, room, ends, n_known, ids, add, keys
):
    """Give each term the number of an equal known one, or the next number, or -1 if none may be added.

    ``entries`` is a table of open addressing: pairs of a key, 0 if there is none, and a number. The key of a
    term of fewer than eight bytes is these bytes and their number, so equal keys mean equal terms; that of a
    longer one is a hash, whose highest bit is set. ``known`` has the letters of known terms, ``room`` is the
    same array to write to, and ``keys`` has room for the keys of some terms. Returns how many terms are done
    and how many are known: it stops before the table is more than half full or the room is used up.
    """
    mask = len(entries) // 2 - 1
    for batch in range(first, len(starts), len(keys)):
        last = min(batch + len(keys), len(starts))
        # One look at each place first: a large table is in no cache, and these reads wait side by side.
        for k in range(batch, last):
            key = _key(letters, starts[k], stops[k], seed)
            keys[k - batch] = key
            ids[k] = np.int32(entries[2 * ((key * seed) >> shift)] & np.uint64(1))
        for k in range(batch, last):
            start = starts[k]
            stop = stops[k]
            key = keys[k - batch]
            slot = np.int64((key * seed) >> shift)
            number = -1
            while entries[2 * slot] != 0:
                if entries[2 * slot] == key:
                    number = np.int64(entries[2 * slot + 1])
                    if stop - start < 8 or _same(letters, start, stop, known, ends[number], ends[number + 1]):
                        break
                    number = -1
                slot = (slot + 1) & mask
            if number < 0 and add:
                end = ends[n_known] + stop - start
                if 2 * (n_known + 1) > mask or n_known + 2 > len(ends) or end > len(known):
                    return k, n_known
                for at in range(start, stop):
                    room[ends[n_known] + at - start] = letters[at]
                entries[2 * slot] = key
                entries[2 * slot + 1] = np.uint64(n_known)
                number = n_known
                n_known += 1
                ends[n_known] = end
            ids[k] = number
    return len(starts), n_known


@kernel
def _key(letters, start, stop, seed):
    """Return the key of a term. The seed is random, so that nobody can prepare terms of the same hash."""
    n_bytes = np.uint64(stop - start)
    if n_bytes >= 8:
        key = n_bytes
        for at in range(start, stop, 8):
            key ^= seed ^ _eight(letters, min(at, stop - 8))
            # A product of halves: if these were not secret, differences in high bits would stay there.
            key += (key & np.uint64(0xFFFFFFFF)) * (key >> np.uint64(32))
        return key | np.uint64(1 << 63)
    key = np.uint64(0)
    if start + 8 <= len(letters):
        key = _eight(letters, start) & ((np.uint64(1) << np.uint64(8) * n_bytes) - np.uint64(1))
    else:
        for at in range(start, stop):
            key |= np.uint64(letters[at]) << np.uint64(8 * (at - start))
    return key | (n_bytes + np.uint64(1)) << np.uint64(56)


@kernel
def _eight(letters, at):
    """Return eight bytes as a number, the first as its lowest: unsigned places make it one instruction."""
    key = np.uint64(0)
    for k in range(8):
        key |= np.uint64(letters[np.uint64(at + k)]) << np.uint64(8 * k)
    return key


@kernel
def _same(letters, start, stop, known, known_start, known_stop):
    """Whether a term has the same bytes as a known one; it has eight at least."""
    if stop - start != known_stop - known_start:
        return False
    for k in range(0, stop - start, 8):
        at = min(k, stop - start - 8)
        if _eight(letters, start + at) != _eight(known, known_start + at):
            return False
    return True


@kernel
def move_entries(entries, shift, seed, larger):
    """Copy the entries of a table to an empty one of twice the size."""
    mask = len(larger) // 2 - 1
    for old in range(0, len(entries), 2):
        if entries[old] != 0:
            slot = np.int64((entries[old] * seed) >> (shift - np.uint64(1)))
            while larger[2 * slot] != 0:
                slot = (slot + 1) & mask
            larger[2 * slot] = entries[old]
            larger[2 * slot + 1] = entries[old + 1]


@kernel
def copy_terms(letters, starts, stops, places, copy):
    """Copy the letters of each term to a place."""
    for k in range(len(starts)):
        for at in range(starts[k], stops[k]):
            copy[places[k] + at - starts[k]] = letters[at]


@kernel
def find_ngrams(buffer, offsets, shortest, longest, whole, starts, stops, indptr):
    """Find the n-grams of each document, counted in characters.

    With ``whole``, a document of fewer characters than the shortest n-gram is one itself.
    """
    n = 0
    for d in range(len(offsets) - 1):
        at = offsets[d]
        end = offsets[d + 1]
        n_characters = 0
        while at < end:
            stop = at
            length = 0
            following = end
            while stop < end and length < longest:
                stop += 1
                while stop < end and buffer[stop] & 0xC0 == 0x80:
                    stop += 1
                length += 1
                if length == 1:
                    following = stop
                if length >= shortest:
                    starts[n] = at
                    stops[n] = stop
                    n += 1
            n_characters += 1
            at = following
        if whole and 0 < n_characters < shortest:
            starts[n] = offsets[d]
            stops[n] = end
            n += 1
        indptr[d + 1] = n
    return n


@kernel
def count_tokens(indptr, ids, place, rows, indices, counts, df, tf):
    """Count each document's tokens, in the order they first appear in it.

    Sets row pointers, terms and counts, and for each term in how many documents it occurs and how often.
    Nothing is allocated here or below: that takes long to compile. ``place`` is 0 for each term; it has the
    number of the next entry, so that 0 is nowhere.
    """
    n = 0
    for d in range(len(indptr) - 1):
        for t in range(indptr[d], indptr[d + 1]):
            k = ids[t]
            tf[k] += 1
            if place[k] > rows[d]:
                counts[place[k] - 1] += 1
            else:
                df[k] += 1
                indices[n] = k
                counts[n] = 1
                n += 1
                place[k] = n
        rows[d + 1] = n


@kernel
def count_parts(indptr, words, numbers, part_indptr, parts, place, rows, indices, counts, df, tf):
    """Count the parts of each document's words, given how often it has each word; see ``count_tokens``."""
    n = 0
    for d in range(len(indptr) - 1):
        for t in range(indptr[d], indptr[d + 1]):
            for p in range(part_indptr[words[t]], part_indptr[words[t] + 1]):
                k = parts[p]
                tf[k] += numbers[t]
                if place[k] > rows[d]:
                    counts[place[k] - 1] += numbers[t]
                else:
                    df[k] += 1
                    indices[n] = k
                    counts[n] = numbers[t]
                    n += 1
                    place[k] = n
        rows[d + 1] = n


@kernel
def sum_rows(indptr, indices, counts, rows, df, tf):
    """Count in how many of some rows each term occurs, and how often."""
    for d in rows:
        for t in range(indptr[d], indptr[d + 1]):
            df[indices[t]] += 1
            tf[indices[t]] += counts[t]


@kernel
def sort_rows(
    indptr, indices, counts, columns, order, rows, heads, documents, numbers, new_indices, new_counts
):
    """Put the terms of a counted block into columns; those whose column is -1 are left out.

    ``order`` has the other terms in the order of their columns: going through them, rows come out sorted.
    ``rows`` and ``heads`` are 0 and have room for one more than there are documents and terms.
    """
    for d in range(len(indptr) - 1):
        for t in range(indptr[d], indptr[d + 1]):
            if columns[indices[t]] >= 0:
                rows[d + 1] += 1
                heads[indices[t] + 1] += 1
    for d in range(len(rows) - 1):
        rows[d + 1] += rows[d]
    for k in range(len(heads) - 1):
        heads[k + 1] += heads[k]
    for d in range(len(indptr) - 1):
        for t in range(indptr[d], indptr[d + 1]):
            k = indices[t]
            if columns[k] >= 0:
                documents[heads[k]] = d
                numbers[heads[k]] = counts[t]
                heads[k] += 1  # in the end it is where the next term begins
    for k in order:
        for t in range(heads[k - 1] if k > 0 else 0, heads[k]):
            d = documents[t]
            new_indices[rows[d]] = columns[k]
            new_counts[rows[d]] = numbers[t]
            rows[d] += 1
    for d in range(len(rows) - 1, 0, -1):
        rows[d] = rows[d - 1]
    rows[0] = 0


@kernel
def weigh_rows(indptr, indices, counts, columns, tf, idf, second, power, rows, new_indices, data):
    """Weigh counts in sorted rows; terms whose column is -1 and weights of 0 are left out.

    ``tf`` has the weight of each count, ``idf`` that of each column. ``second`` says which columns are of a
    second kind; it is empty if there is none. With a ``power`` of 1 or 2, each kind of a row is given unit
    length by itself, then the row.
    """
    n = 0
    for d in range(len(indptr) - 1):
        first = np.float64(0.0)  # not a number of Python: without Numba such a sum would be of 32 bits
        other = np.float64(0.0)
        for t in range(indptr[d] - indptr[0], indptr[d + 1] - indptr[0]):
            column = columns[indices[t]]
            if column < 0:
                continue
            weight = tf[counts[t]] * idf[column]
            if weight != 0:
                new_indices[n] = column
                data[n] = weight
                n += 1
                size = weight * weight if power == 2 else abs(weight)
                if len(second) > 0 and second[column]:
                    other += size
                else:
                    first += size
        rows[d + 1] = n
        if power == 0:
            continue
        if first > 0 and other > 0:
            first *= 2
            other *= 2
        if power == 2:
            first = np.sqrt(first)
            other = np.sqrt(other)
        for t in range(rows[d], n):
            length = other if len(second) > 0 and second[new_indices[t]] else first
            if length > 0:  # the square of a weight of 1e-200 is 0
                data[t] /= length
