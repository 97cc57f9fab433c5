"""Indicators of documents x labels, dense or sparse, read cell by cell; what is wrong is named by its row."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Rows

#: Cells of a dense matrix that are read at a time: nothing dense of its size is made.
BLOCK = 1 << 20


def canonical(matrix: Any) -> sp.csr_array:
    """Return a copy of a sparse matrix in CSR with every cell stored once; the caller's is not changed."""
    matrix = sp.csr_array(matrix, copy=True)
    matrix.sum_duplicates()
    return matrix


def marked_rows(y: Any, mark: Any) -> npt.NDArray[np.bool_]:
    """Return which rows of an indicator, dense or canonical, hold nothing but the mark."""
    if sp.issparse(y):
        marks = sp.csr_array((y.data == mark, y.indices, y.indptr), shape=y.shape)
        return np.asarray(marks.sum(axis=1)).ravel() == y.shape[1]
    return np.asarray((y == mark).all(axis=1))


def cells(matrix: Any, name: str) -> Iterator[tuple[Rows, Rows, npt.NDArray[Any]]]:
    """Yield rows, columns and values of the cells that are not 0, in blocks of rows; NaN is refused."""
    for rows, columns, values in _blocks(matrix):
        if np.isnan(values).any():
            bad = int(np.argmax(np.isnan(values)))
            raise ValueError(f"{name} has NaN in row {rows[bad]}, column {columns[bad]}: give a number.")
        yield rows, columns, values


def true_cells(y: Any, name: str, labelled: npt.NDArray[np.bool_] | None = None) -> tuple[Rows, Rows]:
    """Return the rows and columns of the ones in an indicator of 0 and 1; unlabelled rows are left out."""
    parts = []
    for rows, columns, values in cells(y, name):
        known = np.ones(len(rows), dtype=bool) if labelled is None else labelled[rows]
        wrong = known & (values != 1)
        if wrong.any():
            bad = int(np.argmax(wrong))
            raise ValueError(
                f"{name} has {values[bad]!s} in row {rows[bad]}, where a label indicator holds only 0 and 1: "
                "leave out documents without labels, or mark them by a whole row if the estimator takes them."
            )
        parts.append(np.array([rows, columns])[:, known])
    rows, columns = np.concatenate(parts, axis=1)
    return rows, columns


def _blocks(matrix: Any) -> Iterator[tuple[Rows, Rows, npt.NDArray[Any]]]:
    """Yield the cells that are not 0: of a sparse matrix all at once, of a dense one by blocks of rows."""
    if sp.issparse(matrix):
        found = canonical(matrix).tocoo()
        stored = found.data != 0
        yield found.row[stored].astype(np.intp), found.col[stored].astype(np.intp), found.data[stored]
        return
    step = max(1, BLOCK // matrix.shape[1])
    for start in range(0, len(matrix), step):
        rows, columns = np.nonzero(matrix[start : start + step])
        yield rows + start, columns, matrix[rows + start, columns]
