"""What might explain the paper's STM column: ``python -m benchmarks.accuracy.literal``."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from textensor.classify import SupportTensorMachine
from textensor.datasets import load
from textensor.evaluate import F1Scores, SmallSampleSplit, f1_by_argmax, f1_by_assignment

SETS = {"Reuters": ("reuters21578", {"matrix": "cai"}), "TDT2": ("tdt2", {})}
#: C, intercept_scaling, n2.
TRIED = ((10, 1, 50), (10, 10, 50), (100, 1, 50), (100, 10, 50), (1000, 10, 50), (10, 10, 20), (10, 10, 137))


def main() -> None:
    warnings.simplefilter("ignore")
    for name, (corpus, options) in SETS.items():
        found = load(corpus, **options)
        X, y = normalize(sp.csr_matrix(found.X, dtype=np.float64)), found.y
        splits = SmallSampleSplit(0.05, n_splits=2, random_state=7).split(X, y)
        for number, (train, test) in enumerate(splits):
            for tried in TRIED:
                figures = "  ".join(f"{s.micro:.4f}/{s.macro:.4f}" for s in scores(X, y, train, test, *tried))
                told = "C = {}, intercept scaling {}, n2 = {}".format(*tried)
                print(f"{name}, split {number}, {told}: {figures}", flush=True)


def scores(
    X: Any, y: Any, train: Any, test: Any, C: float, scaling: float, columns: int
) -> tuple[F1Scores, ...]:
    """By assignment and by arg max."""
    model = SupportTensorMachine(
        C,
        shape=(-1, columns),
        arrangement="document-frequency",
        intercept_scaling=scaling,
        n_jobs=2,
        random_state=0,
    ).fit(X[train], y[train])
    decisions = model.decision_function(X[test])
    return tuple(
        measure(y[test], decisions, classes=model.classes_) for measure in (f1_by_assignment, f1_by_argmax)
    )


if __name__ == "__main__":
    main()
