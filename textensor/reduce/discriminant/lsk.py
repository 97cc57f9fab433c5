"""LSK: the latent semantic kernel (Cristianini, Shawe-Taylor and Lodhi 2002)."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse.linalg import eigsh

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check_parameters, whole
from textensor.base.kept import floats, keeps
from textensor.reduce.eigen import leading_eigenvectors
from textensor.reduce.kernel_projection import KERNEL, Kernel, KernelProjection
from textensor.reduce.projection import read_documents, warn_of_fewer, with_fixed_signs

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
    kernel, gamma, degree, coef0, max_memory, n_jobs
        As for :class:`~textensor.reduce.KernelLRWMMC`. For more documents than ``max_memory`` allows,
        ``make_pipeline(Nystroem(...), TruncatedSVD(...))`` is linear in their number.

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
    _parameters: ClassVar[dict[str, Rule]] = {**KERNEL, "n_components": whole(1)}

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
        check_parameters(self)
        K = self._fit_kernels(read_documents(self, X, reset=True))
        self._check_definite(K)
        values, vectors = _leading_eigenvectors(K, self.n_components)
        kept = int(np.count_nonzero(values > NO_EIGENVALUE * values[0]))
        if kept == 0:
            raise ValueError("The kernel matrix has no positive eigenvalue: there is nothing to project on.")
        warn_of_fewer(kept, self.n_components, "are in the kernel matrix", stacklevel=2)
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
