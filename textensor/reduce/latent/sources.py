"""Where the documents come from: a matrix, batches that can be read again, parts on many workers, a stream.

Each source gives sums over its documents; what is fitted on them is in the reducers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import add
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.parallel import in_order, tree_reduce
from textensor.reduce.latent.moments import Moments
from textensor.space.arrange import Arrangement, document_frequency
from textensor.space.csr_files import read_csr
from textensor.space.matrix import as_csr
from textensor.space.tensors import TermTensors

Sum = TypeVar("Sum")

#: How many documents a thread takes at a time.
BLOCK = 512
#: A first estimate of which pairs matter comes from this many documents.
GLIMPSE = 512
#: How many documents a stream leaves behind for the choice of pairs.
SAMPLE = 4096
NOTHING_THERE = "There are no {} to learn from."


def squares(tensors: TermTensors, factors: Sequence[Floats], n_jobs: int | None = None) -> Floats:
    """Return the sum over documents of their squared projections, block by block in a fixed order."""
    blocks = (tensors[start : start + BLOCK] for start in range(0, tensors.shape[0], BLOCK))
    total = np.zeros([factor.shape[1] for factor in factors])
    for part in in_order(lambda block: block.squares(factors), blocks, n_jobs):
        total += part
    return total


def gram(tensors: TermTensors, factors: Sequence[Floats], cells: Any, n_jobs: int | None = None) -> Floats:
    """Return the sum over documents of z z^T, z some cells of their projections, block by block in order."""
    blocks = (tensors[start : start + BLOCK] for start in range(0, tensors.shape[0], BLOCK))
    total = np.zeros((len(cells), len(cells)))
    for Z in in_order(lambda block: block.project(factors, cells).astype(np.float64), blocks, n_jobs):
        total += Z.T @ Z
    return total


def project(
    tensors: TermTensors,
    factors: Sequence[Floats],
    cells: Any,
    n_jobs: int | None = None,
    turn: Floats | None = None,
) -> npt.NDArray[Any]:
    """Return some cells of the projection of each document, or their products with ``turn``."""
    starts = range(0, tensors.shape[0], BLOCK)
    blocks = (tensors[start : start + BLOCK] for start in starts)
    dtype = tensors.X.dtype
    turn = None if turn is None else turn.astype(dtype, copy=False)

    def one(block: TermTensors) -> npt.NDArray[Any]:
        Z = block.project(factors, cells)
        return Z if turn is None else Z @ turn

    out = np.empty((tensors.shape[0], len(cells) if turn is None else turn.shape[1]), dtype=dtype)
    for start, part in zip(starts, in_order(one, blocks, n_jobs), strict=True):
        out[start : start + BLOCK] = part
    return out


class Survey:
    """What a first pass over documents tells: how many hold each term, and a few of them, drawn at random."""

    def __init__(self, n_terms: int) -> None:
        self.frequency: npt.NDArray[Any] = np.zeros(n_terms, dtype=np.int64)
        self.few = Reservoir(n_terms, seed=0, size=GLIMPSE)

    def add(self, X: sp.csr_matrix) -> None:
        """Look at more documents."""
        self.frequency = self.frequency + document_frequency(X, None)
        self.few.add(X)

    def __add__(self, other: "Survey") -> "Survey":
        """Return the survey of these and of other documents."""
        if len(self.frequency) != len(other.frequency):
            raise ValueError(
                f"A part has {len(other.frequency)} terms, one before it {len(self.frequency)}: "
                "all parts need the same terms."
            )
        total = Survey(len(self.frequency))
        total.frequency = self.frequency + other.frequency
        total.few.merge(self.few)
        total.few.merge(other.few)
        return total


class Batches:
    """Documents that can be read again and again, batch by batch: sums go over them in order."""

    def __init__(self, batches: Iterable[Any], n_jobs: int | None = None) -> None:
        self._batches = batches
        self._n_jobs = n_jobs
        self._first_pass: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[sp.csr_matrix]:
        """Read every batch, and see that all are there again that the first pass had."""
        n_terms: int | None = None
        n_documents = content = 0
        for number, batch in enumerate(self._batches):
            X = as_csr(batch)
            if X.shape[1] != (n_terms := X.shape[1] if n_terms is None else n_terms):
                raise ValueError(f"Batch {number} has {X.shape[1]} terms, the first one {n_terms}.")
            n_documents += X.shape[0]
            content += int(_scramble(_content(X, 0)).sum(dtype=np.uint64))
            yield X
        seen = n_documents, content % 2**64
        self._first_pass = self._first_pass or seen
        if seen != self._first_pass:
            raise ValueError(
                f"The batches held other documents when they were read again ({n_documents}, at first "
                f"{self._first_pass[0]}): give a list, or an object whose __iter__ starts anew."
            )

    def survey(self) -> Survey:
        """Look at all documents."""
        survey: Survey | None = None
        for X in self:
            survey = survey or Survey(X.shape[1])
            survey.add(X)
        if survey is None:
            raise ValueError(NOTHING_THERE.format("batches"))
        return survey

    def moments(self, arrangement: Arrangement) -> Moments:
        """Add up the moments."""
        moments = Moments(arrangement)
        for X in self:
            moments.add(X)
        return moments

    def total(self, arrangement: Arrangement, function: Callable[..., Floats]) -> Floats:
        """Add up a function of the documents as tensors."""
        return sum(function(TermTensors(X, arrangement), n_jobs=self._n_jobs) for X in self)  # type: ignore[return-value]


class Partitions:
    """Documents in parts, each on its own worker: sums go over the parts in a fixed tree.

    Parameters
    ----------
    parts : sequence of matrix, path or future
        A path is a folder written by :func:`textensor.space.write_csr`, opened by the worker. Futures are
        the client's own, of matrices.
    n_jobs : int or None
        Threads, where there is no client.
    client : distributed.Client or None
        The workers of a Dask cluster.
    """

    def __init__(self, parts: Sequence[Any], n_jobs: int | None = None, client: Any = None) -> None:
        self._parts = parts
        self._n_jobs = n_jobs
        self._client = client

    def survey(self) -> Survey:
        """Look at all documents."""
        if not self._parts:
            raise ValueError(NOTHING_THERE.format("parts"))
        return self._sum(_survey)

    def moments(self, arrangement: Arrangement) -> Moments:
        """Add up the moments."""
        return self._sum(partial(_moments, arrangement))

    def total(self, arrangement: Arrangement, function: Callable[..., Floats]) -> Floats:
        """Add up a function of the documents as tensors."""
        return self._sum(partial(_total, arrangement, function))

    def _sum(self, function: Callable[[Any], Sum]) -> Sum:
        return tree_reduce(function, self._parts, add, n_jobs=self._n_jobs, client=self._client)


class Reservoir:
    """A seeded sample of a stream: of the documents that hold anything, those with the smallest keys.

    A key is made of a document's number in its stream and its content, so that the sample depends neither on
    how the stream was cut into batches nor on the order in which samples are merged.
    """

    def __init__(self, n_terms: int, seed: int, size: int | None = None) -> None:
        self.rows = sp.csr_matrix((0, n_terms))
        self.keys = np.zeros(0, dtype=np.uint64)
        self.n_documents = 0
        self.complete = True
        self.seed = seed
        self._size = SAMPLE if size is None else size

    @property
    def nbytes(self) -> int:
        """The bytes of the sample."""
        return sum(a.nbytes for a in (self.rows.data, self.rows.indices, self.rows.indptr, self.keys))

    def add(self, X: sp.csr_matrix) -> None:
        """Draw from the next documents of the stream."""
        numbers = np.arange(self.n_documents, self.n_documents + X.shape[0], dtype=np.uint64)
        keys = _scramble(_content(X, self.seed) ^ _scramble(numbers + np.uint64(self.seed)))
        self._take(X, keys, np.flatnonzero(np.diff(X.indptr)))
        self.n_documents += X.shape[0]

    def merge(self, other: "Reservoir") -> None:
        """Draw from another stream's sample."""
        self._take(other.rows, other.keys, np.arange(len(other.keys)))
        self.n_documents += other.n_documents
        self.complete = self.complete and other.complete

    def _take(self, X: sp.csr_matrix, keys: npt.NDArray[np.uint64], filled: npt.NDArray[np.intp]) -> None:
        near = np.sort(filled[np.argsort(keys[filled], kind="stable")[: self._size]])
        rows = sp.vstack([self.rows, X[near]], format="csr")
        keys = np.concatenate([self.keys, keys[near]])
        order = np.argsort(keys, kind="stable")[: self._size]
        self.complete = self.complete and len(filled) + len(self.keys) == len(order)
        self.rows, self.keys = rows[order], keys[order]


