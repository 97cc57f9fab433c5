"""What counts weigh: everything between counts and a weighted matrix."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.checks import one_of
from textensor.parallel import in_order
from textensor.space.matrix import sparse_result
from textensor.space.text import term_kernels as kernels
from textensor.space.text.characters import are_marked
from textensor.space.text.table import Terms

#: The length of a row.
NORM = one_of("l2", "l1", None)
#: The inverse document frequency of a term: log(n / df), none, or scikit-learn's log((1 + n) / (1 + df)) + 1.
WEIGHTING = one_of("tfidf", "tf", "smooth")
#: Counts above this are rare: only those that occur are given a weight.
_COMMON = 1 << 12

Columns = npt.NDArray[np.int32]
Rows = tuple[npt.NDArray[Any], Columns, npt.NDArray[Any]]


def inverse_document_frequency(
    weighting: str, n_documents: int, df: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the weight of each term, given in how many documents it occurs.

    Examples
    --------
    >>> inverse_document_frequency("tfidf", 4, np.array([1, 4, 0])).round(3)
    array([1.386, 0.   , 0.   ])
    >>> inverse_document_frequency("smooth", 4, np.array([1, 4, 0])).round(3)
    array([1.916, 1.   , 2.609])
    """
    if weighting == "smooth":
        return np.log((1 + n_documents) / (1 + df)) + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(df > 0, np.log(n_documents / df), 0.0)


def into_columns(rows: Rows, columns: Columns) -> Rows:
    """Put the terms of counted rows into columns, sorted; those whose column is -1 are left out."""
    order = np.flatnonzero(columns >= 0)
    order = order[np.argsort(columns[order])]
    found, heads = np.zeros(len(rows[0]), dtype=np.int64), np.zeros(len(columns) + 1, dtype=np.int64)
    documents, numbers, indices, counts = (np.empty(len(rows[1]), dtype=np.int32) for _ in range(4))
    kernels.sort_rows(*rows, columns, order, found, heads, documents, numbers, indices, counts)
    return found, indices[: found[-1]], counts[: found[-1]]


class Weights(NamedTuple):
    """What turns counts into weights.

    ``idf`` has a weight for each column, in the dtype of the matrix; ``second`` says which columns are of a
    second kind, and is empty if there is none; ``same`` has the number of each column. ``options`` are
    binary, sublinear_tf and norm.
    """

    idf: npt.NDArray[Any]
    second: npt.NDArray[np.bool_]
    same: Columns
    options: Any

    @classmethod
    def made(cls, terms: Terms, idf: npt.NDArray[Any] | None, dtype: npt.DTypeLike, options: Any) -> Self:
        """Return the weights of terms in the order of columns; without idf each term weighs 1."""
        beside_words = options.char_ngram_range is not None
        second = are_marked(terms) if beside_words else np.zeros(0, dtype=bool)
        weights = np.ones(len(terms), dtype=dtype) if idf is None else idf.astype(dtype)
        return cls(weights, second, np.arange(len(terms), dtype=np.int32), options)

    def of(self, rows: Rows, columns: Columns | None = None, room: Any = None) -> Rows:
        """Weigh sorted rows of counts, given the new column of each column if it changes.

        ``room`` are arrays for the columns and the weights, if not new ones.
        """
        indptr, indices, counts = rows
        highest = int(counts.max(initial=0))
        values = np.arange(highest + 1) if highest <= _COMMON else np.unique(counts)
        if highest > _COMMON:
            counts = np.searchsorted(values, counts).astype(np.int32)
        tf = (values > 0 if self.options.binary else values).astype(self.idf.dtype)
        if self.options.sublinear_tf:
            tf = np.log(np.maximum(tf, 1)) + 1
        power = {"l2": 2, "l1": 1, None: 0}[self.options.norm]
        columns = self.same if columns is None else columns
        found = np.zeros(len(indptr), dtype=np.int64)
        new, data = self._room(len(indices)) if room is None else room
        given = indptr, indices, counts, columns, tf, self.idf, self.second, power
        kernels.weigh_rows(*given, found, new, data)
        return found, new[: found[-1]], data[: found[-1]]

    def of_blocks(
        self,
        sizes: Sequence[tuple[int, int]],
        block: Callable[[int], tuple[Rows, Columns | None]],
        n_jobs: int | None,
    ) -> Any:
        """Return the matrix of all blocks of documents, weighed in parallel.

        ``sizes`` has the number of documents of each block and the number of entries that it has at most;
        ``block`` returns the sorted rows of one, and their new columns. All blocks are written into the same
        arrays, then the gaps between them are closed: that takes half the memory of joining matrices.
        """
        ends = np.cumsum([(0, 0), *sizes], axis=0, dtype=np.int64)
        indices, data = self._room(ends[-1, 1])
        indptr = np.zeros(ends[-1, 0] + 1, dtype=np.int64)

        def weighed(k: int) -> Rows:
            part = slice(ends[k, 1], ends[k + 1, 1])
            return self.of(*block(k), (indices[part], data[part]))

        n = 0
        for k, (rows, columns, weights) in enumerate(in_order(weighed, range(len(sizes)), n_jobs)):
            indptr[ends[k, 0] + 1 : ends[k + 1, 0] + 1] = n + rows[1:]
            part = slice(n, n + len(weights))
            if n < ends[k, 1]:
                indices[part], data[part] = columns, weights
            n = part.stop
        if 4 * n < 3 * len(data):
            return self.matrix((indptr, indices[:n].copy(), data[:n].copy()))
        return self.matrix((indptr, indices[:n], data[:n]))

    def _room(self, length: int) -> tuple[Columns, npt.NDArray[Any]]:
        return np.empty(length, dtype=np.int32), np.empty(length, dtype=self.idf.dtype)

    def matrix(self, rows: Rows) -> Any:
        """Return weighed rows as a matrix."""
        indptr, indices, data = rows
        shape = len(indptr) - 1, len(self.idf)
        return sparse_result(sp.csr_matrix((data, indices, indptr), shape=shape))
