"""F1 with few labels (stm-text §6): settings chosen on the labelled documents, by assignment and by arg max.

A cell holds the measures of three protocols: ``assignment``, ``argmax`` and ``thresholds`` (assignment with
each label's threshold tuned on held-out folds).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from experiments.data import data, rows
from experiments.engine.declare import SEED, Cell
from experiments.protocols.choice import held_out, in_columns, thresholds
from experiments.protocols.steps import record
from textensor.base.arrays import Floats, Rows
from textensor.base.reading.y import read_labels
from textensor.classify import SemanticSVM, SupportTensorMachine
from textensor.evaluate import f1_by_argmax, f1_by_assignment

#: The decision of a model for a label that is not in its training set.
NEVER = -9.0
#: From a setting, the rows to learn from and those to decide on: decisions for each class of the former.
Decide = Callable[[Mapping[str, Any], Rows, Rows], Any]
#: LinearSVC with the hinge loss.
svm: Any = partial(LinearSVC, loss="hinge", max_iter=20_000, tol=1e-3)


def decider(make: Callable[..., Any], X: Any, y: Any, text: Rows | None = None, **fitting: Any) -> Decide:
    """Return how a model decides that is made of a setting, and may read more text without its labels.

    ``fitting`` are options of its ``fit``.
    """
    unlabelled = np.zeros(0, dtype=np.intp) if text is None else text

    def decide(setting: Mapping[str, Any], some: Rows, others: Rows) -> Any:
        known = np.append(y[some], np.full(len(unlabelled), -1))
        model = make(**setting).fit(X[np.append(some, unlabelled)], known, **fitting)
        return model.decision_function(X[others])

    return decide


def classify(cell: Cell) -> dict[str, Any]:
    """Score documents of a split; semi-supervised methods read the words of the test documents."""
    found, settings = data(cell.data), cell.settings
    train, test = rows(found.y, found.train, settings, cell.split)
    options = dict(settings.get("options", {}))
    if settings["method"] == "stm":
        options["shape"] = (-1, options["shape"])
    models: dict[str, Any] = {"svm": svm, "stm": SupportTensorMachine, "semantic-svm": SemanticSVM}
    make = partial(models[settings["method"]], random_state=SEED, **options)
    decide = decider(make, found.X, found.y, test if settings["method"] == "semantic-svm" else None)
    grid = [{"C": C} for C in settings["C"]]
    return {
        "training": np.bincount(found.y[train], minlength=len(found.labels)).tolist(),
        **scored(decide, grid, found.y, train, test, settings.get("folds", 3)),
    }


def scored(
    decide: Decide, grid: Sequence[Mapping[str, Any]], y: Any, train: Rows, test: Rows, n_folds: int = 3
) -> dict[str, Any]:
    """Choose a setting for each protocol on the labelled documents, then score the test documents."""
    classes, known = np.unique(y[train]), y[train]
    judged = _judged(decide, grid, y, train, n_folds)
    tuned = [thresholds(decisions, known[:, None] == classes) for decisions in judged]
    decided = cache(lambda best: decide(grid[best], train, test))
    result: dict[str, Any] = {}
    for protocol in ("assignment", "argmax", "thresholds") if n_folds else ("assignment", "argmax"):
        measure = f1_by_argmax if protocol == "argmax" else f1_by_assignment
        moved = tuned if protocol == "thresholds" else [np.zeros(len(classes))] * len(grid)
        best = _best(measure, known, judged, moved, classes)
        scores = measure(y[test], decided(best) - moved[best], classes=classes, labels=classes)
        result[protocol] = {**record(scores), **grid[best]}
    return result


def _judged(
    decide: Decide, grid: Sequence[Mapping[str, Any]], y: Any, train: Rows, n_folds: int
) -> list[Floats]:
    """Return the held-out decisions of each setting for the labelled documents."""
    known = y[train]
    classes = np.unique(known)

    def judge(some: Rows, others: Rows) -> Iterator[Floats]:
        learnt = np.searchsorted(classes, np.unique(known[some]))
        for setting in grid:
            yield in_columns(decide(setting, train[some], train[others]), learnt, len(classes))

    return held_out(judge, read_labels(known).questions, len(grid), len(classes), n_folds)


def _best(measure: Any, y: Any, judged: list[Any], moved: list[Any], classes: Any) -> int:
    """Return the setting of the highest micro-F1 on held-out documents; the first of equals."""
    if len(judged) == 1:
        return 0
    some = ~np.isnan(judged[0]).all(axis=1)
    figures = [
        measure(y[some], np.nan_to_num(d[some] - t, nan=NEVER), classes=classes).micro
        for d, t in zip(judged, moved, strict=True)
    ]
    return int(np.argmax(figures))
