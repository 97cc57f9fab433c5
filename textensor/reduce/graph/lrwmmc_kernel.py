"""Kernel LRWMMC (LRWMMC §4, Algorithm 2, and its QR form, §7)."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from textensor.base.kept import dropped, floats, keeps, labels
from textensor.reduce.axes.embedding import kernel_axes
from textensor.reduce.classes import read_two_classes
from textensor.reduce.graph.estimator import solver_options, warn_of_fewer
from textensor.reduce.graph.graphs import kernel_regions, laplacian, relevance_graph
from textensor.reduce.graph.lrwmmc import LRWMMC
from textensor.reduce.kernel_projection import Kernel, KernelProjection

__all__ = ["KernelLRWMMC"]


@keeps(classes_=labels("n_classes"), eigenvalues_=floats("n_axes"), graph=dropped)
class KernelLRWMMC(KernelProjection):
    """LRWMMC in the feature space of a kernel.

    Regions are those of the feature space, with K_ij / sqrt(K_ii K_jj) for relevance, and an axis is a sum of
    documents there, a = Phi alpha.

    Parameters
    ----------
    n_components : int, default=100
        The number of axes. Only those of positive criterion are kept: there may be fewer, with a warning.
    n_neighbors : int, default=20
        k, the size of the local relevant regions.
    kernel : {"rbf", "poly", "linear", "cosine", "precomputed"} or callable, default="rbf"
        rbf is exp(-gamma |x - y|^2), poly (gamma x^T y + coef0)^degree. A callable is given two matrices of
        documents and returns the matrix of their kernels.
    gamma : float, default=1.0
        As above; 1 / sigma^2. The default is for documents of length 1.
    degree, coef0 : float, default=3 and 1
        As above.
    axes : {"rkhs", "coefficients"}, default="rkhs"
        What is orthonormal: the axes in the feature space, so that a linear kernel gives plain LRWMMC, or the
        coefficients alpha, as Algorithm 2 has it.
    solver : {"auto", "lanczos", "qr", "dense"}, default="auto"
        How the eigenproblem is solved; see :mod:`textensor.reduce.axes.embedding`.
    tol : float, default=1e-6
        Which part of the criterion the axes of ``"lanczos"`` may lack. A larger one
        may take much less time.
    max_memory : float, default=4.0
        The kernel matrix, 8 n^2 bytes, may take this many GiB: 23170 documents by default. For more,
        ``make_pipeline(Nystroem(...), LRWMMC())`` is linear in the number of documents but for the graph.
    n_jobs : int or None, default=None
        How many threads; the result does not depend on it.
    random_state : int, RandomState or None, default=0
        Where the ``"lanczos"`` solver starts.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_documents, n_axes)
        alpha: the axes as sums of documents, of the largest criterion first.
    eigenvalues_ : ndarray of shape (n_axes,)
        What each adds to the criterion.
    X_fit_ : ndarray or csr_matrix
        The training documents; None with a precomputed kernel.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> from textensor.reduce import KernelLRWMMC
    >>> X, y = [[0.0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"]
    >>> KernelLRWMMC(1, n_neighbors=2).fit_transform(X, y).round(2).ravel().tolist()
    [0.32, 0.32, -0.32, -0.32]
    """

    _instead = "make_pipeline(Nystroem(...), LRWMMC()) with Nystroem of sklearn.kernel_approximation"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LRWMMC._parameter_constraints,
        "axes": [StrOptions({"rkhs", "coefficients"})],
    }

    def __init__(
        self,
        n_components: int = 100,
        n_neighbors: int = 20,
        *,
        kernel: Kernel = "rbf",
        gamma: float = 1.0,
        degree: float = 3,
        coef0: float = 1.0,
        axes: str = "rkhs",
        solver: str = "auto",
        tol: float = 1e-6,
        max_memory: float = 4.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.axes = axes
        self.solver = solver
        self.tol = tol
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents, or with ``kernel="precomputed"`` their kernels, n_documents x n_documents.
        y : array-like of shape (n_documents,)
            The class of each.
        """
        self._validate_params()
        K = self._fit_kernels(X)
        self._check_definite(K)
        classes = read_two_classes(self, K, y)
        if np.ptp(K) == 0:
            raise ValueError(f"All kernels of the {len(K)} documents are {K[0, 0]:g}: nothing parts them.")
        L = laplacian(relevance_graph(kernel_regions(K, classes.codes, self.n_neighbors, self.n_jobs)))
        found = kernel_axes(K, L, self.n_components, axes=self.axes, **solver_options(self))
        warn_of_fewer(len(found.values), self.n_components, stacklevel=2)
        self.eigenvalues_, self.coefficients_ = found
        self.classes_ = classes.names
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
