"""Tensor classifiers on Reuters-41 (the authors' matrix), one-vs-rest for 41 labels, beside vector ones."""

import tracemalloc
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from benchmarks.measure import publish, side_by_side, table
from textensor.classify import SupportTensorMachine, TensorLeastSquares
from textensor.datasets import load
from textensor.learn import Hinge
from textensor.space import Arrangement, TermTensors

SHAPE = (-1, 50)
C = 10.0
SWEEPS = 5


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    try:
        corpus = load("reuters21578", matrix="cai")
    except FileNotFoundError as error:
        print(f"The tensor classifiers are measured on Reuters-21578: {error}\n")
        return
    X = normalize(sp.csr_matrix(corpus.X[corpus.train], dtype=np.float64))
    y = corpus.y[corpus.train]
    stm = SupportTensorMachine(C, shape=SHAPE, arrangement="document-frequency", n_jobs=2, random_state=0)
    default = SupportTensorMachine(C, n_jobs=2, random_state=0)
    tls = TensorLeastSquares(1.0, shape=SHAPE, n_jobs=2)
    seconds = side_by_side(
        {
            "LinearSVC": lambda: LinearSVC(loss="hinge", C=C, random_state=0).fit(X, y),
            "STM": lambda: stm.fit(X, y),
            "default": lambda: default.fit(X, y),
            "RidgeClassifier": lambda: RidgeClassifier(solver="sparse_cg").fit(X, y),
            "TLS": lambda: tls.fit(X, y),
        }
    )
    textbook = side_by_side({"textbook": lambda: textbook_stm(X, y)}, rounds=1)["textbook"]
    long = clone(stm).set_params(tol=1e-6, max_iter=1000)
    long._make_learner = lambda: Hinge(C, max_epochs=1000)  # type: ignore[method-assign]
    found, best = (np.array([h[-1] for h in m.fit(X, y).objective_history_]) for m in (stm, long))
    rows: list[list[Any]] = [
        ["LinearSVC (hinge), one core: it has no n_jobs", seconds["LinearSVC"], 1.0],
        ["STM by document frequency, two cores", seconds["STM"], seconds["STM"] / seconds["LinearSVC"]],
        ["STM, semantic, two cores", seconds["default"], seconds["default"] / seconds["LinearSVC"]],
        ["textbook loop, one LinearSVC a half-step", textbook, textbook / seconds["LinearSVC"]],
        ["RidgeClassifier (sparse_cg)", seconds["RidgeClassifier"], 1.0],
        ["TensorLeastSquares, two cores", seconds["TLS"], seconds["TLS"] / seconds["RidgeClassifier"]],
    ]
    body = table(["classifier", "seconds", "to the vector classifier"], rows)
    excess = found / best - 1
    note = (
        f"{X.shape[0]} documents x {X.shape[1]} terms, 41 labels, n2 = 50, rank 1, C = {C:g}; medians. "
        "The semantic arrangement, the default, finds a latent space of 200 dimensions first.\n\n"
        f"The objective, summed over labels, is {100 * (found.sum() / best.sum() - 1):+.1f}% off that of a "
        f"long run (tol 1e-6); by label {100 * excess.min():+.1f}% to {100 * excess.max():+.1f}%, "
        f"{(excess > 0.01).sum()} of 41 more than 1% above. "
        f"The textbook loop ({SWEEPS} sweeps) takes {textbook / seconds['STM']:.0f} times as long as "
        f"SupportTensorMachine.\n\nPeak memory of the fit beside X, both threads' working sets included: "
        f"{memory(stm, X, y)} by document frequency, {memory(default, X, y)} semantic; X takes "
        f"{(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 1e6:.1f} MB."
    )
    publish("stm", "Tensor classifiers: speed", f"{note}\n\n{body}")


def textbook_stm(X: Any, y: np.ndarray) -> None:
    """The paper's loop with what is at hand: contract, fit a LinearSVC from nothing, change sides."""
    tensors = TermTensors(X, Arrangement("document-frequency", shape=SHAPE))
    for label in np.unique(y):
        factors = [np.ones(n) for n in tensors.shape[1:]]
        for _ in range(SWEEPS):
            for mode in (2, 1):
                other = 2 - mode
                factors[other] /= np.linalg.norm(factors[other])
                model = LinearSVC(loss="hinge", C=C, random_state=0)
                factors[mode - 1] = model.fit(tensors.contract_all_but(mode, factors), y == label).coef_[0]


def memory(stm: SupportTensorMachine, X: Any, y: np.ndarray) -> str:
    """Say how much memory a fit takes beside the documents."""
    tracemalloc.start()
    stm.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"{peak / 1e6:.1f} MB"
