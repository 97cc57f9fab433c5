r"""Support vector machines by dual coordinate descent, cold or from where an earlier solution stopped.

Both losses share one dual (Hsieh et al., 2008): min 1/2 a^T (Q + D) a - e^T a, 0 <= a_i <= U_i, with
Q_ij = y_i y_j x_i^T x_j and

- hinge: U_i = C_i, D_ii = 0
- squared hinge: U_i = infinity, D_ii = 1 / (2 C_i)

The intercept is one more column of constant value ``intercept_scaling`` and is penalised with the
weights. Descent stops when the projected gradient spans less than ``tol``, in units of the margin:
an absolute rule, so that a warm start is never slower than a cold one.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from textensor.base.kept import keeps
from textensor.learn import dual_kernels as kernels
from textensor.learn.base import Floats, Rows, Solution, check_flag, check_number

__all__ = ["Hinge", "SquaredHinge"]


@keeps()
@dataclass
class Hinge(BaseEstimator):
    """min 1/2 |w|^2 + 1/2 b^2 / s^2 + C sum of weight_i max(0, 1 - y_i f_i), with s the intercept scaling.

    Parameters
    ----------
    C : float
        The cost of an error.
    fit_intercept : bool
        Whether there is an intercept b.
    intercept_scaling : float
        The larger, the less the intercept is penalised, and the more passes it takes: about its square as
        many.
    max_epochs : int
        Passes over the rows at the most, in one call of ``solve``.
    """

    C: float = 1.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    max_epochs: int = 1000

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
        """Descend from the dual variables of ``start``, zeros if there are none, to the tolerance."""
        self.check()
        alpha = np.zeros(len(y)) if start is None or start.state is None else start.state.copy()
        unknown = np.full(len(y), -1.0)
        return self.solve_some(rows, np.arange(len(y)), unknown, y, weight, alpha, tol=tol, seed=seed)

    def solve_some(
        self,
        rows: Rows,
        which: npt.NDArray[np.int64],
        squares: Floats,
        y: Floats,
        weight: Floats,
        alpha: Floats,
        *,
        tol: float = 1e-3,
        seed: int = 0,
    ) -> Solution:
        """Solve for the rows that ``which`` numbers, none of them copied.

        ``y``, ``weight`` and ``alpha``, the start, are theirs; ``squares`` are those of all rows,
        or negative and filled in.
        """
        scale = self.intercept_scaling if self.fit_intercept else 0.0
        w = np.zeros(rows.n_columns)
        upper, diagonal = self._box(self.C * weight)
        b, reached, n_epochs = kernels.descend(
            rows.arrays, which, squares, y, upper, diagonal, alpha, w, scale, tol, self.max_epochs, seed
        )
        dual = alpha.sum() - 0.5 * (w @ w + b * b + diagonal @ alpha**2)
        return Solution(w, b * scale, float(dual), reached, alpha, n_epochs)

    def check(self) -> None:
        """Refuse settings that make no sense."""
        check_number("C", self.C)
        check_flag("fit_intercept", self.fit_intercept)
        check_number("intercept_scaling", self.intercept_scaling)

    def harder(self, most: int) -> Self | None:
        """Return a learner of the same problem that takes more passes, or None where it takes the most."""
        if self.max_epochs >= most:
            return None
        return replace(self, max_epochs=min(4 * self.max_epochs, most))

    def loss(self, decision: Floats, y: Floats, weight: Floats) -> float:
        """Return C times the weighted sum of max(0, 1 - y f)."""
        return float(self.C * (weight @ np.maximum(0.0, 1.0 - y * decision)))

    def penalty(self, squared_norm: float, intercept: float) -> float:
        """Return half the squared length of the weights, intercept included."""
        return 0.5 * squared_norm + 0.5 * (intercept / self.intercept_scaling) ** 2

    def matters(self, decision: Floats, y: Floats, state: Floats, slack: float) -> Any:
        """Mask the rows that a solution near this one can rest on."""
        return (state > 0) | (y * decision < 1.0 + slack)

    def _box(self, cost: Floats) -> tuple[Floats, Floats]:
        return cost, np.zeros(len(cost))


@dataclass
class SquaredHinge(Hinge):
    """As :class:`Hinge`, with the squares of max(0, 1 - y f)."""

    def loss(self, decision: Floats, y: Floats, weight: Floats) -> float:
        """Return C times the weighted sum of max(0, 1 - y f)^2."""
        return float(self.C * (weight @ np.maximum(0.0, 1.0 - y * decision) ** 2))

    def _box(self, cost: Floats) -> tuple[Floats, Floats]:
        counts = cost > 0  # a row that costs nothing stays at 0
        return np.where(counts, np.inf, 0.0), np.divide(0.5, cost, out=np.zeros(len(cost)), where=counts)
