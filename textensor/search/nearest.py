"""Exact nearest rows by cosine: matrix products say who may be among the best k, a plain sum decides.

The matrix of all similarities never exists: a block of documents meets a tile of queries, and what may be
good enough is offered to one heap a query.

The last bits of an element of a matrix product depend on its place in the matrix, in OpenBLAS at least, so
that equal documents would get unequal similarities. But the error has a bound: for d float32 numbers it is
below d u / (1 - d u) times the lengths of the two vectors, u = 2^-24, in whatever order they are summed. So
the products only leave out what is further below the worst of the best k; the few others are multiplied
again, in float64 and in order. What is found therefore depends on nothing but the vectors: not on the
number of threads, the size of the blocks, the company of a query, nor the BLAS library.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from textensor.base.compiled import interpreted
from textensor.base.heap_kernels import empty_heaps, merge, ranked
from textensor.parallel import in_order
from textensor.search.block_kernels import GROUP, keep_best

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]

#: What heaps hold: similarities and places.
TYPES = np.float32, np.int64
#: Queries in one product.
TILE = 128
#: Queries that a block of documents meets while it is in the cache; documents of one task.
CHUNK = 1024
SPAN = 1 << 16
#: Similarities that are looked at without compiled code.
SMALL = 1 << 14
#: What the heaps of one task may hold, so that a large k takes little memory beside the result.
MAX_KEPT = 1 << 20


def padded_length(n_rows: int) -> int:
    """Round a number of rows up to what the kernels work in."""
    return -(-n_rows // GROUP) * GROUP


def unit_rows(X: Any, start: int, stop: int) -> Floats:
    """Return rows of a dense or CSR matrix as float32 of unit length; rows of zeros stay zeros.

    The largest value of a row is divided out first, so that no square overflows or vanishes.
    """
    rows = X[start:stop]
    rows = np.array(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
    largest = np.abs(rows).max(axis=1, initial=0.0)
    rows /= np.where(largest > 0, largest, 1.0)[:, None]
    norms = np.sqrt((rows * rows).sum(axis=1))
    rows /= np.maximum(norms, 1.0)[:, None]  # it is 1 at least, but for rows of zeros
    return rows.astype(np.float32)


def nearest(
    X: Any, blocks: Sequence[Floats], alive: Sequence[npt.NDArray[np.bool_]], k: int, n_jobs: int | None
) -> tuple[Places, Floats]:
    """Return positions and similarities of the best k rows for each query, best first, ties by position.

    Queries, dense or CSR, are of any length; blocks are unit rows, all of one shape and a multiple of 64 of
    them; ``alive`` says which rows there are, k or more in all.
    """
    best, place = empty_heaps((X.shape[0], k), *TYPES)
    n_queries = min(CHUNK, max(1, MAX_KEPT // k))
    blocks = [_read_only(rows) for rows in blocks]
    n_blocks = max(1, SPAN // len(blocks[0]))
    firsts = range(0, len(blocks), n_blocks)

    def tasks() -> Iterator[tuple[Floats, int]]:
        for start in range(0, X.shape[0], n_queries):
            queries = unit_rows(X, start, start + n_queries)
            for first in firsts:
                yield queries, first

    def search(task: tuple[Floats, int]) -> tuple[Floats, Places]:
        queries, first = task
        last = min(first + n_blocks, len(blocks))
        length, n_dimensions = blocks[0].shape
        margin = np.float32(1.01 * (n_dimensions + 8) * 2.0**-24)
        best, place = empty_heaps((len(queries), min(k, (last - first) * length)), *TYPES)
        for b in range(first, last):
            for start in range(0, len(best), TILE):
                part = slice(start, start + TILE)
                products = queries[part] @ blocks[b].T
                found = best[part], place[part]
                keep_best(products, queries[part], blocks[b], alive[b], b * length, margin, *found)
        return best, place

    small = X.shape[0] * len(blocks) * len(blocks[0]) <= SMALL
    with threadpool_limits(1, user_api="blas"), interpreted(small):
        for number, (more, where) in enumerate(in_order(search, tasks(), n_jobs)):
            start = number // len(firsts) * n_queries
            rows = slice(start, start + n_queries)
            merge(best[rows], place[rows], more, where)
    best, place = ranked(best, place)
    return place, best + np.float32(0)  # no -0.0


def _read_only(rows: Floats) -> Floats:
    """Return a view that kernels know by one type, whether the rows are in memory or on disk."""
    view = rows.view()
    view.flags.writeable = False
    return view