def several(sources: Any, what: str) -> Any:
    """Return batches or parts, or say that they are a single one."""
    if isinstance(sources, str | Path) or getattr(sources, "ndim", 0) == 2:
        raise TypeError(f"The {what} are a single one: give a list of {what}.")
    if not hasattr(sources, "__iter__") and not hasattr(sources, "__getitem__"):
        raise TypeError(f"The {what} are a list, or another iterable, not {sources!r:.80}.")
    return sources


def spread(tensors: TermTensors) -> TermTensors:
    """Return a few documents, spread over all that hold anything."""
    filled = np.flatnonzero(np.diff(tensors.X.indptr))
    return tensors[filled[:: max(1, -(-len(filled) // GLIMPSE))]]


def _content(X: sp.csr_matrix, seed: int) -> npt.NDArray[np.uint64]:
    """Return a number for each document that tells its content."""
    directions = np.random.default_rng(seed).standard_normal(X.shape[1])
    return np.asarray(X.astype(np.float64) @ directions).view(np.uint64)


def _scramble(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Mix the bits of numbers (splitmix64)."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _open(part: Any) -> sp.csr_matrix:
    return as_csr(read_csr(part) if isinstance(part, str | Path) else part)


def _survey(part: Any) -> Survey:
    X = _open(part)
    survey = Survey(X.shape[1])
    survey.add(X)
    return survey


def _moments(arrangement: Arrangement, part: Any) -> Moments:
    moments = Moments(arrangement)
    moments.add(_open(part))
    return moments


def _total(arrangement: Arrangement, function: Callable[..., Floats], part: Any) -> Floats:
    return function(TermTensors(_open(part), arrangement))
