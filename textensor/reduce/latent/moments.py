"""Second moments of term tensors: what TensorLSI and HOSVD are made of (tensorlsi, Eqs. 6 and 7).

The moment of mode k is the sum over documents of X_(k) X_(k)^T, X_(k) a document unfolded along that mode. It
is a sum over documents, so it can be taken batch by batch, and sums of different documents can be added.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from textensor.base.arrays import Floats
from textensor.reduce.projection import with_fixed_signs
from textensor.space import tensor_kernels as kernels
from textensor.space.arrange import Arrangement
from textensor.space.tensors import TermTensors

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

#: Modes up to this length are decomposed as a whole; of longer ones only the leading vectors are computed.
DENSE_LENGTH = 2000
#: A moment larger than this is not formed; to decompose one takes four times its size.
MAX_MOMENT_BYTES = 1 << 30
#: The sum of all squares, and a 10^14th of it, must be a number of 64 bits.
SMALLEST, LARGEST = 1e-280, 1e280


class Moments:
    """The moments of all modes, added up over documents.

    Documents are added one after the other to one running sum, so it has the same bits however they are cut
    into batches.

    Parameters
    ----------
    arrangement : Arrangement
        Fitted: where the terms stand.
    """

    def __init__(self, arrangement: Arrangement) -> None:
        largest = max(arrangement.shape_)
        if 8 * largest**2 > MAX_MOMENT_BYTES:
            raise MemoryError(
                f"The moment of a mode of length {largest} takes {8 * largest**2 / 2**30:.1f} GiB, over the "
                f"limit of {MAX_MOMENT_BYTES / 2**30:.0f}: choose a shape whose longest mode is shorter."
            )
        self.arrangement = arrangement
        self._halves = [np.zeros((length, length)) for length in arrangement.shape_]
        self._cut_short = False  # whether the last documents are in some of the sums only

    def add(self, X: Any) -> None:
        """Add documents."""
        tensors = TermTensors(X, self.arrangement)
        self._check_whole()
        self._cut_short = True
        for mode, half in enumerate(self._halves, start=1):
            tensors.add_gram(mode, half)
        self._cut_short = False

    def __add__(self, other: "Moments") -> "Moments":
        """Return the moments of these and of other documents in the same arrangement."""
        if not same_cells(self.arrangement, other.arrangement):
            raise ValueError("Moments of two arrangements cannot be added: their terms stand in other cells.")
        self._check_whole()
        other._check_whole()
        total = Moments(self.arrangement)
        total._halves = [mine + theirs for mine, theirs in zip(self._halves, other._halves, strict=True)]
        return total

    @property
    def energy(self) -> float:
        """The sum of all squares, which is the trace of every moment."""
        return 2 * float(np.trace(self._halves[-1]))

    @property
    def nbytes(self) -> int:
        """The bytes of the sums."""
        return sum(half.nbytes for half in self._halves)

    def spectra(self) -> "list[Spectrum]":
        """Return what decomposes the moment of each mode."""
        return [Spectrum(self.matrix(mode)) for mode in range(1, len(self._halves) + 1)]

    def matrix(self, mode: int) -> Floats:
        """Return the moment of a mode."""
        self._check_whole()
        moment = self._halves[mode - 1].copy()
        kernels.symmetrize(moment)
        return moment

    def _check_whole(self) -> None:
        if self._cut_short:
            raise RuntimeError("Adding documents was interrupted, and the sums hold some in part: fit anew.")


def check_energy(energy: float) -> None:
    """Refuse a sum of all squares from which nothing can be learnt."""
    if not energy > SMALLEST:
        raise ValueError(
            "All documents are empty, or so small that their squares vanish: give documents that hold terms, "
            "scaled to unit length for example."
        )
    check_not_too_large(energy)


def check_not_too_large(energy: float) -> None:
    """Refuse a sum of all squares that overflows, or nearly does."""
    if not energy < LARGEST:
        raise ValueError(
            "The documents are so large that their squares overflow: scale them, to unit length for example."
        )


def same_cells(one: Arrangement, other: Arrangement) -> bool:
    """Return whether the terms stand in the same cells in two arrangements."""
    return one.shape_ == other.shape_ and np.array_equal(one.permutation_, other.permutation_)


def applied_moment(tensors: TermTensors, mode: int) -> "LinearOperator":
    """Return the moment of a mode as an operator: two sparse products, nothing formed."""
    unfolded = tensors.unfold(mode)
    # Of the columns, other cells x documents, few hold anything: a product is no longer than the nonzeros.
    used, columns = np.unique(unfolded.indices, return_inverse=True)
    length = unfolded.shape[0]
    arrays = unfolded.data.astype(np.float64), columns, unfolded.indptr
    filled = sp.csr_matrix(arrays, shape=(length, len(used)))
    from scipy.sparse.linalg import LinearOperator  # here: it is slow to import

    return LinearOperator((length, length), matvec=lambda x: filled @ (filled.T @ x), dtype=np.float64)


class Spectrum:
    """The leading eigenvectors of a moment, more of them when they are asked for.

    Parameters
    ----------
    moment : ndarray or LinearOperator
        A moment that is formed, or one that is applied.
    form : callable or None
        Forms a moment that is applied, for where almost all vectors are asked for.

    Attributes
    ----------
    values : ndarray
        The eigenvalues computed so far, largest first.
    vectors : ndarray
        Their vectors in columns, of unit length; the entry largest in size, the first of equals, is positive.
    complete : bool
        Whether these are all.
    """

    def __init__(self, moment: "Floats | LinearOperator", form: Callable[[], Floats] | None = None) -> None:
        self._moment = moment
        self._form = form
        self.length = int(moment.shape[0])
        self.values = np.zeros(0)
        self.vectors = np.zeros((self.length, 0))
        self.complete = False

    def extend(self, count: int) -> None:
        """Compute at least this many vectors."""
        count = min(count, self.length)
        if self.complete or count <= len(self.values):
            return
        import scipy.linalg  # here: they are slow to import
        from scipy.sparse.linalg import eigsh

        with threadpool_limits(1, user_api="blas"):
            # Lanczos steps on a basis of twice the vectors; for a quarter of all it costs as much as all.
            every = 4 * count >= self.length
            if every or self.length <= DENSE_LENGTH:
                leading, M = None if every else (self.length - count, self.length - 1), self._formed()
                values, vectors = scipy.linalg.eigh(M, subset_by_index=leading, check_finite=False)
                if len(values) < count:  # LAPACK may lose some of equal ones
                    every = True
                    values, vectors = scipy.linalg.eigh(M, check_finite=False)
            else:
                self._check_basis(count)
                start = np.random.default_rng(0).standard_normal(self.length)
                values, vectors = eigsh(self._moment, k=count, v0=start)
        largest = np.argsort(-values, kind="stable")
        self.values = np.maximum(values[largest], 0.0)
        self.vectors = np.ascontiguousarray(with_fixed_signs(vectors[:, largest]))
        self.complete = every

    def count_above(self, value: float) -> int:
        """Return how many of the eigenvalues computed so far are above a value."""
        return int(np.count_nonzero(self.values > value))

    def _check_basis(self, count: int) -> None:
        n_bytes = 3 * 8 * count * self.length
        if n_bytes > 4 * MAX_MOMENT_BYTES:
            raise MemoryError(
                f"To find {count} vectors of a mode of length {self.length} takes {n_bytes / 2**30:.1f} GiB, "
                f"over the limit of {4 * MAX_MOMENT_BYTES / 2**30:.0f}: ask for fewer components, or choose "
                "a shape whose longest mode is shorter."
            )

    def _formed(self) -> Floats:
        if self._form is None:
            return np.asarray(self._moment)
        if 8 * self.length**2 > MAX_MOMENT_BYTES:
            raise MemoryError(
                f"That many components need the whole moment of a mode of length {self.length}, of "
                f"{8 * self.length**2 / 2**30:.1f} GiB: ask for fewer, or choose a shape whose longest mode "
                "is shorter."
            )
        return self._form()
