"""Graphs over documents and their Laplacians (LRWMMC §3 and §6, Eqs. 3.4 to 3.11 and 6.20).

A method that embeds documents says by a symmetric graph which of them should come close (negative weights)
and which should part (positive weights). What the embedding needs of it is the Laplacian L = D - W, D the row
sums of W: a sparse matrix, or an operator where the graph joins all pairs but has a low rank.

A *graph rule* is a function that turns the :class:`Regions` of documents into W, or into an operator that is
L itself. The estimators of this room take any rule, and a ready graph in its place.

The neighbour search is exact, and its time grows with the square of the number of documents. It holds no more
than the neighbours found so far, 24 bytes for each document, neighbour and worker, and one number for each
document and worker.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from textensor.base.arrays import Codes, Floats, normalize
from textensor.base.heap_kernels import empty_heaps, merge, ranked
from textensor.base.store import hash_of
from textensor.parallel import in_order
from textensor.reduce.graph import neighbour_kernels as kernels
from textensor.space.matrix import as_csr, csr_arrays

#: Rows of a kernel matrix that are scaled to cosines at a time.
KERNEL_ROWS = 256
#: Differences below this part of the largest weight of a graph are rounding, float32's too.
ROUNDING = 1e-5

#: What was searched for within :func:`neighbours_once`: the hash of documents and classes -> k, both regions.
_searched: ContextVar[dict[str, tuple[int, Any]] | None] = ContextVar("searched", default=None)


class Neighbours(NamedTuple):
    """For each document others, the most relevant first, and how relevant they are.

    If there are fewer than asked for, the rest of a row is -1.
    """

    indices: npt.NDArray[np.int32]
    relevance: Floats

    def first(self, k: int) -> "Neighbours":
        """Return the k most relevant ones of each document."""
        return Neighbours(self.indices[:, :k], self.relevance[:, :k])


@dataclass(frozen=True, eq=False)
class Regions:
    """The local relevant regions of documents, N_w (Eq. 3.4) and N_b (Eq. 3.5), found when asked for.

    Attributes
    ----------
    codes : ndarray of int of shape (n_documents,)
        The class of each document.
    find : callable
        Finds both regions.
    """

    codes: Codes
    find: Callable[[], "Found"]

    @cached_property
    def found(self) -> tuple[Neighbours, Neighbours]:
        """Both regions."""
        return self.find()

    @property
    def within(self) -> Neighbours:
        """The most relevant documents of the same class."""
        return self.found[0]

    @property
    def between(self) -> Neighbours:
        """The most relevant documents of other classes."""
        return self.found[1]

    def first(self, k: int) -> "Regions":
        """Return the regions of k documents: those that a search for k would find."""
        return Regions(self.codes, lambda: (self.within.first(k), self.between.first(k)))


Found = tuple[Neighbours, Neighbours]


@contextmanager
def neighbours_once() -> Iterator[None]:
    """Search only once for the neighbours of the same documents inside the block.

    For a search over k, the largest first: fewer neighbours are the first of them. What was found, 24 bytes
    for each document and neighbour, is kept until the block ends.
    """
    token = _searched.set({})
    try:
        yield
    finally:
        _searched.reset(token)


def _once(search: Callable[[], Found], n_neighbors: int, arrays: Sequence[npt.NDArray[Any]]) -> Found:
    """Return what a search finds in arrays, or what one for as many neighbours or more has found in them."""
    kept = _searched.get()
    if kept is None:
        return search()
    name = hash_of({}, arrays)
    if name not in kept or kept[name][0] < n_neighbors:
        kept[name] = n_neighbors, search()
    within, between = kept[name][1]
    return within.first(n_neighbors), between.first(n_neighbors)


#: The weights W of a graph, or an operator that is its Laplacian.
Graph = Any
GraphRule = Callable[[Regions], Graph]


def regions(X: Any, codes: npt.ArrayLike, n_neighbors: int, n_jobs: int | None = None) -> Regions:
    """Return the most relevant documents of the same class and of the others.

    Relevance is the cosine. Among equally relevant documents those of lower index come first, and a document
    that shares no term with any other has neighbours, too, of relevance 0.

    Parameters
    ----------
    X : array-like or sparse of shape (n_documents, n_terms)
        The documents.
    codes : array of int of shape (n_documents,)
        The class of each.
    n_neighbors : int
        How many; fewer if a class is smaller.
    n_jobs : int or None, default=None
        How many threads; the result does not depend on it.

    Examples
    --------
    >>> from textensor.reduce.graph.graphs import regions
    >>> found = regions([[1.0, 0], [1, 1], [0, 1], [1, 3]], [0, 0, 1, 1], 2)
    >>> found.within.indices
    array([[ 1, -1],
           [ 0, -1],
           [ 3, -1],
           [ 2, -1]], dtype=int32)
    >>> found.first(1).between.indices.ravel()
    array([3, 3, 1, 1], dtype=int32)
    """
    codes = np.asarray(codes)

    def find() -> Found:
        documents = as_csr(X)

        def search() -> Found:
            order = np.argsort(codes, kind="stable").astype(np.int32)
            rows = normalize(documents[order].astype(np.float64))
            scores, found = _sweep(rows, codes[order], order, n_neighbors, n_jobs)
            back = np.argsort(order)
            return _sorted_regions(scores[:, back], found[:, back])

        return _once(search, n_neighbors, [*csr_arrays(documents), codes])

    return Regions(codes, find)


def _sweep(
    rows: sp.csr_matrix, codes: Codes, names: npt.NDArray[np.int32], n_neighbors: int, n_jobs: int | None
) -> tuple[Floats, npt.NDArray[np.int32]]:
    """Return the heaps of all documents, which are sorted by class, after a sweep over all pairs."""
    n = rows.shape[0]
    columns = sp.csc_matrix(rows)
    arrays = csr_arrays(rows), csr_arrays(columns)
    after = _next_in_column(rows)
    ends = np.searchsorted(codes, codes, side="right")
    from joblib import effective_n_jobs  # here: it is slow to import

    n_workers = max(1, min(effective_n_jobs(n_jobs), n))

    def sweep(worker: int) -> tuple[Floats, npt.NDArray[np.int32]]:
        scores, found = _heaps(n, n_neighbors)
        kernels.sweep_pairs(worker, n_workers, *arrays, after, ends, names, scores, found)
        return scores, found

    scores, found = _heaps(n, n_neighbors)
    for more in in_order(sweep, range(n_workers), n_jobs):
        for region in range(2):
            merge(scores[region], found[region], *(heaps[region] for heaps in more))
    return scores, found


def kernel_regions(K: Floats, codes: npt.ArrayLike, n_neighbors: int, n_jobs: int | None = None) -> Regions:
    """Return the regions in the feature space of a kernel: relevance is K_ij / sqrt(K_ii K_jj)."""
    codes = np.asarray(codes)

    def search() -> Found:
        n = len(K)
        length = np.sqrt(np.maximum(K.diagonal(), 0))
        inverse = np.divide(1, length, out=np.zeros(n), where=length > 0)
        scores, found = _heaps(n, n_neighbors)

        def sweep(start: int) -> None:
            stop = min(start + KERNEL_ROWS, n)
            # The product of the two lengths first: it is the same from either side.
            relevance = K[start:stop] * (inverse[start:stop, None] * inverse)
            kernels.sweep_rows(start, relevance, codes, scores, found)

        for _ in in_order(sweep, range(0, n, KERNEL_ROWS), n_jobs):
            pass
        return _sorted_regions(scores, found)

    return Regions(codes, lambda: _once(search, n_neighbors, [K, codes]))


def relevance_graph(found: Regions) -> sp.csr_matrix:
    """Return the weights of LRWMMC (Eq. 3.7): r for pairs of two classes, r - 1 for pairs of one.

    A pair is there when either document names the other, and counts once.
    """
    within, between = _symmetric(found.within), _symmetric(found.between)
    within.data -= 1
    return sp.csr_matrix(between + within)


def unit_graph(found: Regions) -> sp.csr_matrix:
    """Return the weights of DNE (Eq. 3.11): 1 for pairs of two classes, -1 for pairs of one."""
    within, between = _symmetric(found.within), _symmetric(found.between)
    within.data[:] = -1
    between.data[:] = 1
    return sp.csr_matrix(between + within)


def class_scatter(found: Regions) -> LinearOperator:
    """Return the Laplacian of MMC, which needs classes only."""
    return ClassScatter(found.codes)


def nearest_graph(found: Regions) -> sp.csr_matrix:
    """Return the relevance of neighbours of the same class, with regions of one class of any (Eq. 6.20)."""
    return _symmetric(found.within)


def knn_graph(X: Any, n_neighbors: int, n_jobs: int | None = None) -> sp.csr_matrix:
    """Return the graph of nearest neighbours of any class, with cosines as weights (Eq. 6.20).

    A pair is there when either document names the other. Parameters are those of :func:`regions`.
    """
    return nearest_graph(regions(X, np.zeros(np.shape(X)[0], dtype=np.intp), n_neighbors, n_jobs))


def read_graph(graph: GraphRule | Any, found: Regions) -> Graph:
    """Return the graph that a rule makes of the regions of documents, or a ready one, checked.

    A ready graph is symmetric weights, documents x documents, or the Laplacian as an operator.
    """
    if callable(graph) and not isinstance(graph, LinearOperator):
        graph = graph(found)
    if not isinstance(graph, LinearOperator) and np.ndim(graph) != 2:
        raise ValueError(
            "A graph is a sparse matrix of documents x documents, or a rule that returns one, not "
            f"{graph!r:.80}."
        )
    n = len(found.codes)
    W = graph if isinstance(graph, LinearOperator) else as_csr(graph).astype(np.float64, copy=False)
    if W.shape != (n, n):
        raise ValueError(f"A graph of {n} labelled documents is {n} x {n}, not {W.shape[0]} x {W.shape[1]}.")
    if sp.issparse(W) and abs(W - W.T).max() > ROUNDING * abs(W).max():
        raise ValueError("A graph is symmetric, and this one is not: average it with its transpose.")
    return W


def laplacian(W: Graph) -> Graph:
    """Return D - W, D the row sums (Eq. 3.8); an operator is a Laplacian already.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from textensor.reduce.graph.graphs import laplacian
    >>> laplacian(sp.csr_matrix([[0.0, 2], [2, 0]])).toarray()
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    if isinstance(W, LinearOperator):
        return W
    return sp.csr_matrix(sp.diags(np.asarray(W.sum(axis=1)).ravel()) - W)


