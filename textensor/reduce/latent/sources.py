"""Where documents come from (batches read again, parts on many workers, a stream), and sums over them.

A fit needs only sums over documents. One step of a sum, ``step(so_far, X)``, adds documents to the sum so
far, which is None at first; a source calls it for all of its documents.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.parallel import in_order
from textensor.reduce.latent.moments import Moments
from textensor.space.arrange import Arrangement, document_frequency
from textensor.space.csr_files import read_csr
from textensor.space.matrix import as_csr
from textensor.space.tensors import TermTensors

#: Adds documents to a sum over others, None at first.
Step = Callable[[Any, sp.csr_matrix], Any]

#: How many documents a thread takes at a time.
BLOCK = 512
#: A first estimate of which pairs matter comes from this many documents.
GLIMPSE = 512
#: How many documents a stream leaves behind for the choice of pairs.
SAMPLE = 4096
NOTHING_THERE = "There are no {} to learn from."


def squares(tensors: TermTensors, factors: Sequence[Floats], n_jobs: int | None = None) -> Floats:
    """Return the sum over documents of their squared projections, block by block in a fixed order."""
    parts = in_order(lambda rows: tensors[rows].squares(factors), _blocks(tensors), n_jobs)
    return sum(parts, np.zeros([factor.shape[1] for factor in factors]))


def gram(tensors: TermTensors, factors: Sequence[Floats], cells: Any, n_jobs: int | None = None) -> Floats:
    """Return the sum over documents of z z^T, z some cells of their projections, block by block in order."""

    def coordinates(rows: slice) -> Floats:
        return tensors[rows].project(factors, cells).astype(np.float64)

    parts = in_order(coordinates, _blocks(tensors), n_jobs)
    return sum((Z.T @ Z for Z in parts), np.zeros((len(cells), len(cells))))


def project(
    tensors: TermTensors, factors: Sequence[Floats], cells: Any, turn: Floats | None, n_jobs: int | None
) -> npt.NDArray[Any]:
    """Return some cells of the projection of each document, or their products with ``turn``."""
    dtype = tensors.X.dtype
    turn = None if turn is None else turn.astype(dtype, copy=False)
    out = np.empty((tensors.shape[0], len(cells) if turn is None else turn.shape[1]), dtype=dtype)

    def fill(rows: slice) -> None:
        Z = tensors[rows].project(factors, cells)
        out[rows] = Z if turn is None else Z @ turn

    for _ in in_order(fill, _blocks(tensors), n_jobs):
        pass
    return out


def _blocks(tensors: TermTensors) -> list[slice]:
    return [slice(start, start + BLOCK) for start in range(0, tensors.shape[0], BLOCK)]


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

    def __init__(self, batches: Iterable[Any]) -> None:
        self._batches = batches
        self._first_pass: tuple[int, int] | None = None

    def _read(self) -> Iterator[sp.csr_matrix]:
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

    def sum(self, step: Step) -> Any:
        """Add up over all documents."""
        total = None
        for X in self._read():
            total = step(total, X)
        if total is None:
            raise ValueError(NOTHING_THERE.format("batches"))
        return total


def sum_of_part(step: Step, part: Any) -> Any:
    """Return the sum over one part: a matrix, or the path of a folder, which is opened where this runs."""
    return step(None, as_csr(read_csr(part) if isinstance(part, str | Path) else part))


def add_survey(so_far: Survey | None, X: sp.csr_matrix) -> Survey:
    """Look at more documents."""
    survey = so_far or Survey(X.shape[1])
    survey.add(X)
    return survey


def add_moments(arrangement: Arrangement, so_far: Moments | None, X: sp.csr_matrix) -> Moments:
    """Add up the moments."""
    moments = so_far or Moments(arrangement)
    moments.add(X)
    return moments


def add_values(
    arrangement: Arrangement, function: Callable[..., Floats], so_far: Floats | None, X: sp.csr_matrix
) -> Floats:
    """Add up a function of the documents as tensors."""
    values = function(TermTensors(X, arrangement))
    return values if so_far is None else so_far + values


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
