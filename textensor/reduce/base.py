"""What the estimators that join a graph with an embedding share."""

import warnings
from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from textensor.reduce.embedding import SOLVERS, linear_axes
from textensor.space.matrix import as_csr, check_indices

__all__ = ["NEIGHBORS", "GraphEmbedding", "read_codes", "warn_of_fewer"]

#: What n_neighbors may be.
NEIGHBORS = [Interval(Integral, 1, None, closed="left")]
#: The mark of a document without a label, as a class.
UNLABELLED = -1

Codes = npt.NDArray[np.intp]


class GraphEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer whose axes maximise tr(A^T X L X^T A): a subclass names the Laplacian L."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "solver": [StrOptions(set(SOLVERS))],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _laplacian(self, X: Any, codes: Codes) -> Any:
        """Return the Laplacian of the documents' graph; classes are numbers from 0, -1 for none."""

    def fit(self, X: Any, y: Any) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents.
        y : array-like of shape (n_documents,)
            Their classes.
        """
        self._validate_params()
        X = self._read(X, reset=True)
        if y is None:
            name = type(self).__name__
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None: it learns from classes."
            )
        self.classes_, codes = read_codes(y, getattr(self, "unlabeled_value", None))
        check_consistent_length(X, codes)
        if not X.count_nonzero():
            raise ValueError(f"All values of the {X.shape[0]} documents are 0: there is nothing to embed.")
        self._fit(X, codes)
        return self

    def _fit(self, X: Any, codes: Codes) -> None:
        found = linear_axes(X, self._laplacian(X, codes), self.n_components, **self._solver())
        warn_of_fewer(len(found.values), self.n_components, stacklevel=4)
        self.eigenvalues_ = found.values
        self.components_ = found.vectors.T.astype(X.dtype, copy=False)
        self._n_features_out = len(found.values)

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Return the coordinates of documents on the axes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents; float32 stays float32.
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        return np.asarray(X @ self.components_.T.astype(X.dtype, copy=False))

    def _solver(self) -> dict[str, Any]:
        """Return the options of an embedding."""
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return {"solver": self.solver, "seed": seed, "n_jobs": self.n_jobs}

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Return documents as CSR, checked."""
        check_indices(X)
        given = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
        )
        return as_csr(given)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def read_codes(y: Any, unlabeled_value: Any = None) -> tuple[npt.NDArray[Any], Codes]:
    """Return the classes and for each document the number of its class, -1 for a document without a label."""
    y = y if sp.issparse(y) else np.asarray(y)
    if y.ndim == 2 and y.shape[1] > 1:
        raise ValueError(
            "y has several columns: an embedding that parts classes needs one class for each document."
        )
    y = column_or_1d(y, warn=True)
    labelled = np.ones(len(y), dtype=bool) if unlabeled_value is None else np.asarray(y != unlabeled_value)
    check_classification_targets(y[labelled])
    classes, given = np.unique(y[labelled], return_inverse=True)
    if len(classes) < 2:
        named = "one class" if len(classes) else "no document with a class"
        raise ValueError(f"There is {named}: to find what parts classes takes documents of two or more.")
    codes = np.full(len(y), UNLABELLED, dtype=np.intp)
    codes[labelled] = given
    return classes, codes


def warn_of_fewer(found: int, wanted: int, *, stacklevel: int) -> None:
    """Say that there are fewer axes than asked for."""
    if found < wanted:
        warnings.warn(
            f"Only {found} of {wanted} axes raise the criterion and are kept: set n_components to that.",
            UserWarning,
            stacklevel=stacklevel,
        )
