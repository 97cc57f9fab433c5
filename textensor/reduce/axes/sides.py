"""The operator whose largest eigenvalues are wanted, on the side where vectors are short.

Axes a maximise a^T X L X^T a. They lie in the span of the documents, a = X c, so a vector may be an axis, as
long as there are terms, or its coefficients c, as long as there are documents. The inner product of the
latter is c^T G c', G = X^T X, and in it the operator c -> L G c is symmetric.
"""

from itertools import pairwise
from math import ceil
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.parallel import Run

#: About how many rows of a product are one task.
ROWS = 2048
#: The part of its squared length that a document has in a term of its own.
RIDGE = 1e-9
#: An axis of less than this in the terms that documents have is one in those that were added.
HALF = 0.5


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

    Documents that depend on others, as those that are there twice, make G singular: coefficients that cancel
    add nothing to an axis, and would grow until rounding is all there is. So every document is given a term
    of its own, of next to no weight, that makes it independent; :meth:`axes` takes it away again.
    """

    euclidean = False

    def __init__(self, X: sp.csr_matrix, L: Any, run: Run) -> None:
        self.size = X.shape[0]
        frequency = np.bincount(X.indices, minlength=X.shape[1])
        own = X[:, frequency == 1]
        self.own = _squares(own)
        self.ridge = RIDGE * _squares(X)
        order = np.argsort(-frequency, kind="stable")
        shared = sp.csr_matrix(X[:, order[frequency[order] > 1]])
        self.X, self.XT, self.L = (Product(M, run) for M in (shared, sp.csr_matrix(shared.T), L))

    def gram(self, V: Floats) -> Floats:
        """Return G V."""
        return self.X @ (self.XT @ V) + self.own * V

    def metric(self, V: Floats) -> Floats:
        """Return G V, with the terms that were added."""
        return self.gram(V) + self.ridge * V

    def operate(self, SV: Floats) -> Floats:
        """Return L G V."""
        return self.L @ SV

    def random(self, rng: np.random.Generator, n: int) -> Floats:
        """Return random coefficients."""
        return rng.standard_normal((self.size, n))

    def axes(self, c: Floats) -> tuple[Floats, Floats]:
        """Return the eigenvalues and coefficients of axes without the terms that were added.

        They are those of the criterion within the span of the axes found; one that lay in these terms is left
        out, unless all did.
        """
        Gc = self.gram(c)
        s, U = np.linalg.eigh(c.T @ Gc)
        kept = s > min(HALF, s[-1] / 2)
        U = U[:, kept] / np.sqrt(s[kept])
        values, V = np.linalg.eigh(U.T @ (Gc.T @ (self.L @ Gc)) @ U)
        return values[::-1], c @ (U @ V[:, ::-1])


class KernelSide(DocumentSide):
    """The same with a kernel matrix for G."""

    def __init__(self, K: Floats, L: Any, run: Run) -> None:
        self.size = len(K)
        self.K, self.L = Product(K, run), Product(L, run)
        self.ridge = RIDGE * K.diagonal().reshape(-1, 1)

    def gram(self, V: Floats) -> Floats:
        """Return K V."""
        return self.K @ V


def _squares(X: sp.csr_matrix) -> Floats:
    """Return the squared lengths of rows, one to a line."""
    return np.asarray(X.multiply(X).sum(axis=1)).reshape(-1, 1)
