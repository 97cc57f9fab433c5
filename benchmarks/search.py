"""Cosine search: DocumentIndex beside scikit-learn's exact search, time and memory."""

import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from benchmarks.measure import publish, side_by_side, table
from textensor.search import DocumentIndex

N_DOCUMENTS, N_DIMENSIONS, N_QUERIES, K = 200_000, 100, 1000, 10
Run = Callable[[], object]


def projected(n: int, seed: int) -> np.ndarray:
    """Make vectors as a projection gives them: the first dimensions hold most, and there are topics."""
    rng = np.random.default_rng(seed)
    topics = np.random.default_rng(0).standard_normal((50, N_DIMENSIONS))
    X = topics[rng.integers(0, 50, n)] + rng.standard_normal((n, N_DIMENSIONS))
    X *= 1 / np.sqrt(np.arange(1, N_DIMENSIONS + 1))
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)


def on_one_core(run: Run) -> Run:
    def limited() -> object:
        with threadpool_limits(1):
            return run()

    return limited


def searches(X: np.ndarray, Q: np.ndarray) -> dict[str, tuple[str, str, Run]]:
    """Return the contenders by name: who, on how many cores, and what to run."""
    cosine = NearestNeighbors(n_neighbors=K, metric="cosine", algorithm="brute").fit(X)
    euclidean = NearestNeighbors(n_neighbors=K, metric="euclidean", algorithm="brute").fit(X)
    ours = {n: DocumentIndex(n_jobs=n) for n in (1, -1)}
    for index in ours.values():
        index.add(X)
    who = ("NearestNeighbors, cosine", "NearestNeighbors, euclidean on unit rows", "DocumentIndex")
    found: dict[str, tuple[str, str, Run]] = {}
    for cores, n_jobs in (("one", 1), ("all", -1)):
        runs: tuple[Run, ...] = (
            lambda: cosine.kneighbors(Q),
            lambda: euclidean.kneighbors(Q),
            lambda n=n_jobs: ours[n].search(Q, K),
        )
        for name, run in zip(who, runs, strict=True):
            found[f"{name} {cores}"] = name, cores, (on_one_core(run) if cores == "one" else run)
    return found


def peak(run: Run) -> float:
    """Return the most megabytes of arrays at one time while running, beside those that were there."""
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def agreement(contenders: dict[str, tuple[str, str, Run]]) -> float:
    """Return which part of what scikit-learn finds we find too; float32 leaves near-ties to chance."""
    theirs = contenders["NearestNeighbors, cosine all"][2]()[1]
    ours = contenders["DocumentIndex all"][2]()[0].astype(int)
    return float(np.mean([len(set(a) & set(b)) / K for a, b in zip(ours, theirs, strict=True)]))


def compare(X: np.ndarray, Q: np.ndarray) -> str:
    contenders = searches(X, Q)
    seconds = side_by_side({name: run for name, (_, _, run) in contenders.items()}, rounds=3)
    rows: list[list[object]] = []
    for name, (who, cores, run) in contenders.items():
        peer = seconds[f"NearestNeighbors, cosine {cores}"]
        rows.append([who, cores, seconds[name], peer / seconds[name], round(peak(run))])
    header = ["search", "cores", "seconds", "times as fast as cosine", "peak MB beside the vectors"]
    return f"{agreement(contenders):.2%} of the documents found are the same.\n\n{table(header, rows)}"


def one_by_one(X: np.ndarray, Q: np.ndarray) -> str:
    """Time what a service does: one query, and opening a saved index."""
    cosine = NearestNeighbors(n_neighbors=K, metric="cosine", algorithm="brute").fit(X)
    index = DocumentIndex(n_jobs=1)
    index.add(X)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "index"
        seconds = side_by_side(
            {
                "one query, NearestNeighbors, cosine": lambda: cosine.kneighbors(Q[:1]),
                "one query, DocumentIndex": lambda: index.search(Q[:1], K),
                "add all": lambda: DocumentIndex().add(X),
                "save": lambda: index.save(folder),
                "load": lambda: DocumentIndex.load(folder),
                "load and verify": lambda: DocumentIndex.load(folder, verify=True),
            },
            rounds=3,
        )
    return table(["what", "ms"], [[name, value * 1e3] for name, value in seconds.items()])


def main() -> None:
    X, Q = projected(N_DOCUMENTS, 1), projected(N_QUERIES, 2)
    note = (
        f"{N_DOCUMENTS} synthetic documents x {N_DIMENSIONS} float32, {N_QUERIES} queries, k = {K}; medians. "
        "Memory is that of numpy's arrays; what compiled code takes for itself is not seen."
    )
    publish("search", "Search by cosine", "\n\n".join([note, compare(X, Q), one_by_one(X, Q)]))
