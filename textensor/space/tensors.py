"""A batch of documents as sparse tensors over one CSR matrix.

No tensor is ever built. A term's cell follows from the arrangement, so every operation is one pass
over the nonzeros of the matrix. Modes count from 1, as in the papers, for axis 0 is the documents.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Array
from textensor.base.kept import each, floats, require
from textensor.base.late.parts import clone
from textensor.space import tensor_kernels as kernels
from textensor.space.arrange import Arrangement
from textensor.space.matrix import as_csr, csr_arrays, sparse_result

#: No operation makes a dense array of more than this.
MAX_DENSE_BYTES = 1 << 32
#: The most coordinates of a document that a small model file may ask for, in all and without those of the
#: longest mode; trigrams have 19,683 and 729.
MAX_COORDINATES, MAX_OTHERS = 1 << 17, 1 << 11
#: The most numbers of the product of all factors but the longest.
MAX_PRODUCT = 1 << 21
#: What model files keep of factors and of their eigenvalues: an array for each mode.
FACTORS = each(floats("length_#", "rank_#"), list, "n_modes")
EIGENVALUES = each(floats("rank_#"), list, "n_modes")


class TermTensors:
    """Documents as tensors of any order >= 1.

    Parameters
    ----------
    X : array-like or sparse of shape (n_documents, n_terms)
        The documents; float32 stays float32.
    arrangement : Arrangement
        Fitted or not; one that is not is fitted on X, as a copy.

    Attributes
    ----------
    X : csr_matrix
        The documents.
    arrangement : Arrangement
        As fitted.
    shape : tuple of int
        Documents, then the lengths of the modes.

    Examples
    --------
    >>> import numpy as np
    >>> from textensor.space import Arrangement, TermTensors
    >>> documents = TermTensors([[1.0, 2, 3, 4, 5, 6]], Arrangement("given", shape=(3, 2)))
    >>> documents.to_dense()[0]
    array([[1., 4.],
           [2., 5.],
           [3., 6.]])
    >>> documents.contract(1, np.ones(3))
    array([[ 6., 15.]])
    """

    def __init__(self, X: Any, arrangement: Arrangement) -> None:
        X = as_csr(X)
        if not hasattr(arrangement, "permutation_"):
            arrangement = clone(arrangement).place(X)
        self.X = arrangement.augment(X)
        self.arrangement = arrangement
        self.shape = (self.X.shape[0], *arrangement.shape_)
        self._indices = arrangement.indices()

    def __getitem__(self, rows: slice | Array) -> "TermTensors":
        """Return some of the documents."""
        part = object.__new__(TermTensors)
        part.X, part.arrangement, part._indices = self.X[rows], self.arrangement, self._indices
        part.shape = (part.X.shape[0], *self.shape[1:])
        return part

    @property
    def order(self) -> int:
        """The number of modes."""
        return len(self.shape) - 1

    def contract(self, mode: int, vector: npt.ArrayLike) -> Array:
        """Sum over one mode, weighted by a vector: an array of documents x the other modes."""
        v = self._factor(mode, vector)
        rest = self._others(mode)
        columns, n_columns = self._linear_index(rest, "C")
        out = self._scatter(v[self._indices[mode - 1]], columns, n_columns)
        return out.reshape(self.shape[0], *(self.shape[m] for m in rest))

    def contract_all_but(self, mode: int, vectors: Sequence[npt.ArrayLike | None]) -> Array:
        """Sum over every mode but one, each weighted by its vector: an array of documents x that mode.

        There is one vector for each mode; the one of the mode that stays is not looked at.
        """
        if len(vectors) != self.order:
            raise ValueError(f"There are {len(vectors)} vectors for {self.order} modes.")
        self._check_mode(mode)
        weights = np.ones(self.X.shape[1], dtype=self.X.dtype)
        for other in self._others(mode):
            weights *= self._factor(other, vectors[other - 1])[self._indices[other - 1]]
        return self._scatter(weights, self._indices[mode - 1], self.shape[mode])

    def gram(self, mode: int) -> npt.NDArray[np.float64]:
        """Return the sum over documents of X_(k) X_(k)^T, of a mode's length squared, in float64.

        X_(k) is a document unfolded along mode k. For a matrix, modes 1 and 2 give the sums of
        X X^T and of X^T X.
        """
        self._check_mode(mode)
        _refuse_if_large((self.shape[mode], self.shape[mode]), 8)
        out = np.zeros((self.shape[mode], self.shape[mode]))
        self.add_gram(mode, out)
        kernels.symmetrize(out)
        return out

    def add_gram(self, mode: int, half: npt.NDArray[np.float64]) -> None:
        """Add these documents' part of a gram to a running sum H, which stands for H + H^T.

        Documents are added one after the other, so that the sum has the same bits however they are cut
        into batches.
        """
        columns, n_columns = self._linear_index(self._others(mode), "C")
        if n_columns > np.iinfo(np.int32).max:  # the kernel packs a column into 31 bits
            columns = np.unique(columns, return_inverse=True)[1]
        kernels.gram(*csr_arrays(self.X), self._indices[mode - 1], columns, half)

    def unfold(self, mode: int) -> Any:
        """Return all documents unfolded along a mode, side by side: its length x (the others * documents).

        Among the columns the documents run slowest and the first of the other modes runs fastest.
        """
        self._check_mode(mode)
        columns, n_columns = self._linear_index(self._others(mode), "F")
        _refuse_if_large((self.shape[mode] + 1,), 8)
        if n_columns * self.shape[0] > np.iinfo(np.int64).max:
            raise ValueError(
                f"The unfolding has {n_columns * self.shape[0]} columns, more than 64 bits count."
            )
        document = np.repeat(np.arange(self.shape[0], dtype=np.int64), np.diff(self.X.indptr))
        at = columns[self.X.indices] + document * n_columns
        rows = self._indices[mode - 1][self.X.indices]
        shape = self.shape[mode], n_columns * self.shape[0]
        return sparse_result(sp.csr_matrix((self.X.data, (rows, at)), shape=shape))

    def project(
        self, factors: Sequence[npt.ArrayLike | None], cells: npt.NDArray[np.integer[Any]] | None = None
    ) -> Array:
        """Multiply every mode by the transpose of its factor: documents x r1 x ... x rk.

        Parameters
        ----------
        factors : sequence
            For each mode an array of (its length, r), or None to leave the mode as it is.
        cells : ndarray of shape (n_cells, order) or None
            Cells of the r1 x ... x rk grid: the result is then documents x n_cells, and no more than these
            is kept.
        """
        projection, lengths, lead = self._projection(factors)
        kept = np.indices(lengths).reshape(self.order, -1) if cells is None else np.asarray(cells).T
        _refuse_if_large((self.shape[0], kept.shape[1]), self.X.dtype.itemsize)
        out = np.empty((self.shape[0], kept.shape[1]), dtype=self.X.dtype)
        at_rest = np.zeros(kept.shape[1], dtype=np.intp)
        for mode in self._others(lead):
            at_rest = at_rest * lengths[mode - 1] + kept[mode - 1]
        kernels.project_cells(*projection, at_rest, kept[lead - 1].astype(np.intp), out)
        return out.reshape(self.shape[0], *lengths) if cells is None else out

    def squares(self, factors: Sequence[npt.ArrayLike | None]) -> npt.NDArray[np.float64]:
        """Return the sum over documents of their squared projections: r1 x ... x rk, in float64."""
        projection, lengths, lead = self._projection(factors)
        others = [lengths[mode - 1] for mode in self._others(lead)]
        total = np.zeros((prod(others), lengths[lead - 1]))
        kernels.project_squares(*projection, total)
        return np.moveaxis(total.reshape(*others, -1), -1, lead - 1)

    def _projection(self, factors: Sequence[npt.ArrayLike | None]) -> tuple[Any, tuple[int, ...], int]:
        """Return what the kernels of a projection take, the lengths it leaves, and the mode that leads.

        The longest mode leads: its factor multiplies single terms, the product of the others whole columns.
        """
        if len(factors) != self.order:
            raise ValueError(f"There are {len(factors)} factors for {self.order} modes.")
        given = [
            self._factor(mode, np.eye(self.shape[mode]) if factor is None else factor, ndim=2)
            for mode, factor in enumerate(factors, start=1)
        ]
        lengths = tuple(factor.shape[1] for factor in given)
        lead = int(np.argmax(self.shape[1:])) + 1
        others = self._others(lead)
        columns, first = self._used_columns(others)
        _refuse_if_large((len(first), prod(lengths[m - 1] for m in others)), self.X.dtype.itemsize)
        rest = np.ones((len(first), 1), dtype=self.X.dtype)
        for mode in others:
            factor = given[mode - 1][self._indices[mode - 1][first]]
            rest = (rest[:, :, None] * factor[:, None, :]).reshape(
                len(first), rest.shape[1] * factor.shape[1]
            )
        arrays = *csr_arrays(self.X), self._indices[lead - 1], columns, given[lead - 1], rest
        n_slots = min(int(np.diff(self.X.indptr).max(initial=0)), len(first))
        n_lead, n_rest = lengths[lead - 1], rest.shape[1]
        sizes = (n_slots, n_lead), (n_slots, n_rest), (n_rest, n_lead)
        room = [np.empty(size, dtype=self.X.dtype) for size in sizes]
        return (*arrays, np.full(len(first), -1, dtype=np.int64), *room), lengths, lead

    def to_dense(self) -> Array:
        """Return the tensors themselves, for small batches."""
        columns, n_columns = self._linear_index(tuple(range(1, self.order + 1)), "C")
        return self._scatter(np.ones(self.X.shape[1], dtype=self.X.dtype), columns, n_columns).reshape(
            self.shape
        )

    def _scatter(self, weights: Array, columns: Array, n_columns: int) -> Array:
        """Add every nonzero, times its term's weight, to its term's column of a dense array."""
        _refuse_if_large((self.shape[0], n_columns), self.X.dtype.itemsize)
        out = np.zeros((self.shape[0], n_columns), dtype=self.X.dtype)
        kernels.scatter(*csr_arrays(self.X), weights, columns, out)
        return out

    def _linear_index(self, modes: tuple[int, ...], order: Any) -> tuple[Array, int]:
        """Return for each term the place of its cell in the grid of some modes, and the size of that grid."""
        lengths = tuple(self.shape[m] for m in modes)
        if not modes:
            return np.zeros(self.X.shape[1], dtype=np.intp), 1
        place = np.ravel_multi_index(tuple(self._indices[m - 1] for m in modes), lengths, order=order)
        return place, prod(lengths)

    def _used_columns(self, modes: tuple[int, ...]) -> tuple[Array, Array]:
        """Return for each term the number of its column among those in use, and one term of each of these.

        The grid may be far larger than the documents: its empty columns take no memory.
        """
        terms = np.flatnonzero(np.bincount(self.X.indices, minlength=self.X.shape[1]))
        place, _ = self._linear_index(modes, "C")
        _, first, number = np.unique(place[terms], return_index=True, return_inverse=True)
        columns = np.zeros(self.X.shape[1], dtype=np.intp)
        columns[terms] = number
        return columns, terms[first]

    def _others(self, mode: int) -> tuple[int, ...]:
        return tuple(m for m in range(1, self.order + 1) if m != mode)

    def _check_mode(self, mode: int) -> None:
        if not 1 <= mode <= self.order:
            raise ValueError(f"There is no mode {mode}: modes count from 1 to {self.order}.")

    def _factor(self, mode: int, values: npt.ArrayLike | None, ndim: int = 1) -> Array:
        """Return a mode's vector or matrix, checked, in the dtype of the documents."""
        self._check_mode(mode)
        factor = np.ascontiguousarray(values, dtype=self.X.dtype)
        if factor.ndim != ndim or factor.shape[0] != self.shape[mode]:
            raise ValueError(
                f"What multiplies mode {mode}, of length {self.shape[mode]}, has the shape {factor.shape}."
            )
        return factor


def _refuse_if_large(shape: tuple[int, ...], item_bytes: int) -> None:
    """Say that an array would not fit before it is tried."""
    n_bytes = prod(shape) * item_bytes
    if n_bytes > MAX_DENSE_BYTES:
        size = f"{n_bytes / 2**30:.1f} GiB, over the limit of {MAX_DENSE_BYTES / 2**30:.0f}"
        raise MemoryError(f"A dense array of {shape} takes {size}: take fewer documents or another shape.")


def check_core(factors: Sequence[Array]) -> None:
    """Refuse the factors of a small file whose core would take much memory: many short modes."""
    ranks, total = [factor.shape[1] for factor in factors], sum(factor.size for factor in factors)
    lengths = [len(factor) for factor in factors]
    others = prod(ranks) // ranks[int(np.argmax(lengths))]
    small = prod(ranks) <= max(MAX_COORDINATES, total) and others <= max(MAX_OTHERS, total)
    small = small and others * prod(lengths) // max(lengths) <= max(MAX_PRODUCT, total)
    require(small, f"it has {prod(ranks)} coordinates, over the limit")
