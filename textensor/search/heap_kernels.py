"""The compiled passes that keep the best k of a stream of similarities.

What is kept for a query is a heap whose root is the worst: the least similar, and of equals the latest.
"""

import numpy as np

from textensor.base.compiled import kernel

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
                        _offer(best[i], place[i], _cosine(queries[i], rows[j]), first + j)


@kernel
def _cosine(x, y):
    """Multiply two unit vectors in float64, term by term: the same on every machine; never over 1."""
    total = 0.0
    for t in range(len(x)):
        total += np.float64(x[t]) * np.float64(y[t])
    return np.float32(min(total, 1.0))


@kernel
def join_best(best, place, more, where):
    """Offer what other heaps hold."""
    for i in range(len(best)):
        for j in range(more.shape[1]):
            _offer(best[i], place[i], more[i, j], where[i, j])


@kernel
def _offer(best, place, similarity, position):
    """Put one in the place of the root if it is better, and let it sink to where it belongs."""
    if not _worse(best[0], place[0], similarity, position):
        return
    at = 0
    while 2 * at + 1 < len(best):
        child = 2 * at + 1
        if child + 1 < len(best) and _worse(best[child + 1], place[child + 1], best[child], place[child]):
            child += 1
        if not _worse(best[child], place[child], similarity, position):
            break
        best[at] = best[child]
        place[at] = place[child]
        at = child
    best[at] = similarity
    place[at] = position


@kernel
def _worse(a, a_position, b, b_position):
    """Say whether a comes after b: less similar, or as similar and later."""
    return a < b or (a == b and a_position > b_position)
