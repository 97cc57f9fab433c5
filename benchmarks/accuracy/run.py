"""Run the plan: ``python -m benchmarks.accuracy.run [corpus ...]``; what is kept is not run again."""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from benchmarks.accuracy import plan
from benchmarks.accuracy.methods import METHODS, Task
from textensor.classify.labels import read_labels
from textensor.classify.thresholds import folds, tune_threshold
from textensor.datasets import load
from textensor.evaluate import F1Scores, SmallSampleSplit, f1_by_argmax, f1_by_assignment
from textensor.space import TermVectorizer

FOLDER = Path(__file__).parent / "splits"
PROTOCOLS = ("argmax", "assignment", "thresholds")
#: The decision of a model that has not seen a label.
NEVER = -9.0


def tasks(corpus: str, fraction: float) -> Iterator[Task]:
    """Yield the splits of a corpus."""
    splits = SmallSampleSplit(fraction, n_splits=plan.N_SPLITS, random_state=plan.SEED)
    if corpus in ("20newsgroups", "ohsumed"):
        data = load(corpus)
        official = np.flatnonzero(data.train)
        counts = TermVectorizer(weighting="tf", norm=None, n_jobs=2).fit_transform(data.texts)
        for labelled, pool in splits.split(official, data.y[official]):
            parts = official[labelled], official[pool], np.flatnonzero(~data.train)
            X = [tfidf(counts, rows) for rows in (np.concatenate(parts[:2]), parts[0])]
            yield Task(corpus, *X, data.y, *parts)
        return
    data = load("reuters21578", matrix="cai") if corpus == "reuters41" else load("tdt2")
    X = normalize(sp.csr_matrix(data.X, dtype=np.float64))
    for number, (labelled, rest) in enumerate(splits.split(X, data.y)):
        # Half of the other documents may be read, without labels; the other half is scored.
        rest = np.random.default_rng([plan.SEED, number]).permutation(rest)
        pool, test = np.sort(rest[: len(rest) // 2]), np.sort(rest[len(rest) // 2 :])
        yield Task(corpus, X, X, data.y, labelled, pool, test)


def tfidf(counts: Any, rows: np.ndarray) -> Any:
    """Weigh counts by tf * log(n/df), df from some rows; a term they do not hold weighs nothing."""
    df = np.asarray((counts[rows] > 0).sum(axis=0)).ravel()
    idf = np.where(df > 0, np.log(len(rows) / np.maximum(df, 1)), 0.0)
    X = sp.csr_matrix(counts @ sp.diags(idf))
    X.eliminate_zeros()
    return normalize(X)


def out_of_fold(method: Any, setting: dict[str, Any], task: Task, classes: np.ndarray) -> np.ndarray:
    """Return decision values for the labelled documents from models that have not seen them."""
    labels = read_labels(task.y[task.labelled])
    decisions = np.full((len(task.labelled), len(classes)), np.nan)
    for train, held in folds(labels.indicator, seed=plan.SEED):
        found, known = method.decide(setting, task.y, task.labelled[train], task.labelled[held])
        decisions[np.ix_(held, np.searchsorted(classes, known))] = found
    return decisions


def run_method(method: Any, task: Task) -> dict[str, tuple[dict[str, Any], F1Scores]]:
    """Choose a setting for each protocol on the labelled documents, then decide on the test documents."""
    y = task.y[task.labelled]
    classes = np.unique(y)
    held_out = [out_of_fold(method, setting, task, classes) for setting in method.grid]
    thresholds = [
        np.array([tune_threshold(d[:, k], y == c) for k, c in enumerate(classes)]) for d in held_out
    ]
    decided: dict[int, np.ndarray] = {}
    result = {}
    for protocol in PROTOCOLS:
        measure = f1_by_argmax if protocol == "argmax" else f1_by_assignment
        moved = thresholds if protocol == "thresholds" else np.zeros((len(held_out), len(classes)))
        figures = [
            measure(y, np.nan_to_num(d - t, nan=NEVER), classes=classes).micro
            for d, t in zip(held_out, moved, strict=True)
        ]
        best = int(np.argmax(figures))
        if best not in decided:
            decided[best], _ = method.decide(method.grid[best], task.y, task.labelled, task.test)
        truth, decisions = task.y[task.test], decided[best] - moved[best]
        result[protocol] = method.grid[best], measure(truth, decisions, classes=classes, labels=classes)
    return result


def record(setting: dict[str, Any], scores: F1Scores, svm: F1Scores) -> dict[str, Any]:
    """Return what is kept of a split; the sign test's counts are against the SVM's decisions."""
    wrong, svm_wrong = ((s.truth.astype(np.int8) - s.assigned.astype(np.int8)).tocsr() for s in (scores, svm))
    both = abs(wrong) + 2 * abs(svm_wrong)
    return {
        "setting": setting,
        "micro": scores.micro,
        "macro": scores.macro,
        "f1_of_means": scores.macro_f1_of_means,
        "per_category": np.round(scores.per_category, 5).tolist(),
        "only_this_right": int((both.data == 2).sum()),
        "only_svm_right": int((both.data == 1).sum()),
    }


def run_split(task: Task, methods: Mapping[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """Run the methods that are not kept; the first is what all are tested against, and runs with them."""
    results: dict[str, Any] = {}
    first: dict[str, tuple[dict[str, Any], F1Scores]] = {}
    for name, kind in methods.items():
        if name in kept and first:
            results[name] = kept[name]
            continue
        start = time.perf_counter()
        found = run_method(kind(task), task)
        first = first or found
        results[name] = {p: record(*found[p], first[p][1]) for p in PROTOCOLS}
        results[name]["seconds"] = round(time.perf_counter() - start, 1)
        figures = " ".join(f"{p} {found[p][1].micro:.4f}/{found[p][1].macro:.4f}" for p in PROTOCOLS)
        print(f"  {name}: {figures} ({results[name]['seconds']} s)", flush=True)
    return results


def run_splits(
    folder: Path,
    methods: Mapping[str, Any],
    corpora: Iterable[str],
    splits: Callable[[str, float], Iterator[Task]],
) -> None:
    """Run methods on all splits of corpora, and keep what each split gave in a file."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    folder.mkdir(exist_ok=True)
    for corpus in corpora:
        for fraction in plan.FRACTIONS:
            for number, task in enumerate(splits(corpus, fraction)):
                path = folder / f"{corpus}-{round(100 * fraction)}-{number}.json"
                kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
                if not kept.keys() >= methods.keys():
                    print(f"{corpus} {fraction:.0%} split {number}", flush=True)
                    path.write_text(json.dumps(run_split(task, methods, kept), indent=1), encoding="utf-8")


if __name__ == "__main__":
    run_splits(FOLDER, METHODS, sys.argv[1:] or plan.CORPORA, tasks)
