"""The compiled pass that offers the documents of a block to the heaps of queries."""

import numpy as np

from textensor.base.compiled import kernel
from textensor.base.heap_kernels import offer

#: So many similarities are compared with the worst kept one at once, in vector registers; nearly all
#: groups hold nothing better and are left after that. Blocks of documents are multiples of it.
GROUP = 64


@kernel
def keep_best(products, queries, rows, alive, first, margin, best, place):
    """Offer documents, of which the first is at position ``first``, to the heaps of queries.

    ``products`` are the similarities but for an error below ``margin`` that depends on how they were
    computed; they say which documents may be good enough. Only what :func:`_cosine` says is kept.
    """
    for i in range(len(best)):
        for start in range(0, products.shape[1], GROUP):
            bound = best[i, 0] - margin
            better = 0
            for j in range(start, start + GROUP):
                better |= products[i, j] >= bound
            if better:
                for j in range(start, start + GROUP):
                    if alive[j] and products[i, j] >= best[i, 0] - margin:
                        offer(best[i], place[i], _cosine(queries[i], rows[j]), first + j)


@kernel
def _cosine(x, y):
    """Multiply two unit vectors in float64, term by term: the same on every machine; never over 1."""
    total = 0.0
    for t in range(len(x)):
        total += np.float64(x[t]) * np.float64(y[t])
    return np.float32(min(total, 1.0))
