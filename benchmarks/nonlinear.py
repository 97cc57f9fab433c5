"""Random tensor features beside random features of vectors and exact kernels: accuracy and cost."""

import time

import numpy as np
import scipy.sparse as sp
from sklearn.kernel_approximation import RBFSampler
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.svm import SVC, LinearSVC

from benchmarks.measure import publish, side_by_side, table
from textensor.classify import SupportTensorMachine
from textensor.datasets import load, make_documents
from textensor.evaluate import f1_by_argmax
from textensor.space import RandomTensorFeatures

GAMMAS = (0.5, 1.0, 2.0)


def exclusive_or(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Make documents of 40 terms whose class is: terms of the first ten, or of the next, but not of both."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 2, (2, n))
    rates = np.full((n, 40), 0.3)
    rates[:, :10] += 1.5 * first[:, None]
    rates[:, 10:20] += 1.5 * second[:, None]
    X = rng.poisson(rates).astype(float)
    return X / np.linalg.norm(X, axis=1, keepdims=True), first ^ second


def machine(side: tuple[int, int], gamma: float, rank: int, seed: int, **place: object) -> object:
    return make_pipeline(
        RandomTensorFeatures(*side, gamma=gamma, random_state=seed, **place),
        SupportTensorMachine(10, shape=side, arrangement="given", rank=rank, random_state=0),
    )


def vectors(n_features: int, gamma: float, seed: int) -> object:
    return make_pipeline(
        RBFSampler(gamma=gamma, n_components=n_features, random_state=seed), LinearSVC(C=10, random_state=0)
    )


def on_exclusive_or() -> str:
    contenders = {
        "LinearSVC": lambda _, seed: LinearSVC(random_state=seed),
        "SVC, exact RBF kernel": lambda gamma, _: SVC(C=10, gamma=gamma),
    }
    for side in ((32, 16), (64, 64)):
        n = side[0] * side[1]
        contenders[f"RBFSampler({n}), LinearSVC"] = lambda gamma, seed, n=n: vectors(n, gamma, seed)
        for name, place in {
            "groups in columns": {"shape": (10, 4), "arrangement": "given"},
            "one column": {"shape": (40, 1), "arrangement": "given"},
        }.items():
            for rank in (1, 3):
                contenders[f"RandomTensorFeatures{side}, {name}, STM of rank {rank}"] = (
                    lambda gamma, seed, side=side, rank=rank, place=place: machine(
                        side, gamma, rank, seed, **place
                    )
                )
    splits = [(exclusive_or(2 * k), exclusive_or(2 * k + 1)) for k in range(5)]
    rows = [
        [name]
        + [
            float(np.mean([make(gamma, k).fit(*a).score(*b) for k, (a, b) in enumerate(splits)]))
            for gamma in GAMMAS
        ]
        for name, make in contenders.items()
    ]
    return table(["accuracy", *(f"gamma = {gamma}" for gamma in GAMMAS)], rows)


def costs() -> str:
    """Time 1024 features of 2000 documents, for growing vocabularies."""
    rows: list[list[object]] = []
    for n_terms in (5_000, 20_000, 80_000):
        X = sp.csr_matrix(normalize(make_documents(2000, n_terms, 5, random_state=0).X.astype(float)))
        grid = RandomTensorFeatures(32, 32, random_state=0).fit(X)
        vector = RBFSampler(n_components=1024, random_state=0).fit(X)
        seconds = side_by_side(
            {
                "fit": lambda X=X, grid=grid: grid.fit(X),
                "fit vectors": lambda X=X, vector=vector: vector.fit(X),
                "transform": lambda X=X, grid=grid: grid.transform(X),
                "transform vectors": lambda X=X, vector=vector: vector.transform(X),
            },
            rounds=3,
        )
        ours = grid.row_directions_.size + grid.column_directions_.size + grid.offsets_.size
        theirs = vector.random_weights_.size + vector.random_offset_.size
        rows.append([n_terms, ours, theirs, *(value * 1e3 for value in seconds.values())])
    header = ["terms", "numbers", "RBFSampler's", "fit, ms", "RBFSampler", "transform, ms", "RBFSampler"]
    return table(header, rows)


def on_reuters() -> str:
    corpus = load("reuters21578", matrix="cai")
    X = sp.csr_matrix(normalize(sp.csr_matrix(corpus.X, dtype=float)))
    y = np.asarray(corpus.y.argmax(axis=1)).ravel() if sp.issparse(corpus.y) else np.asarray(corpus.y)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[: len(y) // 2], order[len(y) // 2 :]
    rows: list[list[object]] = []
    for name, model in {
        "LinearSVC": LinearSVC(loss="hinge", random_state=0),
        "RBFSampler(1024), LinearSVC": vectors(1024, 1.0, 0),
        "RandomTensorFeatures(32, 32), STM of rank 1": machine((32, 32), 1.0, 1, 0),
        "RandomTensorFeatures(32, 32), STM of rank 3": machine((32, 32), 1.0, 3, 0),
    }.items():
        start = time.perf_counter()
        model.fit(X[train], y[train])
        seconds = time.perf_counter() - start
        f1 = f1_by_argmax(y[test], model.predict(X[test]))
        rows.append([name, f"{f1.micro:.3f}", f"{f1.macro:.3f}", f"{seconds:.0f}"])
    return table(["half for training, arg max", "micro-F1", "macro-F1", "fit, s"], rows)


def main() -> None:
    parts = [
        "Exclusive or of two groups of ten terms among 40; 400 documents to learn from, 400 to test, C = 10, "
        "means of five draws.",
        on_exclusive_or(),
        "What 1024 features of 2000 synthetic documents cost, medians.",
        costs(),
    ]
    try:
        parts += ["Reuters-21578, the authors' matrix, gamma = 1.", on_reuters()]
    except FileNotFoundError as absent:
        parts.append(f"Reuters was left out: {absent}")
    publish("nonlinear", "Random tensor features", "\n\n".join(parts))
