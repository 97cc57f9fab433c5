"""What counts weigh: everything between counts and a weighted matrix."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.checks import one_of
from textensor.space.text import term_kernels as kernels

#: The length of a row.
NORM = one_of("l2", "l1", None)
#: The inverse document frequency of a term: log(n / df), none, or scikit-learn's log((1 + n) / (1 + df)) + 1.
WEIGHTING = one_of("tfidf", "tf", "smooth")
#: Counts above this are rare: only those that occur are given a weight.
_COMMON = 1 << 12

Rows = tuple[npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[Any]]


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


def into_columns(rows: Rows, columns: npt.NDArray[np.int32]) -> Rows:
    """Put the terms of counted rows into columns, sorted; those whose column is -1 are left out."""
    order = np.flatnonzero(columns >= 0)
    order = order[np.argsort(columns[order])]
    return kernels.sort_rows(*rows, columns, order)


def weigh(
    rows: Rows,
    columns: npt.NDArray[np.int32],
    idf: npt.NDArray[Any],
    second: npt.NDArray[np.bool_],
    options: Any,
) -> sp.csr_matrix:
    """Weigh sorted rows of counts by the options binary, sublinear_tf and norm, in the dtype of idf.

    ``columns`` has the new column of each column, ``second`` says which of the new ones are of a second kind.
    """
    indptr, indices, counts = rows
    values = np.arange(min(_COMMON, counts.max(initial=0)) + 1)
    if counts.max(initial=0) > _COMMON:
        values = np.unique(counts)
        counts = np.searchsorted(values, counts).astype(np.int32)
    tf = (values > 0 if options.binary else values).astype(idf.dtype)
    if options.sublinear_tf:
        tf = np.log(np.maximum(tf, 1)) + 1
    power = {"l2": 2, "l1": 1, None: 0}[options.norm]
    arrays = kernels.weigh_rows(indptr, indices, counts, columns, tf, idf, second, power)
    indptr, indices, data = arrays
    n = indptr[-1]
    if n < len(data):
        indices, data = indices[:n].copy(), data[:n].copy()
    return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, len(idf)))
