"""What a vector learner is: the protocol behind every half-step and every vector machine."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.checks import Rule
from textensor.learn import dual_kernels as kernels
from textensor.space.matrix import as_csr

Index = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """The rows a learner learns from: dense, or the three arrays of a CSR matrix, maybe with a dense end.

    A column may occur more than once in a row of the CSR, and its values add up: contracting a document
    gives such rows, and merging them would be a pass over the data for nothing. The columns of ``end`` are
    the last ones.
    """

    n_columns: int
    dense: Floats | None = None
    indptr: npt.NDArray[np.int64] | None = None
    indices: npt.NDArray[np.int32] | None = None
    data: Floats | None = None
    end: Floats | None = None

    @property
    def arrays(self) -> Any:
        """What kernels take: one dense array, or the tuple of indptr, indices and data, and of the end."""
        if self.dense is not None:
            return self.dense
        csr = self.indptr, self.indices, self.data
        return csr if self.end is None else (*csr, self.end)

    @cached_property
    def squares(self) -> Floats:
        """The squared length of each row; negative until a solver has needed it and filled it in."""
        n = len(self.indptr) - 1 if self.dense is None else len(self.dense)  # type: ignore[arg-type]
        return np.full(n, -1.0)

    def scaled(self, factors: Floats) -> "Rows":
        """Return the rows, each multiplied by a factor."""
        if self.dense is not None:
            return replace(self, dense=self.dense * factors[:, None])
        indptr, _, data = self.arrays
        return replace(self, data=data * np.repeat(factors, np.diff(indptr)))

    def take(self, which: Index | None) -> "Rows":
        """Return some of the rows, all of them for None."""
        if which is None:
            return self
        if self.dense is not None:
            return replace(self, dense=self.dense[which])
        X = self.to_scipy()[which]
        return Rows(self.n_columns, None, X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data)

    def gram(self) -> Floats:
        """Return the inner products of the columns."""
        if self.dense is not None:
            return self.dense.T @ self.dense
        out = np.zeros((self.n_columns, self.n_columns))
        kernels.gram(self.arrays, out)
        return out

    def to_scipy(self) -> Any:
        """Return a dense array or a CSR, in which a column may still occur more than once in a row."""
        if self.dense is not None:
            return self.dense
        shape = len(self.indptr) - 1, self.n_columns  # type: ignore[arg-type]
        return sp.csr_matrix((self.data, self.indices, self.indptr), shape=shape, copy=False)


def rows_of(X: Any, end: Floats | None = None) -> Rows:
    """Return the rows of a matrix in float64: those of a dense one as they are, of a sparse one as CSR.

    ``end`` has further columns for a sparse matrix. Only ``solve`` of learners of the dual takes such rows.
    """
    if isinstance(X, np.ndarray):
        return Rows(X.shape[1], dense=np.ascontiguousarray(X, dtype=np.float64))
    X = as_csr(X)
    csr = (
        X.indptr.astype(np.int64),
        X.indices.astype(np.int32, copy=False),
        X.data.astype(np.float64, copy=False),
    )
    if end is None or end.shape[1] == 0:
        return Rows(X.shape[1], None, *csr)
    return Rows(X.shape[1] + end.shape[1], None, *csr, np.ascontiguousarray(end, dtype=np.float64))


class Solution(NamedTuple):
    """What a learner found.

    Attributes
    ----------
    weights : ndarray
        w.
    intercept : float
        b.
    objective : float
        The objective at the solution. A learner that works on the dual gives the dual objective, which is a
        lower bound of it. NaN if it is not known.
    reached : bool
        Whether the tolerance was reached.
    state : object
        Where the learner can go on from.
    n_epochs : int
        Passes over the rows, if the learner counts them.
    """

    weights: Floats
    intercept: float
    objective: float = np.nan
    reached: bool = True
    state: Any = None
    n_epochs: int = 0


class Learner(ABC):
    """A loss, a penalty and a solver: min penalty(w, b) + the sum of the losses of w^T x_i + b.

    A subclass is a dataclass whose fields are its settings. It says how to ``solve``, and its ``loss``; all
    else has a default. ``C``, ``fit_intercept`` and ``intercept_scaling`` are those of the settings, or
    these constants for a learner without such a setting.

    Attributes
    ----------
    strength : float
        The factor of the squared norm in the penalty.
    knows_objective : bool
        Whether ``loss`` and ``penalty`` can be asked. If not, every solution is taken as it is.
    thread_safe : bool
        Whether several problems can be solved at once in threads.
    """

    C: float = 1.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    strength: float = 0.5
    knows_objective: ClassVar[bool] = True
    thread_safe: ClassVar[bool] = True
    _parameters: ClassVar[Mapping[str, Rule]] = {}

    @abstractmethod
    def solve(
        self,
        rows: Rows,
        y: Floats,
        weight: Floats,
        *,
        which: Index | None = None,
        state: Any = None,
        tol: float = 1e-3,
        seed: int = 0,
    ) -> Solution:
        """Solve for the weights.

        Parameters
        ----------
        rows : Rows
            The documents.
        y : ndarray
            Targets, +1 and -1.
        weight : ndarray
            The cost of each row, class weights included.
        which : ndarray of int or None
            The rows that take part, None for all; ``y``, ``weight`` and ``state`` have one entry for each.
        state : object
            The state of an earlier solution that is not far, to start from.
        tol : float
            The tolerance, in units of the margin.
        seed : int
            Seeds what is random.

        A solver without a start, a tolerance or a seed ignores those arguments.
        """

    def loss(self, decision: Floats, y: Floats, weight: Floats) -> float:
        """Return the sum of the losses of decision values."""
        raise NotImplementedError(f"{type(self).__name__} needs a loss, or knows_objective = False.")

    def penalty(self, squared_norm: float, intercept: float) -> float:
        """Return the penalty of weights of a squared length, and of an intercept."""
        return self.strength * (squared_norm + (intercept / self.intercept_scaling) ** 2)

    def matters(self, decision: Floats, y: Floats, state: Any, slack: float) -> npt.NDArray[np.bool_]:
        """Mask the rows that a solution near this one can rest on: all, unless a loss knows better."""
        del decision, state, slack
        return np.ones(len(y), dtype=bool)

    def harder(self, most: int) -> Self | None:
        """Return a learner of the same problem that takes more passes, up to ``most``; None if it cannot."""
        del most
        return None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings by name: scikit-learn clones and searches a learner by them."""
        del deep
        return {setting.name: getattr(self, setting.name) for setting in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **settings: Any) -> Self:
        """Change settings."""
        known = self.get_params()
        for name, value in settings.items():
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no setting {name!r}: it has {', '.join(known)}.")
            setattr(self, name, value)
        return self
