"""What a low rank costs: the bounds of ``docs/guarantee.md`` beside what is found."""

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from benchmarks.measure import publish, table
from textensor.classify import SupportTensorMachine
from textensor.classify.tensor.guarantee import (
    column_error_bound,
    excess_bounds,
    weight_arrangement_error_bound,
)
from textensor.datasets import load, make_documents
from textensor.learn import Hinge, rows_of
from textensor.space import Arrangement

RANKS = (1, 2, 3, 5, 10)
N_COLUMNS = 50
C = 1.0


def weight_laws(n: int = 20_000) -> str:
    """Make weights of several laws and put the bounds beside the truth, for several widths."""
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], n)
    laws = {
        "all of one size": signs,
        "uniform": rng.uniform(-1, 1, n),
        "normal": rng.standard_normal(n),
        "Laplace": rng.laplace(size=n),
        "1 / rank^0.6": signs * np.arange(1, n + 1) ** -0.6,
        "1 / rank": signs / np.arange(1, n + 1),
    }
    rows: list[list[object]] = []
    for name, w in laws.items():
        for n_columns in (20, 141, 1000):
            arrangement = Arrangement("weight", shape=(-1, n_columns), weights=w).fit(np.zeros((1, n)))
            W = grid_of(w, arrangement)
            rows += [
                [
                    *(name, n * (w**2).max() / (w @ w), n_columns, rank, tail(W, rank)),
                    column_error_bound(W, rank) / (w @ w),
                    weight_arrangement_error_bound(w, len(W), rank) / (w @ w),
                ]
                for rank in (1, 3)
            ]
    header = ["weights", "peakedness", "n2", "R", "tail", "bound by ranges", "bound by the largest"]
    return table(header, rows)


def grid_of(w: np.ndarray, arrangement: Arrangement) -> np.ndarray:
    W = np.zeros(arrangement.shape_)
    W[arrangement.indices()] = w
    return W


def tail(W: np.ndarray, rank: int) -> float:
    """Return which part of |W|^2 a rank leaves, 0 where it is rounding."""
    squares = np.linalg.svd(W, compute_uv=False) ** 2
    share = float(squares[rank:].sum() / squares.sum())
    return share if share > 1e-20 else 0.0


def vector_solution(X: sp.csr_matrix, y: np.ndarray) -> tuple[np.ndarray, float, float, float]:
    """Return weights, intercept, objective and duality gap of the vector classifier."""
    found = Hinge(C, max_epochs=1_000_000).solve(rows_of(X), y, np.ones(len(y)), tol=1e-8)
    w, b = found.weights, found.intercept
    half = (w @ w + b * b) / 2
    primal = half + C * np.maximum(1 - y * (X @ w + b), 0).sum()
    return w, b, primal, max(primal - (found.state.sum() - half), 0.0)


def arrangements(X: sp.csr_matrix, w: np.ndarray) -> dict[str, Arrangement]:
    shape = (-1, N_COLUMNS)
    return {
        "document-frequency": Arrangement("document-frequency", shape=shape).fit(X),
        "random": Arrangement(np.random.default_rng(0).permutation(len(w)), shape=shape).fit(X),
        "weight": Arrangement("weight", shape=shape, weights=w).fit(X),
    }


def on_corpus(X: sp.csr_matrix, Y: sp.csr_matrix, labels: list[int]) -> str:
    tails: list[list[object]] = []
    excesses: list[list[object]] = []
    for label in labels:
        y = np.where(Y[:, [label]].toarray().ravel() > 0, 1.0, -1.0)
        n_yes = int((y > 0).sum())
        w, b, best, gap = vector_solution(X, y)
        # The same answer for every document is of rank 0: the scale of what can be given away.
        scale = 0.5 + 2 * C * min(n_yes, len(y) - n_yes) - best
        for name, arrangement in arrangements(X, w).items():
            W = grid_of(w, arrangement)
            tails.append([n_yes, name, "tail", *(tail(W, rank) for rank in RANKS)])
            if name == "weight":
                ranges = (column_error_bound(W, rank) / (w @ w) for rank in RANKS)
                largest = (weight_arrangement_error_bound(w, len(W), rank) / (w @ w) for rank in RANKS)
                tails.append([n_yes, name, "bound by ranges", *ranges])
                tails.append([n_yes, name, "bound by the largest", *largest])
            for rank in (1, 3, 10):
                bounds = excess_bounds(X, y, w, b, arrangement, rank=rank, C=C, gap=gap)
                model = SupportTensorMachine(
                    C,
                    shape=arrangement.shape_,
                    arrangement=arrangement.permutation_,
                    rank=rank,
                    max_iter=1000,
                    tol=1e-4,
                    random_state=0,
                ).fit(X, y)
                found = model.objective_history_[0][-1] - best
                figures = (bounds.lower, found, bounds.truncated, bounds.upper, bounds.upper_by_norm)
                excesses.append([n_yes, name, rank, *(figure / scale for figure in figures)])
    header = ["lower bound", "found", "truncated SVD", "upper bound", "by lengths alone"]
    return "\n\n".join(
        [
            table(["documents", "arrangement", "what", *(f"R={rank}" for rank in RANKS)], tails),
            table(["documents", "arrangement", "R", *header], excesses),
        ]
    )


def main() -> None:
    parts = [
        "Tails |E|² and their bounds as parts of |w|². First, 20000 weights of several laws, arranged by "
        "weight. Peakedness is n max(w²) / |w|²; a bound of 1 is what weights of 0 give.",
        weight_laws(),
        "Below, excess objectives as parts of what the vector classifier gains over one answer for all: "
        f"0 is the vector classifier, 1 is no use. C = {C:g}, n2 = {N_COLUMNS}, unit rows. "
        '"Found" is `SupportTensorMachine` from its usual start.',
    ]
    corpus = make_documents(3000, 5000, 8, random_state=0)
    parts += ["## Synthetic documents (3000 x 5000)", on_corpus(*tidy(corpus.X, corpus.y), [0, 3])]
    try:
        corpus = load("reuters21578", matrix="cai")
    except FileNotFoundError as absent:
        parts.append(f"Reuters was left out: {absent}")
    else:
        X, Y = tidy(corpus.X, corpus.y)
        parts += [f"## Reuters-21578, the authors' matrix ({X.shape[0]} x {X.shape[1]})"]
        parts += [on_corpus(X, Y, [0, 5, 20])]
    publish("guarantee", "What a low rank costs, and what can be promised", "\n\n".join(parts))


def tidy(X: object, y: object) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Return unit rows and an indicator."""
    Y = sp.csr_matrix(y) if sp.issparse(y) else sp.csr_matrix(np.eye(int(np.max(y)) + 1)[y])
    return sp.csr_matrix(normalize(sp.csr_matrix(X, dtype=float))), Y
