"""The axes A that maximise tr(A^T X L X^T A) with A^T A = I (LRWMMC Eqs. 3.9, 4.15, 5.19 and 7.25).

They are the leading eigenvectors of X L X^T, X terms x documents as in the paper (the functions take its
transpose, a row for each document) and L the Laplacian of a graph. L has eigenvalues of both signs, so only
axes of positive eigenvalue raise the criterion: every solver stays inside the span of the documents and keeps
those, and at least one. The sign of an axis makes its largest coordinate positive.

- ``"lanczos"`` applies X L X^T and never forms it: see :mod:`textensor.reduce.axes.lanczos`.
- ``"qr"`` is the paper's fast algorithm (§7): X = Q R, V the eigenvectors of R L R^T, A = Q V. X is dense.
- ``"dense"`` forms the operator on the smaller side: terms x terms, or documents x documents with R from the
  Gram matrix.
- ``"auto"`` is ``"dense"`` up to 1000 on the smaller side, ``"lanczos"`` beyond.
"""

from math import prod
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from textensor.base.arrays import Floats
from textensor.parallel import crew
from textensor.reduce.axes.lanczos import NOTHING, lanczos, wanted
from textensor.reduce.axes.sides import DocumentSide, KernelSide, TermSide
from textensor.reduce.eigen import leading_eigenvectors
from textensor.reduce.projection import with_fixed_signs
from textensor.space.tensors import TermTensors

SOLVERS = ("auto", "lanczos", "qr", "dense")
#: The largest smaller side that "auto" makes dense.
AUTO_DENSE = 1000
#: No dense array of more than this is made.
MAX_DENSE_BYTES = 1 << 32
#: Numbers in the part of the documents that is dense at a time.
DENSE_NUMBERS = 1 << 25
#: Numbers in the part of half-projected tensors that L multiplies at a time.
TENSOR_NUMBERS = 1 << 22


class Axes(NamedTuple):
    """Eigenvalues from the largest down, and the axes in the columns."""

    values: Floats
    vectors: Floats


