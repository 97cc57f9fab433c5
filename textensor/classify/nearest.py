"""The nearest document: what follows an embedding in the papers (1-NN by the cosine)."""

from typing import Any, Self

import numpy as np

from textensor.base.arrays import Array, gen_batches, normalize
from textensor.base.kept import floats, integers, keeps, labels, require, size
from textensor.base.labels import names_at
from textensor.base.late.parts import BaseEstimator, ClassifierMixin, check_is_fitted, validate_data
from textensor.base.reading.y import read_classes

#: How many numbers of documents x training documents are in memory at a time.
BLOCK = 1 << 22


@keeps(
    n_features_in_=size("n_terms"),
    vectors_=floats("n_documents", "n_terms"),
    starts_=integers("n_classes", below="n_documents"),
    classes_=labels("n_classes", least=2),
)
class NearestDocument(ClassifierMixin, BaseEstimator):
    """Give a document the class of the training document most like it, by the cosine.

    It is scikit-learn's ``KNeighborsClassifier(1, metric="cosine")`` with decisions that have degrees: by how
    much the nearest document of a class is nearer than the nearest of all others.

    Parameters
    ----------
    unlabeled_value : object, default=None
        The mark in y of documents without a label, which are left out.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    vectors_ : ndarray of shape (n_labelled, n_features)
        The training documents, of unit length, class by class.
    starts_ : ndarray of shape (n_classes,)
        The first row of each class.

    Examples
    --------
    >>> from textensor.classify import NearestDocument
    >>> model = NearestDocument().fit([[1.0, 0.0], [3.0, 4.0], [0.0, 1.0]], ["a", "b", "b"])
    >>> model.predict([[2.0, 1.0]]), model.decision_function([[1.0, 0.0]]).round(1)
    (array(['a'], dtype='<U1'), array([-0.4]))
    """

    def __init__(self, *, unlabeled_value: Any = None) -> None:
        self.unlabeled_value = unlabeled_value

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the documents.

        Parameters
        ----------
        X : array-like of shape (n_documents, n_features)
            The documents in few dimensions.
        y : array-like of shape (n_documents,)
            Their classes.
        """
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        found = read_classes(self, X, y, self.unlabeled_value, at_least=2)
        order = np.argsort(found.codes, kind="stable")[np.count_nonzero(~found.labelled) :]
        self.vectors_ = normalize(X[order])
        self.starts_ = np.searchsorted(found.codes[order], np.arange(len(found.names)))
        self.classes_ = found.names
        return self

    def decision_function(self, X: Any) -> Array:
        """Return each class's nearest cosine less that of all other classes; a vector for two classes."""
        nearest = self._nearest(X)
        second, best = np.split(np.sort(nearest, axis=1)[:, -2:], 2, axis=1)
        margins = nearest - np.where(nearest == best, second, best)
        return margins[:, 1] if len(self.classes_) == 2 else margins

    def predict(self, X: Any) -> Array:
        """Return the class of each document's nearest."""
        found = self._nearest(X).argmax(axis=1)
        return names_at(self.classes_, found)

    def _check_kept(self) -> None:
        rising = self.starts_[0] == 0 and bool((np.diff(self.starts_) > 0).all())
        require(rising, "its classes do not share its documents")

    def _nearest(self, X: Any) -> Array:
        """Return the cosine with the nearest document of each class, documents x classes."""
        check_is_fitted(self)
        X = normalize(validate_data(self, X, dtype=[np.float64, np.float32], reset=False))
        nearest = np.empty((len(X), len(self.classes_)), dtype=X.dtype)
        for block in gen_batches(len(X), max(1, BLOCK // len(self.vectors_))):
            nearest[block] = np.maximum.reduceat(X[block] @ self.vectors_.T, self.starts_, axis=1)
        return nearest
