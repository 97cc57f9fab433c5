"""Run the plan on the test documents: ``python -m benchmarks.modular.run``. Rows that are kept stay."""

import json
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

from benchmarks.measure import RESULTS
from benchmarks.modular import plan
from benchmarks.modular.choose import CHOICE
from benchmarks.modular.machines import Method, methods, table_two
from textensor.datasets import catalogue, load, make_documents

REUTERS = RESULTS / "minmax-reuters90.json"
STAND_IN = RESULTS / "minmax-standin.json"
RCV1 = RESULTS / "minmax-rcv1.json"


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    chosen = json.loads(CHOICE.read_text())["chosen"]
    corpus = load("reuters21578", subset="modapte90")
    Y = sp.csr_matrix(corpus.y, dtype=np.int64)
    texts = {
        part: [t for t, train in zip(corpus.texts, corpus.train, strict=True) if train == part]
        for part in (True, False)
    }
    vectorizer = TfidfVectorizer()
    X = sp.csr_matrix(vectorizer.fit_transform(texts[True]))
    test = sp.csr_matrix(vectorizer.transform(texts[False]))
    data = X, Y[corpus.train], test, Y[~corpus.train]
    rows: dict[str, Method | None] = {**methods(chosen), **table_two(plan.C)}
    score(REUTERS, rows, data, corpus.label_names)
    score(STAND_IN, table_two(plan.PAPER_C), stand_in(), [f"label {q}" for q in range(plan.N_SCORED)])
    if any(info.name == "rcv1" and info.here for info in catalogue()):
        score(RCV1, table_two(plan.PAPER_C), *rcv1())


def stand_in() -> tuple[Any, Any, Any, Any]:
    corpus = make_documents(**plan.STAND_IN)
    X = sp.csr_matrix(TfidfTransformer().fit_transform(corpus.X.astype(np.float64)))
    Y = sp.csr_matrix(corpus.y, dtype=np.int64)[:, : plan.N_SCORED]
    n = plan.N_TRAIN
    return X[:n], Y[:n], X[n:], Y[n:]


def rcv1() -> tuple[tuple[Any, Any, Any, Any], list[str]]:
    """Return the paper's task: the top four labels, and as many of the first test documents."""
    corpus = load("rcv1")
    names = ["CCAT", "ECAT", "GCAT", "MCAT"]
    X = sp.csr_matrix(corpus.X)
    Y = sp.csr_matrix(corpus.y, dtype=np.int64)[:, [corpus.label_names.index(name) for name in names]]
    train, test = np.flatnonzero(corpus.train), np.flatnonzero(~corpus.train)[:199_328]
    return (X[train], Y[train], X[test], Y[test]), names


def score(
    path: Path, rows: Mapping[str, Method | None], data: tuple[Any, Any, Any, Any], labels: list[str]
) -> None:
    """Count right and wrong decisions of each row, label by label."""
    kept = json.loads(path.read_text()) if path.exists() else {"labels": labels, "rows": {}}
    X, Y, test, answers = data
    truth = answers.toarray() > 0
    for name, method in rows.items():
        if name in kept["rows"] or method is None:
            continue
        start = time.perf_counter()
        decisions = method(X, Y, test)
        counts = [(truth & decisions), (~truth & decisions), (truth & ~decisions)]
        kept["rows"][name] = [part.sum(axis=0).tolist() for part in counts]
        path.write_text(json.dumps(kept) + "\n")
        sys.stderr.write(f"{path.stem}: {name}, {time.perf_counter() - start:.0f} s\n")


if __name__ == "__main__":
    main()
