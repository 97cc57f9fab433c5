"""Nearest neighbours (tensorlsi §5.4, Table 7): ``python -m benchmarks.indexing.neighbours``.

The numbers of components, and k = 4, are the paper's own, which it chose on test results.
"""

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from benchmarks.indexing.common import lsi, nearest_class, tensor_lsi, unit
from benchmarks.measure import publish_as, table
from textensor.datasets import load
from textensor.evaluate import paired_t_test, small_sample_splits

SEED = 2026
#: Terms that two training documents hold are about as many as the paper's megabytes of LSI imply.
MIN_DOCUMENTS = 2


class Row(NamedTuple):
    """A row of Table 7; what begins with ``paper`` was printed there."""

    training: str
    n_splits: int
    lsi: int
    tensor: int
    paper_accuracy: tuple[float, float, float]
    paper_seconds: tuple[float, float]
    paper_megabytes: tuple[float, float]


PLAN = (
    Row("5%", 10, 400, 1900, (81.1, 82.5, 82.6), (1.069, 0.073), (7.620, 0.122)),
    Row("10%", 10, 800, 2000, (84.3, 85.1, 85.3), (6.324, 0.241), (23.98, 0.299)),
    Row("30%", 5, 800, 2000, (87.7, 88.3, 88.2), (115.1, 8.719), (53.47, 1.467)),
    Row("50%", 5, 900, 2000, (89.1, 89.5, 89.4), (455.1, 30.75), (83.13, 2.805)),
    Row("ModApte", 1, 800, 1500, (88.1, 89.6, 89.2), (884.9, 75.62), (93.91, 4.527)),
)


class Found(NamedTuple):
    """Of one split: whether each test document is right, for the three; seconds and MiB of the two."""

    right: np.ndarray
    seconds: list[float]
    stored: list[float]
    n_terms: int


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
    X = sp.csr_matrix(corpus.X, dtype=np.float64)
    rows: list[list[object]] = []
    for plan in PLAN:
        found = [one(X, corpus.y, *split, plan) for split in splits(corpus, X, plan.training, plan.n_splits)]
        rows.append(row(plan, found))
        print(rows[-1], flush=True)
    head = [
        "training",
        "splits",
        "terms",
        "LSI dim",
        "TensorLSI dim",
        "paper",
        "baseline",
        "LSI",
        "TensorLSI",
    ]
    head += ["LSI : base", "TensorLSI : base", "TensorLSI : LSI"]
    head += ["paper, s", "LSI fit, s", "TensorLSI fit, s", "paper, MiB", "LSI, MiB", "TensorLSI, MiB"]
    head += ["kept, MiB"]
    note = (
        "Accuracy in % of the 4 nearest neighbours by cosine, Reuters-41 (authors' matrix, terms that two "
        "training documents hold, unit tf, n2 = 20), means over the splits. The paper: baseline, LSI and "
        "TensorLSI; its seconds and megabytes are of LSI and TensorLSI, on its machine. Dimensions are "
        "the paper's, LSI's at most the number of training documents less one. MiB are counted as in the "
        "paper: components of LSI, all vectors of TensorLSI; kept: what TensorLSI really keeps, the order of "
        "the terms included. Marks are paired t-tests, over the splits, at ModApte over the test documents."
    )
    command = "python -m benchmarks.indexing.neighbours"
    publish_as("indexing-neighbours", "Nearest neighbours", f"{note}\n\n{table(head, rows)}", command)


def row(plan: Row, found: list[Found]) -> list[object]:
    """Return one line of the table."""
    accuracy = np.array([split.right.mean(axis=1) for split in found]).T
    compared = accuracy if len(found) > 1 else found[0].right.astype(float)
    marks = [paired_t_test(compared[a], compared[b]).mark for a, b in ((1, 0), (2, 0), (2, 1))]
    seconds = np.mean([split.seconds for split in found], axis=0)
    stored = np.mean([split.stored for split in found], axis=0)
    return [
        *(plan.training, plan.n_splits, round(np.mean([split.n_terms for split in found]))),
        *(plan.lsi, plan.tensor, " ".join(f"{value:.1f}" for value in plan.paper_accuracy)),
        *(f"{100 * value:.2f}" for value in accuracy.mean(axis=1)),
        *marks,
        " ".join(f"{value:.3g}" for value in plan.paper_seconds),
        *(f"{value:.3g}" for value in seconds),
        " ".join(f"{value:.3g}" for value in plan.paper_megabytes),
        *(f"{value:.3g}" for value in stored),
    ]


def one(X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray, plan: Row) -> Found:
    """Classify the test documents of one split in the three ways."""
    frequency = np.bincount(X[train].indices, minlength=X.shape[1])
    X = normalize(X[:, frequency >= MIN_DOCUMENTS])
    right = [nearest_class(X[train], y[train], X[test]) == y[test]]
    seconds, models = [], []
    for fit, k in ((lsi, plan.lsi), (tensor_lsi, plan.tensor)):
        model, taken = fit(X[train], k)
        Z, queries = unit(model.transform(X[train])), unit(model.transform(X[test]))
        right.append(nearest_class(Z, y[train], queries) == y[test])
        seconds.append(taken)
        models.append(model)
    of_lsi, of_tensor = models
    stored = [of_lsi.components_.nbytes, of_tensor.storage_["paper"], of_tensor.storage_["kept"]]
    return Found(np.array(right), seconds, [value / 2**20 for value in stored], X.shape[1])


if __name__ == "__main__":
    main()
