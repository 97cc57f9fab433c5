"""Turn the splits that were run into one table: ``python -m benchmarks.fewlabels.report``."""

from typing import Any

import numpy as np

from benchmarks.accuracy.report import NAMES, splits
from benchmarks.fewlabels import plan
from benchmarks.fewlabels.methods import METHODS, PEERS
from benchmarks.fewlabels.run import FOLDER
from benchmarks.measure import publish_as, table
from textensor.evaluate import paired_t_test

COLUMNS = {"argmax": "arg max", "thresholds": "assignment, thresholds tuned", "assignment": "assignment"}
MEASURES = ("micro", "macro")


def values(found: list[dict[str, Any]], method: str, protocol: str, measure: str) -> list[float]:
    """Return a figure of each split."""
    return [split[method][protocol][measure] for split in found]


def cell(found: list[dict[str, Any]], method: str, protocol: str) -> str:
    """Return micro/macro, of our methods with marks against the best peer in each."""
    figures, marks = [], []
    for measure in MEASURES:
        ours = values(found, method, protocol, measure)
        peers = [values(found, peer, protocol, measure) for peer in PEERS]
        figures.append(f"{np.mean(ours):.4f}")
        marks.append(paired_t_test(ours, max(peers, key=np.mean)).mark)
    text = "/".join(figures)
    return text if method in PEERS else f"{text} ({' '.join(marks)})"


def main() -> None:
    rows: list[list[object]] = []
    for corpus in plan.CORPORA:
        for fraction in plan.FRACTIONS:
            found = splits(corpus, fraction, FOLDER)
            for method in METHODS:
                cells = [cell(found, method, p) if len(found) > 1 else "not run here" for p in COLUMNS]
                rows.append([NAMES[corpus], f"{fraction:.0%}", method, len(found), *cells])
    body = f"""Micro-F1/macro-F1, means over splits, with x% of labels. C is chosen by 3-fold
cross-validation on the labelled documents, by the micro-F1 of the column's protocol, from the grids in
`benchmarks/fewlabels/plan.py`; thresholds (SCut, FBR 0.5) come from the same folds. Our row carries marks of
paired t-tests over the splits against the best of the peers (the first three rows), in micro and in macro (>>
and << p <= .01, > and < p <= .05, ~ neither).

The splits are those of `benchmarks/results/accuracy.md`; terms are tf * log(n/df), for the SVMs with df from
the labelled documents, for the others from the unlabelled ones too. Self-training is scikit-learn's, with a
linear model of the logistic loss by SGD (alpha 1e-5, threshold 0.75). Nothing sees the test documents.

{table(["corpus", "labels", "method", "splits", *COLUMNS.values()], rows)}"""
    publish_as("fewlabels", "Few labels and much text", body, "make bench-fewlabels")


if __name__ == "__main__":
    main()
