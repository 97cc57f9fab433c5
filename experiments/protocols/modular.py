"""Min-max modular SVM (minmax-svm §4): precision, recall, F1 and seconds of a label."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from experiments.data import data
from experiments.engine.declare import SEED, Cell
from experiments.protocols.labels import tally
from experiments.protocols.steps import timed, tuned, warm_up
from textensor.classify import MinMaxSVM, SemanticSVM

OPTIONS = ("C", "modules", "decomposition", "overlap", "thresholds")


def _label(names: list[str], sizes: Any, settings: Mapping[str, Any]) -> int:
    """Return the number of the label of that name, or of that rank where another set stands in."""
    if settings.get("label") in names:
        return names.index(settings["label"])
    return int(np.argsort(-sizes, kind="stable")[settings["rank"]])


def modules(cell: Cell) -> dict[str, Any]:
    """Return the figures of one label: the settings have its name, or its rank by training documents.

    ``test`` of the settings is how many test documents are decided on, all without it; ``fits`` how many
    times a machine is fitted: the seconds are the medians.
    """
    found, settings = data(cell.data), cell.settings
    Y = sp.csc_matrix(found.y)
    label = _label(found.labels, np.asarray(Y[found.train].sum(axis=0)).ravel(), settings)
    y = Y[:, [label]].toarray().ravel() > 0
    train, test = np.flatnonzero(found.train), np.flatnonzero(~found.train)[: settings.get("test")]
    decide = _decide_semantic if settings.get("semantic") else _decide
    X, queries = found.X[train], found.X[test]
    warm_up()
    fits = [decide(settings, X, y[train], queries) for _ in range(settings.get("fits", 1))]
    serial, parallel = (float(np.median([seconds[k] for _, seconds in fits])) for k in (0, 1))
    decided, truth = fits[0][0], y[test]
    figures = tally([found.labels[label]], truth[:, None], decided[:, None])["micro"]
    return {
        "label": found.labels[label],
        "precision": figures["P"],
        "recall": figures["R"],
        "serial": serial,
        "parallel": parallel,
        "assignment": {"f1": figures["F1"], "wrong": np.flatnonzero(decided != truth).tolist()},
    }


#: Whether each document has the label, and the seconds of the modules in a row and side by side.
Decided = tuple[npt.NDArray[np.bool_], tuple[float, float]]


def _decide(settings: Mapping[str, Any], X: Any, y: Any, queries: Any) -> Decided:
    if "svm" in settings:
        return _decide_svm(settings, X, y, queries)
    options = {name: settings[name] for name in OPTIONS}
    if isinstance(options["modules"], list | tuple):
        options["modules"] = tuple(options["modules"])
    model = MinMaxSVM(**options, random_state=SEED).fit(X, y)
    taken = model.modules_["seconds"]
    return model.decision_function(queries) > 0, (float(taken.sum()), float(taken.max()))


def _decide_svm(settings: Mapping[str, Any], X: Any, y: Any, queries: Any) -> Decided:
    """Decide by LinearSVC; with several C by the one of the best F1 on three folds, and their seconds too."""
    svm: Any = LinearSVC(loss="hinge", random_state=SEED, max_iter=100_000, **settings["svm"])
    if "grid" in settings:
        svm = tuned(svm, settings["grid"], y.astype(int), "f1")
    svm, seconds = timed(svm, X, y)
    return svm.decision_function(queries) > 0, (seconds, seconds)


def _decide_semantic(settings: Mapping[str, Any], X: Any, y: Any, queries: Any) -> Decided:
    """Read the documents to be decided on, without their labels, too."""
    both = sp.vstack([X, queries], format="csr")
    known = np.concatenate([y.astype(int), np.full(queries.shape[0], -1)])
    model, seconds = timed(SemanticSVM(settings["C"], random_state=SEED), both, known)
    return model.decision_function(queries) > 0, (seconds, seconds)


def plane(cell: Cell) -> dict[str, Any]:
    """Cut the positive points of a plane by the line x + y = 0, and say where the machine then says yes."""
    found = data(cell.data)
    X, y = np.asarray(found.X), np.asarray(found.y)
    model = MinMaxSVM(10.0, modules=(2, 1), decomposition="hyperplane", random_state=SEED).fit(X, y)
    plain = MinMaxSVM(10.0, modules=(1, 1), random_state=SEED).fit(X, y)
    step = 0.2
    grid = np.arange(-3.6, 3.6, step)
    places = np.array([(a, b) for a in grid for b in grid])
    yes = model.decision_function(places + step / 2) > 0
    accepted = [[round(float(a), 2), round(float(b), 2), step] for a, b in places[yes]]
    right, plain_right = (float((m.predict(X) == y).mean()) for m in (model, plain))
    return {
        "points": X.round(3).tolist(),
        "positive": y.tolist(),
        "part": (X.sum(axis=1) > 0).astype(int).tolist(),
        "accepted": accepted,
        "accuracy": right,
        "accuracy of one SVM": plain_right,
    }
