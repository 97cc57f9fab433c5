"""Dimension reduction, then the nearest document (lrwmmc §8), with many labels and with few; and an SVM.

A method has one or more *variants*, one for each combination of the values in its settings and for each
number of dimensions. A variant is chosen by cross-validation within the training documents.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from experiments.data import data
from experiments.engine.declare import SEED, Cell
from experiments.protocols.steps import nearest_label, record, timed
from textensor.base.labels import read_labels
from textensor.classify import CoEM
from textensor.classify.thresholds import folds
from textensor.evaluate import f1_by_argmax
from textensor.reduce import (
    CLSI,
    DNE,
    HOSVD,
    KDA,
    LRWMMC,
    LSI,
    SDA,
    SRDA,
    CentroidProjection,
    KernelLRWMMC,
    LatentSemanticKernel,
    SemiSupervisedLRWMMC,
    TensorLRWMMC,
)
from textensor.reduce.graph.graphs import knn_graph, regions, relevance_graph, unit_graph

#: The tolerance of axes, and where settings are chosen, which hardly sees it: a fraction of the time.
FINE, ROUGH = 1e-6, 1e-3
#: Some halves of Co-EM take longer to agree than its own limit.
ROUNDS = 1000
CUBE: dict[str, Any] = {"shape": (27, 27, 27), "arrangement": "given"}
#: Settings of one variant and of all its numbers of dimensions.
Settings = Mapping[str, Any]

#: How settings with several values are written in the name of a variant.
WRITTEN = {"k": "k={}", "gamma": "gamma={:g}", "ranks": "J={}", "dimensions": "m={}", "grid": "{:g}"}
#: The model of a method; graph methods are in :func:`_graph_model`, and plain terms need none.
MODELS: dict[str, Callable[[Settings], Any]] = {
    "svm": lambda one: LinearSVC(loss="hinge", C=one["grid"], random_state=SEED, max_iter=20_000),
    "coem": lambda one: CoEM(one["grid"], max_iter=ROUNDS, random_state=SEED),
    "lsi": lambda one: LSI(max(one["dimensions"]), idf_power=0.0, random_state=SEED),
    "cm": lambda _: CentroidProjection(),
    "clsi": lambda one: CLSI(one["grid"]),
    "srda": lambda one: SRDA(one["grid"]),
    "sda": lambda one: SDA(alpha=one["grid"], beta=1.0),
    "hosvd": lambda one: HOSVD((one["ranks"],) * 3, **CUBE),
    "kda": lambda one: KDA(one["delta"], gamma=one["gamma"]),
    "lsk": lambda one: LatentSemanticKernel(max(one["dimensions"]), gamma=one["gamma"]),
    "kernel": lambda one: KernelLRWMMC(
        max(one["dimensions"]), one["k"], gamma=one["gamma"], tol=one.get("tol", FINE), random_state=SEED
    ),
}
#: Methods of graphs, and those that read unlabelled documents.
GRAPHS, SEMI = ("lrwmmc", "dne", "semi", "tensor"), ("semi", "sda", "coem")


def _grid(settings: Settings) -> list[Settings]:
    """Return the combinations of the values that a method tries."""
    tried = [name for name in ("gamma", "ranks", "k", "grid") if name in settings]
    every = product(*(settings[name] for name in tried))
    return [{**settings, **dict(zip(tried, values, strict=True))} for values in every]


def _names(one: Settings) -> dict[str, int | None]:
    """Return the names of variants of one fit, and how many of its first coordinates each has."""
    found = {}
    for m in one.get("dimensions", [None]):
        values = {**one, "dimensions": m}
        said = [text.format(values[name]) for name, text in WRITTEN.items() if values.get(name) is not None]
        found[",".join(said)] = m
    return found


def _narrowed(settings: Settings, name: str) -> Settings:
    """Return the combination that a variant belongs to."""
    return next(one for one in _grid(settings) if name in _names(one))


def _graph_model(one: Settings, near: Any, documents: str) -> Any:
    """Return a graph method; ``near`` are the regions of labelled documents for the largest k."""
    kind, weights = (DNE, unit_graph) if one["method"] == "dne" else (LRWMMC, relevance_graph)
    graph = weights(near.first(one["k"]))
    if one["method"] == "tensor":
        return TensorLRWMMC(one["ranks"], graph=graph, **CUBE)
    more: dict[str, Any] = {"graph": graph, "tol": one.get("tol", FINE)}
    if one.get("grid"):  # lambda; without it, unlabelled documents have no weight
        kind = SemiSupervisedLRWMMC
        more |= {"reg": one["grid"], "graph_all": _all_documents(documents, one["k"])}
    return kind(max(one["dimensions"]), random_state=np.random.SeedSequence(SEED), **more)


def _variants(
    grid: Sequence[Settings], X: Any, y: Any, Q: Any, documents: str
) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Yield the names of variants and the labels that they give to other documents.

    -1 in y marks unlabelled documents, which only semi-supervised methods read.
    """
    known, method = np.flatnonzero(y != -1), grid[0]["method"]
    own, classes = X[known], y[known]
    near = regions(own, classes, max(one["k"] for one in grid)) if method in GRAPHS else None
    for one in grid:
        Z, queries = own, Q
        if method != "terms":
            model = _graph_model(one, near, documents) if method in GRAPHS else MODELS[method](one)
            reads_all = method in SEMI and type(model) is not LRWMMC
            timed(model, *((X, y) if reads_all else (own, classes)))
            if hasattr(model, "predict"):
                yield from ((name, model.predict(Q)) for name in _names(one))
                continue
            Z, queries = model.transform(own), model.transform(Q)
        for name, m in _names(one).items():
            both = [part[:, :m] for part in (Z, queries)]
            first, others = map(normalize, both) if one.get("cosine") else both
            yield name, nearest_label(first, classes, others)


