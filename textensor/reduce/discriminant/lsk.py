"""LSK: the latent semantic kernel (Cristianini, Shawe-Taylor and Lodhi 2002)."""

import warnings
from typing import Any, Self

import numpy as np
from scipy.sparse.linalg import eigsh

from textensor.base.kept import floats, keeps
from textensor.learn.base import check_whole
from textensor.reduce.eigen import leading_eigenvectors
from textensor.reduce.kernel_projection import Kernel, KernelProjection
from textensor.reduce.projection import Floats, with_fixed_signs

__all__ = ["LatentSemanticKernel"]

#: Up to this many documents all eigenvectors are found at once.
SMALL = 2000
#: An eigenvalue below this part of the largest one is rounding.
NO_EIGENVALUE = 1e-10


@keeps(eigenvalues_=floats("n_axes"))
class LatentSemanticKernel(KernelProjection):
    """Latent semantic indexing in the space of a kernel: kernel PCA without centring.

    With K = V Lambda V^T the kernels of all pairs of documents, and the leading eigenvectors kept, a
    document's coordinates are Lambda^(-1/2) V^T k(x). With a linear kernel that is LSI.

    Parameters
    ----------
    n_components : int, default=100
        The number of axes. Where the kernel matrix has fewer, a warning says so.
    kernel : {"rbf", "poly", "linear", "cosine", "precomputed"} or callable, default="rbf"
        rbf is exp(-gamma |x - y|^2), poly (gamma x^T y + coef0)^degree. A callable is given two matrices of
        documents and returns the matrix of their kernels.
    gamma : float, default=1.0
        As above; 1 / sigma^2. The default is for documents of length 1.
    degree, coef0 : float, default=3 and 1
        As above.
    max_memory : float, default=4.0
        The kernel matrix, 8 n^2 bytes, may take this many GiB: 23170 documents by default. For more,
        ``make_pipeline(Nystroem(...), TruncatedSVD(...))`` is linear in the number of documents.
    n_jobs : int or None, default=None
        Threads that compute kernels; the result does not depend on it.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_documents, n_axes)
        V Lambda^(-1/2).
    eigenvalues_ : ndarray of shape (n_axes,)
        Lambda, falling.
    X_fit_ : ndarray or csr_matrix
        The training documents; None with a precomputed kernel.

    Examples
    --------
    >>> from textensor.reduce import LatentSemanticKernel
    >>> from textensor.space import TermVectorizer
    >>> X = TermVectorizer().fit_transform(["wheat maize", "maize corn", "bank rate", "rate money"])
    >>> LatentSemanticKernel(2).fit_transform(X).shape
    (4, 2)
    """

    _instead = "make_pipeline(Nystroem(...), TruncatedSVD(...)) of scikit-learn"

    def __init__(
        self,
        n_components: int = 100,
        *,
        kernel: Kernel = "rbf",
        gamma: float = 1.0,
        degree: float = 3,
        coef0: float = 1.0,
        max_memory: float = 4.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_memory = max_memory
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Find the axes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents, or with ``kernel="precomputed"`` their kernels, n_documents x n_documents.
        y : ignored
            Labels have no say here.
        """
        check_whole("n_components", self.n_components)
        K = self._fit_kernels(X)
        self._check_definite(K)
        values, vectors = _leading_eigenvectors(K, self.n_components)
        kept = np.count_nonzero(values > NO_EIGENVALUE * values[0])
        if kept == 0:
            raise ValueError("The kernel matrix has no positive eigenvalue: there is nothing to project on.")
        if kept < self.n_components:
            warnings.warn(f"The kernel matrix has {kept} axes, not {self.n_components}.", stacklevel=2)
        self.eigenvalues_ = values[:kept]
        self.coefficients_ = with_fixed_signs(vectors[:, :kept]) / np.sqrt(self.eigenvalues_)
        return self


def _leading_eigenvectors(K: Floats, k: int) -> tuple[Floats, Floats]:
    """Return the k algebraically largest eigenvalues of a symmetric matrix, falling, and their vectors."""
    n = len(K)
    if n <= SMALL or k > n // 4:
        return leading_eigenvectors(K, min(k, n))
    values, vectors = eigsh(K, k, which="LA", v0=np.random.default_rng(0).standard_normal(n))
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]
