"""Clustering (tensorlsi §5.3, Tables 5 and 6): ``python -m benchmarks.indexing.clustering [draws]``."""

import sys
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from benchmarks.indexing.common import lsi, tensor_lsi
from benchmarks.measure import publish_as, table
from textensor.datasets import load
from textensor.evaluate import clustering_accuracy, paired_t_test
from textensor.papers.tensorlsi import TABLE5

GRID = (2, 3, 4, 5, 8, 10, 15, 20, 30, 40, 50)
#: The dimension is picked on this many of the draws.
PICKED_ON = 5
DRAWS = 50
SEED = 2026
#: Accuracy of baseline, LSI and TensorLSI in the paper.
PAPER = {k: (base[0], lsi_row[1], tensor[1]) for k, (base, lsi_row, tensor) in TABLE5.items()}


def clusters(Z: Any, y: np.ndarray, k: int) -> tuple[float, float]:
    """Return the accuracy of k-means, the best of ten starts by its own objective, and the seconds."""
    start = time.perf_counter()
    found = KMeans(k, n_init=10, random_state=0).fit_predict(Z)
    return clustering_accuracy(y, found), time.perf_counter() - start


def run(X: Any, y: np.ndarray, k: int, n_draws: int) -> tuple[list[float], list[float], list[int]]:
    """Return mean accuracies and seconds of baseline, LSI and TensorLSI, and their dimensions."""
    rng = np.random.default_rng([SEED, k])
    draws = [np.flatnonzero(np.isin(y, rng.choice(np.unique(y), k, replace=False))) for _ in range(n_draws)]
    accuracy = np.zeros((3, n_draws))
    seconds = np.zeros((3, n_draws))
    for d, rows in enumerate(draws):
        accuracy[0, d], seconds[0, d] = clusters(X[rows], y[rows], k)
    dimensions = [0]
    for method, fit in ((1, lsi), (2, tensor_lsi)):
        figures = np.zeros(len(GRID))
        for rows in draws[:PICKED_ON]:
            Z = fit(X[rows], max(GRID))[0].transform(X[rows])
            figures += [clusters(Z[:, :m], y[rows], k)[0] for m in GRID]
        dimensions.append(GRID[int(figures.argmax())])
        for d, rows in enumerate(draws):
            model, first = fit(X[rows], dimensions[-1])
            accuracy[method, d], second = clusters(model.transform(X[rows]), y[rows], k)
            seconds[method, d] = first + second
    return accuracy[:, PICKED_ON:], seconds[:, PICKED_ON:], dimensions


def main() -> None:
    warnings.simplefilter("ignore")
    n_draws = int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS
    corpus = load("reuters21578", matrix="cai")
    X, y = normalize(sp.csr_matrix(corpus.X, dtype=np.float64)), corpus.y
    rows: list[list[object]] = []
    for k, paper in PAPER.items():
        accuracy, seconds, dimensions = run(X, y, k, n_draws)
        marks = [paired_t_test(accuracy[a], accuracy[b]).mark for a, b in ((1, 0), (2, 0), (2, 1))]
        faster = paired_t_test(seconds[2], seconds[1]).mark
        printed = " ".join(f"{value:.1f}" for value in paper)
        ours = [f"{100 * value:.1f}" for value in accuracy.mean(axis=1)]
        rows.append(
            [k, printed, *ours, *dimensions[1:], *(f"{s:.2f}" for s in seconds.mean(axis=1)), *marks, faster]
        )
        print(rows[-1], flush=True)
    head = ["k", "paper", "baseline", "LSI", "TensorLSI", "LSI dim", "TensorLSI dim"]
    head += [
        "baseline, s",
        "LSI, s",
        "TensorLSI, s",
        "LSI : base",
        "TensorLSI : base",
        "TensorLSI : LSI",
        "time",
    ]
    note = (
        "Accuracy in % of k-means (ten starts) on k random categories of Reuters-41 (authors' matrix, unit "
        f"tf), means over {n_draws - PICKED_ON} draws; the dimension was picked on {PICKED_ON} others from "
        f"{GRID}. The paper: baseline, LSI, TensorLSI over 50 draws. Seconds are of fitting and k-means. "
        "Marks are paired t-tests over the draws; the last compares the seconds of TensorLSI and LSI."
    )
    command = "python -m benchmarks.indexing.clustering" + (f" {n_draws}" if n_draws != DRAWS else "")
    publish_as("indexing-clustering", "Clustering", f"{note}\n\n{table(head, rows)}", command)


if __name__ == "__main__":
    main()
