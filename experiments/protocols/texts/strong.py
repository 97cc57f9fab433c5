"""F1 from a share of the labels of the training part: TextCategorizer("auto"), or a peer.

The rest of the training part is text without labels, which some methods read. The test part is scored, and
nothing else is done with it.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from experiments.data import Data, data
from experiments.engine.declare import Cell
from experiments.protocols import split as splits
from experiments.protocols.choice import in_columns
from experiments.protocols.steps import warm_up
from experiments.protocols.texts import peers
from experiments.protocols.texts.peers import Labelled, figures, scored
from textensor import TextCategorizer

#: Threads of a search, which runs alone.
N_JOBS = 2


def classify(cell: Cell) -> dict[str, Any]:
    """Score the test documents of a split by a method, which reads the pool if it is ``unlabelled``."""
    settings = cell.settings
    of = task(cell.data, settings["fraction"], cell.split)
    if not settings["unlabelled"]:
        of = replace(of, pool=of.pool[:0])
    sizes = {"labelled": len(of.labelled), "unlabelled": len(of.pool), "tested": len(of.test)}
    return sizes | (_auto(of, settings) if settings["method"] == "auto" else peers.classify(of, settings))


def task(name: str, fraction: float, split: int) -> Labelled:
    """Return a split: a share of the training part is labelled, its rest is the pool, the test part is fixed.

    With one label to a document, each class gives its share, and at least two documents if it has two.
    """
    found = data(name)
    several = sp.issparse(found.y)
    Y = found.y.toarray() > 0 if several else found.y[:, None] == np.arange(len(found.labels))
    of = splits.task(found, {"fraction": fraction}, split, official=True)
    return Labelled(of.labelled, of.pool, of.test, name, Y, several)


def _auto(of: Labelled, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Score TextCategorizer("auto"): by arg max, or its own decisions in multilabel mode."""
    found, budget = data(of.name), settings["time_budget"]
    texts = found.texts or []
    read = np.sort(of.text)
    known = set(of.labelled.tolist())
    labels = [_labels(found, row, of) if row in known else None for row in read.tolist()]
    warm_up()
    model = TextCategorizer("auto", time_budget=budget, n_jobs=N_JOBS)
    with threadpool_limits(N_JOBS):  # other cells have one thread each
        start = time.perf_counter()
        model.fit([texts[row] for row in read], labels)
        fitted = time.perf_counter()
        scores = model.predict_scores([texts[row] for row in of.test])
        done = time.perf_counter()
    learnt = [found.labels.index(name) for name in model.classes_]
    decisions = in_columns(scores, learnt, len(found.labels))
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


def _labels(found: Data, row: int, of: Labelled) -> Any:
    """Return the name of a document's label, or a tuple of names in multilabel mode."""
    names = tuple(found.labels[k] for k in np.flatnonzero(of.Y[row]))
    return names if of.several else names[0]
