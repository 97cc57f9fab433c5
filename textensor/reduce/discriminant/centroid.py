"""CM: projection on the centroids of the classes (Park, Jeon and Rosen 2003)."""

from typing import Any

import numpy as np

from textensor.base.labels import Labels
from textensor.reduce.projection import LinearProjection, Supervised, orthonormal_basis


class CentroidProjection(Supervised, LinearProjection):
    """Coordinates in the space that the class centroids span: Q^T x, with Q R the QR of the centroids.

    One pass over the nonzeros and a QR of terms x classes.

    Attributes
    ----------
    components_ : ndarray of shape (n_axes, n_terms)
        The columns of Q, at most one for each class, fewer where centroids depend on each other.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> from textensor.reduce import CentroidProjection
    >>> from textensor.space import TermVectorizer
    >>> X = TermVectorizer().fit_transform(["wheat maize", "maize corn", "bank rate", "rate money"])
    >>> CentroidProjection().fit_transform(X, ["grain", "grain", "money", "money"]).shape
    (4, 2)
    """

    _least_classes = 1

    def _fit(self, X: Any, classes: Labels) -> None:
        members = classes.indicator.toarray().astype(np.float64)
        centroids = np.asarray(X.T @ members, dtype=np.float64) / classes.counts
        self.components_ = orthonormal_basis(centroids).T
        if len(self.components_) == 0:
            raise ValueError("All centroids are zero: there is nothing to project on.")
