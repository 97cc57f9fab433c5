"""What might explain the paper's STM column: ``python -m benchmarks.accuracy.literal``."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from textensor.classify import SupportTensorMachine
from textensor.datasets import load
from textensor.evaluate import f1_by_argmax, f1_by_assignment, small_sample_splits

#: C, intercept_scaling, n2.
TRIED = ((10, 1, 50), (10, 10, 50), (100, 1, 50), (100, 10, 50), (1000, 10, 50), (10, 10, 20), (10, 10, 137))


def main() -> None:
    warnings.simplefilter("ignore")
    corpus = load("reuters21578", matrix="cai")
    X, y = normalize(sp.csr_matrix(corpus.X, dtype=np.float64)), corpus.y
    for number, (train, test) in enumerate(small_sample_splits(0.05, n_splits=2, random_state=7).split(X, y)):
        for C, scaling, columns in TRIED:
            model = SupportTensorMachine(
                C,
                shape=(-1, columns),
                arrangement="document-frequency",
                intercept_scaling=scaling,
                n_jobs=2,
                random_state=0,
            ).fit(X[train], y[train])
            decisions = model.decision_function(X[test])
            scores = [
                measure(y[test], decisions, classes=model.classes_)
                for measure in (f1_by_assignment, f1_by_argmax)
            ]
            figures = "  ".join(f"{s.micro:.4f}/{s.macro:.4f}" for s in scores)
            print(
                f"split {number}, C = {C}, intercept scaling {scaling}, n2 = {columns}: {figures}", flush=True
            )


if __name__ == "__main__":
    main()
