"""Kernel LRWMMC (LRWMMC §4, Algorithm 2, and its QR form, §7)."""

from typing import Any, ClassVar

import numpy as np

from textensor.base.checks import Rule, one_of
from textensor.base.kept import floats, keeps
from textensor.base.labels import Labels
from textensor.reduce.axes.embedding import kernel_axes
from textensor.reduce.graph.estimator import EMBEDDING, GraphMethod, solver_options
from textensor.reduce.graph.graphs import kernel_regions
from textensor.reduce.kernel_projection import KERNEL, Kernel, KernelProjection
from textensor.reduce.projection import warn_of_fewer


@keeps(eigenvalues_=floats("n_axes"))
class KernelLRWMMC(GraphMethod, KernelProjection):
    """LRWMMC in the feature space of a kernel.

    Regions are those of the feature space, with K_ij / sqrt(K_ii K_jj) for relevance, and an axis is a sum of
    documents there, a = Phi alpha.

    Parameters
    ----------
    n_components, n_neighbors, graph, solver, tol, n_jobs, random_state
        As for :class:`~textensor.reduce.LRWMMC`.
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
    max_memory : float, default=4.0
        The kernel matrix, 8 n^2 bytes, may take this many GiB: 23170 documents by default. For more,
        ``make_pipeline(Nystroem(...), LRWMMC())`` is linear in the number of documents but for the graph.

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
    _parameters: ClassVar[dict[str, Rule]] = {
        **EMBEDDING,
        **KERNEL,
        "axes": one_of("rkhs", "coefficients"),
    }

    def __init__(
        self,
        n_components: int = 100,
        n_neighbors: int = 20,
        *,
        graph: Any = None,
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
        self.graph = graph
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

    def _fit(self, X: Any, classes: Labels) -> None:
        K = self._fit_kernels(X)
        self._check_definite(K)
        if np.ptp(K) == 0:
            raise ValueError(f"All kernels of the {len(K)} documents are {K[0, 0]:g}: nothing parts them.")
        L = self._graph_laplacian(kernel_regions(K, classes.codes, self.n_neighbors, self.n_jobs))
        found = kernel_axes(K, L, self.n_components, axes=self.axes, **solver_options(self))
        warn_of_fewer(len(found.values), self.n_components, "raise the criterion")
        self.eigenvalues_, self.coefficients_ = found
