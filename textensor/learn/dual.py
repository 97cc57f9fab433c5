r"""Support vector machines by dual coordinate descent, cold or from where an earlier solution stopped.

Losses of the margin share one dual (Hsieh et al., 2008): min 1/2 a^T (Q + D) a - e^T a, 0 <= a_i <= U_i, with
Q_ij = y_i y_j x_i^T x_j. A loss says what U and D are.

The intercept is one more column of constant value ``intercept_scaling`` and is penalised with the
weights. Descent stops when the projected gradient spans less than ``tol``, in units of the margin:
an absolute rule, so that a warm start is never slower than a cold one.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check_parameters, flag, number, whole
from textensor.base.kept import keeps
from textensor.base.progress import check_time, time_flag
from textensor.learn import dual_kernels as kernels
from textensor.learn.base import Index, Learner, Rows, Solution


@keeps()
@dataclass
class DualLearner(Learner):
    """min 1/2 |w|^2 + 1/2 b^2 / s^2 + C sum of weight_i loss(y_i f_i), with s the intercept scaling.

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
        Maximum number of passes over the rows in one call of ``solve``.
    """

    C: float = 1.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    max_epochs: int = 1000

    _parameters: ClassVar[Mapping[str, Rule]] = {
        "C": number(above=0),
        "fit_intercept": flag,
        "intercept_scaling": number(above=0),
        "max_epochs": whole(1),
    }

    @abstractmethod
    def losses(self, margin: Floats) -> Floats:
        """Return the loss of each margin y f, before costs."""

    @abstractmethod
    def box(self, cost: Floats) -> tuple[Floats, Floats]:
        """Return U and the diagonal of D for rows of these costs."""

    def solve(
        self,
        rows: Rows,
        y: Floats,
        weight: Floats,
        *,
        which: Index | None = None,
        state: Floats | None = None,
        tol: float = 1e-3,
        seed: int = 0,
    ) -> Solution:
        """Descend from dual variables, zeros if there are none, to the tolerance; no row is copied."""
        check_parameters(self)
        which = np.arange(len(y)) if which is None else which
        alpha = np.zeros(len(y)) if state is None else state.copy()
        scale = self.intercept_scaling if self.fit_intercept else 0.0
        w = np.zeros(rows.n_columns)
        upper, diagonal = self.box(self.C * weight)
        b, reached, n_epochs = kernels.descend(
            rows.arrays,
            which,
            rows.squares,
            y,
            upper,
            diagonal,
            alpha,
            w,
            scale,
            tol,
            self.max_epochs,
            seed,
            time_flag(),
        )
        check_time()
        dual = alpha.sum() - 0.5 * (w @ w + b * b + diagonal @ alpha**2)
        return Solution(w, b * scale, float(dual), reached, alpha, n_epochs)

    def loss(self, decision: Floats, y: Floats, weight: Floats) -> float:
        """Return C times the weighted sum of the losses."""
        return float(self.C * (weight @ self.losses(y * decision)))

    def matters(self, decision: Floats, y: Floats, state: Floats, slack: float) -> npt.NDArray[np.bool_]:
        """Mask the rows that a solution near this one can rest on."""
        return (state > 0) | (y * decision < 1.0 + slack)

    def harder(self, most: int) -> Self | None:
        """Return a learner of the same problem that takes more passes, or None if it takes the most."""
        if self.max_epochs >= most:
            return None
        return replace(self, max_epochs=min(4 * self.max_epochs, most))


class Hinge(DualLearner):
    """The loss max(0, 1 - y f): U_i = C_i, D_ii = 0; the parameters are those of :class:`DualLearner`.

    Examples
    --------
    >>> from textensor.learn import Hinge, rows_of
    >>> X, y = np.array([[2.0], [0.0]]), np.array([1.0, -1.0])
    >>> found = Hinge(10.0, max_epochs=10_000).solve(rows_of(X), y, np.ones(2), tol=1e-9)
    >>> found.weights.round(3), round(found.intercept, 3)
    (array([1.]), -1.0)
    """

    def losses(self, margin: Floats) -> Floats:
        """Return max(0, 1 - y f)."""
        return np.maximum(0.0, 1.0 - margin)

    def box(self, cost: Floats) -> tuple[Floats, Floats]:
        """Return U = C and D = 0."""
        return cost, np.zeros(len(cost))


class SquaredHinge(DualLearner):
    """The loss max(0, 1 - y f)^2: U_i is infinite, D_ii = 1 / (2 C_i).

    The parameters are those of :class:`DualLearner`.
    """

    def losses(self, margin: Floats) -> Floats:
        """Return max(0, 1 - y f)^2."""
        return np.maximum(0.0, 1.0 - margin) ** 2

    def box(self, cost: Floats) -> tuple[Floats, Floats]:
        """Return U and D; a row that costs nothing stays at 0."""
        counts = cost > 0
        return np.where(counts, np.inf, 0.0), np.divide(0.5, cost, out=np.zeros(len(cost)), where=counts)
