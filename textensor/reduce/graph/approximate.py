"""An approximate neighbour search for large sets of documents: a bounded walk for each term of each.

A term is walked only through a list of the documents that it weighs most in. For the neighbours of the same
class it has one list in each class, for those of other classes one over all, in which every class has its
share. What the lists add up to ranks the documents met. The best of them are candidates, and the cosines with
these are computed in full: the search may miss a neighbour, but a relevance that it gives is exact, to the
last bit. In classes that are no larger than the number of candidates all documents are candidates. Where the
lists do not lead to as many documents as there should be neighbours, and lack none, the others share no term:
those of lowest index are taken, of relevance 0, as by the exact search. Where they do lack some, all
documents are candidates.

It is for sparse text. Where every document has every term, as in dense coordinates, a list leaves nearly all
of them out, and most neighbours are missed.

Nothing is drawn at random. To make the lists takes about 75 bytes for each nonzero of the documents, and each
worker 16 bytes for each document and 8 for each term.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.parallel import in_order
from textensor.reduce.graph import neighbour_kernels as kernels
from textensor.space.matrix import csr_arrays

__all__ = ["search_lists"]

#: Entries of a list: a term is walked through that many of its documents, in the list over all up to twice.
HEAVIEST = 300
#: Candidates are two for each neighbour wanted, and this many more.
MORE_CANDIDATES = 20
#: Documents that a task looks up the neighbours of.
BLOCK = 2048

Codes = npt.NDArray[np.intp]
#: Where each starts, the documents, the values, and whether it lacks some.
Lists = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.bool_]]


def search_lists(
    rows: sp.csr_matrix, codes: Codes, names: npt.NDArray[np.int32], heaps: Any, n_jobs: int | None
) -> None:
    """Fill the heaps of both regions of each document.

    Parameters
    ----------
    rows : csr_matrix of shape (n_documents, n_terms)
        The documents, of unit length, sorted by class.
    codes : array of shape (n_documents,)
        The class of each.
    names : array of shape (n_documents,)
        For each its index to the outside.
    heaps : scores and found
        For 0 the same and 1 other classes, the heaps of each document, empty.
    n_jobs : int or None
        How many threads; the result does not depend on it.
    """
    n, n_terms = rows.shape
    scores, found = heaps
    arrays = csr_arrays(rows)
    classes, number = np.unique(codes, return_inverse=True)
    spans = *(np.searchsorted(codes, codes, side=side) for side in ("left", "right")), number
    n_candidates = min(n, 2 * scores.shape[2] + MORE_CANDIDATES)
    for region, (numbers, lists) in enumerate(_lists_of_regions(rows, codes)):
        # A document itself may be among them, and as many as were met, fewer than there should be neighbours.
        first_names = _first_names(number, len(classes), names, 2 * scores.shape[2] + 1, same=region == 0)

        def look_up(
            start: int,
            region: int = region,
            numbers: Any = numbers,
            lists: Lists = lists,
            first: Any = first_names,
        ) -> None:
            kernels.look_up(
                start,
                min(start + BLOCK, n),
                region == 0,
                (*arrays, numbers),
                lists,
                spans,
                names,
                first,
                n_terms,
                n_candidates,
                scores[region],
                found[region],
            )

        for _ in in_order(look_up, range(0, n, BLOCK), n_jobs):
            pass


def _lists_of_regions(rows: sp.csr_matrix, codes: Codes) -> Iterator[tuple[npt.NDArray[np.int32], Lists]]:
    """Yield for both regions the number of the list of each nonzero, and the lists."""
    code = np.repeat(codes.astype(np.int64), np.diff(rows.indptr))
    of_class = np.unique(code * rows.shape[1] + rows.indices, return_inverse=True)[1].astype(np.int32)
    rank_in_class = _ranks(rows, of_class)
    yield of_class, _lists(rows, of_class, rank_in_class < HEAVIEST)
    share = HEAVIEST // len(np.unique(codes))
    of_term = rows.indices.astype(np.int32, copy=False)
    yield of_term, _lists(rows, of_term, (_ranks(rows, of_term) < HEAVIEST) | (rank_in_class < share))


def _first_names(
    number: Codes, n_classes: int, names: npt.NDArray[np.int32], count: int, *, same: bool
) -> npt.NDArray[np.intp]:
    """Return for each class the documents of lowest name that are of it, or of others; the rest is -1."""
    by_name = np.argsort(names, kind="stable")
    first = np.full((n_classes, count), -1)
    for k in range(n_classes):
        found = by_name[(number[by_name] == k) == same][:count]
        first[k, : len(found)] = found
    return first


def _ranks(rows: sp.csr_matrix, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return for each nonzero its rank in its list, the heaviest first, then the earliest document."""
    order = np.lexsort((-np.abs(rows.data), numbers))
    place = np.arange(len(order), dtype=np.int64)
    starts = np.diff(numbers[order], prepend=-1) > 0
    ranks = np.empty_like(place)
    ranks[order] = place - np.maximum.accumulate(np.where(starts, place, 0))
    return ranks


def _lists(rows: sp.csr_matrix, numbers: npt.NDArray[np.int32], kept: npt.NDArray[np.bool_]) -> Lists:
    """Return the lists of the nonzeros kept."""
    chosen = np.flatnonzero(kept)
    chosen = chosen[np.argsort(numbers[chosen], kind="stable")]
    documents = np.repeat(np.arange(rows.shape[0], dtype=np.int32), np.diff(rows.indptr))
    starts = np.zeros(numbers.max(initial=-1) + 2, dtype=np.int64)
    lengths, whole = (np.bincount(those, minlength=len(starts) - 1) for those in (numbers[chosen], numbers))
    np.cumsum(lengths, out=starts[1:])
    return starts, documents[chosen], rows.data[chosen], lengths < whole
