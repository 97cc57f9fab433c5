"""Choose a machine on the training part: ``python -m benchmarks.modular.choose``."""

import itertools
import json
import sys
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.measure import RESULTS
from benchmarks.modular import plan
from benchmarks.modular.machines import min_max
from textensor.classify.thresholds import average_threshold, folds
from textensor.datasets import load

CHOICE = RESULTS / "minmax-choice.json"


def training_part() -> tuple[np.ndarray, Any]:
    corpus = load("reuters21578", subset="modapte90")
    texts = np.array(
        [text for text, train in zip(corpus.texts, corpus.train, strict=True) if train], dtype=object
    )
    return texts, sp.csr_matrix(corpus.y, dtype=np.int64)[corpus.train]


def held_out(options: dict[str, Any], texts: np.ndarray, Y: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for each outer fold its scores, and the inner folds' scores of the documents outside it."""
    found = []
    for train, held in folds(sp.csc_array(Y), plan.FOLD_SEED):
        vectorizer = TfidfVectorizer()
        X, answers = sp.csr_matrix(vectorizer.fit_transform(texts[train])), Y[train]
        outer = min_max(**options).fit(X, answers).decision_function(vectorizer.transform(texts[held]))
        inner = np.full(answers.shape, np.nan)
        for some, others in folds(sp.csc_array(answers), 0):
            scores = min_max(**options).fit(X[some], answers[some]).decision_function(X[others])
            learnt = np.asarray(answers[some].sum(axis=0)).ravel() > 0
            inner[np.ix_(others, learnt)] = scores[:, learnt]
        found.append((outer, inner))
        sys.stderr.write(".")
    return found


def decide(scores: list[tuple[np.ndarray, np.ndarray]], Y: Any) -> np.ndarray:
    """Decide the outer folds by thresholds from the inner ones."""
    decisions = np.zeros(Y.shape, dtype=bool)
    for (outer, inner), (train, held) in zip(scores, folds(sp.csc_array(Y), plan.FOLD_SEED), strict=True):
        answers = Y[train].toarray() > 0
        fold = np.empty(len(train), dtype=np.intp)
        for number, (_, others) in enumerate(folds(sp.csc_array(Y[train]), 0)):
            fold[others] = number
        thresholds = [average_threshold(inner[:, q], answers[:, q], fold) for q in range(Y.shape[1])]
        decisions[held] = outer > np.array(thresholds)
    return decisions


def f1(answers: np.ndarray, decisions: np.ndarray) -> tuple[float, float]:
    """Return micro-F1 and macro-F1, 0/0 = 0."""
    hits = (answers & decisions).sum(axis=0)
    sizes = answers.sum(axis=0) + decisions.sum(axis=0)
    return float(2 * hits.sum() / sizes.sum()), float((2 * hits / np.maximum(sizes, 1)).mean())


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    texts, Y = training_part()
    scores = {name: held_out(options, texts, Y) for name, options in plan.MEMBERS.items()}
    figures = {}
    for k in (1, 2):
        for names in itertools.combinations(plan.MEMBERS, k):
            mean = [
                tuple(np.mean(parts, axis=0) for parts in zip(*of_fold, strict=True))
                for of_fold in zip(*(scores[name] for name in names), strict=True)
            ]
            figures[names] = f1(Y.toarray() > 0, decide(mean, Y))
    plain = next(iter(plan.MEMBERS))
    chosen = max((names for names in figures if names != (plain,)), key=lambda names: sum(figures[names]))
    rows = [[list(names), *figure] for names, figure in figures.items()]
    CHOICE.write_text(json.dumps({"chosen": list(chosen), "figures": rows}, indent=1) + "\n")
    print(CHOICE.read_text())


if __name__ == "__main__":
    main()
