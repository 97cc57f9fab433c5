"""TensorLSI beside LSI and the plain terms (tensorlsi §5): similarity, clustering, nearest neighbours."""

import time
import warnings
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from experiments.data import data, rows
from experiments.engine.declare import SEED, Cell
from experiments.protocols.counting import keyword_rows
from experiments.protocols.f1 import tuned
from textensor.base.arrays import Floats
from textensor.datasets import make_documents
from textensor.evaluate import ClusteringDraws, clustering_draws, pair_average_precision
from textensor.reduce import FewerAxesWarning, TensorLSI

#: The paper's grid has 20 columns.
COLUMNS = 20
#: Documents decided on at a time by nearest neighbours.
BLOCK = 1000


@cache
def _warm_up() -> None:
    """Compile the kernels before seconds are counted."""
    X = sp.csr_matrix(make_documents(60, 100, 1, random_state=0).X, dtype=np.float64)
    TensorLSI(5, shape=(-1, COLUMNS)).fit(X).transform(X)


def lsi(X: Any, k: int) -> tuple[Any, float]:
    """Fit LSI with k components, fewer where the documents have no more; return it and the seconds."""
    start = time.perf_counter()
    model = TruncatedSVD(min(k, min(X.shape) - 1), random_state=SEED).fit(X)
    return model, time.perf_counter() - start


def tensor_lsi(X: Any, k: int, columns: int = COLUMNS, n_jobs: int | None = None) -> tuple[Any, float]:
    """Fit TensorLSI with k components; return it and the seconds."""
    _warm_up()
    start = time.perf_counter()
    model = TensorLSI(k, shape=(-1, columns), n_jobs=n_jobs, random_state=SEED).fit(X)
    return model, time.perf_counter() - start


def turned_lsi(X: Any, k: int) -> tuple[Any, float]:
    """Fit TensorLSI whose leading directions are turned within 1000 pairs; return it and the seconds."""
    start = time.perf_counter()
    model = TensorLSI(min(k, 300), n_pairs=1000, shape=(-1, COLUMNS), random_state=SEED).fit(X)
    return model, time.perf_counter() - start


FITS = {"lsi": lsi, "tensor-lsi": tensor_lsi, "turned": turned_lsi}


def nearest_class(Z: Any, y: Any, queries: Any, k: int = 4) -> Any:
    """Return the class most of the k nearest by cosine have; the nearer ones decide between equals."""
    found = []
    for start in range(0, queries.shape[0], BLOCK):
        cosines = queries[start : start + BLOCK] @ Z.T
        cosines = cosines.toarray() if hasattr(cosines, "toarray") else cosines
        lines = np.arange(len(cosines))[:, None]
        nearest = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        votes = np.zeros((len(cosines), y.max() + 1))
        np.add.at(votes, (lines, y[nearest]), 1 + 1e-3 * cosines[lines, nearest])
        found.append(votes.argmax(axis=1))
    return np.concatenate(found)


def unit(Z: Floats) -> Floats:
    """Return rows of length 1; those of zeros stay."""
    lengths = np.linalg.norm(Z, axis=1, keepdims=True)
    return Z / np.where(lengths > 0, lengths, 1.0)


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
    fit = partial(FITS[settings["method"]], k=max(grid))
    reduced, seconds = _reduced(found.X, subsets, fit, settings.get("each", False))
    pairs = list(zip(reduced, (found.y[some] for some in subsets), strict=True))
    table = np.array([[pair_average_precision(unit(Z[:, :k]), y) for Z, y in pairs] for k in grid])
    others = (table.sum(axis=1, keepdims=True) - table).argmax(axis=0)
    return {
        "best": table.max(axis=0).tolist(),
        "fair": table[others, np.arange(len(subsets))].tolist(),
        "by dimension": dict(zip(map(str, grid), table.mean(axis=1).tolist(), strict=True)),
        "seconds": seconds,
    }


def _reduced(X: Any, subsets: list[Any], fit: Any, each: bool) -> tuple[list[Floats], list[float]]:
    """Return the coordinates of each subset's documents, and the seconds of the fits."""
    if each:
        reduced, seconds = zip(*(fitted(X[some], fit) for some in subsets), strict=True)
        return list(reduced), list(seconds)
    union = np.unique(np.concatenate(subsets))
    Z, taken = fitted(X[union], fit)
    return [Z[np.searchsorted(union, some)] for some in subsets], [taken]


def fitted(X: Any, fit: Any) -> tuple[Floats, float]:
    """Fit on documents and the terms that they have; return their coordinates and the seconds."""
    X = X[:, np.unique(X.indices)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerAxesWarning)  # the most that a setting asks for
        model, seconds = fit(X)
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
        Z, seconds = fitted(X, partial(FITS[method], k=dimension))
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
        return unit(fitted(X, partial(FITS[method], k=dimension))[0])

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
        model, reducing = FITS[settings["method"]](Z, dimension)
        Z, queries = unit(model.transform(Z)), unit(model.transform(queries))
        kept = model.components_.nbytes if settings["method"] == "lsi" else model.storage_["paper"]
        stored = kept / 2**20
    start = time.perf_counter()
    if settings["method"] == "svm":
        svm = LinearSVC(loss="hinge", random_state=SEED, max_iter=20_000)
        decided = tuned(svm, settings["grid"], found.y[train]).fit(Z, found.y[train]).predict(queries)
    else:
        decided = nearest_class(Z, found.y[train], queries)
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
