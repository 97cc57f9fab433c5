"""What a vector learner is given and gives back: the protocol behind every half-step."""

from numbers import Integral, Real
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.learn import dual_kernels as kernels
from textensor.space.matrix import as_csr

__all__ = ["Floats", "Learner", "Rows", "Solution", "check_flag", "check_number", "check_whole", "rows_of"]

Floats = npt.NDArray[np.float64]


class Rows(NamedTuple):
    """The rows a learner learns from: dense, or the three arrays of a CSR matrix.

    A column may stand more than once in a row of the CSR, and its values add up: contracting a
    document gives such rows, and joining them would be a pass over the data for nothing.
    """

    n_columns: int
    dense: Floats | None = None
    indptr: npt.NDArray[np.int64] | None = None
    indices: npt.NDArray[np.int32] | None = None
    data: Floats | None = None

    @property
    def arrays(self) -> Any:
        """What kernels take: one dense array, or the tuple of indptr, indices and data."""
        return (self.indptr, self.indices, self.data) if self.dense is None else self.dense

    def scaled(self, factors: Floats) -> "Rows":
        """Return the rows, each times a factor."""
        if self.dense is not None:
            return self._replace(dense=self.dense * factors[:, None])
        indptr, _, data = self.arrays
        return self._replace(data=data * np.repeat(factors, np.diff(indptr)))

    def gram(self) -> Floats:
        """Return the inner products of the columns."""
        if self.dense is not None:
            return self.dense.T @ self.dense
        out = np.zeros((self.n_columns, self.n_columns))
        kernels.gram(self.arrays, out)
        return out

    def squares(self) -> Floats:
        """Return the squared lengths of the rows."""
        n = len(self.indptr) - 1 if self.dense is None else len(self.dense)  # type: ignore[arg-type]
        out = np.empty(n)
        kernels.squares(self.arrays, np.zeros(self.n_columns), out)
        return out

    def to_scipy(self) -> Any:
        """Return a dense array or a CSR, in which a column may still stand more than once in a row."""
        if self.dense is not None:
            return self.dense
        shape = len(self.indptr) - 1, self.n_columns  # type: ignore[arg-type]
        return sp.csr_matrix((self.data, self.indices, self.indptr), shape=shape, copy=False)

    def to_tidy(self) -> Any:
        """Return the rows as other people's code expects them: a dense array or a CSR without repeats."""
        if self.dense is not None:
            return self.dense
        X = self.to_scipy().copy()
        X.sum_duplicates()
        return X


def rows_of(X: Any) -> Rows:
    """Return the rows of a matrix, in float64: of a dense one as they are, of a sparse one as CSR."""
    if isinstance(X, np.ndarray):
        return Rows(X.shape[1], dense=np.ascontiguousarray(X, dtype=np.float64))
    X = as_csr(X)
    data = np.ascontiguousarray(X.data, dtype=np.float64)
    return Rows(X.shape[1], None, X.indptr.astype(np.int64), X.indices.astype(np.int32, copy=False), data)


def check_number(name: str, value: Any, *, zero: bool = False) -> None:
    """Refuse a setting that is not a finite number above 0, or of 0 or more."""
    number = float(value) if isinstance(value, Real) else np.nan
    if not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        raise ValueError(f"{name} must be a number {'of 0 or more' if zero else 'above 0'}, not {value!r}.")


def check_whole(name: str, value: Any) -> None:
    """Refuse a setting that is not a whole number of 1 or more."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number of 1 or more, not {value!r}.")


def check_flag(name: str, value: Any) -> None:
    """Refuse a setting that is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, not {value!r:.80}.")


class Solution(NamedTuple):
    """What a learner found.

    Attributes
    ----------
    weights : ndarray
        w.
    intercept : float
        b.
    objective : float
        What the learner minimised, at its solution; of one that works on the dual, the dual objective, which
        no solution is below. NaN where it is not known.
    reached : bool
        Whether the tolerance was reached.
    state : object
        From where the learner would go on.
    n_epochs : int
        Passes over the rows, of a learner that counts them.
    """

    weights: Floats
    intercept: float
    objective: float = np.nan
    reached: bool = True
    state: Any = None
    n_epochs: int = 0


class Learner(Protocol):
    """A vector learner: min penalty(w, b) + the sum of the losses of w^T x_i + b.

    Targets are +1 and -1. ``weight`` holds the cost of each row, class weights included. A learner may have
    three more methods: ``check`` refuses settings that make no sense, ``matters`` masks the rows a solution
    can rest on, and ``harder`` gives a learner of the same problem that takes more passes over the rows, up
    to a number, for where the tolerance was not reached, or None where it takes as many already.
    """

    def solve(
        self,
        rows: Rows,
        y: Floats,
        weight: Floats,
        *,
        start: Solution | None = None,
        tol: float = 1e-3,
        seed: int = 0,
    ) -> Solution:
        """Solve for the weights, to a tolerance, going on from a solution that is not far."""
        ...

    def loss(self, decision: Floats, y: Floats, weight: Floats) -> float:
        """Return the sum of the losses of decision values."""
        ...

    def penalty(self, squared_norm: float, intercept: float) -> float:
        """Return the penalty of weights of a squared length, and of an intercept."""
        ...
