"""The compiled passes over matrices of documents. They carry no annotations: Numba infers the types.

A kernel reads past an array without an error, so callers hand it only what has been checked.
"""

import numpy as np

from textensor.base.compiled import kernel


@kernel
def sort(keys):
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
def scatter(indptr, indices, data, weights, columns, out):
    """Add every nonzero, times its term's weight, to its term's column."""
    for d in range(len(indptr) - 1):
        for k in range(indptr[d], indptr[d + 1]):
            term = indices[k]
            out[d, columns[term]] += data[k] * weights[term]


@kernel
def _project_one(indptr, indices, data, d, rows, columns, lead, rest, slot, half, weights, out):
    """Project one document: its columns one by one on the leading mode, then all of them on the others.

    Only columns that the document has something in are touched. ``slot`` is -1 everywhere, before and after;
    ``half``, ``weights`` and ``out`` are written over.
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
def project_squares(indptr, indices, data, rows, columns, lead, rest, slot, half, weights, out, total):
    """Add up the squares of the projections of all documents."""
    for d in range(len(indptr) - 1):
        _project_one(indptr, indices, data, d, rows, columns, lead, rest, slot, half, weights, out)
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                total[i, j] += np.float64(out[i, j]) * np.float64(out[i, j])


@kernel
def project_cells(
    indptr, indices, data, rows, columns, lead, rest, slot, half, weights, out, at_rest, at_lead, cells
):
    """Project all documents and keep some cells of each."""
    for d in range(len(indptr) - 1):
        _project_one(indptr, indices, data, d, rows, columns, lead, rest, slot, half, weights, out)
        for c in range(len(at_rest)):
            cells[d, c] = out[at_rest[c], at_lead[c]]


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
        sort(keys[:n])
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
