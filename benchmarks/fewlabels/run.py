"""Run the plan: ``python -m benchmarks.fewlabels.run [corpus ...]``; what is kept is not run again."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.accuracy.methods import Task
from benchmarks.accuracy.run import run_splits, tasks, tfidf
from benchmarks.fewlabels import plan
from benchmarks.fewlabels.methods import METHODS

FOLDER = Path(__file__).parent / "splits"


def weighed(corpus: str, fraction: float) -> Iterator[Task]:
    """Yield the splits of a corpus, all as tf * log(n/df)."""
    for task in tasks(corpus, fraction):
        if corpus != "reuters41":
            yield task
            continue
        X, X_labelled = (
            tfidf(task.X, rows) for rows in (np.concatenate([task.labelled, task.pool]), task.labelled)
        )
        yield replace(task, X=X, X_labelled=X_labelled)


if __name__ == "__main__":
    run_splits(FOLDER, METHODS, sys.argv[1:] or plan.CORPORA, weighed)
