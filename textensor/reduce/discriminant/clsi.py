"""CLSI: latent semantic indexing of each class (Zeimpekis and Gallopoulos 2005)."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import svds

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, whole
from textensor.base.kept import integers, keeps
from textensor.base.labels import Labels
from textensor.reduce.projection import (
    DEPENDENT,
    LinearProjection,
    Supervised,
    orthonormal_basis,
    squared_norm,
)

#: Up to this many documents or terms, singular vectors come from the matrix of their inner products.
SMALL = 100


@keeps(n_vectors_=integers("n_classes"))
class CLSI(Supervised, LinearProjection):
    """Coordinates in the space that the leading singular vectors of each class span.

    Class l, documents X_l, gives k_l of its leading singular vectors (on the side of the terms), k_l in
    proportion to its Frobenius norm |X_l|_F and at least 1. Joined, they are made orthonormal by a QR, and
    the coordinates are Q^T x. Time is linear in the nonzeros for each step of the decomposition.

    Parameters
    ----------
    n_components : int, default=100
        The sum of the k_l; at least one axis for each class, and none beyond what a class has documents for.

    Attributes
    ----------
    components_ : ndarray of shape (n_axes, n_terms)
        The columns of Q, fewer than ``n_components`` where vectors depend on each other.
    classes_ : ndarray
        The classes.
    n_vectors_ : ndarray of shape (n_classes,)
        The k_l.

    Examples
    --------
    >>> from textensor.reduce import CLSI
    >>> from textensor.space import TermVectorizer
    >>> X = TermVectorizer().fit_transform(["wheat maize", "maize corn", "corn", "bank rate", "rate money"])
    >>> model = CLSI(3).fit(X, ["grain", "grain", "grain", "money", "money"])
    >>> model.n_vectors_.tolist(), model.transform(X).shape
    ([2, 1], (5, 3))
    """

    _least_classes = 1
    _parameters: ClassVar[dict[str, Rule]] = {"n_components": whole(1)}

    def __init__(self, n_components: int = 100) -> None:
        self.n_components = n_components

    def _fit(self, X: Any, classes: Labels) -> None:
        members = [X[classes.codes == code] for code in range(len(classes.names))]
        norms = np.sqrt([squared_norm(X_l) for X_l in members])
        self.n_vectors_ = apportion(self.n_components, norms, np.array([min(X_l.shape) for X_l in members]))
        vectors = [_leading_vectors(X_l, k) for X_l, k in zip(members, self.n_vectors_, strict=True)]
        self.components_ = orthonormal_basis(np.hstack(vectors)).T
        if len(self.components_) == 0:
            raise ValueError("All documents are empty: there is nothing to project on.")


def apportion(total: int, sizes: Floats, room: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Share out a number in proportion to sizes: at least 1 each, at most what there is room for.

    Each share goes to whom it is most owed.

    Examples
    --------
    >>> apportion(10, np.array([6.0, 3.0, 0.1]), np.array([20, 2, 5])).tolist()
    [7, 2, 1]
    """
    quotas = total * sizes / (sizes.sum() or 1.0)
    shares = np.ones(len(sizes), dtype=np.intp)
    for _ in range(min(total, int(room.sum())) - len(sizes)):
        shares[np.argmax(np.where(shares < room, quotas - shares, -np.inf))] += 1
    return shares


def _leading_vectors(X: Any, k: int) -> Floats:
    """Return the k leading right singular vectors, terms x k; fewer where the rank is lower."""
    n, p = X.shape
    if squared_norm(X) == 0:
        return np.zeros((p, 0))
    X = X.astype(np.float64)
    if min(n, p) > max(SMALL, 2 * k):
        start = np.random.default_rng(0).standard_normal(min(n, p))
        _, values, rows = svds(X, k, v0=start)
        order = np.argsort(-values, kind="stable")
        values, vectors = values[order], rows[order].T
    else:
        gram = X @ X.T if n <= p else X.T @ X
        gram = gram.toarray() if sp.issparse(gram) else gram
        squares, vectors = np.linalg.eigh(gram)
        values, vectors = np.sqrt(np.maximum(squares[::-1][:k], 0.0)), vectors[:, ::-1][:, :k]
        if n <= p:  # from the side of the documents to that of the terms
            vectors = X.T @ (vectors / np.where(values > 0, values, 1.0))
    return np.asarray(vectors[:, values > DEPENDENT * values[0]])