def _held_out(settings: Settings, X: Any, y: Any, documents: str) -> dict[str, list[npt.NDArray[np.bool_]]]:
    """Return for each variant which documents of each fold it gets right when they are held out."""
    labelled = np.flatnonzero(y != -1)
    right: dict[str, list[npt.NDArray[np.bool_]]] = {}
    grid = _grid({**settings, "tol": ROUGH})
    for _, fold in folds(read_labels(y[labelled]).questions, seed=SEED):
        held, fewer = labelled[fold], y.copy()
        fewer[held] = -1
        for name, labels in _variants(grid, X, fewer, X[held], documents):
            right.setdefault(name, []).append(labels == y[held])
    return right


def nearest(cell: Cell) -> dict[str, Any]:
    """Return F1 by the nearest document, the variant chosen by cross-validation within training documents.

    With several k, ``by k`` has the test figure of each at its chosen dimension, and ``best`` the figures at
    the k that is best on the test documents, as in the paper.
    """
    found, settings = data(cell.data), cell.settings
    train, test = np.flatnonzero(found.train), np.flatnonzero(~found.train)
    X, y = found.X[train], found.y[train]
    right = _held_out(settings, X, y, cell.data)
    held_out = {name: float(np.mean([fold.mean() for fold in of])) for name, of in right.items()}
    ranked = sorted(held_out, key=lambda name: held_out[name], reverse=True)  # equals stay in order
    chosen = ranked[0]
    by_k = settings["method"] in GRAPHS
    shown = {name.split(",")[0]: name for name in reversed(ranked)}.values() if by_k else [chosen]
    grid = _grid(settings) if by_k else [_narrowed(settings, chosen)]
    scores = {
        name: record(f1_by_argmax(found.y[test], labels, classes=np.unique(found.y)))
        for name, labels in _variants(grid, X, y, found.X[test], cell.data)
        if name in shown
    }
    result: dict[str, Any] = {"argmax": scores[chosen], "chosen": chosen, "held out": held_out}
    result["best"] = max(scores.values(), key=lambda score: score["micro"])
    result["by k"] = {name.split(",")[0].removeprefix("k="): s["micro"] for name, s in scores.items()}
    return result


def few_labels(cell: Cell) -> dict[str, Any]:
    """Return F1 from so many labelled training documents, the others unlabelled.

    The variant is chosen by cross-validation: a fold of the labelled documents joins the unlabelled ones. Of
    Semi-Supervised LRWMMC k is chosen first, at a lambda of 0, then lambda.
    """
    settings = cell.settings
    found = data(f"{cell.data}-counts" if settings["method"] == "coem" else cell.data)
    train, test = np.flatnonzero(found.train), np.flatnonzero(~found.train)
    rng = np.random.default_rng([SEED, cell.split])
    labelled = np.sort(rng.permutation(len(train))[: settings["labels"]])
    y = np.full(len(train), -1)
    y[labelled] = found.y[train][labelled]
    X = found.X[train]

    def choose(tried: Settings) -> tuple[str, Settings]:
        right = _held_out(tried, X, y, cell.data)
        chosen = max(right, key=lambda name: sum(int(fold.sum()) for fold in right[name]))
        return chosen, _narrowed(tried, chosen)

    if settings["method"] == "semi":
        settings = {**settings, "k": [choose({**settings, "grid": [0.0]})[1]["k"]]}
    chosen, one = choose(settings)
    labels = dict(_variants([one], X, y, found.X[test], cell.data))[chosen]
    scores = f1_by_argmax(found.y[test], labels, classes=np.unique(found.y))
    return {"argmax": record(scores), "chosen": chosen}


@lru_cache(maxsize=4)
def _all_documents(name: str, k: int) -> Any:
    """Return the graph of the neighbours of all training documents of a set, which labels do not change."""
    found = data(name)
    return knn_graph(found.X[np.flatnonzero(found.train)], k)
