"""Dimension reduction, then the nearest document (lrwmmc §8), with many labels and with few; and an SVM.

A method has one or more *variants*, one for each combination of the values in its settings and for each
number of dimensions. A variant is chosen by cross-validation within the training documents.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.svm import LinearSVC

from experiments.data import data
from experiments.engine.declare import SEED, Cell
from experiments.protocols.steps import nearest_label, record, timed
from textensor.base.arrays import Floats, Rows
from textensor.base.reading.y import read_labels
from textensor.classify import CoEM
from textensor.classify.thresholds import score_folds
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
from textensor.reduce.graph import neighbours_once
from textensor.reduce.graph.graphs import knn_graph

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
}
#: Methods whose figures are kept for each k, and those that read unlabelled documents.
BY_K, SEMI = ("lrwmmc", "dne"), ("semi", "sda", "coem")


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


def _graph_model(one: Settings, name: str) -> Any:
    """Return a graph method; ``name`` is that of the data set."""
    graph: dict[str, Any] = {"n_neighbors": one["k"]}
    if one["method"] == "tensor":
        return TensorLRWMMC(one["ranks"], **graph, **CUBE)
    size, tol = max(one["dimensions"]), one.get("tol", FINE)
    if one["method"] == "kernel":
        return KernelLRWMMC(size, gamma=one["gamma"], tol=tol, random_state=SEED, **graph)
    kind: Any = DNE if one["method"] == "dne" else LRWMMC
    if one.get("grid"):  # lambda; without it, unlabelled documents have no weight
        kind = SemiSupervisedLRWMMC
        graph |= {"reg": one["grid"], "graph_all": _all_documents(name, one["k"])}
    return kind(size, tol=tol, random_state=np.random.SeedSequence(SEED), **graph)


@neighbours_once()
def _variants(
    grid: Sequence[Settings], X: Any, y: Any, Q: Any, documents: str
) -> dict[str, npt.NDArray[Any]]:
    """Return the labels that variants give to other documents, by the names of the variants.

    -1 in y marks unlabelled documents, which only semi-supervised methods read.
    """
    known, method = np.flatnonzero(y != -1), grid[0]["method"]
    own, classes = X[known], y[known]
    found: dict[str, npt.NDArray[Any]] = {}
    for one in sorted(grid, key=lambda one: -one.get("k", 0)):  # the neighbours of the largest k serve all
        Z, queries = own, Q
        if method != "terms":
            model = MODELS[method](one) if method in MODELS else _graph_model(one, documents)
            reads_all = method in SEMI and type(model) is not LRWMMC
            timed(model, *((X, y) if reads_all else (own, classes)))
            if hasattr(model, "predict"):
                found |= dict.fromkeys(_names(one), model.predict(Q))
                continue
            Z, queries = model.transform(own), model.transform(Q)
        cosine = method == "terms" or one.get("cosine", False)
        for name, m in _names(one).items():
            found[name] = nearest_label(Z[:, :m], classes, queries[:, :m], cosine=cosine)
    return {name: found[name] for one in grid for name in _names(one)}


def _held_out(settings: Settings, X: Any, y: Any, documents: str) -> tuple[list[str], Floats, Rows]:
    """Return the variants, which labelled documents each gets right when held out, and their folds."""
    labelled = np.flatnonzero(y != -1)
    grid = _grid({**settings, "tol": ROUGH})
    names = [name for one in grid for name in _names(one)]

    def right(_: Rows, others: Rows) -> npt.NDArray[np.bool_]:
        held, fewer = labelled[others], y.copy()
        fewer[held] = -1
        found = _variants(grid, X, fewer, X[held], documents)
        return np.column_stack([found[name] == y[held] for name in names])

    return names, *score_folds(right, read_labels(y[labelled]).questions, len(names), seed=SEED)


def nearest(cell: Cell) -> dict[str, Any]:
    """Return F1 by the nearest document, the variant chosen by cross-validation within training documents.

    For LRWMMC and DNE ``by k`` has the test figure of each k at its chosen dimension, and ``best`` the
    figures at the k that is best on the test documents, as in the paper. ``weights`` of the settings names
    another form of the set.
    """
    settings = cell.settings
    found = data(f"{cell.data}-{settings['weights']}" if "weights" in settings else cell.data)
    train, test = np.flatnonzero(found.train), np.flatnonzero(~found.train)
    X, y = found.X[train], found.y[train]
    names, right, fold = _held_out(settings, X, y, cell.data)
    means = np.mean([right[fold == k].mean(axis=0) for k in np.unique(fold)], axis=0)
    shares = dict(zip(names, means.tolist(), strict=True))
    ranked = sorted(shares, key=lambda name: shares[name], reverse=True)  # equals stay in order
    chosen = ranked[0]
    by_k = settings["method"] in BY_K
    shown = {name.split(",")[0]: name for name in reversed(ranked)}.values() if by_k else [chosen]
    grid = _grid(settings) if by_k else [_narrowed(settings, chosen)]
    scores = {
        name: record(f1_by_argmax(found.y[test], labels, classes=np.unique(found.y)))
        for name, labels in _variants(grid, X, y, found.X[test], cell.data).items()
        if name in shown
    }
    result: dict[str, Any] = {"argmax": scores[chosen], "chosen": chosen, "held out": shares}
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
        names, right, _ = _held_out(tried, X, y, cell.data)
        chosen = names[int(right.sum(axis=0).argmax())]
        return chosen, _narrowed(tried, chosen)

    if settings["method"] == "semi":
        settings = {**settings, "k": [choose({**settings, "grid": [0.0]})[1]["k"]]}
    chosen, one = choose(settings)
    labels = _variants([one], X, y, found.X[test], cell.data)[chosen]
    scores = f1_by_argmax(found.y[test], labels, classes=np.unique(found.y))
    return {"argmax": record(scores), "chosen": chosen}


@lru_cache(maxsize=4)
def _all_documents(name: str, k: int) -> Any:
    """Return the graph of the neighbours of all training documents of a set, which labels do not change."""
    found = data(name)
    return knn_graph(found.X[np.flatnonzero(found.train)], k)
