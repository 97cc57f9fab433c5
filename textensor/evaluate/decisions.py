"""Truth and predictions as two sparse documents x categories matrices of the same shape.

Everything that is counted later (F1, intervals, sign tests) is counted on this pair, so label vectors,
multilabel indicators, decision values and predicted labels are all brought to it here, and nowhere else.
Nothing dense of the size documents x categories is made: dense input is read in blocks of rows.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array, gen_batches

BLOCK_ENTRIES = 1 << 20

Pairs = tuple[NDArray[Any], NDArray[Any]]
"""Row numbers and column numbers of the marked cells of a matrix."""


def label_vector(y: Any, name: str) -> NDArray[Any]:
    """Return labels as a 1-D array of numbers or of strings, never of objects.

    Parameters
    ----------
    y : array-like
        One label per document, all numbers or all strings.
    name : str
        What the argument is called, for the message.

    Returns
    -------
    ndarray of shape (n,)
    """
    if np.ndim(y) != 1:
        raise ValueError(f"{name} must have one dimension, a label per entry: got shape {np.shape(y)}.")
    values = np.asarray(y)
    if values.dtype.kind not in "biufUS":
        strings = [isinstance(value, str) for value in values]
        if any(strings) and not all(strings):
            entry = strings.index(not strings[0])
            raise ValueError(f"{name} mixes strings with something else at entry {entry}: use strings only.")
        values = np.asarray(values.tolist())
    if values.dtype.kind not in "biufUS":
        raise ValueError(f"{name} holds {values.dtype} values: use numbers or strings.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        entry = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name} has no label at entry {entry}: leave that document out or label it.")
    return values


def label_names(labels: Any, name: str) -> NDArray[Any]:
    """Return a list of categories as an array, refusing an empty list and a category named twice."""
    names = label_vector(labels, name)
    if len(names) == 0:
        raise ValueError(f"{name} is empty: name at least one category.")
    if len(np.unique(names)) < len(names):
        raise ValueError(f"{name} names a category twice: give each category once.")
    return names


def positions(values: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each value stands in ``labels``, -1 where it does not.

    Examples
    --------
    >>> positions(np.array(["b", "x", "a"]), np.array(["b", "a"]))
    array([ 0, -1,  1])
    """
    if (values.dtype.kind in "US") != (labels.dtype.kind in "US"):
        raise ValueError(
            f"Labels of type {values.dtype} cannot be among labels of type {labels.dtype}: "
            "use strings everywhere or numbers everywhere."
        )
    order = np.argsort(labels, kind="stable")
    found = order[np.searchsorted(labels, values, sorter=order).clip(max=len(labels) - 1)]
    return np.where(labels[found] == values, found, -1)


def is_indicator(y: Any) -> bool:
    """Tell whether ``y`` is a documents x labels matrix rather than one label per document."""
    return np.ndim(y) == 2


def decision_matrix(decisions: Any, accept_sparse: str | bool = "csr") -> Any:
    """Return decision values as a documents x columns matrix; one dimension is one column."""
    if np.ndim(decisions) == 1:
        decisions = np.asarray(decisions).reshape(-1, 1)
    # NaN is refused later, where its row is known; an infinite decision is a decision.
    return check_array(
        decisions, accept_sparse=accept_sparse, ensure_all_finite=False, input_name="decisions"
    )


def _entries(matrix: Any, name: str) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Yield rows, columns and values of the entries that are not zero, block by block; refuse NaN."""
    for rows, columns, values in _blocks(matrix):
        if np.isnan(values).any():
            bad = int(np.argmax(np.isnan(values)))
            raise ValueError(f"{name} has NaN in row {rows[bad]}, column {columns[bad]}: give a number.")
        yield rows, columns, values


def _blocks(matrix: Any) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Yield what is not zero: a sparse matrix at once, a dense one by blocks of rows."""
    if sparse.issparse(matrix):
        entries = matrix.tocoo(copy=True)
        entries.sum_duplicates()
        stored = entries.data != 0
        yield entries.row[stored], entries.col[stored], entries.data[stored]
        return
    for part in gen_batches(len(matrix), max(1, BLOCK_ENTRIES // matrix.shape[1])):
        rows, columns = np.nonzero(matrix[part])
        yield rows + part.start, columns, matrix[rows + part.start, columns]


def _joined(parts: list[Pairs]) -> Pairs:
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([columns for _, columns in parts])


def assigned_pairs(decisions: Any) -> Pairs:
    """Return the (document, column) pairs with a decision value above zero."""
    entries = _entries(decisions, "decisions")
    return _joined([(rows[values > 0], columns[values > 0]) for rows, columns, values in entries])


def top_columns(decisions: NDArray[Any]) -> NDArray[np.intp]:
    """Return each document's column of the largest value, the first of equals.

    A single column f is a binary decision: 1 where f > 0, else 0.
    """
    top = np.argmax(decisions, axis=1)
    # NaN is its row's arg max in numpy, so that looking at the winners finds every NaN.
    undecided = np.isnan(decisions[np.arange(len(top)), top])
    if undecided.any():
        raise ValueError(f"decisions has NaN in row {int(np.argmax(undecided))}: give a number.")
    return (decisions[:, 0] > 0).astype(np.intp) if decisions.shape[1] == 1 else top


def indicator_pairs(y: Any) -> Pairs:
    """Return the (document, label) pairs that a multilabel indicator of zeros and ones marks."""
    matrix = check_array(y, accept_sparse="csr", ensure_all_finite=False, input_name="y_true")
    parts = []
    for rows, columns, values in _entries(matrix, "y_true"):
        if (values != 1).any():
            bad = int(np.argmax(values != 1))
            raise ValueError(
                f"y_true has {values[bad]!s} in row {rows[bad]}, where an indicator has 0 or 1: "
                "leave unlabelled documents out before scoring."
            )
        parts.append((rows, columns))
    return _joined(parts)


def marked(pairs: Pairs, columns: NDArray[np.intp], shape: tuple[int, int]) -> sparse.csr_array:
    """Return a boolean matrix with the pairs marked, column c moved to ``columns[c]``, or dropped at -1."""
    rows, moved = pairs[0], columns[pairs[1]]
    rows, moved = rows[moved >= 0], moved[moved >= 0]
    return sparse.csr_array((np.ones(len(rows), dtype=bool), (rows, moved)), shape=shape)
