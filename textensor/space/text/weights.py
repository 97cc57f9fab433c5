"""Which terms are columns and what their counts weigh: everything between counts and a weighted matrix."""

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from textensor.base.checks import one_of

#: The inverse document frequency of a term: none, log(n / df), or scikit-learn's log((1 + n) / (1 + df)) + 1.
WEIGHTING = one_of("tfidf", "tf", "smooth")


def inverse_document_frequency(
    weighting: str, n_documents: int, df: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the weight of each term, given in how many documents it occurs.

    Examples
    --------
    >>> inverse_document_frequency("tfidf", 4, np.array([1, 4, 0])).round(3)
    array([1.386, 0.   , 0.   ])
    >>> inverse_document_frequency("smooth", 4, np.array([1, 4, 0])).round(3)
    array([1.916, 1.   , 2.609])
    """
    if weighting == "smooth":
        return np.log((1 + n_documents) / (1 + df)) + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(df > 0, np.log(n_documents / df), 0.0)


def within_limits(
    df: npt.NDArray[np.int64], tf: npt.NDArray[np.int64], n_documents: int, options: Any
) -> npt.NDArray[np.intp]:
    """Return which terms, in alphabetical order, the options min_df, max_df and max_features leave."""
    high = options.max_df * (1 if isinstance(options.max_df, Integral) else n_documents)
    low = options.min_df * (1 if isinstance(options.min_df, Integral) else n_documents)
    if high < low:
        raise ValueError("max_df corresponds to fewer documents than min_df.")
    kept = np.flatnonzero((df <= high) & (df >= low))
    if options.max_features is not None and len(kept) > options.max_features:
        # The same call as scikit-learn's, so that ties fall the same way.
        kept = np.sort(kept[(-tf[kept]).argsort()[: options.max_features]])
    return kept


def unit_length(X: sp.csr_matrix, norm: str | None, second: npt.NDArray[np.bool_] | None) -> sp.csr_matrix:
    """Scale rows to unit length in place, if a norm is named.

    ``second`` says which columns are of a second kind. Each kind of a row is given unit length by itself
    and then the row as a whole, so that neither kind outweighs the other.
    """
    if norm is None:
        return X
    if second is None:
        return normalize(X, norm=norm, copy=False)
    kind = 2 * np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)) + second[X.indices]
    parts = np.abs(X.data) if norm == "l1" else np.square(X.data, dtype=np.float64)
    sums = np.bincount(kind, weights=parts, minlength=2 * X.shape[0])
    there = np.repeat((sums > 0).reshape(-1, 2).sum(axis=1), 2)
    length = there * sums if norm == "l1" else np.sqrt(there * sums)
    X.data /= length[kind].astype(X.dtype)
    return X