def normalized_laplacian(W: sp.csr_matrix) -> sp.csr_matrix:
    """Return I - D^-1/2 W D^-1/2 (Eq. 6.22), without the rows of documents that no weight joins to others.

    Such a document has no neighbour to be kept close to: its row is 0.
    """
    degree = np.asarray(W.sum(axis=1)).ravel()
    joined = degree > 0
    scale = sp.diags(np.divide(1, np.sqrt(np.maximum(degree, 0)), out=np.zeros(len(degree)), where=joined))
    return sp.csr_matrix(sp.diags(joined.astype(np.float64)) - scale @ W @ scale)


def embed_laplacian(L: Graph, places: npt.NDArray[np.intp], n: int) -> Graph:
    """Return the Laplacian of some documents as one of n, the others joined to nothing (Eq. 6.23)."""
    if isinstance(L, LinearOperator):
        m = len(places)
        spread = aslinearoperator(sp.csr_matrix((np.ones(m), (places, np.arange(m))), shape=(n, m)))
        return spread @ L @ spread.T
    L = sp.coo_matrix(L)
    return sp.csr_matrix((L.data, (places[L.row], places[L.col])), shape=(n, n))


class ClassScatter(LinearOperator):
    """The Laplacian of MMC: X L X^T is S_b - S_w, sums over documents.

    Its weights are 1/n - 2/n_l for pairs of one class and 1/n for others, which makes
    L = 2 E - I - 1 1^T / n, E the averages over classes: it is applied and never formed.
    """

    def __init__(self, codes: npt.ArrayLike) -> None:
        codes = np.asarray(codes)
        n = len(codes)
        self.members = sp.csr_matrix((np.ones(n), (codes, np.arange(n))))
        self.sizes = np.asarray(self.members.sum(axis=1))
        super().__init__(np.dtype(np.float64), (n, n))

    def _matmat(self, F: Floats) -> Floats:
        means = (self.members @ F) / np.maximum(self.sizes, 1)
        return 2 * (self.members.T @ means) - F - F.mean(axis=0)

    def _adjoint(self) -> "ClassScatter":
        return self


