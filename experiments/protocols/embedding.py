"""Dimension reduction, then the nearest document (lrwmmc §8), with many labels and with few; and an SVM.

A method gives one or more *variants*: the coordinates of training and other documents under a setting. A
variant is chosen by cross-validation within the training documents.
"""

import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from experiments.data import data
from experiments.engine.declare import SEED, Cell
from experiments.protocols.f1 import record
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
    FewerAxesWarning,
    KernelLRWMMC,
    LatentSemanticKernel,
    SemiSupervisedLRWMMC,
    TensorLRWMMC,
)
from textensor.reduce.graph.graphs import knn_graph, regions, relevance_graph, unit_graph

#: Distances in memory at a time.
BLOCK = 1 << 21
#: The tolerance of axes, and where settings are chosen, which hardly sees it: a fraction of the time.
FINE, ROUGH = 1e-6, 1e-3
#: Some halves of Co-EM take longer to agree than its own limit.
ROUNDS = 1000
CUBE: dict[str, Any] = {"shape": (27, 27, 27), "arrangement": "given"}
SEEDED: dict[str, Any] = {"random_state": SEED}
#: The name of a setting, and the coordinates of training and of other documents.
Variant = tuple[str, Any, Any]
Settings = Mapping[str, Any]


def nearest_label(Z: Any, y: Any, queries: Any) -> npt.NDArray[Any]:
    """Return the label of the nearest row by the Euclidean distance."""
    # Plain terms are sparse and of unit length: the nearest has the greatest cosine.
    lengths = np.zeros(Z.shape[0]) if hasattr(Z, "toarray") else (Z**2).sum(axis=1)
    found = []
    step = max(1, BLOCK // Z.shape[0])
    for start in range(0, queries.shape[0], step):
        products = queries[start : start + step] @ Z.T
        products = products.toarray() if hasattr(products, "toarray") else products
        found.append(np.argmin(lengths - 2 * products, axis=1))
    return np.asarray(y[np.concatenate(found)])


def _both(model: Any, X: Any, y: Any, Q: Any) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerAxesWarning)  # the most that a setting asks for
        model.fit(X, y)
    return model.transform(X), model.transform(Q)


def _embedding(kind: Any, settings: Settings, **more: Any) -> Any:
    """Return a graph method with as many axes as the largest of the dimensions."""
    tol, start = settings.get("tol", FINE), np.random.SeedSequence(SEED)
    return kind(max(settings["dimensions"]), tol=tol, random_state=start, **more)


def _graph(settings: Settings, X: Any, y: Any, Q: Any) -> Iterator[Variant]:
    """Yield LRWMMC or DNE for each k; the regions are found once, for the largest."""
    kind, weights = (DNE, unit_graph) if settings["method"] == "dne" else (LRWMMC, relevance_graph)
    largest = regions(X, y, max(settings["k"]))
    for k in settings["k"]:
        model = _embedding(kind, settings, graph=weights(largest.first(k)))
        yield from _nested(model, settings, X, y, Q, f"k={k},")


def _nested(model: Any, settings: Settings, X: Any, y: Any, Q: Any, before: str = "") -> Iterator[Variant]:
    """Yield the first m coordinates of one fit."""
    Z, queries = _both(model, X, y, Q)
    for m in settings["dimensions"]:
        yield f"{before}m={m}", Z[:, :m], queries[:, :m]


def _variants(settings: Settings, X: Any, y: Any, Q: Any) -> Iterator[Variant]:
    """Yield the variants of a method: one branch for each."""
    method = settings["method"]
    if method in ("lrwmmc", "dne"):
        yield from _graph(settings, X, y, Q)
    elif method == "terms":
        yield "", X, Q
    elif method == "svm":
        yield from ((f"{C:g}", X, Q) for C in settings["grid"])
    elif method == "lsi":
        yield from _nested(LSI(max(settings["dimensions"]), idf_power=0.0, **SEEDED), settings, X, y, Q)
    elif method == "cm":
        yield "", *_both(CentroidProjection(), X, y, Q)
    elif method in ("clsi", "srda"):
        for value in settings["grid"]:
            model = CLSI(value) if method == "clsi" else SRDA(value)
            yield f"{value:g}", *_both(model, X, y, Q)
    elif method in ("hosvd", "tensor"):
        yield from _tensors(settings, X, y, Q)
    else:
        yield from _kernels(settings, X, y, Q)


