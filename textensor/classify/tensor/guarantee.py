"""How much a classifier of rank R gives away against the vector classifier it stands for.

P(w, b) = 1/2 |w|^2 + 1/2 b^2 + C sum of c_i max(0, 1 - y_i (w^T x_i + b)) is least at (w*, b*). In the grid
of an arrangement w* is a matrix W, W_R its truncated singular value decomposition and E = W - W_R. With P_R
the least objective of any weight matrix of rank R,

    1/2 |E|^2 <= P_R - P* <= P(W_R, b*) - P* <= C sum of c_i max(0, |<X_i, E>| - s_i) - 1/2 |E|^2

where s_i = max(0, y_i f_i - 1) is what a document has to spare beyond its margin. Terms arranged by their
weights have a small E: their columns hold weights of almost one value. ``docs/guarantee.md`` has the proofs.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats
from textensor.base.checks import check, whole
from textensor.space.arrange import Arrangement
from textensor.space.matrix import as_csr


class ExcessBounds(NamedTuple):
    """What rank R costs in the objective, from below and from above, counted from that of the given weights.

    Attributes
    ----------
    tail : float
        |E|^2, the squared singular values beyond the R largest.
    lower : float
        No classifier of rank R has an excess below this: 1/2 |E|^2 where the weights are the best.
    truncated : float
        The excess of W_R itself: the best classifier of rank R has no more.
    upper : float
        What the excess cannot pass, from how much each document feels of E and has to spare.
    upper_by_norm : float
        The same from the lengths of E and of the documents alone.
    """

    tail: float
    lower: float
    truncated: float
    upper: float
    upper_by_norm: float


def excess_bounds(
    X: Any,
    y: npt.ArrayLike,
    weights: npt.ArrayLike,
    intercept: float,
    arrangement: Arrangement,
    *,
    rank: int = 1,
    C: float = 1.0,
    sample_weight: npt.ArrayLike | None = None,
    gap: float = 0.0,
) -> ExcessBounds:
    """Bound the objective of the best tensor classifier of a rank, from the vector classifier's weights.

    Parameters
    ----------
    X : array-like or sparse of shape (n_documents, n_terms)
        The documents the vector classifier was fitted on.
    y : array of shape (n_documents,)
        Their answers, 1 and -1.
    weights : array of shape (n_terms,)
        The weights of the vector classifier.
    intercept : float
        Its intercept.
    arrangement : Arrangement
        Fitted, of order 2.
    rank : int, default=1
        R.
    C : float, default=1.0
        The cost of an error.
    sample_weight : array of shape (n_documents,) or None, default=None
        How much each document counts.
    gap : float, default=0.0
        How far the objective of the weights may be above the least one: the duality gap of the solver.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import LinearSVC
    >>> from textensor.classify.tensor.guarantee import excess_bounds
    >>> from textensor.space import Arrangement
    >>> X = np.random.default_rng(0).random((50, 12))
    >>> y = np.where(X[:, :6].sum(axis=1) > X[:, 6:].sum(axis=1), 1, -1)
    >>> w = LinearSVC(loss="hinge", tol=1e-8, max_iter=100000).fit(X, y)
    >>> grid = Arrangement("given", shape=(6, 2)).fit(X)
    >>> bounds = excess_bounds(X, y, w.coef_[0], w.intercept_[0], grid, rank=1)
    >>> bounds.lower <= bounds.truncated <= bounds.upper <= bounds.upper_by_norm
    True
    >>> round(excess_bounds(X, y, w.coef_[0], w.intercept_[0], grid, rank=2).upper, 6)
    0.0
    """
    X, w, signs = as_csr(X), np.asarray(weights, dtype=np.float64), np.asarray(y, dtype=np.float64)
    cost = C * (np.ones(len(signs)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64))
    if not np.isin(signs, (-1.0, 1.0)).all():
        raise ValueError("y must be 1 for yes and -1 for no.")
    cells = arrangement.indices()
    if w.shape != cells[0].shape:
        raise ValueError(
            f"There are weights of shape {w.shape} for the arrangement of {len(cells[0])} terms."
        )
    grid = np.zeros(arrangement.shape_)
    grid[cells] = w
    E = _beyond(grid, rank)
    tail = float(np.vdot(E, E))
    moved = X @ E[cells]
    lengths = np.sqrt(X.multiply(X).sum(axis=1)).A1
    margin = signs * (X @ w + intercept)
    spare = np.maximum(margin - 1, 0)

    def excess(loss: Floats) -> float:
        return float(cost @ loss) - tail / 2

    return ExcessBounds(
        tail,
        max(sqrt(tail) - sqrt(2 * gap), 0.0) ** 2 / 2 - gap,
        excess(np.maximum(1 - margin + signs * moved, 0) - np.maximum(1 - margin, 0)),
        excess(np.maximum(np.abs(moved) - spare, 0)),
        excess(np.maximum(sqrt(tail) * lengths - spare, 0)),
    )


def column_error_bound(grid: npt.ArrayLike, rank: int = 1) -> float:
    """Bound |E|^2 of a weight matrix by the ranges of its columns.

    Each column is replaced by its mean, which is rank 1 with u = ones, but the R - 1 columns of the
    largest range are kept as they are. A column of n1 numbers is off by n1 / 4 times its squared range at
    the most.

    Examples
    --------
    >>> column_error_bound([[1.0, 5.0], [1.5, 9.0]]), column_error_bound([[1.0, 5.0], [1.5, 9.0]], rank=2)
    (8.125, 0.125)
    """
    W = _checked_grid(grid, rank)
    squares = np.sort(np.ptp(W, axis=0) ** 2)
    return float(len(W) / 4 * squares[: max(len(squares) - rank + 1, 0)].sum())


def weight_arrangement_error_bound(weights: npt.ArrayLike, n_rows: int, rank: int = 1) -> float:
    """Bound |E|^2 for terms arranged by these weights, from the largest of them alone.

    The ranges of all columns sum to S = max(w) + max(-w) + r at the most, r the largest -w among the
    negative weights that fill no whole column; so |E|^2 <= n1 S^2 / 4 at rank 1, and n1 S^2 / (16 (R - 1))
    above. It is never more than |w|^2, which weights of 0 give.

    Parameters
    ----------
    weights : array of shape (n_terms,)
        The weights of the vector classifier.
    n_rows : int
        n1, the length of a column.
    rank : int, default=1
        R.

    Examples
    --------
    >>> import numpy as np
    >>> w = np.linspace(0.5, 1.5, 10_000)
    >>> for n2 in (10, 100, 1000):
    ...     print(f"{weight_arrangement_error_bound(w, n_rows=len(w) // n2) / (w @ w):.4f}")
    0.0519
    0.0052
    0.0005
    """
    w = np.asarray(weights, dtype=np.float64)
    check("rank", rank, whole(1))
    check("n_rows", n_rows, whole(1))
    negative = np.sort(-w[w < 0])[::-1]
    pooled = negative[len(negative) // n_rows * n_rows :]
    S = w.max(initial=0.0) + negative.max(initial=0.0) + pooled.max(initial=0.0)
    share = 1 / 4 if rank == 1 else 1 / (16 * (rank - 1))
    return float(min(n_rows * share * S**2, w @ w))


def _checked_grid(grid: npt.ArrayLike, rank: int) -> Floats:
    W = np.asarray(grid, dtype=np.float64)
    check("rank", rank, whole(1))
    if W.ndim != 2:
        raise ValueError(f"A matrix is needed, not order {W.ndim}.")
    return W


def _beyond(grid: Floats, rank: int) -> Floats:
    """Return what the R largest singular values leave of a matrix."""
    U, s, Vt = np.linalg.svd(_checked_grid(grid, rank), full_matrices=False)
    return (U[:, rank:] * s[rank:]) @ Vt[rank:]
