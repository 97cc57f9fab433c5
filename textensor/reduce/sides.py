"""The operator whose largest eigenvalues are wanted, on the side where vectors are short.

Axes a maximise a^T X L X^T a. They lie in the span of the documents, a = X c, so a vector may be an axis, as
long as there are terms, or its coefficients c, as long as there are documents. The inner product of the
latter is c^T G c', G = X^T X, and in it the operator c -> L G c is symmetric.
"""

from itertools import pairwise
from math import ceil
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from textensor.parallel import Run

__all__ = ["DocumentSide", "Floats", "KernelSide", "Side", "TermSide", "row_blocks"]

#: About how many rows of a product are one task.
ROWS = 2048
#: Where the cosine of two documents is within this of 1, or random projections of both, of unit length, are
#: this close, they are taken to be one but for their length.
SAME, CLOSE = 1e-12, 1e-6
TINY = np.finfo(np.float64).tiny

Floats = npt.NDArray[np.float64]


def row_blocks(n: int) -> list[slice]:
    """Cut n rows into an even number of blocks, which depends on nothing else.

    Sums go over these in order, so that the number of workers never shows.
    """
    cuts = np.linspace(0, n, 2 * ceil(n / (2 * ROWS)) + 1).astype(int)
    return [slice(start, stop) for start, stop in pairwise(cuts.tolist())]


def _even_blocks(matrix: Any) -> list[slice]:
    """Cut the rows of a matrix into blocks of about as many nonzeros each."""
    if not sp.issparse(matrix):
        return row_blocks(matrix.shape[0])
    n_blocks = len(row_blocks(matrix.shape[0]))
    cuts = np.searchsorted(matrix.indptr, np.linspace(0, matrix.nnz, n_blocks + 1)[1:-1])
    return [slice(start, stop) for start, stop in pairwise([0, *cuts.tolist(), matrix.shape[0]])]


class Side(Protocol):
    """Where the vectors live: the operator, and the inner product x^T S y that makes it symmetric."""

    size: int
    euclidean: bool  # whether S is the identity

    def metric(self, V: Floats) -> Floats:
        """Return S V."""
        ...

    def operate(self, SV: Floats) -> Floats:
        """Return the operator applied to V, given S V."""
        ...

    def random(self, rng: np.random.Generator, n: int) -> Floats:
        """Return random vectors in the span that axes come from."""
        ...


class Product:
    """A matrix that multiplies by blocks of rows, several at a time; an operator multiplies as it does."""

    def __init__(self, matrix: Any, run: Run) -> None:
        self.shape = matrix.shape
        self.whole = None if sp.issparse(matrix) or isinstance(matrix, np.ndarray) else matrix
        self.parts = [] if self.whole is not None else [(rows, matrix[rows]) for rows in _even_blocks(matrix)]
        self.run = run

    def __matmul__(self, V: Floats) -> Floats:
        """Return the product with a block of vectors."""
        if self.whole is not None:
            return self.whole @ V
        out = np.empty((self.shape[0], V.shape[1]))

        def fill(part: tuple[slice, Any]) -> None:
            rows, matrix = part
            out[rows] = matrix @ V

        self.run(fill, self.parts)
        return out


class TermSide:
    """Axes themselves: a -> X L X^T a."""

    euclidean = True

    def __init__(self, X: Any, L: Any, run: Run) -> None:
        self.size = X.shape[1]
        XT = sp.csr_matrix(X.T) if sp.issparse(X) else X.T
        self.X, self.XT, self.L = (Product(M, run) for M in (X, XT, L))

    def metric(self, V: Floats) -> Floats:
        """Return V."""
        return V

    def operate(self, SV: Floats) -> Floats:
        """Return X L X^T V."""
        return self.XT @ (self.L @ (self.X @ SV))

    def random(self, rng: np.random.Generator, n: int) -> Floats:
        """Return random sums of documents."""
        return self.XT @ rng.standard_normal((self.X.shape[0], n))


