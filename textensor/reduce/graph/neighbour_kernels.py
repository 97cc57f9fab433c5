"""Compiled loops of the neighbour search: who is offered to whose heap."""

import numpy as np

from textensor.base.compiled import kernel
from textensor.base.heap_kernels import offer


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
                    offer(scores[region, j], found[region, j], score, names[i])
                if score >= mine[0]:
                    offer(mine, found[region, i], score, names[j])
            start = stop


@kernel
def sweep_rows(first, relevance, codes, scores, found):
    """Offer to some documents, rows of a dense relevance matrix from ``first`` on, all others."""
    for row in range(len(relevance)):
        i = first + row
        for j in range(len(codes)):
            if j != i:
                region = 0 if codes[j] == codes[i] else 1
                if relevance[row, j] >= scores[region, i, 0]:
                    offer(scores[region, i], found[region, i], relevance[row, j], j)