def _tensors(settings: Settings, X: Any, y: Any, Q: Any) -> Iterator[Variant]:
    """Yield those of as many axes for each mode, and for each k where there are classes to tell apart."""
    for rank in settings["ranks"]:
        if settings["method"] == "hosvd":
            yield f"J={rank}", *_both(HOSVD((rank,) * 3, **CUBE), X, y, Q)
        for k in settings.get("k", []):
            yield f"k={k},J={rank}", *_both(TensorLRWMMC(rank, k, **CUBE), X, y, Q)


def _kernels(settings: Settings, X: Any, y: Any, Q: Any) -> Iterator[Variant]:
    """Yield the Gaussian kernel's for each gamma = 1 / sigma^2."""
    for gamma in settings["gamma"]:
        name = f"gamma={gamma:g},"
        largest = max(settings.get("dimensions", [0]))
        if settings["method"] == "kda":
            yield name, *_both(KDA(settings["delta"], gamma=gamma), X, y, Q)
        elif settings["method"] == "lsk":
            yield from _nested(LatentSemanticKernel(largest, gamma=gamma), settings, X, y, Q, name)
        else:
            for k in settings["k"]:
                model = KernelLRWMMC(largest, k, gamma=gamma, tol=settings.get("tol", FINE), **SEEDED)
                yield from _nested(model, settings, X, y, Q, f"k={k},{name}")


def _labels(settings: Settings, name: str, Z: Any, y: Any, Q: Any) -> npt.NDArray[Any]:
    """Return the labels of other documents under a variant: of the nearest one, or by an SVM."""
    if settings["method"] == "svm":
        svm = LinearSVC(loss="hinge", C=float(name), random_state=SEED, max_iter=20_000)
        return np.asarray(svm.fit(Z, y).predict(Q))
    if settings.get("cosine"):
        Z, Q = normalize(Z), normalize(Q)
    return nearest_label(Z, y, Q)


def _narrowed(settings: Settings, name: str) -> dict[str, Any]:
    """Return the settings with only the variant that a name stands for."""
    chosen = dict(settings)
    for pair in name.split(","):
        key, _, value = pair.partition("=")
        if key == "k":
            chosen["k"] = [int(value)]
        elif key == "J":
            chosen["ranks"] = [int(value)]
        elif key == "gamma":
            chosen["gamma"] = [float(value)]
        elif key and not value:
            chosen["grid"] = [type(settings["grid"][0])(float(key))]
    return chosen


def _cross_validated(settings: Settings, X: Any, y: Any) -> dict[str, float]:
    """Return the accuracy of each variant, the mean over folds of the training documents."""
    found: dict[str, list[float]] = {}
    rough = {**settings, "tol": ROUGH}
    for some, others in folds(read_labels(y).questions, seed=SEED):
        for name, Z, Q in _variants(rough, X[some], y[some], X[others]):
            right = _labels(settings, name, Z, y[some], Q) == y[others]
            found.setdefault(name, []).append(float(right.mean()))
    return {name: float(np.mean(figures)) for name, figures in found.items()}


def nearest(cell: Cell) -> dict[str, Any]:
    """Return F1 by the nearest document, the variant chosen by cross-validation within training documents.

    With several k, ``by k`` has the test figure of each at its chosen dimension, and ``best`` the figures at
    the k that is best on the test documents, as in the paper.
    """
    found, settings = data(cell.data), cell.settings
    y = found.y
    train, test = np.flatnonzero(found.train), np.flatnonzero(~found.train)
    held_out = _cross_validated(settings, found.X[train], y[train])
    chosen = max(held_out, key=lambda name: held_out[name])
    by_k = settings["method"] in ("lrwmmc", "dne")
    shown = _best_of_each_k(held_out) if by_k else {chosen}
    wanted = settings if by_k else _narrowed(settings, chosen)
    scores = {
        name: record(f1_by_argmax(y[test], _labels(settings, name, Z, y[train], Q), classes=np.unique(y)))
        for name, Z, Q in _variants(wanted, found.X[train], y[train], found.X[test])
        if name in shown
    }
    result: dict[str, Any] = {"argmax": scores[chosen], "chosen": chosen, "held out": held_out}
    result["best"] = max(scores.values(), key=lambda score: score["micro"])
    result["by k"] = {name.split(",")[0].removeprefix("k="): s["micro"] for name, s in scores.items()}
    return result


