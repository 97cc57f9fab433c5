"""F1 from a share of the labels of the training part: TextCategorizer("auto"), or a peer.

The rest of the training part is text without labels, which some methods read. The test part is scored, and
nothing else is done with it.
"""

import time
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from experiments.data import Data, data, rows
from experiments.engine.declare import SEED, Cell
from experiments.protocols.texts.peers import Task, figures, scored, tuned
from textensor import TextCategorizer
from textensor.base.arrays import Rows
from textensor.evaluate import UntestedWarning

#: Threads of a search, which runs alone.
N_JOBS = 2


def classify(cell: Cell) -> dict[str, Any]:
    """Score the test documents of a split by a method, which reads the pool if it is ``unlabelled``."""
    settings = cell.settings
    of = task(cell.data, settings["fraction"], cell.split)
    if not settings["unlabelled"]:
        of = of._replace(pool=of.pool[:0])
    sizes = {"labelled": len(of.labelled), "unlabelled": len(of.pool), "tested": len(of.test)}
    return sizes | (_auto(of, settings) if settings["method"] == "auto" else tuned(of, settings))


def task(name: str, fraction: float, split: int) -> Task:
    """Return a split: a share of the training part is labelled, its rest is the pool, the test part is fixed.

    With one label to a document, each class gives its share, and at least two documents if it has two. In
    multilabel mode the share is of all documents. In one split a larger share only adds documents.
    """
    found = data(name)
    train = np.flatnonzero(found.train)
    several = sp.issparse(found.y)
    Y = found.y.toarray() > 0 if several else found.y[:, None] == np.arange(len(found.labels))
    labelled = train if fraction == 1 else train[_drawn(found, train, fraction, split)]
    return Task(name, Y, several, labelled, np.setdiff1d(train, labelled), np.flatnonzero(~found.train))


def _drawn(found: Data, train: Rows, fraction: float, split: int) -> Rows:
    """Return which documents of the training part are labelled."""
    if sp.issparse(found.y):
        order = np.random.default_rng([SEED, split]).permutation(len(train))
        return np.sort(order[: max(2, round(fraction * len(train)))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UntestedWarning)  # the test part is another one
        return rows(found.y[train], None, {"fraction": fraction}, split)[0]


def _auto(of: Task, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Score TextCategorizer("auto"): by arg max, or its own decisions in multilabel mode."""
    found, budget = data(of.name), settings["time_budget"]
    texts = found.texts or []
    read = np.sort(np.append(of.labelled, of.pool))
    known = set(of.labelled.tolist())
    labels = [_labels(found, row, of) if row in known else None for row in read.tolist()]
    _warm_up()
    model = TextCategorizer("auto", time_budget=budget, n_jobs=N_JOBS)
    with threadpool_limits(N_JOBS):  # other cells have one thread each
        start = time.perf_counter()
        model.fit([texts[row] for row in read], labels)
        fitted = time.perf_counter()
        scores = model.predict_scores([texts[row] for row in of.test])
        done = time.perf_counter()
    decisions = np.full((len(of.test), len(found.labels)), np.nan)
    decisions[:, [found.labels.index(name) for name in model.classes_]] = scores
    way = "own" if of.several else "argmax"
    scores = scored(way, decisions, of.Y[of.test], of.labels)
    settings_ = ", ".join(f"{name} = {value}" for name, value in model.settings_.items())
    chosen = f"{model.method_} on {model.features_}" + (f" ({settings_})" if settings_ else "")
    return {
        way: figures(scores, chosen, *(model.figures_.get(name, 0.0) for name in ("micro", "macro"))),
        "seconds": fitted - start,
        "predicting": done - fitted,
        "tried": model.tried_,
    }


def _labels(found: Data, row: int, of: Task) -> Any:
    """Return the name of a document's label, or a tuple of names in multilabel mode."""
    names = tuple(found.labels[k] for k in np.flatnonzero(of.Y[row]))
    return names if of.several else names[0]


@cache
def _warm_up() -> None:
    """Compile the kernels before seconds are counted."""
    texts = [f"{word} {word} of {k}{k}" for k in range(10, 20) for word in ("red", "green", "blue")]
    labels = ["r", "g", None] * 10
    TextCategorizer("auto", n_jobs=N_JOBS).fit(texts, labels)
    TextCategorizer("auto", n_jobs=N_JOBS).fit(texts, [(label,) if label else () for label in labels])
