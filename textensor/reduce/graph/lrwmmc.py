"""Local Relevance Weighted Maximum Margin Criterion (LRWMMC, Algorithm 1)."""

from typing import Any, ClassVar

import scipy.sparse as sp

from textensor.reduce.graph.estimator import SEARCH, WHOLE, Codes, GraphEmbedding
from textensor.reduce.graph.graphs import Regions, laplacian, regions, relevance_graph

__all__ = ["LRWMMC"]


class LRWMMC(GraphEmbedding):
    """Axes that part a document from relevant ones of other classes and draw it to its own.

    Of each document the k most relevant ones of its class and the k of other classes are joined to it in a
    graph. The axes maximise the weighted squared distances to the latter less those to the former (Eq. 3.6):

        sum over i, j of W_ij |A^T x_i - A^T x_j|^2 = 2 tr(A^T X L X^T A), A^T A = I,

    where W_ij is the relevance r, the cosine, for pairs of two classes, and r - 1 for pairs of one (Eq. 3.7).

    Parameters
    ----------
    n_components : int, default=100
        The number of axes. Only those of positive criterion are kept: there may be fewer, with a warning.
    n_neighbors : int, default=20
        k, the size of the local relevant regions.
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
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from textensor.reduce import LRWMMC
    >>> X, y = [[2.0, 1, 0], [3, 1, 0], [0, 1, 2], [0, 1, 3]], ["a", "a", "b", "b"]
    >>> model = make_pipeline(LRWMMC(1, n_neighbors=1), KNeighborsClassifier(1)).fit(X, y)
    >>> model[0].components_.round(2)
    array([[ 0.71,  0.  , -0.71]])
    >>> model.predict([[1, 5, 0]])
    array(['a'], dtype='<U1')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GraphEmbedding._parameter_constraints,
        "n_neighbors": WHOLE,
        "search": SEARCH,
    }

    def __init__(
        self,
        n_components: int = 100,
        n_neighbors: int = 20,
        *,
        search: str = "exact",
        solver: str = "auto",
        tol: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.search = search
        self.solver = solver
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _laplacian(self, X: Any, codes: Codes) -> Any:
        found = regions(X, codes, self.n_neighbors, self.n_jobs, search=self.search)
        return laplacian(self._graph(found))

    def _graph(self, found: Regions) -> sp.csr_matrix:
        return relevance_graph(found)
