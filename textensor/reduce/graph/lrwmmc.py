"""Local Relevance Weighted Maximum Margin Criterion (LRWMMC, Algorithm 1)."""

from typing import Any, ClassVar

from textensor.base.arrays import Codes
from textensor.base.checks import Rule
from textensor.base.kept import floats, keeps
from textensor.reduce.axes.embedding import linear_axes
from textensor.reduce.graph.estimator import EMBEDDING, GraphEmbedding, solver_options
from textensor.reduce.projection import LinearProjection, warn_of_fewer


@keeps(eigenvalues_=floats("n_axes"))
class LRWMMC(GraphEmbedding, LinearProjection):
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
    graph : callable, sparse matrix or None, default=None
        Another graph in place of that of Eq. 3.7: a rule (see :mod:`textensor.reduce.graph.graphs`), or
        ready weights, symmetric, documents x documents.
    solver : {"auto", "lanczos", "qr", "dense"}, default="auto"
        How the eigenproblem is solved; see :mod:`textensor.reduce.axes.embedding`.
    tol : float, default=1e-6
        Which part of the criterion the axes of ``"lanczos"`` may lack. A larger one may take much less time.
    n_jobs : int or None, default=None
        How many threads; the result does not depend on it.
    random_state : int, RandomState, SeedSequence or None, default=0
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

    A search over k looks for neighbours once:

    >>> from textensor.reduce.graph.graphs import regions, relevance_graph
    >>> largest = regions(X, [0, 0, 1, 1], 2)
    >>> [LRWMMC(1, graph=relevance_graph(largest.first(k))).fit(X, y).eigenvalues_.round(2) for k in (1, 2)]
    [array([5.13]), array([6.93])]
    """

    _parameters: ClassVar[dict[str, Rule]] = EMBEDDING

    def __init__(
        self,
        n_components: int = 100,
        n_neighbors: int = 20,
        *,
        graph: Any = None,
        solver: str = "auto",
        tol: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.solver = solver
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _embed(self, X: Any, codes: Codes) -> None:
        found = linear_axes(X, self._laplacian(X, codes), self.n_components, **solver_options(self))
        warn_of_fewer(len(found.values), self.n_components, "raise the criterion", stacklevel=4)
        self.eigenvalues_ = found.values
        self.components_ = found.vectors.T
