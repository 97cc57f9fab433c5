"""Logistic regression by L-BFGS, from where an earlier solution stopped."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator

from textensor.base.kept import keeps
from textensor.learn.base import Floats, Rows, Solution, check_flag, check_number

__all__ = ["Logistic"]


@keeps()
@dataclass
class Logistic(BaseEstimator):
    """min 1/2 |w|^2 + 1/2 b^2 / s^2 + C sum of weight_i log(1 + exp(-y_i f_i)), with s the intercept scaling.

    Parameters
    ----------
    C : float
        The cost of an error.
    fit_intercept : bool
        Whether there is an intercept b.
    intercept_scaling : float
        The larger, the less the intercept is penalised.
    """

    C: float = 1.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0

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
        """Descend from the weights of ``start``, or from zeros, until the gradient is below ``tol``."""
        del seed
        self.check()
        X = rows.to_scipy()
        scale = self.intercept_scaling if self.fit_intercept else 0.0

        def value_and_gradient(z: Floats) -> tuple[float, Floats]:
            w, b = z[:-1], z[-1] * scale
            decision = X @ w + b
            slope = -self.C * weight * y * expit(-y * decision)
            value = self.loss(decision, y, weight) + 0.5 * float(z @ z)
            return value, z + np.append(X.T @ slope, scale * slope.sum())

        first = np.zeros(rows.n_columns + 1)
        if start is not None:
            first[:-1] = start.weights
            first[-1] = start.intercept / scale if scale else 0.0
        best = minimize(
            value_and_gradient,
            first,
            jac=True,
            method="L-BFGS-B",
            options={"gtol": min(tol, 1e-3), "ftol": 0.0, "maxiter": 1000},
        )
        return Solution(best.x[:-1], float(best.x[-1] * scale), float(best.fun))

    def check(self) -> None:
        """Refuse settings that make no sense."""
        check_number("C", self.C)
        check_flag("fit_intercept", self.fit_intercept)
        check_number("intercept_scaling", self.intercept_scaling)

    def loss(self, decision: Floats, y: Floats, weight: Floats) -> float:
        """Return C times the weighted sum of log(1 + exp(-y f))."""
        return float(self.C * (weight @ np.logaddexp(0.0, -y * decision)))

    def penalty(self, squared_norm: float, intercept: float) -> float:
        """Return half the squared length of the weights, intercept included."""
        return 0.5 * squared_norm + 0.5 * (intercept / self.intercept_scaling) ** 2
