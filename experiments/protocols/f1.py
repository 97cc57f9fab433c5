"""F1 with few labels (stm-text §6): settings chosen on the labelled documents, by assignment and by arg max.

A cell holds the measures of three protocols: ``assignment``, ``argmax`` and ``thresholds`` (assignment with
each label's threshold tuned on held-out folds).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.svm import LinearSVC

from experiments.data import data, rows
from experiments.declare import SEED, Cell
from textensor.base.labels import read_labels
from textensor.classify import SemanticSVM, SupportTensorMachine
from textensor.classify.thresholds import folds, tune_threshold
from textensor.evaluate import F1Scores, f1_by_argmax, f1_by_assignment

__all__ = ["classify", "record"]

#: The decision of a model that has not seen a label.
NEVER = -9.0
Decide = Callable[[dict[str, Any], Any, Any, Any, Any], Any]


def svm(setting: Mapping[str, Any], X: Any, y: Any, test: Any, text: Any) -> Any:  # noqa: ARG001
    """Decide by LinearSVC with the hinge loss."""
    model = LinearSVC(loss="hinge", random_state=SEED, max_iter=20_000, tol=1e-3, **setting)
    return model.fit(X, y).decision_function(test)


def stm(setting: Mapping[str, Any], X: Any, y: Any, test: Any, text: Any) -> Any:  # noqa: ARG001
    """Decide by the Support Tensor Machine."""
    options = {**setting, "shape": (-1, setting["shape"])}
    model = SupportTensorMachine(**options, random_state=SEED).fit(X, y)
    return model.decision_function(test)


def semantic_svm(setting: Mapping[str, Any], X: Any, y: Any, test: Any, text: Any) -> Any:
    """Decide by the SVM over terms and coordinates, learnt also from text without labels."""
    import scipy.sparse as sp

    unlabelled = np.full(text.shape[0], -1)
    model = SemanticSVM(**setting, random_state=SEED)
    model.fit(sp.vstack([X, text], format="csr"), np.concatenate([y, unlabelled]))
    return model.decision_function(test)


METHODS: dict[str, Decide] = {"svm": svm, "stm": stm, "semantic-svm": semantic_svm}


def classify(cell: Cell) -> dict[str, Any]:
    """Choose a setting for each protocol on the labelled documents, then decide on the test documents."""
    found = data(cell.data)
    train, test = rows(found.y, found.train, cell.settings, cell.split)
    X, y = found.X[train], found.y[train]
    text = found.X[test]  # of which semi-supervised methods read the words, never the labels
    classes = np.unique(y)
    method = METHODS[cell.settings["method"]]
    fixed = dict(cell.settings.get("options", {}))
    grid = [{**fixed, "C": C} for C in cell.settings["C"]]
    n_folds = cell.settings.get("folds", 3)
    protocols = ("assignment", "argmax", "thresholds") if n_folds else ("assignment", "argmax")
    held_out = [_held_out(method, setting, X, y, text, classes, n_folds) for setting in grid]
    thresholds = [
        np.array([tune_threshold(d[:, k], y == c) for k, c in enumerate(classes)]) for d in held_out
    ]
    decided: dict[int, Any] = {}
    result: dict[str, Any] = {"training": np.bincount(y, minlength=len(found.labels)).tolist()}
    for protocol in protocols:
        measure = f1_by_argmax if protocol == "argmax" else f1_by_assignment
        moved = thresholds if protocol == "thresholds" else [np.zeros(len(classes))] * len(grid)
        best = _best(measure, y, held_out, moved, classes)
        if best not in decided:
            decided[best] = method(grid[best], X, y, found.X[test], text)
        scores = measure(found.y[test], decided[best] - moved[best], classes=classes, labels=classes)
        result[protocol] = {**record(scores), "C": grid[best]["C"]}
    return result


def _held_out(
    method: Decide, setting: dict[str, Any], X: Any, y: Any, text: Any, classes: Any, n_folds: int
) -> npt.NDArray[np.float64]:
    """Return decisions for the labelled documents from models that have not seen them; NaN where none."""
    decisions = np.full((len(y), len(classes)), np.nan)
    parts = list(folds(read_labels(y).questions, seed=SEED))[:n_folds]
    for some, others in parts:
        known = np.unique(y[some])
        found = method(setting, X[some], y[some], X[others], text)
        decisions[np.ix_(others, np.searchsorted(classes, known))] = found
    return decisions


def _best(measure: Any, y: Any, held_out: list[Any], moved: list[Any], classes: Any) -> int:
    """Return the setting of the highest micro-F1 on held-out documents; the first of equals."""
    if len(held_out) == 1:
        return 0
    judged = ~np.isnan(held_out[0]).all(axis=1)
    figures = [
        measure(y[judged], np.nan_to_num(d[judged] - t, nan=NEVER), classes=classes).micro
        for d, t in zip(held_out, moved, strict=True)
    ]
    return int(np.argmax(figures))


def record(scores: F1Scores) -> dict[str, Any]:
    """Return what is kept of scores; ``wrong`` names the wrong decisions, for sign tests."""
    wrong = (scores.truth != scores.assigned).tocoo()
    numbers = wrong.row.astype(np.int64) * len(scores.labels) + wrong.col
    if scores.protocol == "argmax":
        numbers = np.unique(wrong.row)
    return {
        "micro": scores.micro,
        "macro": scores.macro_mean_f1,
        "macro of means": scores.macro_f1_of_means,
        "per category": np.round(scores.per_category, 5).tolist(),
        "wrong": np.sort(numbers).tolist(),
    }
