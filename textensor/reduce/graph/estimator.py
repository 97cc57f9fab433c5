"""What the estimators that join a graph with an embedding share."""

import warnings
from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from textensor.reduce.axes.embedding import SOLVERS, linear_axes
from textensor.reduce.classes import read_two_classes
from textensor.reduce.graph.graphs import SEARCHES
from textensor.reduce.projection import FewerAxesWarning, LinearProjection, read_documents, squared_norm
from textensor.space.matrix import as_csr

__all__ = ["SEARCH", "WHOLE", "Codes", "GraphEmbedding", "solver_options", "warn_of_fewer"]


class _Whole(Interval):
    """Whole numbers, of which True is none."""

    def is_satisfied_by(self, val: Any) -> bool:
        return not isinstance(val, bool) and bool(super().is_satisfied_by(val))


#: What n_components, n_neighbors and other counts may be.
WHOLE = [_Whole(Integral, 1, None, closed="left")]
#: What search may be.
SEARCH = [StrOptions(set(SEARCHES))]

Codes = npt.NDArray[np.intp]


class GraphEmbedding(LinearProjection):
    """A transformer whose axes maximise tr(A^T X L X^T A): a subclass names the Laplacian L."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": WHOLE,
        "solver": [StrOptions(set(SOLVERS))],
        "tol": [Interval(Real, 0, 1, closed="neither")],
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
        X = as_csr(read_documents(self, X, reset=True))
        classes = read_two_classes(self, X, y, getattr(self, "unlabeled_value", None))
        if not squared_norm(X):
            raise ValueError(f"All values of the {X.shape[0]} documents are 0: there is nothing to embed.")
        self._fit(X, classes.codes)
        self.classes_ = classes.names
        return self

    def _fit(self, X: Any, codes: Codes) -> None:
        found = linear_axes(X, self._laplacian(X, codes), self.n_components, **solver_options(self))
        warn_of_fewer(len(found.values), self.n_components, stacklevel=4)
        self.eigenvalues_ = found.values
        self.components_ = found.vectors.T


def solver_options(estimator: Any) -> dict[str, Any]:
    """Return the options of an embedding that an estimator has."""
    seed = int(check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max))
    return {"solver": estimator.solver, "tol": estimator.tol, "seed": seed, "n_jobs": estimator.n_jobs}


def warn_of_fewer(found: int, wanted: int, *, stacklevel: int) -> None:
    """Say that there are fewer axes than asked for."""
    if found < wanted:
        warnings.warn(
            f"Only {found} of {wanted} axes were found that raise the criterion: set n_components to that.",
            FewerAxesWarning,
            stacklevel=stacklevel,
        )
