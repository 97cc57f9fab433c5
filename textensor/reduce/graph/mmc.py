"""Maximum Margin Criterion (LRWMMC §3.1)."""

from typing import Any

from textensor.reduce.graph.estimator import Codes, GraphEmbedding
from textensor.reduce.graph.graphs import ClassScatter

__all__ = ["MMC"]


class MMC(GraphEmbedding):
    """Axes that maximise the scatter between classes less that within: tr(A^T (S_b - S_w) A), A^T A = I.

    S_b is the sum over classes of n_l (m_l - m)(m_l - m)^T, S_w that over documents of (x - m_l)(x - m_l)^T.
    S_b has a rank below the number of classes, so there are fewer axes than classes.

    Parameters
    ----------
    n_components : int, default=100
        The number of axes. Only those of positive criterion are kept: there may be fewer, with a warning.
    solver : {"auto", "lanczos", "qr", "dense"}, default="auto"
        How the eigenproblem is solved; see :mod:`textensor.reduce.axes.embedding`.
    tol : float, default=1e-6
        Which part of the criterion the axes of ``"lanczos"`` may lack. A larger one
        may take much less time.
    n_jobs : int or None, default=None
        How many threads; the result does not depend on it.
    random_state : int, RandomState or None, default=0
        Where the ``"lanczos"`` solver starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_axes, n_terms)
        The axes, orthonormal, of the largest criterion first; the largest coordinate of each is positive.
    eigenvalues_ : ndarray of shape (n_axes,)
        What each adds to the criterion.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> from textensor.reduce import MMC
    >>> X, y = [[2.0, 1, 0], [3, 1, 0], [0, 1, 2], [0, 1, 3]], ["a", "a", "b", "b"]
    >>> MMC(1).fit(X, y).eigenvalues_
    array([12.])
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        solver: str = "auto",
        tol: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _laplacian(self, X: Any, codes: Codes) -> Any:  # noqa: ARG002
        return ClassScatter(codes)