def _heaps(n: int, n_neighbors: int) -> tuple[Floats, npt.NDArray[np.int32]]:
    """Return empty heaps for both regions."""
    return empty_heaps((2, n, max(1, min(n_neighbors, n - 1))), np.float64, np.int32)


def _next_in_column(X: sp.csr_matrix) -> npt.NDArray[np.int64]:
    """Return for each nonzero, in the order of CSR, the place in CSC after its own."""
    numbered = sp.csr_matrix((np.arange(X.nnz), X.indices, X.indptr), shape=X.shape)
    after = np.empty(X.nnz, dtype=np.int64)
    after[sp.csc_matrix(numbered).data] = np.arange(1, X.nnz + 1)
    return after


def _sorted_regions(scores: Floats, found: npt.NDArray[np.int32]) -> tuple[Neighbours, Neighbours]:
    scores, found = ranked(scores, found)
    empty = scores == -np.inf
    found[empty], scores[empty] = -1, 0
    return Neighbours(found[0], scores[0]), Neighbours(found[1], scores[1])


def _symmetric(neighbours: Neighbours) -> sp.csr_matrix:
    """Return the relevance of all pairs of which either names the other; zeros are kept."""
    n = len(neighbours.indices)
    given = neighbours.indices.ravel() >= 0
    i = np.repeat(np.arange(n, dtype=np.int64), neighbours.indices.shape[1])[given]
    j = neighbours.indices.ravel()[given].astype(np.int64)
    pairs, first = np.unique(np.concatenate([i * n + j, j * n + i]), return_index=True)
    relevance = np.tile(neighbours.relevance.ravel()[given], 2)[first]
    return sp.csr_matrix((relevance, (pairs // n, pairs % n)), shape=(n, n))
