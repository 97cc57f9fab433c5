"""Graph eigenvectors followed by ridge regression: spectral regression (Cai, He and Han).

The graph of LDA joins documents of one class. Its eigenvectors for the eigenvalue 1 are the class indicators;
made orthonormal and orthogonal to the vector of ones they are the c - 1 *responses* Y, with Y Y^T the matrix
of the between-class scatter:

    Sb = sum_l n_l (m_l - m)(m_l - m)^T = X^T Y Y^T X        (documents are rows here)

A regression of Y on documents gives the axes. With the intercept free, its normal equations are
(St + alpha I) A = X^T Y, so A spans the eigenvectors of Sb against St + alpha I for *every* alpha, and LDA's
where alpha goes to 0. Any other penalty a^T P a that is a sum of squares joins in as rows with response 0.
"""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator, lsqr
from threadpoolctl import threadpool_limits

from textensor.base.arrays import Codes, Floats
from textensor.base.checks import Rule, jobs, number, whole
from textensor.base.kept import floats, keeps
from textensor.base.late.parts import ConvergenceWarning
from textensor.parallel import in_order
from textensor.reduce.projection import LinearProjection, Supervised

#: What the parameters of a regression may be; tol is the part of the responses left over.
REGRESSION: dict[str, Rule] = {"tol": number(least=0, below=1), "max_iter": whole(1), "n_jobs": jobs}
#: Why scipy's ``lsqr`` stopped.
OUT_OF_ITERATIONS = 7


def class_responses(codes: Codes) -> Floats:
    """Return the responses, documents x (classes - 1): orthonormal, constant on classes, of mean 0.

    By Gram-Schmidt of the vector of ones and the indicators of all classes but the last one, done on classes
    instead of documents: the c x c matrix with a row for each class, times the square root of its size.
    """
    roots = np.sqrt(np.bincount(codes))
    Q, R = np.linalg.qr(np.column_stack([roots, np.diag(roots)[:, :-1]]))
    by_class = (Q * np.where(np.diag(R) < 0, -1.0, 1.0))[:, 1:] / roots[:, None]
    return np.asarray(by_class[codes])


def centred(X: Any) -> tuple[LinearOperator, Floats]:
    """Return documents less their mean as an operator, and the mean. X stays sparse."""
    mean = np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() / X.shape[0]
    operator = LinearOperator(
        X.shape,
        matvec=lambda v: X @ v - mean @ v,
        rmatvec=lambda u: X.T @ u - u.sum() * mean,
        dtype=np.float64,
    )
    return operator, mean


def regress(
    A: LinearOperator, Y: Floats, alpha: float, *, tol: float, max_iter: int, n_jobs: int | None = None
) -> tuple[Floats, int, bool]:
    """Minimise |A W - Y|^2 + alpha |W|^2 by LSQR; if alpha is 0, find the solution of least norm.

    Return W, the most iterations that a column of Y took, and whether all columns were solved. ``tol`` is the
    precision of A and Y at which scipy's ``lsqr`` stops. Each column is a task for a thread: in scipy a
    sparse matrix times a block of vectors takes more than twice as long as times each of them.
    """
    root = np.sqrt(float(alpha))

    def solve(response: Floats) -> tuple[Any, ...]:
        # conlim=0: a large condition number, which a small ridge makes, is no reason to stop.
        return tuple(lsqr(A, response, root, atol=tol, btol=tol, conlim=0, iter_lim=max_iter)[:3])

    with threadpool_limits(1, user_api="blas"):
        weights, reasons, n_iters = zip(*in_order(solve, Y.T, n_jobs), strict=True)
    return np.column_stack(weights), max(n_iters), OUT_OF_ITERATIONS not in reasons


@keeps(intercept_=floats("n_axes"), n_iter_=whole(0))
class ResponseRegression(Supervised, LinearProjection):
    """A projection found by regressing class responses on documents.

    A subclass has the parameters ``tol``, ``max_iter`` and ``n_jobs``.
    """

    tol: float
    max_iter: int
    n_jobs: int | None
    intercept_: Floats

    def _regress(self, A: LinearOperator, Y: Floats, alpha: float) -> Floats:
        """Return the weights, terms x responses, and warn where they are not what they should be."""
        weights, self.n_iter_, converged = regress(
            A, Y, alpha, tol=self.tol, max_iter=self.max_iter, n_jobs=self.n_jobs
        )
        if not converged:
            warnings.warn(
                f"The regression did not settle in {self.max_iter} iterations: raise max_iter or the ridge.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return weights

    def _coordinates(self, X: Any) -> npt.NDArray[Any]:
        return super()._coordinates(X) + self.intercept_
