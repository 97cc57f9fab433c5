"""Compiled loops of the neighbour search.

The most relevant documents of one document are a heap of fixed size whose root is the least relevant of them:
the lowest score, among equals the highest index. That order is total, so which documents stay does not depend
on the order in which they come.
"""

import numpy as np

from textensor.base.compiled import kernel

__all__ = ["look_up", "merge", "sweep_pairs", "sweep_rows"]


@kernel
def _offer(scores, names, score, name):
    """Put a document in place of the root where it is more relevant, and let it sink to its place."""
    if score < scores[0] or (score == scores[0] and name > names[0]):
        return
    size = len(scores)
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            scores[other] < scores[child] or (scores[other] == scores[child] and names[other] > names[child])
        ):
            child = other
        if scores[child] > score or (scores[child] == score and names[child] < name):
            break
        scores[at] = scores[child]
        names[at] = names[child]
        at = child
    scores[at] = score
    names[at] = name


@kernel
def sweep_pairs(first, step, rows, columns, after, ends, names, scores, found):
    """Offer each pair of documents of which the earlier is one of first, first + step, ... to both.

    Documents are sorted by class. The inner products of a document with all later ones are added up in one
    pass over its terms, in the order of the terms, so they are the same to the last bit from either side.

    Parameters
    ----------
    rows : indptr, indices, data
        The documents, CSR.
    columns : indptr, indices, data
        The same, CSC.
    after : for each nonzero in the order of CSR, where CSC holds the next document with that term
    ends : for each document where its class ends
    names : for each document its index to the outside
    scores, found : for 0 the same and 1 other classes, the heaps of each document
    """
    indptr, indices, data = rows
    starts, documents, values = columns
    n = len(ends)
    inner = np.zeros(n)
    for i in range(first, n, step):
        for p in range(indptr[i], indptr[i + 1]):
            value = data[p]
            for q in range(after[p], starts[indices[p] + 1]):
                inner[documents[q]] += value * values[q]
        start = i + 1
        for region in range(2):
            stop = ends[i] if region == 0 else n
            mine = scores[region, i]
            for j in range(start, stop):
                score = inner[j]
                inner[j] = 0.0
                if score >= scores[region, j, 0]:
                    _offer(scores[region, j], found[region, j], score, names[i])
                if score >= mine[0]:
                    _offer(mine, found[region, i], score, names[j])
            start = stop


@kernel
def merge(scores, found, more_scores, more_found):
    """Offer the documents of some heaps to others."""
    for region in range(scores.shape[0]):
        for i in range(scores.shape[1]):
            for k in range(scores.shape[2]):
                _offer(
                    scores[region, i], found[region, i], more_scores[region, i, k], more_found[region, i, k]
                )


@kernel
def sweep_rows(first, relevance, codes, scores, found):
    """Offer to some documents, rows of a dense relevance matrix from ``first`` on, all others."""
    for row in range(len(relevance)):
        i = first + row
        for j in range(len(codes)):
            if j != i:
                region = 0 if codes[j] == codes[i] else 1
                if relevance[row, j] >= scores[region, i, 0]:
                    _offer(scores[region, i], found[region, i], relevance[row, j], j)


@kernel
def look_up(start, stop, same, rows, lists, spans, names, first_names, n_terms, n_candidates, scores, found):
    """Offer to documents ``start`` to ``stop`` the best that the lists of their terms lead to.

    Documents are sorted by class. Which are candidates is judged by what the lists add up to; what is offered
    are inner products added up in the order of the terms, as :func:`sweep_pairs` does.

    Parameters
    ----------
    same : whether documents of the same class are looked for, or those of others
    rows : indptr, indices, data, and for each nonzero the number of its list
    lists : for each list where it starts, the documents, their values, and whether it lacks some
    spans : for each document where its class starts and ends, and the number of the class
    names : for each document its index to the outside
    first_names : for each class the documents of lowest name that are of it, or of others
    scores, found : the heaps of each document
    """
    indptr, indices, data, numbers = rows
    n = len(names)
    inner = np.zeros(n)
    met_by = np.full(n, -1, dtype=np.int32)
    met = np.empty(n, dtype=np.int32)
    row = np.zeros(n_terms)
    best = np.empty(n_candidates)
    candidates = np.empty(n_candidates, dtype=np.int32)
    for i in range(start, stop):
        first, last = spans[0][i], spans[1][i]
        others = last - first - 1 if same else n - (last - first)
        if others == 0:
            continue
        n_met = 0
        whole = True
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p]] = data[p]
            whole = whole and not lists[3][numbers[p]]
            if others > n_candidates:
                n_met = _walk(i, data[p], numbers[p], lists, inner, met_by, met, n_met)
        best[:] = -np.inf
        candidates[:] = n
        n_found = 0
        for m in range(n_met):
            j = met[m]
            score = inner[j]
            inner[j] = 0.0
            if j != i and (first <= j < last) == same:
                n_found += 1
                if score >= best[0]:
                    _offer(best, candidates, score, j)
        if n_found >= min(others, scores.shape[1]) and others > n_candidates:
            for j in candidates:
                if j < n:
                    _offer_product(i, j, row, rows, names, scores, found)
        elif whole and others > n_candidates:  # who was not met shares no term
            for m in range(n_met):
                j = met[m]
                if j != i and (first <= j < last) == same:
                    _offer_product(i, j, row, rows, names, scores, found)
            for j in first_names[spans[2][i]]:
                if j >= 0 and j != i and met_by[j] != i:
                    _offer(scores[i], found[i], 0.0, names[j])
        else:
            for j in range(first if same else 0, last if same else n):
                if j != i and (first <= j < last) == same:
                    _offer_product(i, j, row, rows, names, scores, found)
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p]] = 0.0


@kernel
def _walk(i, value, number, lists, inner, met_by, met, n_met):
    """Add a value times a list to the inner products of document i; return how many documents it met."""
    starts, documents, values, _ = lists
    for q in range(starts[number], starts[number + 1]):
        j = documents[q]
        if met_by[j] != i:
            met_by[j] = i
            met[n_met] = j
            n_met += 1
        inner[j] += value * values[q]
    return n_met


@kernel
def _offer_product(i, j, row, rows, names, scores, found):
    """Offer document j to document i, whose values are laid out in ``row``."""
    indptr, indices, data, _ = rows
    score = 0.0
    if indptr[i] < indptr[i + 1]:
        for q in range(indptr[j], indptr[j + 1]):
            score += row[indices[q]] * data[q]
    if score >= scores[i, 0]:
        _offer(scores[i], found[i], score, names[j])
