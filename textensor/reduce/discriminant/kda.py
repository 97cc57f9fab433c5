"""KDA: kernel discriminant analysis by spectral regression (Cai, He and Han 2007)."""

from typing import Any, ClassVar

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from textensor.base.checks import Rule, number
from textensor.base.labels import Labels
from textensor.reduce.discriminant.regression import class_responses
from textensor.reduce.kernel_projection import KERNEL, Kernel, KernelProjection
from textensor.reduce.projection import Supervised


class KDA(Supervised, KernelProjection):
    """Discriminant analysis in the space of a kernel, by regression of the class responses.

    (K + delta I) alpha_k = y_k, with K the kernels of all pairs of documents and y_k the orthonormal class
    indicators of mean 0; a document's coordinates are sum_i alpha_ik k(x_i, x). One Cholesky factor serves
    all axes. With a linear kernel it is SRDA without an intercept.

    Parameters
    ----------
    delta : float, default=1.0
        The ridge.
    kernel, gamma, degree, coef0, max_memory, n_jobs
        As for :class:`~textensor.reduce.KernelLRWMMC`. For more documents than ``max_memory`` allows,
        ``make_pipeline(Nystroem(...), SRDA())`` is linear in their number.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_documents, n_classes - 1)
        The alpha_k.
    X_fit_ : ndarray or csr_matrix
        The training documents; None with a precomputed kernel.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> from textensor.reduce import KDA
    >>> from textensor.space import TermVectorizer
    >>> X = TermVectorizer().fit_transform(["wheat maize", "maize corn", "bank rate", "rate money"])
    >>> KDA().fit_transform(X, ["grain", "grain", "money", "money"]).shape
    (4, 1)
    """

    _instead = "make_pipeline(Nystroem(...), SRDA()) with Nystroem of sklearn.kernel_approximation"
    _parameters: ClassVar[dict[str, Rule]] = {**KERNEL, "delta": number(least=0)}

    def __init__(
        self,
        delta: float = 1.0,
        *,
        kernel: Kernel = "rbf",
        gamma: float = 1.0,
        degree: float = 3,
        coef0: float = 1.0,
        max_memory: float = 4.0,
        n_jobs: int | None = None,
    ) -> None:
        self.delta = delta
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_memory = max_memory
        self.n_jobs = n_jobs

    def _fit(self, X: Any, classes: Labels) -> None:
        K = self._fit_kernels(X)
        K[np.diag_indices_from(K)] += self.delta
        try:
            # K is symmetric, and as its transpose it is in the order that LAPACK overwrites.
            factor = cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError as error:
            raise ValueError(
                f"The kernel matrix + {self.delta:g} I is not positive definite: raise delta."
            ) from error
        self.coefficients_ = cho_solve(factor, class_responses(classes.codes))
