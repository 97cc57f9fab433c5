"""TensorLSI beside LSI and the plain terms (tensorlsi §5): similarity, clustering, nearest neighbours."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from experiments.data import data, rows
from experiments.engine.declare import SEED, Cell
from experiments.protocols.counting import keyword_rows
from experiments.protocols.steps import nearest_label, timed, tuned, warm_up
from textensor.base.arrays import Floats
from textensor.evaluate import ClusteringDraws, clustering_draws, pair_average_precision
from textensor.reduce import TensorLSI

#: The paper's grid has 20 columns.
GRID: dict[str, Any] = {"shape": (-1, 20), "random_state": SEED}


def fit(method: str, X: Any, k: int) -> tuple[Any, float]:
    """Fit LSI with k components, fewer if the documents have no more, or TensorLSI; return the seconds, too.

    Turned, the leading directions of TensorLSI are found within 1000 pairs.
    """
    warm_up()
    if method == "lsi":
        return timed(TruncatedSVD(min(k, min(X.shape) - 1), random_state=SEED), X)
    return timed(
        TensorLSI(min(k, 300), n_pairs=1000, **GRID) if method == "turned" else TensorLSI(k, **GRID), X
    )


def similarity(cell: Cell) -> dict[str, Any]:
    """Return the average precision of pairs in each keyword's documents.

    They are reduced in one fit on all keywords' documents, as the paper's text has it, or in one ``each``, as
    the seconds of its Figure 2 imply. ``best`` is at each subset's best dimension, as in the paper; ``fair``
    at the one that is best on average over the other subsets.
    """
    found, settings = data(cell.data), cell.settings
    subsets = keyword_rows(found.texts, settings["keywords"])
    if settings["method"] == "baseline":
        figures = [pair_average_precision(found.X[some], found.y[some]) for some in subsets]
        return {"best": figures, "fair": figures}
    grid = settings["dimensions"]
    reduced, seconds = _reduced(found.X, subsets, settings["method"], max(grid), settings.get("each", False))
    pairs = list(zip(reduced, (found.y[some] for some in subsets), strict=True))
    table = np.array([[pair_average_precision(normalize(Z[:, :k]), y) for Z, y in pairs] for k in grid])
    others = (table.sum(axis=1, keepdims=True) - table).argmax(axis=0)
    return {
        "best": table.max(axis=0).tolist(),
        "fair": table[others, np.arange(len(subsets))].tolist(),
        "by dimension": dict(zip(map(str, grid), table.mean(axis=1).tolist(), strict=True)),
        "seconds": seconds,
    }


def _reduced(X: Any, subsets: list[Any], method: str, k: int, each: bool) -> tuple[list[Floats], list[float]]:
    """Return the coordinates of each subset's documents, and the seconds of the fits."""
    if each:
        reduced, seconds = zip(*(fitted(method, X[some], k) for some in subsets), strict=True)
        return list(reduced), list(seconds)
    union = np.unique(np.concatenate(subsets))
    Z, taken = fitted(method, X[union], k)
    return [Z[np.searchsorted(union, some)] for some in subsets], [taken]


def fitted(method: str, X: Any, k: int) -> tuple[Floats, float]:
    """Fit on documents and the terms that they have; return their coordinates and the seconds."""
    X = X[:, np.unique(X.indices)]
    model, seconds = fit(method, X, k)
    return model.transform(X), seconds


def _draws(cell: Cell, reduce: Any, dimensions: Sequence[int], n_picked: int = 5) -> ClusteringDraws:
    """Cluster random categories; the dimension is picked on the first draws, which are not counted."""
    found, settings = data(cell.data), cell.settings
    return clustering_draws(
        found.X,
        found.y,
        settings["clusters"],
        reduce=None if settings["method"] == "baseline" else reduce,
        dimensions=dimensions,
        n_draws=settings["draws"],
        n_picked=n_picked,
        random_state=[SEED, settings["clusters"], cell.split],
    )


def clustering(cell: Cell) -> dict[str, Any]:
    """Return accuracies of k-means on random categories; the dimension is picked on five other draws."""
    method, n_draws = cell.settings["method"], cell.settings["draws"]
    taken: list[float] = []

    def reduce(X: Any, dimension: int) -> Any:
        Z, seconds = fitted(method, X, dimension)
        taken.append(seconds)
        return Z

    draws = _draws(cell, reduce, cell.settings.get("dimensions", ()))
    reducing = taken[-n_draws:] or [0.0] * n_draws
    return {
        "accuracy": draws.accuracy,
        "dimension": draws.dimension or None,
        "reducing": reducing,
        "k-means": draws.seconds,
        "seconds": [first + second for first, second in zip(reducing, draws.seconds, strict=True)],
    }


def clustering_of_unit_length(cell: Cell) -> dict[str, Any]:
    """Return accuracies on the same draws by coordinates of unit length, which the paper lacks."""
    method, n_draws = cell.settings["method"], cell.settings["draws"]

    def reduce(X: Any, dimension: int) -> Any:
        return normalize(fitted(method, X, dimension)[0])

    def accuracy(dimension: int, n_picked: int) -> list[float]:
        return _draws(cell, reduce, [dimension], n_picked).accuracy

    # Cut coordinates are not of unit length: each dimension is fitted, on the draws that pick it elsewhere.
    grid = cell.settings.get("dimensions", [0])
    picked = max(grid, key=lambda m: float(np.mean(accuracy(m, 0)))) if len(grid) > 1 else grid[0]
    return {"accuracy": accuracy(picked, n_draws), "dimension": picked or None}


def neighbours(cell: Cell) -> dict[str, Any]:
    """Return the accuracy of the four nearest documents, the seconds, and the megabytes kept."""
    found, settings = data(cell.data), cell.settings
    train, test = rows(found.y, found.train, settings, cell.split)
    # Terms that two training documents hold are about as many as the paper's megabytes imply.
    frequency = np.bincount(found.X[train].indices, minlength=found.X.shape[1])
    X = normalize(found.X[:, np.flatnonzero(frequency >= 2)])
    Z, queries = X[train], X[test]
    reducing, stored, dimension = 0.0, 0.0, None
    if settings["method"] not in ("svm", "baseline"):
        dimension = settings["dimensions"][settings["method"]]
        model, reducing = fit(settings["method"], Z, dimension)
        Z, queries = normalize(model.transform(Z)), normalize(model.transform(queries))
        kept = model.components_.nbytes if settings["method"] == "lsi" else model.storage_["paper"]
        stored = kept / 2**20
    start = time.perf_counter()
    if settings["method"] == "svm":
        svm = LinearSVC(loss="hinge", random_state=SEED, max_iter=20_000)
        decided = tuned(svm, settings["grid"], found.y[train]).fit(Z, found.y[train]).predict(queries)
    else:
        decided = nearest_label(Z, found.y[train], queries, 4, cosine=True)
    wrong = np.flatnonzero(decided != found.y[test])
    searching = time.perf_counter() - start
    right = 1 - len(wrong) / len(test)
    result = {
        "accuracy": right,
        "argmax": {"wrong": wrong.tolist(), "micro": right},
        "seconds": reducing + searching,
    }
    if settings["method"] == "svm":  # there is no space, and no search in it
        return result
    return result | {
        "dimension": dimension,
        "reducing": reducing,
        "searching": searching,
        "stored": stored,
    }
