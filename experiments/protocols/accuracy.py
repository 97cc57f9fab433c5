"""Accuracy on two classes from very few rows (stm-tls §4): C by cross-validation on those rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from experiments.data import data, rows
from experiments.engine.declare import SEED, Cell
from textensor.base.arrays import Floats, Rows
from textensor.base.reading.y import read_labels
from textensor.classify import SupportTensorMachine, TensorLeastSquares
from textensor.classify.thresholds import score_folds

#: On so few rows a fit with a large C takes more sweeps than the machines' own limit.
SWEEPS = 10_000


def _model(settings: Mapping[str, Any], **more: Any) -> Any:
    """Return a machine: order 1 is the vector one, order 2 the tensor arranged by an SVM's weights."""
    kind = SupportTensorMachine if settings["loss"] == "hinge" else TensorLeastSquares
    order = settings["order"]
    arrangement = settings.get("arrangement", "weight") if order > 1 else "given"
    more |= {name: settings[name] for name in ("intercept_scaling", "rank") if name in settings}
    return kind(order=order, arrangement=arrangement, random_state=SEED, max_iter=SWEEPS, **more)


def classify(cell: Cell) -> dict[str, Any]:
    """Return the accuracy on the rows that were not trained on."""
    found = data(cell.data)
    train, test = rows(found.y, found.train, cell.settings, cell.split)
    X, y = found.X.toarray(), found.y
    chosen: dict[str, float] = {}
    if cell.settings.get("solution") == "basic":
        regress = _regress if cell.settings["order"] == 1 else _regress_grids
        decided = regress(X[train], y[train], X[test])
    else:
        grid = [{"C": C} for C in cell.settings["C"]] if cell.settings["loss"] == "hinge" else [{}]
        chosen = grid[0] if len(grid) == 1 else _best(cell.settings, grid, X[train], y[train])
        decided = _model(cell.settings, **chosen).fit(X[train], y[train]).predict(X[test])
    wrong = np.count_nonzero(decided != y[test])
    return {"accuracy": 1 - wrong / len(test), "trained on": len(train), **chosen}


def _regress(X: Any, y: Any, queries: Any) -> Any:
    """Return the classes by least squares as MATLAB's regress has it.

    As a learner of ``TensorClassifier`` it decides otherwise in 10 of the 300 cells: some rows of zeros and
    ones have a decision of 0 but for rounding.
    """
    classes = np.unique(y)
    w, b = _fitted(X, np.where(y == classes[-1], 1.0, -1.0))
    return classes[(queries @ w + b > 0).astype(int)]


def _regress_grids(X: Any, y: Any, queries: Any) -> Any:
    """Return the classes by Tensor Least Squares (Algorithm 1), each half-step as MATLAB's regress has it.

    ``TensorClassifier`` scales the factor that is held to unit length: beside the column of ones that changes
    the pivots, and so the basic solution.
    """
    classes = np.unique(y)
    target = np.where(y == classes[-1], 1.0, -1.0)
    (placed,) = _model({"loss": "squares", "order": 2}).fit(X, y).arrangement_
    grids, others = (np.zeros((len(some), *placed.shape_)) for some in (X, queries))
    for filled, some in ((grids, X), (others, queries)):
        filled[:, *placed.indices()] = some
    u, residual = np.ones(placed.shape_[0]), np.inf
    for _ in range(SWEEPS):
        before = residual
        v, _ = _fitted(np.einsum("nij,i->nj", grids, u), target)
        u, b = _fitted(grids @ v, target)
        residual = float(((grids @ v @ u + b - target) ** 2).sum())
        if before - residual <= 1e-6 * before or residual <= 1e-12 * len(y):
            break
    return classes[(others @ v @ u + b > 0).astype(int)]


def _fitted(X: Any, target: Any) -> tuple[Any, float]:
    """Return the weights of features, and that of a constant one."""
    w = _basic_solution(np.column_stack([np.ones(len(X)), X]), target)
    return w[1:], float(w[0])


def _basic_solution(A: Any, b: Any) -> Any:
    """Return the least-squares solution of a pivoted QR that has as many numbers as A has ranks."""
    q, r, order = qr(A, mode="economic", pivoting=True)
    size = np.abs(np.diag(r))
    rank = int((size > max(A.shape) * np.finfo(float).eps * size[0]).sum())
    w = np.zeros(A.shape[1])
    w[order[:rank]] = solve_triangular(r[:rank, :rank], q[:, :rank].T @ b)
    return w


def _best(settings: Mapping[str, Any], grid: list[dict[str, float]], X: Any, y: Any) -> dict[str, float]:
    """Return the setting with most held-out rows right; the first of equals."""

    def right(some: Rows, others: Rows) -> Floats:
        if len(np.unique(y[some])) < 2:
            return np.zeros((len(others), len(grid)))
        models = [_model(settings, **setting).fit(X[some], y[some]) for setting in grid]
        return np.column_stack([model.predict(X[others]) == y[others] for model in models])

    found, _ = score_folds(right, read_labels(y).questions, len(grid), seed=SEED)
    return grid[int(np.argmax(found.sum(axis=0)))]
