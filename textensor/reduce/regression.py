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
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator
from sklearn.exceptions import ConvergenceWarning

from textensor.reduce.classes import Classes
from textensor.reduce.projection import Floats, LinearProjection

__all__ = ["Regressed", "ResponseRegression", "centred", "class_responses", "lsqr"]


def class_responses(codes: npt.NDArray[np.intp], n_classes: int) -> Floats:
    """Return the responses, documents x (classes - 1): orthonormal, constant on classes, of mean 0.

    By Gram-Schmidt of the vector of ones and the indicators of all classes but the last one, done on classes
    instead of documents: the c x c matrix with a row for each class, times the square root of its size.
    """
    roots = np.sqrt(np.bincount(codes, minlength=n_classes))
    Q, R = np.linalg.qr(np.column_stack([roots, np.diag(roots)[:, :-1]]))
    by_class = (Q * np.where(np.diag(R) < 0, -1.0, 1.0))[:, 1:] / roots[:, None]
    return np.asarray(by_class[codes])


def centred(X: Any) -> tuple[LinearOperator, Floats]:
    """Return documents less their mean as an operator, and the mean. X stays sparse."""
    n, p = X.shape
    mean = np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() / n

    def forward(V: Floats) -> Floats:
        return np.asarray(X @ V - mean @ V)

    def backward(U: Floats) -> Floats:
        return np.asarray(X.T @ U - np.multiply.outer(mean, U.sum(axis=0)))

    operator = LinearOperator(
        (n, p), matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=np.float64
    )
    return operator, mean


class Regressed(NamedTuple):
    """The solution of a regression, columns by response."""

    weights: Floats
    n_iter: int
    converged: bool


def lsqr(A: LinearOperator, Y: Floats, alpha: float, *, tol: float, max_iter: int) -> Regressed:
    """Minimise |A W - Y|^2 + alpha |W|^2 for all columns of Y side by side (LSQR, Paige and Saunders 1982).

    Each column runs the recurrences of its own, but all share the products with A: far fewer passes over its
    nonzeros than one column after the other. Where alpha is 0 it is the solution of least norm.

    Parameters
    ----------
    A : LinearOperator
        Needs products with blocks of vectors from both sides.
    Y : ndarray
        The responses.
    alpha : float
        The ridge.
    tol : float
        Stop when |A^T (Y - A W) - alpha W| is at most this part of |A| |Y|, for each column.
    max_iter : int
        The number of iterations at the most.
    """
    damp = np.sqrt(alpha)
    scale = np.linalg.norm(Y, axis=0)
    U, phi_bar = _unit(Y)
    V, a = _unit(A.rmatmat(U))
    rho_bar, squared_norm = a, a**2
    direction, W = V, np.zeros_like(V)
    for n_iter in range(1, max_iter + 1):
        # Bidiagonalise: A V = U (lower bidiagonal, a on the diagonal and b below).
        U, b = _unit(A.matmat(V) - a * U)
        V, a = _unit(A.rmatmat(U) - b * V)
        squared_norm = squared_norm + a**2 + b**2
        # Rotate the ridge away, then what is below the diagonal.
        rho_damped = np.hypot(rho_bar, damp)
        phi_bar = _ratio(rho_bar, rho_damped) * phi_bar
        rho = np.hypot(rho_damped, b)
        c, s = _ratio(rho_damped, rho), _ratio(b, rho)
        phi, phi_bar = c * phi_bar, s * phi_bar
        W += _ratio(phi, rho) * direction
        direction = V - _ratio(s * a, rho) * direction
        rho_bar = -c * a
        gradient = np.abs(a * s * phi)
        if np.all(gradient <= tol * np.sqrt(squared_norm) * scale):
            return Regressed(W, n_iter, converged=True)
    return Regressed(W, max_iter, converged=False)


def _unit(V: Floats) -> tuple[Floats, Floats]:
    """Return the columns with length 1, and the lengths they had; a column of zeros stays."""
    lengths = np.sqrt(np.einsum("ij,ij->j", V, V))
    return V * _ratio(np.ones_like(lengths), lengths), lengths


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; nothing divided by nothing is 0, which is what a finished column needs."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)


class ResponseRegression(LinearProjection):
    """A projection found by regressing class responses on documents.

    A subclass has the parameters ``tol`` and ``max_iter``.
    """

    tol: float
    max_iter: int
    intercept_: Floats

    def _responses(self, classes: Classes) -> Floats:
        """Return the responses of the labelled documents."""
        if len(classes.names) < 2:
            raise ValueError(
                f"{type(self).__name__} tells classes apart, and y has one class: give two or more."
            )
        return class_responses(classes.codes[classes.labelled], len(classes.names))

    def _regress(self, A: LinearOperator, Y: Floats, alpha: float) -> Floats:
        """Return the weights, terms x responses, and warn where they are not what they should be."""
        found = lsqr(A, Y, alpha, tol=self.tol, max_iter=self.max_iter)
        self.n_iter_ = found.n_iter
        if not found.converged:
            warnings.warn(
                f"The regression did not settle in {self.max_iter} iterations: raise max_iter or the ridge.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return found.weights

    def _check_numbers(self, **ridges: float) -> None:
        for name, value in {**ridges, "tol": self.tol}.items():
            if not 0 <= value < np.inf:
                raise ValueError(f"{name} must be 0 or more, not {value!r}.")
        if self.max_iter < 1:
            raise ValueError(f"max_iter must be 1 or more, not {self.max_iter!r}.")

    def _coordinates(self, X: Any) -> npt.NDArray[Any]:
        return super()._coordinates(X) + self.intercept_
