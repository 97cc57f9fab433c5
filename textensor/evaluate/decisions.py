"""Truth and predictions as two sparse documents x categories matrices of the same shape.

Everything that is counted later (F1, intervals, sign tests) is counted on this pair. Labels are read by
:mod:`textensor.base.reading.y`, decision values here.
Nothing dense of the size documents x categories is made: dense input is read in blocks of rows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textensor.base.late.parts import check_array
from textensor.base.reading.indicator import cells

Pairs = tuple[NDArray[Any], NDArray[Any]]
"""Row numbers and column numbers of the marked cells of a matrix."""


def decision_matrix(decisions: Any, accept_sparse: str | bool = "csr") -> Any:
    """Return decision values as a documents x columns matrix; one dimension is one column."""
    if np.ndim(decisions) == 1:
        decisions = np.asarray(decisions).reshape(-1, 1)
    # NaN is refused later, where its row is known; an infinite decision is a decision.
    return check_array(
        decisions, accept_sparse=accept_sparse, ensure_all_finite=False, input_name="decisions"
    )


def assigned_pairs(decisions: Any) -> Pairs:
    """Return the (document, column) pairs with a decision value above zero."""
    parts = [
        (rows[values > 0], columns[values > 0]) for rows, columns, values in cells(decisions, "decisions")
    ]
    rows, columns = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(columns)


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


def marked(pairs: Pairs, columns: NDArray[np.intp], shape: tuple[int, int]) -> sparse.csr_array:
    """Return a boolean matrix with the pairs marked, column c moved to ``columns[c]``, or dropped at -1."""
    rows, moved = pairs[0], columns[pairs[1]]
    rows, moved = rows[moved >= 0], moved[moved >= 0]
    return sparse.csr_array((np.ones(len(rows), dtype=bool), (rows, moved)), shape=shape)
