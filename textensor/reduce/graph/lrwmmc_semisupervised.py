"""Semi-supervised LRWMMC (LRWMMC §6, Algorithm 4)."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from textensor.reduce.classes import UNLABELLED
from textensor.reduce.graph.estimator import WHOLE, Codes
from textensor.reduce.graph.graphs import embed_laplacian, knn_graph, normalized_laplacian
from textensor.reduce.graph.lrwmmc import LRWMMC

__all__ = ["SemiSupervisedLRWMMC"]


class SemiSupervisedLRWMMC(LRWMMC):
    """LRWMMC of the labelled documents, with all documents kept close to their neighbours.

    The axes maximise tr(A^T X (L1 - reg L2) X^T A) (Eq. 6.24): L1 is the Laplacian of LRWMMC over the
    labelled documents, L2 the normalised one of the graph that joins every document, labelled or not, to its
    nearest.

    Parameters
    ----------
    n_components : int, default=100
        The number of axes. Only those of positive criterion are kept: there may be fewer, with a warning.
    n_neighbors : int, default=20
        k, the size of the local relevant regions of labelled documents.
    reg : float, default=1.0
        How much the neighbourhoods of all documents weigh; 0 is LRWMMC of the labelled ones.
    n_neighbors_all : int or None, default=None
        The number of neighbours in the graph over all documents; None is ``n_neighbors``.
    unlabeled_value : object, default=-1
        What y holds for a document without a label.
    search : {"exact", "approximate"}, default="exact"
        How neighbours are looked for. "approximate" is for more than 50,000 documents: it misses some
        neighbours, and on text its time grows less than with the square; see
        :mod:`textensor.reduce.graph.approximate`.
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
    >>> from textensor.reduce import SemiSupervisedLRWMMC
    >>> X = [[2.0, 1, 0, 0], [3, 1, 0, 1], [0, 1, 2, 0], [0, 1, 3, 0], [0, 1, 0, 1]]
    >>> model = SemiSupervisedLRWMMC(1, n_neighbors=1, reg=0.1).fit(X, [0, 0, 1, 1, -1])
    >>> model.transform(X).round(1).ravel().tolist()
    [-1.4, -2.2, 1.4, 2.2, -0.1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LRWMMC._parameter_constraints,
        "reg": [Interval(Real, 0, None, closed="left")],
        "n_neighbors_all": [*WHOLE, None],
    }

    def __init__(
        self,
        n_components: int = 100,
        n_neighbors: int = 20,
        *,
        reg: float = 1.0,
        n_neighbors_all: int | None = None,
        unlabeled_value: Any = -1,
        search: str = "exact",
        solver: str = "auto",
        tol: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            n_components,
            n_neighbors,
            search=search,
            solver=solver,
            tol=tol,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.reg = reg
        self.n_neighbors_all = n_neighbors_all
        self.unlabeled_value = unlabeled_value

    def _laplacian(self, X: Any, codes: Codes) -> Any:
        labelled = np.flatnonzero(codes != UNLABELLED)
        first = super()._laplacian(X[labelled], codes[labelled])
        first = embed_laplacian(first, labelled, X.shape[0])
        if self.reg == 0:
            return first
        W = knn_graph(X, self.n_neighbors_all or self.n_neighbors, self.n_jobs, search=self.search)
        return first - self.reg * normalized_laplacian(W)
