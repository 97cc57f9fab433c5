r"""Support vector machines by dual coordinate descent, cold or from where an earlier solution stopped.

Both losses share one dual (Hsieh et al., 2008): min 1/2 a^T (Q + D) a - e^T a, 0 <= a_i <= U_i, with
Q_ij = y_i y_j x_i^T x_j and

- hinge: U_i = C_i, D_ii = 0
- squared hinge: U_i = infinity, D_ii = 1 / (2 C_i)

The intercept is one more column of constant value ``intercept_scaling`` and is penalised with the
weights. Descent stops when the projected gradient spans less than ``tol``, in units of the margin:
an absolute rule, so that a warm start is never slower than a cold one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from textensor._numba import kernel
from textensor.learn.base import Floats, Rows, Solution

__all__ = ["Hinge", "SquaredHinge"]


@dataclass(frozen=True)
class Hinge:
    """min 1/2 |w|^2 + 1/2 b^2 / s^2 + C sum of weight_i max(0, 1 - y_i f_i), with s the intercept scaling.

    Parameters
    ----------
    C : float
        The cost of an error.
    fit_intercept : bool
        Whether there is an intercept b.
    intercept_scaling : float
        The larger, the less the intercept is penalised.
    max_epochs : int
        Passes over the rows at the most, in one call of ``solve``.
    """

    C: float = 1.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    max_epochs: int = 1000

    def __post_init__(self) -> None:
        if not (self.C > 0 and np.isfinite(self.C)):
            raise ValueError(f"C must be a number above 0, not {self.C}.")
        if not self.intercept_scaling > 0:
            raise ValueError(f"intercept_scaling must be above 0, not {self.intercept_scaling}.")

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
        alpha = np.zeros(len(y)) if start is None or start.state is None else start.state.copy()
        scale = self.intercept_scaling if self.fit_intercept else 0.0
        cost = self.C * weight
        w = np.zeros(rows.n_columns)
        b = _descend(rows.arrays, y, *self._box(cost), alpha, w, scale, tol, self.max_epochs, seed)
        return Solution(w, b * scale, alpha)

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


@dataclass(frozen=True)
class SquaredHinge(Hinge):
    """As :class:`Hinge`, with the squares of max(0, 1 - y f)."""

    def loss(self, decision: Floats, y: Floats, weight: Floats) -> float:
        """Return C times the weighted sum of max(0, 1 - y f)^2."""
        return float(self.C * (weight @ np.maximum(0.0, 1.0 - y * decision) ** 2))

    def _box(self, cost: Floats) -> tuple[Floats, Floats]:
        with np.errstate(divide="ignore"):
            return np.where(cost > 0, np.inf, 0.0), 0.5 / cost


# The kernels carry no annotations: Numba infers the types.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def _dot(rows, i, w):
    """Return the product of row i and w: one name for dense and for CSR rows."""


def _add(rows, i, factor, w):
    """Add a multiple of row i to w: one name for dense and for CSR rows."""


def _square(rows, i, scratch):
    """Return the squared length of row i: one name for dense and for CSR rows."""


@overload(_dot)
def _dot_for(rows, i, w):  # noqa: ARG001
    if isinstance(rows, types.Array):

        def dense(rows, i, w):
            total = 0.0
            for k in range(rows.shape[1]):
                total += rows[i, k] * w[k]
            return total

        return dense

    def csr(rows, i, w):
        indptr, indices, data = rows
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * w[indices[k]]
        return total

    return csr


@overload(_add)
def _add_for(rows, i, factor, w):  # noqa: ARG001
    if isinstance(rows, types.Array):

        def dense(rows, i, factor, w):
            for k in range(rows.shape[1]):
                w[k] += factor * rows[i, k]

        return dense

    def csr(rows, i, factor, w):
        indptr, indices, data = rows
        for k in range(indptr[i], indptr[i + 1]):
            w[indices[k]] += factor * data[k]

    return csr


@overload(_square)
def _square_for(rows, i, scratch):  # noqa: ARG001
    if isinstance(rows, types.Array):

        def dense(rows, i, scratch):  # noqa: ARG001
            total = 0.0
            for k in range(rows.shape[1]):
                total += rows[i, k] * rows[i, k]
            return total

        return dense

    def csr(rows, i, scratch):
        indptr, indices, data = rows
        for k in range(indptr[i], indptr[i + 1]):
            scratch[indices[k]] += data[k]
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * scratch[indices[k]]
        for k in range(indptr[i], indptr[i + 1]):
            scratch[indices[k]] = 0.0
        return total

    return csr


@kernel
def _descend(rows, y, upper, diagonal, alpha, w, scale, tol, max_epochs, seed):  # noqa: C901, one loop, as in the paper
    """Descend in alpha and w, in place; rows that stay at a bound are put aside until the end.

    Returns the weight of the intercept's column.
    """
    n = len(y)
    squared = np.empty(n)
    scratch = np.zeros(len(w))
    order = np.arange(n)
    b = 0.0
    for i in range(n):
        squared[i] = _square(rows, i, scratch) + scale * scale + diagonal[i]
        alpha[i] = min(alpha[i], upper[i])
        if alpha[i] > 0.0:
            _add(rows, i, alpha[i] * y[i], w)
            b += alpha[i] * y[i] * scale
    state = np.uint64(seed) * np.uint64(2) + np.uint64(0x9E3779B97F4A7C15)
    active = n
    above, below = np.inf, -np.inf
    for _ in range(max_epochs):
        highest, lowest = -np.inf, np.inf
        for s in range(active):
            # Shuffle as we go (xorshift64): descent in a fixed order can be slow.
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            other = s + np.int64(state >> np.uint64(33)) % (active - s)
            order[s], order[other] = order[other], order[s]
        s = 0
        while s < active:
            i = order[s]
            gradient = y[i] * (_dot(rows, i, w) + b * scale) - 1.0 + diagonal[i] * alpha[i]
            at_lower = alpha[i] <= 0.0
            at_upper = alpha[i] >= upper[i]
            if (at_lower and gradient > above) or (at_upper and gradient < below):
                active -= 1
                order[s], order[active] = order[active], order[s]
                continue
            s += 1
            projected = gradient
            if at_lower:
                projected = min(projected, 0.0)
            if at_upper:
                projected = max(projected, 0.0)
            highest = max(highest, projected)
            lowest = min(lowest, projected)
            if projected != 0.0 and squared[i] > 0.0:
                new = min(max(alpha[i] - gradient / squared[i], 0.0), upper[i])
                step = (new - alpha[i]) * y[i]
                alpha[i] = new
                _add(rows, i, step, w)
                b += step * scale
        if highest - lowest <= tol:
            if active == n:
                break
            active = n
            above, below = np.inf, -np.inf
        else:
            above = highest if highest > 0.0 else np.inf
            below = lowest if lowest < 0.0 else -np.inf
    return b
