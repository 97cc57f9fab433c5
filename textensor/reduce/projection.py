"""What the linear extractors have in common: documents, sparse, times few axes."""

import warnings
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check_parameters
from textensor.base.kept import floats, keeps, labels, size
from textensor.base.labels import Labels
from textensor.base.late.parts import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_is_fitted,
)
from textensor.base.reading.y import read_classes
from textensor.space.matrix import check_scale, read_matrix

#: A vector of which less than this part is new depends on the earlier ones.
DEPENDENT = 1e-6
#: Entries of a vector that differ by less than this part are of one size.
TIED = 1e-6


class FewerAxesWarning(UserWarning):
    """The documents have fewer axes than were requested; all that there are were kept."""


def warn_of_fewer(found: int, wanted: int, reason: str, *, stacklevel: int = 3) -> None:
    """Warn if fewer axes were found than requested."""
    if found < wanted:
        message = f"Only {found} of {wanted} axes {reason}: set n_components to {found}."
        warnings.warn(message, FewerAxesWarning, stacklevel=stacklevel + 1)


def read_documents(estimator: Any, X: Any, *, reset: bool, dense: bool = True) -> Any:
    """Return documents as a CSR in order or, if ``dense`` allows, as an array; they are never changed."""
    X = read_matrix(estimator, X, reset=reset, dense=dense)
    if reset:
        check_scale(X, np.float64)
    return X


def with_fixed_signs(vectors: Floats) -> Floats:
    """Return the columns, each with the sign that makes its largest entry positive.

    Of entries that differ by less than a millionth the first counts: rounding must not decide between equals.
    """
    if vectors.size == 0:
        return vectors
    size = np.abs(vectors)
    first = np.argmax(size >= (1 - TIED) * size.max(axis=0), axis=0)
    return vectors * np.where(vectors[first, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def orthonormal_basis(vectors: Floats) -> Floats:
    """Return an orthonormal basis of the span of columns, as columns: Gram-Schmidt in their order.

    A QR brings the columns down to a small matrix; there those that depend on earlier ones are left out.
    Pivoting would do that too, but in an order that hangs on the rounding of lengths that are all 1.
    """
    Q, R = np.linalg.qr(vectors)
    basis = np.zeros((len(R), 0))
    for column in R.T:
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        length = np.linalg.norm(rest)
        if length > DEPENDENT * np.linalg.norm(column):
            basis = np.column_stack([basis, rest / length])
    return with_fixed_signs(Q @ basis)


def squared_norm(X: Any) -> float:
    """Return the sum of the squares of a matrix, dense or sparse, in float64; infinite where it overflows."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.sum(np.square(X.data if sp.issparse(X) else X, dtype=np.float64)))


class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer of documents, sparse or dense. A subclass finds their coordinates in ``_coordinates``."""

    _needs_y: ClassVar[bool] = False
    _parameters: ClassVar[dict[str, Rule]] = {}

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Return the coordinates of documents, dense, documents x axes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents, or with ``kernel="precomputed"`` their kernels with the training documents. Their
            coordinates are float32 if they are.
        """
        check_is_fitted(self)
        X = read_documents(self, X, reset=False)
        return np.asarray(self._coordinates(X)).astype(X.dtype, copy=False)

    @abstractmethod
    def _coordinates(self, X: Any) -> npt.NDArray[Any]:
        """Return the coordinates of documents that were checked."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self._needs_y
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@keeps(classes_=labels("n_classes"))
class Supervised(Projection):
    """A projection learned from classes: a subclass finds it in ``_fit``."""

    _needs_y = True
    #: The least number of classes.
    _least_classes: ClassVar[int] = 2
    #: Whether dense documents stay dense in ``fit``.
    _fits_dense: ClassVar[bool] = True

    def fit(self, X: Any, y: Any) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents, or with ``kernel="precomputed"`` their kernels, n_documents x n_documents.
        y : array-like of shape (n_documents,)
            The class of each, or ``unlabeled_value`` in a semi-supervised method.
        """
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any) -> npt.NDArray[Any]:
        """Find the axes and return the coordinates of the documents, which are checked once.

        Parameters
        ----------
        X, y : as for :meth:`fit`
        """
        X = self._learn(X, y)
        return np.asarray(self._coordinates(X)).astype(X.dtype, copy=False)

    def _learn(self, X: Any, y: Any) -> Any:
        """Find the axes and return the documents as they were checked."""
        check_parameters(self)
        X = read_documents(self, X, reset=True, dense=self._fits_dense)
        unlabeled_value = getattr(self, "unlabeled_value", None)
        classes = read_classes(self, X, y, unlabeled_value, at_least=self._least_classes)
        self._fit(X, classes)
        self.classes_ = classes.names
        return X

    @abstractmethod
    def _fit(self, X: Any, classes: Labels) -> None:
        """Find the projection of documents that were checked."""


@keeps(n_features_in_=size("n_terms"), components_=floats("n_axes", "n_terms"))
class LinearProjection(Projection):
    """Documents times axes. A subclass sets ``components_``, axes x terms."""

    components_: Floats

    def _coordinates(self, X: Any) -> npt.NDArray[Any]:
        return np.asarray(X @ self.components_.T)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
