"""What the defaults of SemanticSVM come from: ``python -m benchmarks.fewlabels.trials``.

Training parts alone: of the first two splits half of the unlabelled training documents are read, and the
other half, whose labels are known too, is scored. Test documents have no part in it.
"""

from dataclasses import replace
from unittest import mock

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from benchmarks.accuracy.methods import Task
from benchmarks.fewlabels.methods import Augmented
from benchmarks.fewlabels.run import weighed
from benchmarks.measure import publish_as, table
from textensor.classify import semantic_svm
from textensor.evaluate import f1_by_argmax
from textensor.reduce import LSI

N_SPLITS = 2
FRACTIONS = (0.05, 0.10)
CORPORA = ("20newsgroups", "ohsumed", "reuters41")
DEFAULTS = {"dimensions": 300, "weight": 1.0, "rounds": 4, "pseudo_cost": 0.1, "share": 0.9, "C": 1.0}
#: What is changed, one thing at a time.
CHANGES = (
    {},
    {"dimensions": 100},
    {"dimensions": 200},
    {"dimensions": 400},
    {"weight": 0.7},
    {"weight": 1.4},
    {"weight": 2.0},
    {"rounds": 0},
    {"share": 0.6},
    {"pseudo_cost": 0.3},
    {"C": 3.0},
    {"C": 10.0},
)


def parts(corpus: str, fraction: float) -> list[Task]:
    """Return the first splits with a part of the training documents in the place of test documents."""
    found = []
    for number, task in zip(range(N_SPLITS), weighed(corpus, fraction), strict=False):
        order = np.random.default_rng(number).permutation(task.pool)
        pool, test = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
        found.append(replace(task, pool=pool, test=test))
    return found


def score(task: Task, spaces: dict[int, np.ndarray], change: dict[str, float]) -> tuple[float, float]:
    """Return micro- and macro-F1 by arg max with one setting."""
    setting = {**DEFAULTS, **change}
    Z = setting["weight"] * spaces[int(setting["dimensions"])]
    X = sp.csr_matrix(sp.hstack([task.X, sp.csr_matrix(Z)], format="csr"))
    y = np.append(task.y[task.labelled], np.full(len(task.pool), -1))
    with mock.patch.object(semantic_svm, "SHARE", setting["share"]):
        model = Augmented(
            setting["C"],
            rounds=int(setting["rounds"]),
            pseudo_cost=setting["pseudo_cost"],
            n_jobs=2,
            random_state=0,
        ).fit(X[np.concatenate([task.labelled, task.pool])], y)
    found = f1_by_argmax(task.y[task.test], model.decision_function(X[task.test]), classes=model.classes_)
    return found.micro, found.macro


def main() -> None:
    sizes = sorted({int({**DEFAULTS, **change}["dimensions"]) for change in CHANGES})
    columns = []
    for corpus in CORPORA:
        for fraction in FRACTIONS:
            figures = np.zeros((len(CHANGES), 2))
            for task in parts(corpus, fraction):
                seen = task.X[np.concatenate([task.labelled, task.pool])]
                spaces = {k: normalize(LSI(k).fit(seen).transform(task.X)) for k in sizes}
                figures += [score(task, spaces, change) for change in CHANGES]
            columns.append([f"{micro:.4f}/{macro:.4f}" for micro, macro in figures / N_SPLITS])
            print(corpus, fraction, dict(zip(map(str, CHANGES), columns[-1], strict=True)), flush=True)
    names = [", ".join(f"{key} {value:g}" for key, value in c.items()) or "the defaults" for c in CHANGES]
    head = ["changed", *(f"{c} {f:.0%}" for c in CORPORA for f in FRACTIONS)]
    body = f"""Micro-F1/macro-F1 by arg max on held-out training documents, means of {N_SPLITS} splits;
half of the other unlabelled training documents are read. One thing is changed at a time from {DEFAULTS}.

{table(head, list(zip(names, *columns, strict=True)))}"""
    command = "python -m benchmarks.fewlabels.trials"
    publish_as("fewlabels-trials", "SemanticSVM: what was tried", body, command)


if __name__ == "__main__":
    main()
