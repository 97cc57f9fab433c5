"""What the kernel methods have in common: a kernel matrix in bounded memory, and projections by kernels.

The matrix of all pairs of training documents is what these methods are defined by, documents x documents and
dense. Its size is known beforehand: it is logged above 1 GiB, and refused above the limit that is set.
"""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, jobs, number, one_of, optional
from textensor.base.kept import floats, keeps, matrix, none_or, require, size
from textensor.parallel import in_order
from textensor.reduce.projection import Projection

logger = logging.getLogger("textensor")

GIB = 1 << 30
#: Kernel values made at a time; a block of a sparse product takes up to three times this.
BLOCK_BYTES = 1 << 26
#: Differences below this part of the largest kernel value are rounding, float32's too.
ROUNDING = 1e-5
KERNELS = ("rbf", "poly", "linear", "cosine", "precomputed")

Kernel = str | Callable[[Any, Any], Any]

#: What the parameters of a kernel may be.
KERNEL: dict[str, Rule] = {
    "kernel": Rule(
        f"one of {', '.join(KERNELS)}, or a callable",
        lambda value: callable(value) or (isinstance(value, str) and value in KERNELS),
    ),
    "gamma": optional(number(least=0)),  # None is 1 / terms, as in scikit-learn
    "degree": number(least=0),
    "coef0": number(),
    "max_memory": Rule(
        "a number of GiB above 0", lambda value: number(above=0).holds(value) or value == float("inf")
    ),
    "n_jobs": jobs,
}


def reserve(n_values: int, max_memory: float, what: str, instead: str) -> None:
    """Say how much memory a matrix takes, before it does; raise a MemoryError above ``max_memory`` GiB."""
    size = 8 * n_values / GIB
    if size > max_memory:
        raise MemoryError(
            f"{what} takes {size:.1f} GiB, and max_memory is {max_memory:g} GiB: raise it, or use {instead}."
        )
    if size >= 1:
        logger.warning("%s takes %.1f GiB.", what, size)


@keeps(
    n_features_in_=size("n_terms"),
    coefficients_=floats("n_documents", "n_axes"),
    X_fit_=none_or(matrix("n_documents", "n_terms")),
    kernel=one_of(*KERNELS),
)
class KernelProjection(Projection):
    """Coordinates that are combinations of the kernels with the training documents.

    A subclass sets ``coefficients_``, training documents x axes, and names what scales further.
    """

    kernel: Kernel
    gamma: float
    degree: float
    coef0: float
    max_memory: float
    n_jobs: int | None
    coefficients_: Floats
    _instead: str

    def _coordinates(self, X: Any) -> npt.NDArray[Any]:
        Z = np.empty((X.shape[0], self._n_features_out), dtype=X.dtype)

        def fill(rows: slice) -> None:
            Z[rows] = self._kernels(X[rows], self.X_fit_) @ self.coefficients_

        for _ in in_order(fill, _blocks(X.shape[0], len(self.coefficients_)), self.n_jobs):
            pass
        return Z

    def _fit_kernels(self, X: Any) -> Floats:
        """Return the kernels of all pairs of training documents, a new array."""
        n = X.shape[0]
        if self._is_precomputed:
            if X.shape[1] != n:
                raise ValueError(f"A precomputed kernel matrix is square, not {X.shape[0]} x {X.shape[1]}.")
            self.X_fit_ = None
        else:
            self.X_fit_ = sp.csr_matrix(X) if sp.issparse(X) else X  # what users can change is checked again
        reserve(n * n, self.max_memory, f"The kernel matrix of {n} documents", self._instead)
        K = np.empty((n, n))

        def fill(rows: slice) -> None:
            K[rows] = self._kernels(X[rows], self.X_fit_)
            if not np.isfinite(K[rows]).all():
                raise ValueError(
                    "The kernel gave values that are not finite: scale X or change its settings."
                )

        for _ in in_order(fill, _blocks(n, n), self.n_jobs):
            pass
        if self._is_own:
            _check_symmetric(K)
        return K

    def _check_definite(self, K: Floats) -> None:
        """Refuse a user's own kernel that is clearly not positive semi-definite: |K_ij|^2 > K_ii K_jj."""
        if not self._is_own:
            return
        diagonal = K.diagonal()
        length = np.sqrt(np.maximum(diagonal, 0))
        rounding = ROUNDING * _largest(K)
        bad = (diagonal < -rounding).any() or any(
            (np.abs(K[rows]) > length[rows, None] * length + rounding).any() for rows in _blocks(*K.shape)
        )
        if bad:
            raise ValueError(
                "The kernel matrix is not positive semi-definite, so it holds no inner products: "
                "a K_ii is negative, or a K_ij larger than the root of K_ii K_jj."
            )

    def _kernels(self, X: Any, Y: Any) -> Any:
        """Return the kernels of some documents with others, dense."""
        if isinstance(self.kernel, str):
            if self.kernel == "precomputed":
                return X.toarray() if sp.issparse(X) else X
            settings = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            from sklearn.metrics.pairwise import pairwise_kernels  # here: it is slow to import

            return pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, **settings)
        K = self.kernel(X, Y)
        K = np.asarray(K.toarray() if sp.issparse(K) else K)
        if K.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(f"The kernel gave {K.shape} for {X.shape[0]} x {Y.shape[0]} documents.")
        if K.dtype.kind not in "biuf":
            raise ValueError(f"The kernel gave values of type {K.dtype}: real numbers are wanted.")
        return K

    def _check_kept(self) -> None:
        if self._is_precomputed:
            fits = self.X_fit_ is None and len(self.coefficients_) == self.n_features_in_
        else:
            fits = self.X_fit_ is not None
        require(fits, "its documents are not those of its kernel")

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def _is_own(self) -> bool:
        """Whether the kernel is the user's own, so that it need not be one."""
        return self._is_precomputed or not isinstance(self.kernel, str)

    @property
    def _n_features_out(self) -> int:
        return int(self.coefficients_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed
        return tags


def _largest(K: Floats) -> float:
    return max(float(np.abs(K[rows]).max()) for rows in _blocks(*K.shape))


def _check_symmetric(K: Floats) -> None:
    """Refuse a matrix that is not its transpose, rounding aside."""
    rounding = ROUNDING * _largest(K)
    for rows in _blocks(*K.shape):
        apart = np.abs(K[rows] - K[:, rows].T)
        if apart.max() > rounding:
            i, j = np.unravel_index(apart.argmax(), apart.shape)
            i += rows.start
            raise ValueError(
                f"A kernel matrix is symmetric, and this one has {K[i, j]:g} in row {i}, "
                f"column {j}, and {K[j, i]:g} in row {j}, column {i}: average it with its transpose."
            )


def _blocks(n_rows: int, n_columns: int) -> list[slice]:
    step = max(1, BLOCK_BYTES // (8 * max(n_columns, 1)))
    return [slice(start, start + step) for start in range(0, n_rows, step)]
