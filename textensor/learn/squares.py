"""Least squares by a stable factorisation; the shortest solution if there are several."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import lsmr

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check_parameters, flag, number
from textensor.base.kept import keeps
from textensor.learn.base import Index, Learner, Rows, Solution

#: If a pivot is below this part of the largest, the normal equations have lost half the digits.
SAFE = 1e-8
#: Larger matrices are not made dense for a singular value decomposition.
MAX_DENSE_BYTES = 1 << 28


@keeps()
@dataclass
class SquaredLoss(Learner):
    """min sum of weight_i (y_i - f_i)^2 + alpha |w|^2.

    Parameters
    ----------
    alpha : float
        Penalty; with 0, the default, the shortest of the best solutions is taken.
    fit_intercept : bool
        Whether a constant column is added to the rows (stm-tls, footnote 2); it is penalised like the others.
    intercept_scaling : float
        The value of that column: the larger, the less the intercept is penalised.
    """

    alpha: float = 0.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0

    _parameters: ClassVar[Mapping[str, Rule]] = {
        "alpha": number(least=0),
        "fit_intercept": flag,
        "intercept_scaling": number(above=0),
    }

    @property
    def strength(self) -> float:  # type: ignore[override]
        """The factor of the squared norm in the penalty: alpha."""
        return self.alpha

    def solve(
        self,
        rows: Rows,
        y: Floats,
        weight: Floats,
        *,
        which: Index | None = None,
        state: Any = None,  # noqa: ARG002
        tol: float = 1e-3,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
    ) -> Solution:
        """Solve at once: there is nothing to start from and nothing to stop early."""
        check_parameters(self)
        root = np.sqrt(weight)
        rows = rows.take(which).scaled(root)
        constant = root * (self.intercept_scaling if self.fit_intercept else 0.0)
        solution = _by_normal_equations(rows, constant, root * y, self.alpha)
        if solution is None:
            solution = _least_norm(rows.to_scipy(), constant, root * y, self.alpha)
        weights = np.ascontiguousarray(solution[:-1])
        residual = root * y - rows.to_scipy() @ weights - constant * solution[-1]
        intercept = float(solution[-1] * self.intercept_scaling)
        return Solution(weights, intercept, float(residual @ residual + self.alpha * solution @ solution))

    def loss(self, decision: Floats, y: Floats, weight: Floats) -> float:
        """Return the weighted sum of squared errors."""
        return float(weight @ (y - decision) ** 2)


def _dense(X: Any) -> Floats:
    return X if isinstance(X, np.ndarray) else X.toarray()


def _by_normal_equations(rows: Rows, constant: Floats, target: Floats, alpha: float) -> Floats | None:
    """Solve by a Cholesky factorisation of the smaller side, or give up if that would lose digits."""
    X = rows.to_scipy()
    n, p = X.shape
    if p < n:
        A = np.empty((p + 1, p + 1))
        A[:p, :p] = rows.gram()
        A[p, :p] = A[:p, p] = X.T @ constant
        A[p, p] = constant @ constant
        return _cholesky(A, np.append(X.T @ target, constant @ target), alpha)
    dual = _cholesky(_dense(X @ X.T) + np.outer(constant, constant), target, alpha)
    return None if dual is None else np.append(X.T @ dual, constant @ dual)


def _cholesky(A: Floats, b: Floats, alpha: float) -> Floats | None:
    """Solve (A + alpha I) x = b, or return None if the matrix is too near to a singular one."""
    A = A + alpha * np.eye(len(A))
    try:
        factor = scipy.linalg.cho_factor(A, lower=True)
    except scipy.linalg.LinAlgError:
        return None
    if np.diag(factor[0]).min() ** 2 <= SAFE * np.diag(A).max(initial=0.0):
        return None
    return scipy.linalg.cho_solve(factor, b)


def _least_norm(X: Any, constant: Floats, target: Floats, alpha: float) -> Floats:
    """Return the shortest of the best solutions: by singular values, or by LSMR if X is large."""
    if 8 * X.shape[0] * X.shape[1] > MAX_DENSE_BYTES:
        A = sp.hstack([sp.csr_matrix(X), sp.csr_matrix(constant[:, None])], format="csr")
        found = lsmr(A, target, damp=alpha**0.5, atol=1e-12, btol=1e-12, conlim=0, maxiter=10 * min(A.shape))
        return np.asarray(found[0])
    A = np.column_stack([_dense(X), constant])
    if alpha > 0:
        A = np.vstack([A, np.sqrt(alpha) * np.eye(A.shape[1])])
        target = np.append(target, np.zeros(A.shape[1]))
    # scipy's own cut-off, one rounding unit, takes rounding errors for singular values.
    return scipy.linalg.lstsq(A, target, cond=max(A.shape) * np.finfo(float).eps)[0]
