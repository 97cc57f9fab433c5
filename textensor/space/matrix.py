"""What kernels are given: one function that turns any documents x terms matrix into a CSR they can trust."""

import sys
from typing import Any

import numpy as np
import scipy.sparse as sp

from textensor.base.arrays import Array

#: What kernels are compiled for.
_ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "dtype": [np.float64, np.float32],
}


class CheckedCSR(sp.csr_matrix):
    """A CSR whose indices and values were checked, and so those of its rows and columns: once in a fit."""


def as_csr(X: Any) -> sp.csr_matrix:
    """Return a matrix as CSR with sorted, unique, in-range indices and finite float32 or float64 values.

    Indices have 32 bits where they fit. X, dense or sparse, is never changed; its memory is shared wherever
    it is in order already.
    """
    if not isinstance(X, CheckedCSR):
        from textensor.base.late.parts import check_array  # here: model files are read before it is chosen

        check_indices(X)
        X = check_array(X, ensure_min_samples=0, ensure_min_features=0, **_ACCEPTED)
    return _in_order(X)


def read_matrix(estimator: Any, X: Any, *, reset: bool, at_least: int = 1, dense: bool = False) -> Any:
    """Return the X that an estimator is given, as :func:`as_csr` does; it has ``at_least`` so many documents.

    With ``reset``, as in ``fit``, the estimator keeps the number of features and their names; otherwise they
    are compared with those it has. With ``dense`` a dense X stays dense.
    """
    from textensor.base.late.parts import validate_data

    if isinstance(X, CheckedCSR) and X.shape[0] >= at_least:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    else:
        check_indices(X)
        X = validate_data(estimator, X, reset=reset, ensure_min_samples=at_least, **_ACCEPTED)
    return X if dense and not sp.issparse(X) else _in_order(X)


def _in_order(X: Any) -> sp.csr_matrix:
    """Return a checked matrix as CSR with sorted, unique indices, 32-bit ones where they fit."""
    X = X if isinstance(X, CheckedCSR) else CheckedCSR(X)
    if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
        arrays = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
        X = CheckedCSR(arrays, shape=X.shape)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def check_scale(X: Any, dtype: Any = None) -> None:
    """Refuse numbers whose squares, which most methods add up, are infinite or 0.

    They are added up in a type, by default that of the numbers.
    """
    values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", under="ignore"):
        squares = np.sum(np.square(values, dtype=dtype))
    if not np.isfinite(squares):
        raise ValueError("X holds numbers too large to be squared: scale it down.")
    if squares == 0 and values.any():
        raise ValueError("X holds numbers too small to be squared: scale it up.")


def sparse_result(X: Any) -> Any:
    """Return a CSR in the sparse interface that scikit-learn is set to: csr_matrix or csr_array."""
    sklearn = sys.modules.get("sklearn")  # what is not imported is set to nothing
    sparray = sklearn is not None and sklearn.get_config().get("sparse_interface") == "sparray"
    return sp.csr_array(X) if sparray else sp.csr_matrix(X)


def check_indices(X: Any) -> None:
    """Refuse indices out of range in a sparse matrix before compiled code, scipy's too, follows them."""
    if not sp.issparse(X):
        return
    if X.format in ("csr", "csc", "bsr"):
        # scipy looks at nothing where the last pointer is 0, and follows the others all the same.
        if (np.diff(X.indptr) < 0).any():
            raise ValueError(f"A sparse matrix of shape {X.shape} has row pointers that fall.")
        type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False).check_format(full_check=True)
    elif X.format == "coo":
        for index, length in zip(X.coords, X.shape, strict=True):
            if len(index) and not (index.min() >= 0 and index.max() < length):
                raise ValueError(f"A sparse matrix of shape {X.shape} has an index out of range.")


def csr_arrays(X: sp.csr_matrix) -> tuple[Array, Array, Array]:
    """Return indptr, indices and data of a CSR for a kernel: contiguous, and read-only always.

    A kernel is compiled anew for each combination of array types; a read-only and a writable array
    are different types to it, so all are given as read-only.
    """
    indptr, indices, data = (np.ascontiguousarray(a).view() for a in (X.indptr, X.indices, X.data))
    for array in (indptr, indices, data):
        array.flags.writeable = False
    return indptr, indices, data
