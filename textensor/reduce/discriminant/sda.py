"""SDA: semi-supervised discriminant analysis (Cai, He and Han 2007)."""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, number, optional, whole
from textensor.base.kept import floats, keeps
from textensor.base.labels import Labels
from textensor.reduce.discriminant.regression import REGRESSION, ResponseRegression, centred, class_responses
from textensor.reduce.graph.graphs import knn_graph
from textensor.reduce.projection import squared_norm, with_fixed_signs

#: An axis that tells classes apart by less than this part of the best one is rounding.
NO_SCATTER = 1e-10


@keeps(eigenvalues_=floats("n_axes"))
class SDA(ResponseRegression):
    """Discriminant analysis in which unlabelled documents keep neighbours together.

    The axes are the leading eigenvectors of Sb a = lambda (St + alpha X^T L X + beta I) a. Sb and St are the
    scatter between classes and of all labelled documents; L = D - W is the Laplacian of the graph that joins
    each document, labelled or not, with its nearest neighbours by cosine, W_ij = 1 if either names the other.

    With B = X^T Y, Y the class responses, Sb is B B^T, so that all eigenvectors are combinations of the c - 1
    solutions of (St + alpha X^T L X + beta I) Z = B, which are a ridge regression with one more row of
    response 0, sqrt(alpha) (x_i - x_j), for each edge. Nothing of size terms x terms is made.

    Parameters
    ----------
    n_components : int or None, default=None
        The number of axes, the leading ones; None is as many as there are, classes - 1.
    alpha : float, default=0.01
        The weight of the graph. 0 is SRDA on the labelled documents, with axes rotated and scaled.
    beta : float, default=1.0
        The ridge.
    n_neighbors : int, default=5
        Neighbours of each document. Documents that share no term (cosine 0 or less) are no neighbours.
    unlabeled_value : object, default=-1
        The mark in y of documents without a label.
    tol, max_iter, n_jobs
        As for :class:`~textensor.reduce.SRDA`; the graph takes threads, too.

    Attributes
    ----------
    components_ : ndarray of shape (n_axes, n_terms)
        The axes, the most telling first, each of length 1.
    intercept_ : ndarray of shape (n_axes,)
        Moves the mean of the labelled documents to 0.
    eigenvalues_ : ndarray of shape (n_axes,)
        The lambda, from 0 to 1.
    classes_ : ndarray
        The classes.
    n_iter_ : int
        Iterations of the regression, for the axis that took the most.

    Examples
    --------
    >>> from textensor.reduce import SDA
    >>> from textensor.space import TermVectorizer
    >>> texts = ["wheat maize", "maize corn", "bank rate", "rate money", "corn wheat", "money bank"]
    >>> X = TermVectorizer().fit_transform(texts)
    >>> Z = SDA(n_neighbors=2).fit_transform(X, [0, -1, 1, -1, -1, -1])
    >>> ((Z[:, 0] > 0) == (Z[0, 0] > 0)).tolist()
    [True, True, False, False, True, False]
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        **REGRESSION,
        "n_components": optional(whole(1)),
        "alpha": number(least=0),
        "beta": number(least=0),
        "n_neighbors": whole(1),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 0.01,
        beta: float = 1.0,
        n_neighbors: int = 5,
        unlabeled_value: Any = -1,
        tol: float = 1e-6,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.unlabeled_value = unlabeled_value
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _fit(self, X: Any, classes: Labels) -> None:
        labelled, mean = centred(X[classes.labelled])
        Y, operator = class_responses(classes.codes[classes.labelled]), labelled
        if self.alpha > 0:
            W = knn_graph(X, self.n_neighbors, self.n_jobs)
            operator = _with_edges(labelled, X, np.sqrt(float(self.alpha)) * _edges(W))
        zeros = np.zeros((operator.shape[0] - len(Y), Y.shape[1]))
        B = X[classes.labelled].T @ Y  # Y has mean 0, so X need not have
        if squared_norm(B) <= NO_SCATTER**2 * squared_norm(X):
            raise ValueError("The classes have the same mean: no axis tells them apart.")
        self._rotate(self._regress(operator, np.vstack([Y, zeros]), self.beta), B)
        self.intercept_ = -self.components_ @ mean

    def _rotate(self, Z: Floats, B: Floats) -> None:
        """Find the axes a = Z u from M Z = B: then B B^T a = lambda M a is (B^T Z) u = lambda u."""
        G = B.T @ Z
        values, vectors = np.linalg.eigh((G + G.T) / 2)
        values, vectors = values[::-1], vectors[:, ::-1]
        kept = int(np.count_nonzero(values > max(NO_SCATTER, self.tol) * values[0]))
        kept = min(kept, self.n_components or kept)
        self.eigenvalues_ = values[:kept]
        axes = Z @ vectors[:, :kept]
        self.components_ = with_fixed_signs(axes / np.linalg.norm(axes, axis=0)).T


def _edges(W: sp.csr_matrix) -> sp.csr_array:
    """Return the incidence matrix E of the neighbour graph, edges x documents: L = E^T E."""
    near = sp.triu(W, k=1, format="coo")
    joined = near.data > 0
    pairs = np.column_stack([near.row[joined], near.col[joined]])
    ends = np.repeat(np.arange(len(pairs)), 2)
    signs = np.tile([1.0, -1.0], len(pairs))
    return sp.csr_array((signs, (ends, pairs.ravel())), shape=(len(pairs), W.shape[0]))


def _with_edges(labelled: LinearOperator, X: Any, E: sp.csr_array) -> LinearOperator:
    """Return the rows of an operator, and the rows of E X below."""
    n = labelled.shape[0]
    return LinearOperator(
        (n + E.shape[0], X.shape[1]),
        matvec=lambda v: np.concatenate([labelled.matvec(v), E @ (X @ v)]),
        rmatvec=lambda u: labelled.rmatvec(u[:n]) + X.T @ (E.T @ u[n:]),
        dtype=np.float64,
    )
