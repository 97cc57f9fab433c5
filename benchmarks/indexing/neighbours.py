"""Nearest neighbours (tensorlsi §5.4, Table 7): ``python -m benchmarks.indexing.neighbours``.

The numbers of components, and k = 4, are the paper's own, which it chose on test results.
"""

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from benchmarks.indexing.common import lsi, nearest_class, tensor_lsi, unit
from benchmarks.measure import publish_as, table
from textensor.datasets import load
from textensor.evaluate import paired_t_test, small_sample_splits

SEED = 2026
#: Training part, splits, components of LSI and TensorLSI, the paper's accuracies of baseline, LSI, TensorLSI.
PLAN = (
    ("5%", 10, 400, 1900, (81.1, 82.5, 82.6)),
    ("10%", 10, 800, 2000, (84.3, 85.1, 85.3)),
    ("30%", 5, 800, 2000, (87.7, 88.3, 88.2)),
    ("50%", 5, 900, 2000, (89.1, 89.5, 89.4)),
    ("ModApte", 1, 800, 1500, (88.1, 89.6, 89.2)),
)


def splits(corpus: Any, X: Any, part: str, count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield training and test documents."""
    if part == "ModApte":
        yield np.flatnonzero(corpus.train), np.flatnonzero(~corpus.train)
        return
    yield from small_sample_splits(float(part[:-1]) / 100, n_splits=count, random_state=SEED).split(
        X, corpus.y
    )


def main() -> None:
    warnings.simplefilter("ignore")
    corpus = load("reuters21578", matrix="cai")
    X, y = normalize(sp.csr_matrix(corpus.X, dtype=np.float64)), corpus.y
    rows: list[list[object]] = []
    for part, count, k_lsi, k_tensor, paper in PLAN:
        found = [one(X, y, *split, k_lsi, k_tensor) for split in splits(corpus, X, part, count)]
        accuracy, seconds, stored = (np.array([f[n] for f in found]).T for n in range(3))
        marks = ["", ""]
        if count > 1:
            marks = [paired_t_test(accuracy[a], accuracy[b]).mark for a, b in ((1, 0), (2, 1))]
        printed = " ".join(f"{value:.1f}" for value in paper)
        ours = [f"{100 * value:.2f}" for value in accuracy.mean(axis=1)]
        figures = [*seconds.mean(axis=1), *stored.mean(axis=1)]
        rows.append([part, count, printed, *ours, *marks, k_lsi, k_tensor, *(f"{v:.3g}" for v in figures)])
        print(rows[-1], flush=True)
    head = ["training", "splits", "paper", "baseline", "LSI", "TensorLSI", "LSI : base", "TensorLSI : LSI"]
    head += ["LSI dim", "TensorLSI dim", "LSI fit, s", "TensorLSI fit, s", "LSI, MiB", "TensorLSI, MiB"]
    note = (
        "Accuracy in % of the 4 nearest neighbours by cosine, Reuters-41 (authors' matrix, unit tf, n2 = "
        "20), means over the splits; the paper: baseline, LSI, TensorLSI. Dimensions are the paper's, LSI's "
        "at most the number of training documents less one. MiB are the bytes kept: components of LSI; "
        "vectors, pairs and order of the terms of TensorLSI. Marks are paired t-tests over the splits."
    )
    command = "python -m benchmarks.indexing.neighbours"
    publish_as("indexing-neighbours", "Nearest neighbours", f"{note}\n\n{table(head, rows)}", command)


def one(X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray, k_lsi: int, k_tensor: int) -> Any:
    """Return accuracies of the three, seconds and MiB of the two."""
    accuracy = [(nearest_class(X[train], y[train], X[test]) == y[test]).mean()]
    seconds, stored = [], []
    for fit, k in ((lsi, k_lsi), (tensor_lsi, k_tensor)):
        start = time.perf_counter()
        model, _ = fit(X[train], k)
        seconds.append(time.perf_counter() - start)
        Z, queries = unit(model.transform(X[train])), unit(model.transform(X[test]))
        accuracy.append((nearest_class(Z, y[train], queries) == y[test]).mean())
        kept = model.storage_["kept"] if hasattr(model, "storage_") else model.components_.nbytes
        stored.append(kept / 2**20)
    return accuracy, seconds, stored


if __name__ == "__main__":
    main()
