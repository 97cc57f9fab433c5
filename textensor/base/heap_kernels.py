"""The best k of a stream: the heap behind every neighbour search.

What is kept for a query is a heap of fixed size whose root is the worst: the lowest score, and of equals the
latest place. That order is total, so what stays depends neither on the order in which candidates come nor on
who offers them: heaps of parts can be filled apart and merged.
"""

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Array
from textensor.base.compiled import kernel


def empty_heaps(shape: tuple[int, ...], scores: npt.DTypeLike, places: npt.DTypeLike) -> tuple[Array, Array]:
    """Return heaps, the last axis of an array each, full of what is worse than anything."""
    return np.full(shape, -np.inf, dtype=scores), np.full(shape, np.iinfo(places).max, dtype=places)


def ranked(scores: Array, places: Array) -> tuple[Array, Array]:
    """Return what heaps hold, the best first, of equals the earliest."""
    order = np.lexsort((places, -scores), axis=-1)
    return np.take_along_axis(scores, order, axis=-1), np.take_along_axis(places, order, axis=-1)


@kernel
def offer(scores, places, score, place):
    """Put a candidate in the place of a heap's root if it is better, and let it sink to where it belongs."""
    if not _worse(scores[0], places[0], score, place):
        return
    at = 0
    while 2 * at + 1 < len(scores):
        child = 2 * at + 1
        if child + 1 < len(scores) and _worse(
            scores[child + 1], places[child + 1], scores[child], places[child]
        ):
            child += 1
        if not _worse(scores[child], places[child], score, place):
            break
        scores[at] = scores[child]
        places[at] = places[child]
        at = child
    scores[at] = score
    places[at] = place


@kernel
def merge(scores, places, more, where):
    """Offer to heaps, one a row, what other heaps hold."""
    for i in range(len(scores)):
        for j in range(more.shape[1]):
            offer(scores[i], places[i], more[i, j], where[i, j])


@kernel
def _worse(score, place, other, other_place):
    """Return whether a candidate comes after another: a lower score, or the same and a later place."""
    return score < other or (score == other and place > other_place)