def _best_of_each_k(held_out: dict[str, float]) -> set[str]:
    """Return for each k the variant of the best held-out figure."""
    best: dict[str, str] = {}
    for name, figure in held_out.items():
        k = name.split(",")[0]
        if k not in best or figure > held_out[best[k]]:
            best[k] = name
    return set(best.values())


def few_labels(cell: Cell) -> dict[str, Any]:
    """Return F1 from so many labelled training documents, the others unlabelled.

    The variant is chosen by cross-validation: a fold of the labelled documents joins the unlabelled ones. Of
    Semi-Supervised LRWMMC k is chosen first, at a lambda of 0, then lambda.
    """
    counts = cell.settings["method"] == "coem"
    found = data(f"{cell.data}-counts" if counts else cell.data)
    train, test = np.flatnonzero(found.train), np.flatnonzero(~found.train)
    rng = np.random.default_rng([SEED, cell.split])
    labelled = np.sort(rng.permutation(len(train))[: cell.settings["labels"]])
    y = np.full(len(train), -1)
    y[labelled] = found.y[train][labelled]
    X, settings = found.X[train], cell.settings
    if settings["method"] == "semi":
        first = {**settings, "grid": [0.0]}
        settings = {**_narrowed(first, _chosen(first, cell.data, X, y)), "grid": settings["grid"]}
    chosen = _chosen(settings, cell.data, X, y)
    last = dict(_semi(_narrowed(settings, chosen), cell.data, X, y, found.X[test]))
    scores = f1_by_argmax(found.y[test], last[chosen], classes=np.unique(found.y))
    return {"argmax": record(scores), "chosen": chosen}


def _chosen(settings: Settings, name: str, X: Any, y: Any) -> str:
    """Return the variant that tells most folds of the labelled documents right when they are unlabelled."""
    labelled = np.flatnonzero(y != -1)
    right: dict[str, int] = {}
    for _, fold in folds(read_labels(y[labelled]).questions, seed=SEED):
        held, fewer = labelled[fold], y.copy()
        fewer[held] = -1
        for variant, labels in _semi({**settings, "tol": ROUGH}, name, X, fewer, X[held]):
            right[variant] = right.get(variant, 0) + int((labels == y[held]).sum())
    return max(right, key=lambda variant: right[variant])


def _semi(settings: Settings, name: str, X: Any, y: Any, Q: Any) -> Iterator[tuple[str, Any]]:
    """Yield variants of a semi-supervised method, or of LRWMMC on the labelled, and the labels of others."""
    known = np.flatnonzero(y != -1)
    own, classes = X[known], y[known]
    for value in settings["grid"]:
        if settings["method"] == "coem":
            yield f"{value:g}", CoEM(value, max_iter=ROUNDS, random_state=SEED).fit(X, y).predict(Q)
        elif settings["method"] == "sda":
            model = SDA(alpha=value, beta=1.0).fit(X, y)
            yield f"{value:g}", nearest_label(model.transform(own), classes, model.transform(Q))
    # The graph of all documents, which folds of labels leave as it is, is found once.
    for k in settings.get("k", []):
        graph = relevance_graph(regions(own, classes, k))
        for value in settings["grid"]:
            semi = {"reg": value, "graph_all": _all_documents(name, k)} if value else {}
            model = _embedding(SemiSupervisedLRWMMC if value else LRWMMC, settings, graph=graph, **semi)
            documents = (X, y) if value else (own, classes)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FewerAxesWarning)
                model.fit(*documents)
            Z, queries = model.transform(own), model.transform(Q)
            for m in settings["dimensions"]:
                yield f"k={k},m={m},{value:g}", nearest_label(Z[:, :m], classes, queries[:, :m])


@lru_cache(maxsize=4)
def _all_documents(name: str, k: int) -> Any:
    """Return the graph of the neighbours of all training documents of a set."""
    found = data(name)
    return knn_graph(found.X[np.flatnonzero(found.train)], k)
