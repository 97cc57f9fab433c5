"""LRWMMC on 20 Newsgroups and Reuters (ModLewis, 52 labels): its graph and its axes, beside peers."""

import time
import tracemalloc
import warnings
from typing import Any

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dpstrf
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import NearestNeighbors

from benchmarks.measure import publish, side_by_side, table
from textensor.datasets import load
from textensor.reduce import FewerAxesWarning, KernelLRWMMC
from textensor.reduce.axes.embedding import Axes, linear_axes
from textensor.reduce.axes.lanczos import GAP
from textensor.reduce.graph.graphs import laplacian, regions, relevance_graph
from textensor.space import TermVectorizer

K = 20
COMPONENTS = 100
#: Of the axes, and what counts as a gap at it, as a part of the first eigenvalue.
TOLERANCE = 1e-6
WIDE = GAP * TOLERANCE**0.5
JOBS = 2
#: Dense documents x terms up to this go through QR, larger ones through the Gram matrix.
DENSE_BYTES = 2 << 30
CORPORA = {"20 Newsgroups": ("20newsgroups", {}), "Reuters": ("reuters21578", {"subset": "modlewis52"})}


def main() -> None:
    warnings.simplefilter("ignore", FewerAxesWarning)
    graph_rows: list[list[Any]] = []
    axes_rows: list[list[Any]] = []
    notes = []
    for name, (corpus, options) in CORPORA.items():
        try:
            X, y = documents(corpus, options)
        except FileNotFoundError as error:
            print(f"LRWMMC is measured on {name}: {error}\n")
            return
        graph_rows += graph(name, X, y)
        L = laplacian(relevance_graph(regions(X, y, K, JOBS)))
        rows, note = axes(name, X, L)
        axes_rows += rows
        notes.append(f"{name}, {X.shape[0]} documents x {X.shape[1]} terms: {note}")
        if name == "20 Newsgroups":
            notes.append(kernel_memory(X, y))
    body = [
        f"k = {K}, {COMPONENTS} axes, {JOBS} cores; medians.",
        table(["neighbours", "documents", "seconds", "to the first row"], graph_rows),
        table(["axes, without the graph", "documents", "seconds", "to the first row"], axes_rows),
        *notes,
    ]
    publish("lrwmmc", "LRWMMC: speed", "\n\n".join(body))


def documents(name: str, options: dict[str, str]) -> tuple[Any, np.ndarray]:
    """The training part, stop words removed and stemmed as in the paper (§2)."""
    corpus = load(name, **options)
    texts = [text for text, train in zip(corpus.texts, corpus.train, strict=True) if train]
    X = TermVectorizer(stop_words="english", stemmer="english", n_jobs=JOBS).fit_transform(texts)
    return X, np.unique(np.asarray(corpus.y)[corpus.train], return_inverse=True)[1]


def graph(name: str, X: Any, y: np.ndarray) -> list[list[Any]]:
    """Rows have unit length, so the Euclidean neighbours are those of the cosine."""

    def brute(metric: str) -> Any:
        return (
            NearestNeighbors(n_neighbors=K, algorithm="brute", metric=metric, n_jobs=JOBS).fit(X).kneighbors()
        )

    seconds = side_by_side(
        {
            "NearestNeighbors, brute, euclidean": lambda: brute("euclidean"),
            "NearestNeighbors, brute, cosine": lambda: brute("cosine"),
            "textensor, nearest of any class": lambda: regions(X, np.zeros_like(y), K, JOBS).found,
            "textensor, nearest of the same and of other classes": lambda: regions(X, y, K, JOBS).found,
        },
        rounds=3,
    )
    first = next(iter(seconds.values()))
    return [[who, name, value, value / first] for who, value in seconds.items()]


def axes(name: str, X: Any, L: Any) -> tuple[list[list[Any]], str]:
    seconds = side_by_side(
        {
            "TruncatedSVD": lambda: TruncatedSVD(COMPONENTS, random_state=0).fit(X),
            "textensor": lambda: linear_axes(X, L, COMPONENTS, solver="lanczos", tol=TOLERANCE, n_jobs=JOBS),
        },
        rounds=7,
    )
    start = time.perf_counter()  # minutes: it runs once
    exact = paper(X, L)
    seconds["the paper's QR"] = time.perf_counter() - start
    first = seconds["TruncatedSVD"]
    rows = [[who, name, value, value / first] for who, value in seconds.items()]
    found = linear_axes(X, L, COMPONENTS, solver="lanczos", tol=TOLERANCE, n_jobs=JOBS)
    slower = seconds["the paper's QR"] / seconds["textensor"]
    return rows, f"the paper's QR takes {slower:.0f} times as long. {accuracy(found, exact)}"


def paper(X: Any, L: Any) -> Axes:
    """Section 7 with LAPACK: X = QR, the leading eigenvectors V of R L R^T, A = QV."""
    if 8 * X.shape[0] * X.shape[1] <= DENSE_BYTES:
        Q, R = np.linalg.qr(X.toarray().T)
        values, V = _leading(R @ (L @ R.T))
        return Axes(values, Q @ V)
    # X = Q R has R^T R = X^T X: a pivoted Cholesky factor, for the rank is not full; Q = X R^-1.
    R, pivots, rank, _ = dpstrf((X @ X.T).toarray(), overwrite_a=True)
    pivots, R = pivots - 1, np.triu(R)[:rank]
    unpivoted = np.empty_like(R)
    unpivoted[:, pivots] = R
    values, V = _leading(unpivoted @ (L @ unpivoted.T))
    c = np.zeros((X.shape[0], V.shape[1]))
    c[pivots[:rank]] = scipy.linalg.solve_triangular(R[:, :rank], V)
    return Axes(values, X.T @ c)


def _leading(M: np.ndarray) -> Axes:
    n = len(M)
    values, vectors = scipy.linalg.eigh(M, subset_by_index=(n - COMPONENTS, n - 1), overwrite_a=True)
    positive = values[::-1] > 0
    return Axes(values[::-1][positive], vectors[:, ::-1][:, positive])


def accuracy(found: Axes, exact: Axes) -> str:
    """Compare the trace, and the subspaces before each gap."""
    trace = abs(found.values.sum() / exact.values.sum() - 1)
    gaps = np.flatnonzero(-np.diff(exact.values) >= WIDE * exact.values[0]) + 1
    sines = []
    for m in gaps[gaps <= len(found.values)]:
        A, B = found.vectors[:, :m], np.linalg.qr(exact.vectors[:, :m])[0]
        sines.append(np.linalg.norm(A - B @ (B.T @ A), 2))
    return (
        f"There are {len(found.values)} positive axes ({len(exact.values)} by QR); the trace is within "
        f"{trace:.1e} of the optimum. Before each of the {len(sines)} gaps of {100 * WIDE:g}% of the first "
        f"eigenvalue, the last after axis {gaps[-1]}, the sine of the angle is at most {max(sines):.1e}."
    )


def kernel_memory(X: Any, y: np.ndarray) -> str:
    tracemalloc.start()
    KernelLRWMMC(COMPONENTS, K, n_jobs=JOBS).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"KernelLRWMMC on {X.shape[0]} documents takes {peak / 2**30:.2f} GiB at its peak beside X."