class DocumentSide:
    """Coefficients c of axes a = X c: c -> L G c in the inner product of G = X^T X.

    A term of one document adds only to the diagonal of G; such terms are half of a vocabulary. The others are
    put in the order of their frequency, so that what most products need lies close together in memory.

    Documents that are one but for their length make G singular: coefficients that cancel add nothing to an
    axis, but what the operator gives has such a part, which grows beside the rest as the axes settle until
    rounding is all there is. So it is taken away.
    """

    euclidean = False

    def __init__(self, X: sp.csr_matrix, L: Any, run: Run) -> None:
        self.size = X.shape[0]
        frequency = np.bincount(X.indices, minlength=X.shape[1])
        own = X[:, frequency == 1]
        self.own = np.asarray(own.multiply(own).sum(axis=1)).reshape(-1, 1)
        order = np.argsort(-frequency, kind="stable")
        shared = sp.csr_matrix(X[:, order[frequency[order] > 1]])
        self.X, self.XT, self.L = (Product(M, run) for M in (shared, sp.csr_matrix(shared.T), L))
        self.distinct = _distinct(*_same_rows(X))

    def metric(self, V: Floats) -> Floats:
        """Return G V."""
        return self.X @ (self.XT @ V) + self.own * V

    def operate(self, SV: Floats) -> Floats:
        """Return L G V, less what cancels."""
        return self._without_what_cancels(self.L @ SV)

    def random(self, rng: np.random.Generator, n: int) -> Floats:
        """Return random coefficients, none that cancel."""
        return self._without_what_cancels(rng.standard_normal((self.size, n)))

    def _without_what_cancels(self, V: Floats) -> Floats:
        return V if self.distinct is None else np.asarray(self.distinct @ (self.distinct.T @ V))


class KernelSide(DocumentSide):
    """The same with a kernel matrix for G."""

    def __init__(self, K: Floats, L: Any, run: Run) -> None:
        self.size = len(K)
        self.K, self.L = Product(K, run), Product(L, run)
        self.distinct = _distinct(*_same_kernels(K))

    def metric(self, V: Floats) -> Floats:
        """Return K V."""
        return self.K @ V


def _same_rows(X: sp.csr_matrix) -> tuple[npt.NDArray[np.int32], Floats]:
    """Return the groups of documents that are one but for their length, and lengths, less than 0 if turned.

    Random projections of such documents are the same, and those of others are not.
    """
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    seen = (X @ np.random.default_rng(0).standard_normal((X.shape[1], 4))) / np.maximum(lengths, TINY)[
        :, None
    ]
    turned = np.where(seen[:, 0] < 0, -1.0, 1.0)
    seen *= turned[:, None]
    order = np.argsort(seen[:, 0], kind="stable")
    new = (np.abs(np.diff(seen[order], axis=0)) > CLOSE).any(axis=1)
    group = np.empty(len(order), dtype=np.int32)
    group[order] = np.cumsum(np.r_[0, new])
    return group, lengths * turned


def _same_kernels(K: Floats) -> tuple[npt.NDArray[np.int32], Floats]:
    """Return the same of documents by their kernels."""
    lengths = np.sqrt(np.maximum(K.diagonal(), 0))
    least = np.where(lengths > 0, lengths, np.inf)  # documents of length 0 are one with nobody
    found = [
        np.argwhere(np.abs(K[rows]) >= (1 - SAME) * least[rows, None] * least) + np.array([rows.start, 0])
        for rows in row_blocks(len(K))
    ]
    i, j = np.concatenate(found).T
    group = connected_components(sp.coo_matrix((np.ones(len(i)), (i, j)), shape=K.shape))[1]
    first = np.unique(group, return_index=True)[1][group]
    return group, lengths * np.where(K[np.arange(len(K)), first] < 0, -1, 1)


def _distinct(group: npt.NDArray[np.int32], lengths: Floats) -> sp.csr_matrix | None:
    """Return for each group a column of unit length, in it its documents' lengths; None if none has two."""
    n_groups = int(group.max(initial=-1)) + 1
    if n_groups == len(group):
        return None
    squares = np.sqrt(np.bincount(group, lengths**2))[group]
    values = np.divide(lengths, squares, out=np.zeros(len(group)), where=squares > 0)
    return sp.csr_matrix((values, (np.arange(len(group)), group)), shape=(len(group), n_groups))
