"""The compiled passes over documents and matrices. They carry no annotations: Numba infers the types.

A kernel reads past an array without an error, so callers hand it only what has been checked.
"""

import numpy as np

from textensor.base.compiled import kernel


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
def _sort(keys):
    """Sort in place, by Shell's method: a row is short, and Numba's own sort takes seconds to compile."""
    gap = 1
    while gap < len(keys) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, len(keys)):
            key = keys[i]
            j = i
            while j >= gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key
        gap //= 3


@kernel
def sort_rows(indptr, indices, counts, columns):
    """Put the names of a block into columns, sorted; those whose column is -1 are left out."""
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
        _sort(packed[rows[d] : n])
    new_indices = np.empty(n, dtype=np.int32)
    new_counts = np.empty(n, dtype=np.int32)
    for t in range(n):
        new_indices[t] = packed[t] >> 32
        new_counts[t] = packed[t] & 0xFFFFFFFF
    return rows, new_indices, new_counts


@kernel
def scatter(indptr, indices, data, weights, columns, out):
    """Add every nonzero, times its term's weight, to its term's column."""
    for d in range(len(indptr) - 1):
        for k in range(indptr[d], indptr[d + 1]):
            term = indices[k]
            out[d, columns[term]] += data[k] * weights[term]


@kernel
def _project_one(indptr, indices, data, d, rows, columns, lead, rest, slot, half, weights, out):
    """Project one document: its columns one by one on the leading mode, then all of them on the others.

    Only columns that the document has something in are touched. ``slot`` is -1 everywhere, before and after.
    """
    n_slots = 0
    for k in range(indptr[d], indptr[d + 1]):
        term = indices[k]
        column = columns[term]
        if slot[column] < 0:
            slot[column] = n_slots
            for r in range(lead.shape[1]):
                half[n_slots, r] = 0.0
            for r in range(rest.shape[1]):  # assigning a row takes three seconds to compile
                weights[n_slots, r] = rest[column, r]
            n_slots += 1
        row = lead[rows[term]]
        target = half[slot[column]]
        for r in range(len(row)):
            target[r] += data[k] * row[r]
    for k in range(indptr[d], indptr[d + 1]):
        slot[columns[indices[k]]] = -1
    np.dot(weights[:n_slots].T, half[:n_slots], out)


@kernel
def project_squares(indptr, indices, data, rows, columns, lead, rest, n_slots, total):
    """Add up the squares of the projections of all documents."""
    slot = np.full(len(rest), -1, dtype=np.int64)
    half = np.empty((n_slots, lead.shape[1]), dtype=lead.dtype)
    weights = np.empty((n_slots, rest.shape[1]), dtype=lead.dtype)
    out = np.empty((rest.shape[1], lead.shape[1]), dtype=lead.dtype)
    for d in range(len(indptr) - 1):
        _project_one(indptr, indices, data, d, rows, columns, lead, rest, slot, half, weights, out)
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                total[i, j] += np.float64(out[i, j]) * np.float64(out[i, j])


@kernel
def project_cells(indptr, indices, data, rows, columns, lead, rest, n_slots, at_rest, at_lead, out):
    """Project all documents and keep some cells of each."""
    slot = np.full(len(rest), -1, dtype=np.int64)
    half = np.empty((n_slots, lead.shape[1]), dtype=lead.dtype)
    weights = np.empty((n_slots, rest.shape[1]), dtype=lead.dtype)
    all_cells = np.empty((rest.shape[1], lead.shape[1]), dtype=lead.dtype)
    for d in range(len(indptr) - 1):
        _project_one(indptr, indices, data, d, rows, columns, lead, rest, slot, half, weights, all_cells)
        for c in range(len(at_rest)):
            out[d, c] = all_cells[at_rest[c], at_lead[c]]


@kernel
def gram(indptr, indices, data, rows, columns, out):
    """Add to ``out`` the outer products of each document's columns: one half, see ``symmetrize``."""
    longest = 0
    for d in range(len(indptr) - 1):
        longest = max(longest, indptr[d + 1] - indptr[d])
    keys = np.empty(longest, dtype=np.int64)
    row = np.empty(longest, dtype=np.int64)
    value = np.empty(longest, dtype=np.float64)
    for d in range(len(indptr) - 1):
        start = indptr[d]
        n = indptr[d + 1] - start
        # Column and place in one number: sorted, the nonzeros of a column stand together.
        for k in range(n):
            keys[k] = np.int64(columns[indices[start + k]]) << 32 | k
        _sort(keys[:n])
        first = 0
        for last in range(n):
            at = start + (keys[last] & 0xFFFFFFFF)
            row[last] = rows[indices[at]]
            value[last] = data[at]
            if keys[last] >> 32 != keys[first] >> 32:
                first = last
            # One of each pair and half of the diagonal: symmetrize adds the other halves.
            for other in range(first, last):
                out[row[last], row[other]] += value[last] * value[other]
            out[row[last], row[last]] += 0.5 * value[last] * value[last]


@kernel
def symmetrize(out):
    """Add a square matrix to its transpose, in place."""
    for i in range(len(out)):
        for j in range(i + 1):
            total = out[i, j] + out[j, i]
            out[i, j] = total
            out[j, i] = total


@kernel
def contract_rows(indptr, indices, data, chosen, basis, place, columns):
    """Contract chosen documents: each nonzero gives as many features as the basis has columns."""
    rank = basis.shape[1]
    n = 0
    for d in chosen:
        n += indptr[d + 1] - indptr[d]
    new_indptr = np.zeros(len(chosen) + 1, dtype=np.int64)
    new_indices = np.empty(n * rank, dtype=np.int32)
    new_data = np.empty(n * rank, dtype=np.float64)
    at = 0
    for a in range(len(chosen)):
        for k in range(indptr[chosen[a]], indptr[chosen[a] + 1]):
            term = indices[k]
            for r in range(rank):
                new_indices[at] = columns[term] * rank + r
                new_data[at] = data[k] * basis[place[term], r]
                at += 1
        new_indptr[a + 1] = at
    return new_indptr, new_indices, new_data


@kernel
def contract_dense(indptr, indices, data, chosen, basis, place, columns, out):
    """Contract chosen documents into dense rows."""
    rank = basis.shape[1]
    for a in range(len(chosen)):
        for k in range(indptr[chosen[a]], indptr[chosen[a] + 1]):
            term = indices[k]
            first = columns[term] * rank
            row = place[term]
            for r in range(rank):
                out[a, first + r] += data[k] * basis[row, r]


@kernel
def decide(indptr, indices, data, basis, place, columns, weights, out):
    """Add to each document its inner product with the weights times the basis."""
    per_term = np.empty(len(place))
    for term in range(len(place)):
        weight = 0.0
        for r in range(basis.shape[1]):
            weight += basis[place[term], r] * weights[columns[term], r]
        per_term[term] = weight
    for d in range(len(indptr) - 1):
        total = 0.0
        for k in range(indptr[d], indptr[d + 1]):
            total += data[k] * per_term[indices[k]]
        out[d] += total
