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


def table_of(labels: Any) -> tuple[Any, list[Any] | None] | None:
    """Return an indicator that is given as labels, and the names of its columns if it has names.

    A table of numbers with two columns or more is one: dense, sparse or a data frame. A row of missing values
    becomes one of -1, the mark of a document without a label. None if the labels are no such table.
    """
    if sp.issparse(labels):
        return labels, None
    if isinstance(labels, np.ma.MaskedArray):
        labels = labels if labels.ndim < 2 else np.ma.filled(labels.astype(np.float64), np.nan)
    names = [*labels.columns] if hasattr(labels, "columns") else None
    if len(names or "") < 2 and (
        not isinstance(labels, np.ndarray) or labels.ndim < 2 or labels.shape[1] < 2
    ):
        return None
    try:
        values = np.asarray(labels) if names is None else labels.to_numpy(dtype=np.float64, na_value=np.nan)
        values = values.astype(np.float64) if values.dtype.kind == "O" else values
    except (TypeError, ValueError):
        values = np.empty((0, 0), dtype=str)
    if values.ndim > 2 or values.dtype.kind not in "biuf":
        raise ValueError(
            "labels is a table of several columns and not of 0 and 1: give one column, a tuple of labels for "
            "each document, or a column of 0 and 1 for each label."
        )
    missing = np.isnan(values).all(axis=1) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    if missing.any():
        values = np.where(missing[:, None], -1.0, values)
    return values, names


def column_of(values: Any) -> Any:
    """Return a table of one column as that column, anything else as it is."""
    if hasattr(values, "columns") and len(values.columns) == 1:
        return values[values.columns[0]]
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    return values
