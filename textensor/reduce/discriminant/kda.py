"""KDA: kernel discriminant analysis by spectral regression (Cai, He and Han 2007)."""

from typing import Any, Self

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from textensor.base.kept import keeps, labels
from textensor.learn.base import check_number
from textensor.reduce.classes import read_two_classes
from textensor.reduce.discriminant.regression import class_responses
from textensor.reduce.kernel_projection import Kernel, KernelProjection

__all__ = ["KDA"]


@keeps(classes_=labels("n_classes"))
class KDA(KernelProjection):
    """Discriminant analysis in the space of a kernel, by regression of the class responses.

    (K + delta I) alpha_k = y_k, with K the kernels of all pairs of documents and y_k the orthonormal class
    indicators of mean 0; a document's coordinates are sum_i alpha_ik k(x_i, x). One Cholesky factor serves
    all axes. With a linear kernel it is SRDA without an intercept.

    Parameters
    ----------
    delta : float, default=1.0
        The ridge.
    kernel : {"rbf", "poly", "linear", "cosine", "precomputed"} or callable, default="rbf"
        rbf is exp(-gamma |x - y|^2), poly (gamma x^T y + coef0)^degree. A callable is given two matrices of
        documents and returns the matrix of their kernels.
    gamma : float, default=1.0
        As above; 1 / sigma^2. The default is for documents of length 1.
    degree, coef0 : float, default=3 and 1
        As above.
    max_memory : float, default=4.0
        The kernel matrix, 8 n^2 bytes, may take this many GiB: 23170 documents by default. For more,
        ``make_pipeline(Nystroem(...), SRDA())`` is linear in the number of documents.
    n_jobs : int or None, default=None
        Threads that compute kernels; the result does not depend on it.

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

    def fit(self, X: Any, y: Any) -> Self:
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents, or with ``kernel="precomputed"`` their kernels, n_documents x n_documents.
        y : array-like of shape (n_documents,)
            The class of each.
        """
        check_number("delta", self.delta, zero=True)
        K = self._fit_kernels(X)
        classes = read_two_classes(self, K, y)
        K[np.diag_indices_from(K)] += self.delta
        try:
            # K is symmetric, and as its transpose it is in the order that LAPACK overwrites.
            factor = cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError as error:
            raise ValueError(
                f"The kernel matrix + {self.delta:g} I is not positive definite: raise delta."
            ) from error
        self.coefficients_ = cho_solve(factor, class_responses(classes.codes, len(classes.names)))
        self.classes_ = classes.names
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