def linear_axes(
    X: Any,
    L: Any,
    n_components: int,
    *,
    solver: str = "auto",
    tol: float = 1e-6,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Axes:
    """Return the orthonormal axes of positive criterion, at most ``n_components``, in the space of terms.

    Parameters
    ----------
    X : csr_matrix or ndarray of shape (n_documents, n_terms)
        The documents.
    L : sparse matrix or LinearOperator of shape (n_documents, n_documents)
        The Laplacian of their graph.
    n_components : int
        How many axes.
    solver, tol, n_jobs
        As for :class:`~textensor.reduce.LRWMMC`.
    seed : int, default=0
        Where ``"lanczos"`` starts; the axes do not depend on it but for ``tol``.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from textensor.reduce.axes.embedding import linear_axes
    >>> X = sp.csr_matrix([[3.0, 0], [0, 3], [0, 1]])
    >>> L = sp.csr_matrix([[1.0, -1, 0], [-1, 1, 0], [0, 0, 0]])
    >>> values, axes = linear_axes(X, L, 2)
    >>> values, axes
    (array([18.]), array([[ 0.70710678],
           [-0.70710678]]))
    """
    n, d = X.shape
    X = X.astype(np.float64, copy=False)
    if solver == "auto":
        solver = "dense" if min(n, d) <= AUTO_DENSE else "lanczos"
    with threadpool_limits(1, user_api="blas"), crew(n_jobs) as run:
        if solver == "qr":
            axes = _by_qr(X, L, n_components)
        elif solver == "dense":
            axes = _on_terms(X, L, n_components) if d <= n else _on_documents(X, L, n_components)
        elif d <= n:
            axes = _raising(
                *lanczos(TermSide(X, L, run), n_components, run, tol=tol, seed=seed), n_components
            )
        else:
            side = DocumentSide(sp.csr_matrix(X), L, run)
            found = lanczos(side, n_components, run, tol=tol, seed=seed)[1]
            values, c = _raising(*side.axes(found), n_components)
            axes = Axes(values, X.T @ c)
    return Axes(axes.values, with_fixed_signs(axes.vectors))


def kernel_axes(
    K: Floats,
    L: Any,
    n_components: int,
    *,
    axes: str = "rkhs",
    solver: str = "auto",
    tol: float = 1e-6,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Axes:
    """Return coefficients over documents of axes in the feature space of a kernel, whose matrix is K.

    The axes are orthonormal in the feature space, alpha^T K alpha = I; with ``axes="coefficients"`` the
    coefficients are, alpha^T alpha = I, as in the paper's Algorithm 2. Other parameters are those of
    :func:`linear_axes`; in the feature space ``"qr"`` and ``"dense"`` are the same.
    """
    if axes == "coefficients":  # K L K: the criterion of documents whose terms are their kernels
        return linear_axes(K, L, n_components, solver=solver, tol=tol, seed=seed, n_jobs=n_jobs)
    if solver == "auto":
        solver = "dense" if len(K) <= AUTO_DENSE else "lanczos"
    with threadpool_limits(1, user_api="blas"), crew(n_jobs) as run:
        if solver == "lanczos":
            side = KernelSide(K, L, run)
            vectors = lanczos(side, n_components, run, tol=tol, seed=seed)[1]
            found = _raising(*side.axes(vectors), n_components)
        else:
            found = _by_gram(K.copy(), L, n_components)
    return Axes(found.values, with_fixed_signs(found.vectors))


def tensor_axes(
    tensors: TermTensors, L: Any, ranks: tuple[int, ...], *, max_iter: int, tol: float
) -> tuple[list[Floats], list[float], bool]:
    """Return a factor for each mode that maximises the criterion of projected tensors (Algorithm 3).

    With the other modes projected, a mode's best factor is the leading eigenvectors of
    T_k = 2 Y_(k) (L x I) Y_(k)^T, so no step lowers the criterion, the sum over pairs of
    W_ij |Y_i - Y_j|^2. The start is the leading eigenvectors of each mode's Gram matrix.

    Parameters are those of :class:`~textensor.reduce.TensorLRWMMC`, and L, the Laplacian of the graph. The
    criterion after each step is returned, too, and whether the last sweep gained less than ``tol``.
    """
    with threadpool_limits(1, user_api="blas"):
        factors = [_leading(tensors.gram(mode), rank)[1] for mode, rank in enumerate(ranks, start=1)]
        history: list[float] = []
        for _ in range(max_iter):
            before = history[-1] if history else -np.inf
            for mode, rank in enumerate(ranks, start=1):
                T = _mode_scatter(tensors, L, factors, mode)
                values, vectors = _leading(T, rank)
                value = float(values.sum())
                # At the top a step is rounding, and may be downhill by as much.
                if not history or value > history[-1]:
                    factors[mode - 1] = vectors
                    history.append(value)
                else:
                    history.append(history[-1])
            if history[-1] - before <= tol * abs(history[-1]):
                return factors, history, True
    return factors, history, False


def _refuse_if_large(*shape: int) -> None:
    """Say that a dense array would not fit before it is tried."""
    n_bytes = 8 * prod(shape)
    if n_bytes > MAX_DENSE_BYTES:
        size = f"{n_bytes / 2**30:.1f} GiB, over the limit of {MAX_DENSE_BYTES / 2**30:.0f}"
        raise MemoryError(f'A dense array of {shape} takes {size}: take solver="lanczos".')


def _by_qr(X: Any, L: Any, n_components: int) -> Axes:
    """X = Q R with pivots, so that the rank shows; then the eigenvectors of R L R^T (Eq. 7.25)."""
    _refuse_if_large(*X.shape)
    dense = X.toarray() if sp.issparse(X) else X
    Q, R, pivots = scipy.linalg.qr(dense.T, mode="economic", pivoting=True)
    diagonal = np.abs(R.diagonal())
    rank = int((diagonal > max(X.shape) * np.finfo(float).eps * diagonal[0]).sum())
    unpivoted = np.empty((rank, X.shape[0]))
    unpivoted[:, pivots] = R[:rank]
    values, V = _positive(unpivoted @ (L @ unpivoted.T), n_components)
    return Axes(values, Q[:, :rank] @ V)


def _on_terms(X: Any, L: Any, n_components: int) -> Axes:
    """Form X L X^T."""
    _refuse_if_large(X.shape[1], X.shape[1])
    step = max(1, DENSE_NUMBERS // X.shape[0])
    parts = [X[:, start : start + step] for start in range(0, X.shape[1], step)]
    M = np.hstack([X.T @ (L @ (part.toarray() if sp.issparse(part) else part)) for part in parts])
    found = _positive(M, n_components)
    if found.values[0] > NOTHING * np.abs(M).max():
        return found
    # Nothing is positive: a direction that no document has would come first, with an eigenvalue of 0.
    return _by_qr(X, L, 1)


def _on_documents(X: Any, L: Any, n_components: int) -> Axes:
    """Form the Gram matrix in the place of X."""
    _refuse_if_large(X.shape[0], X.shape[0])
    G = X @ X.T
    values, c = _by_gram(G.toarray() if sp.issparse(G) else G, L, n_components)
    return Axes(values, X.T @ c)


def _by_gram(G: Floats, L: Any, n_components: int) -> Axes:
    """From G = R^T R with R of full rank: eigenvectors V of R L R^T; a = X R^+ v, so c = R^+ v."""
    s, U = scipy.linalg.eigh(G, overwrite_a=True)
    kept = s > len(s) * np.finfo(float).eps * s[-1]
    U, root = U[:, kept], np.sqrt(s[kept])
    R = (U * root).T
    values, V = _positive(R @ (L @ R.T), n_components)
    return Axes(values, (U / root) @ V)


def _positive(M: Floats, n_components: int) -> Axes:
    """Return the leading eigenvectors whose eigenvalues are positive, and at least one."""
    values, vectors = _leading(M, min(n_components, len(M)))
    return _raising(values, vectors, n_components, scale=float(np.abs(M).max()))


def _raising(values: Floats, vectors: Floats, n_components: int, *, scale: float = 0.0) -> Axes:
    """Return those of a positive value, and at least one, at most all that were asked for."""
    m = wanted(values, n_components, scale=scale or float(np.abs(values).max()))
    return Axes(values[:m], vectors[:, :m])


def _leading(M: Floats, n: int) -> Axes:
    """Return the n leading eigenvectors of a symmetric matrix."""
    values, vectors = leading_eigenvectors((M + M.T) / 2, n)
    return Axes(values, with_fixed_signs(vectors))


def _mode_scatter(tensors: TermTensors, L: Any, factors: list[Floats], mode: int) -> Floats:
    """Return T_k = 2 Y_(k) (L x I) Y_(k)^T, a part of the columns at a time."""
    others = [None if m == mode else factor for m, factor in enumerate(factors, start=1)]
    Y = np.moveaxis(tensors.project(others), mode, -1)
    n, length = Y.shape[0], Y.shape[-1]
    Y = Y.reshape(n, -1, length)
    T = np.zeros((length, length))
    step = max(1, TENSOR_NUMBERS // (n * length))
    for start in range(0, Y.shape[1], step):
        part = np.ascontiguousarray(Y[:, start : start + step], dtype=np.float64)
        LY = (L @ part.reshape(n, -1)).reshape(-1, length)
        T += part.reshape(-1, length).T @ LY
    return T + T.T
