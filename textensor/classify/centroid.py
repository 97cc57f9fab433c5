"""The centroid classifier (Han and Karypis, 2000): a label is as likely as its documents' mean is near."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from textensor.base.arrays import Floats, normalize
from textensor.base.kept import floats, keeps, matrix
from textensor.base.labels import Labels
from textensor.classify.onevsrest import OneVsRest, with_weight


@keeps(
    centroids_=matrix("n_questions", "n_terms"),
    background_=floats("n_terms"),
    intercept_=floats("n_questions"),
)
class CentroidClassifier(OneVsRest):
    """Scores are cosines with the centroid of a label, less the cosine with the centroid of all documents.

    With two classes the second one stands against the first. Fitting is one sparse product, however many
    labels there are, and the centroids stay sparse: it is the quickest method here, and the weakest.

    Parameters
    ----------
    thresholds : {"none", "tuned", "averaged"}, default="none"
        Whether each label's threshold is moved to where its F1 is best on held-out folds.
    unlabeled_value : object, default=None
        The mark in y of documents without a label.

    Attributes
    ----------
    classes_ : ndarray
        The classes, or the numbers of the indicator's columns.
    centroids_ : csr_matrix of shape (n_labels, n_terms)
        The centroids, of unit length.
    background_ : ndarray of shape (n_terms,)
        The centroid of all documents, or of the first of two classes, of unit length.

    Examples
    --------
    >>> from textensor.classify import CentroidClassifier
    >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.5]]
    >>> CentroidClassifier().fit(X, ["a", "b", "a"]).predict([[0.2, 1.0]])
    array(['b'], dtype='<U1')
    """

    def __init__(self, *, thresholds: str = "none", unlabeled_value: Any = None) -> None:
        self.thresholds = thresholds
        self.unlabeled_value = unlabeled_value

    def _fit_questions(self, X: sp.csr_matrix, labels: Labels, weight: Floats | None) -> None:
        X, labels, weight = with_weight(X, labels, weight)
        known = np.flatnonzero(labels.labelled)
        yes = sp.csr_matrix(labels.questions, dtype=np.float64)
        counts = np.ones(len(known)) if weight is None else weight[known]
        yes = sp.csr_matrix(yes.multiply(counts[:, None]))
        documents = sp.csr_matrix(X[known], dtype=np.float64)
        self.centroids_ = sp.csr_matrix(normalize(yes.T @ documents))
        if labels.kind == "binary":
            counts = counts - np.asarray(yes.sum(axis=1)).ravel()
        self.background_ = normalize((counts @ documents)[None, :])[0]
        self.intercept_ = np.zeros(labels.n_questions)

    @property
    def coef_(self) -> Floats:
        """The weights of the terms, labels x terms."""
        return self.centroids_.toarray() - self.background_

    def _term_weights(self, question: int) -> Floats:
        return self.centroids_[question].toarray()[0] - self.background_

    def _reasons(self, x: sp.csr_matrix, question: int) -> tuple[Floats, float]:
        return x.data * self._term_weights(question)[x.indices], 0.0

    def _scorer(self) -> Callable[[sp.csr_matrix], Floats]:
        weights = sp.csr_matrix(self.centroids_.T)
        return lambda X: (X @ weights).toarray() - (X @ self.background_)[:, None]
