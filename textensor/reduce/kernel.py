"""Kernel LRWMMC (LRWMMC §4, Algorithm 2, and its QR form, §7)."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from textensor.parallel import in_order
from textensor.reduce.base import Codes, warn_of_fewer
from textensor.reduce.embedding import kernel_axes, refuse_if_large
from textensor.reduce.graphs import kernel_regions, laplacian
from textensor.reduce.lrwmmc import LRWMMC

__all__ = ["KernelLRWMMC"]

#: Rows of a kernel matrix that are computed at a time.
ROWS = 512
INSTEAD = "take fewer documents, or LRWMMC after scikit-learn's Nystroem or RBFSampler"


class KernelLRWMMC(LRWMMC):
    """LRWMMC in the feature space of a kernel.

    Regions are those of the feature space, with K_ij / sqrt(K_ii K_jj) for relevance, and an axis is a sum of
    documents there, a = Phi alpha. The kernel matrix of all documents is dense: it takes 8 n^2 bytes (1 GiB
    at 11500 documents), most of what a fit takes, and more than 4 GiB is refused before it is tried.

    Parameters
    ----------
    n_components : int, default=100
        The number of axes. Only those of positive criterion are kept: there may be fewer, with a warning.
    n_neighbors : int, default=20
        k, the size of the local relevant regions.
    kernel : {"rbf", "poly", "precomputed"} or callable, default="rbf"
        ``"rbf"`` is exp(-|x - y|^2 / sigma^2), ``"poly"`` is (1 + x^T y)^degree. A callable takes two CSR
        matrices of documents and returns the kernels of all pairs. With ``"precomputed"``, X is the kernel
        matrix, and at ``transform`` that of new documents with those of ``fit``.
    sigma : float, default=1.0
        The width of ``"rbf"``.
    degree : int, default=3
        The power of ``"poly"``.
    axes : {"rkhs", "coefficients"}, default="rkhs"
        What is orthonormal: the axes in the feature space, so that a linear kernel gives plain LRWMMC, or the
        coefficients alpha, as Algorithm 2 has it.
    solver : {"auto", "lanczos", "qr", "dense"}, default="auto"
        How the eigenproblem is solved; see :mod:`textensor.reduce.embedding`.
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
    documents_ : csr_matrix
        The documents of ``fit``, unless the kernel is precomputed.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> from textensor.reduce import KernelLRWMMC
    >>> X, y = [[0.0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"]
    >>> KernelLRWMMC(1, n_neighbors=2).fit_transform(X, y).round(2).ravel().tolist()
    [0.32, 0.32, -0.32, -0.32]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LRWMMC._parameter_constraints,
        "kernel": [StrOptions({"rbf", "poly", "precomputed"}), callable],
        "sigma": [Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "axes": [StrOptions({"rkhs", "coefficients"})],
    }

    def __init__(
        self,
        n_components: int = 100,
        n_neighbors: int = 20,
        *,
        kernel: Any = "rbf",
        sigma: float = 1.0,
        degree: int = 3,
        axes: str = "rkhs",
        solver: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(n_components, n_neighbors, solver=solver, n_jobs=n_jobs, random_state=random_state)
        self.kernel = kernel
        self.sigma = sigma
        self.degree = degree
        self.axes = axes

    def _fit(self, X: Any, codes: Codes) -> None:
        n = X.shape[0]
        refuse_if_large((n, n), INSTEAD)
        if self._given and X.shape[1] != n:
            raise ValueError(f"A precomputed kernel matrix must be square, not {X.shape[0]} x {X.shape[1]}.")
        self.documents_: Any = None if self._given else X.copy()
        K = np.empty((n, n))

        def fill(start: int) -> None:
            K[start : start + ROWS] = self._kernel(X[start : start + ROWS])

        for _ in in_order(fill, range(0, n, ROWS), self.n_jobs):
            pass
        L = laplacian(self._graph(kernel_regions(K, codes, self.n_neighbors, self.n_jobs)))
        found = kernel_axes(K, L, self.n_components, axes=self.axes, **self._solver())
        warn_of_fewer(len(found.values), self.n_components, stacklevel=4)
        self.eigenvalues_, self.coefficients_ = found
        self._n_features_out = len(found.values)

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Return the coordinates of documents on the axes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents, or their precomputed kernels with the documents of ``fit``.
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        out = np.empty((X.shape[0], self._n_features_out), dtype=X.dtype)

        def fill(start: int) -> None:
            out[start : start + ROWS] = self._kernel(X[start : start + ROWS]) @ self.coefficients_

        for _ in in_order(fill, range(0, X.shape[0], ROWS), self.n_jobs):
            pass
        return out

    @property
    def _given(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _kernel(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the kernels of some documents with those of fit."""
        X = X.astype(np.float64)
        if self._given:
            return X.toarray()
        Y = self.documents_.astype(np.float64)
        if callable(self.kernel):
            return _dense(self.kernel(X, Y))
        K = _dense(X @ Y.T)
        if self.kernel == "poly":
            return (1 + K) ** self.degree
        squares = _squares(X)[:, None] + _squares(Y)
        return np.exp(-np.maximum(squares - 2 * K, 0) / self.sigma**2)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given
        return tags


def _dense(K: Any) -> npt.NDArray[np.float64]:
    return np.asarray(K.toarray() if hasattr(K, "toarray") else K, dtype=np.float64)


def _squares(X: Any) -> npt.NDArray[np.float64]:
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()
