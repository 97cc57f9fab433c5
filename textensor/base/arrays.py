"""Short names for the types of arrays, and what scikit-learn has, too, but is slow to import for."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
#: Row numbers, and the codes of classes.
Rows = npt.NDArray[np.intp]
Codes = Rows

#: Columns that are copied at a time: one at a time would read all of a large array for each.
_COLUMNS = 64


def by_column(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """Yield the columns of arrays of one shape, each with its values side by side in memory.

    Examples
    --------
    >>> for scores, truth in by_column(np.array([[1, 2], [3, 4]]), np.eye(2, dtype=int)):
    ...     print(scores, truth)
    [1 3] [1 0]
    [2 4] [0 1]
    """
    for first in range(0, arrays[0].shape[1], _COLUMNS):
        blocks = (np.ascontiguousarray(one[:, first : first + _COLUMNS].T) for one in arrays)
        yield from zip(*blocks, strict=True)


def gen_batches(n: int, size: int) -> Iterator[slice]:
    """Yield slices of one size, the last maybe smaller, that cover ``n`` rows.

    Examples
    --------
    >>> list(gen_batches(5, 3))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def normalize(X: Any, norm: str = "l2") -> Any:
    """Return a copy of a matrix, CSR or dense, with rows of unit length, as scikit-learn's ``normalize``.

    Rows of zeros stay zeros, and so do dense rows of next to nothing.

    Examples
    --------
    >>> normalize(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    sparse = sp.issparse(X)
    values = X.data if sparse else np.asarray(X)
    if not np.isfinite(values).all():
        raise ValueError("The matrix holds NaN or infinity: its rows have no length.")
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if not sparse:
        lengths = (
            np.abs(values).sum(axis=1) if norm == "l1" else np.sqrt(np.einsum("ij,ij->i", values, values))
        )
        lengths[lengths < 10 * np.finfo(lengths.dtype).eps] = 1.0
        return values / lengths[:, None]
    X = X.tocsr()
    values = X.data.astype(np.float64)
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    lengths = np.bincount(row, np.abs(values) if norm == "l1" else values * values, X.shape[0])
    if norm == "l2":
        lengths = np.sqrt(lengths)
    lengths[lengths == 0.0] = 1.0
    dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    values /= lengths[row]
    return type(X)((values.astype(dtype, copy=False), X.indices.copy(), X.indptr.copy()), shape=X.shape)
