"""The demonstration behind ``make demo``: what few labels give on text that is on every machine."""

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from textensor.classify import SupportTensorMachine
from textensor.cli.screen import print_table, waiting
from textensor.datasets import load
from textensor.evaluate import f1_by_argmax, f1_by_assignment, small_sample_splits
from textensor.space import SemanticArrangement, TermVectorizer

FRACTIONS = (0.05, 0.10, 0.50)
N_SPLITS = 3
SEED = 0


def main() -> None:
    """Load the docstrings, train two classifiers at three sizes, print one table."""
    start = time.perf_counter()
    with waiting("Reading the docstrings of Python's libraries (some seconds the first time)"):
        corpus = load("docstrings")
    sys.stdout.write(f"{corpus.description}\n\n")
    print_table(["labels", "trained on", "classifier", "arg max", "assignment"], _rows(corpus), numbers=[1])
    sys.stdout.write(
        f"\nMicro-F1 / macro-F1, {N_SPLITS} splits, seed {SEED}; {time.perf_counter() - start:.0f} s.\n"
        "arg max: one label per document. assignment: every yes-or-no decision counts.\n"
        "LinearSVC: TF-IDF, hinge loss, C = 10. SupportTensorMachine: semantic arrangement, rank 3, C = 1,\n"
        "which also reads, without labels, half of the documents that are in no training part.\n"
        "Both are scored on the other half.\n"
    )


def _rows(corpus: Any) -> Iterator[tuple[str, int, str, str, str]]:
    for fraction in FRACTIONS:
        sizes: list[int] = []
        scores: dict[str, list[tuple[Any, Any]]] = {}
        splits = small_sample_splits(fraction, n_splits=N_SPLITS, random_state=SEED)
        for labelled, rest in splits.split(corpus.texts, corpus.y):
            unlabelled, test = rest[::2], rest[1::2]
            sizes.append(len(labelled))
            for name, decide in CLASSIFIERS.items():
                _say(f"{fraction:.0%} of the labels, split {len(sizes)} of {N_SPLITS}: {name}")
                decisions, classes = decide(corpus, labelled, unlabelled, test)
                truth = corpus.y[test]
                scores.setdefault(name, []).append(
                    (
                        f1_by_argmax(truth, decisions, classes=classes),
                        f1_by_assignment(truth, decisions, classes=classes),
                    )
                )
        for name, found in scores.items():
            argmax, assignment = zip(*found, strict=True)
            yield f"{fraction:.0%}", round(np.mean(sizes)), name, _figure(argmax), _figure(assignment)
    _say("")


def _by_svm(corpus: Any, labelled: Any, unlabelled: Any, test: Any) -> tuple[Any, Any]:  # noqa: ARG001
    """Decide by the usual pipeline."""
    vectorizer = TermVectorizer(n_jobs=2)
    X = vectorizer.fit_transform([corpus.texts[i] for i in labelled])
    model = LinearSVC(loss="hinge", C=10, max_iter=10_000, random_state=SEED).fit(X, corpus.y[labelled])
    return model.decision_function(vectorizer.transform([corpus.texts[i] for i in test])), model.classes_


def _by_stm(corpus: Any, labelled: Any, unlabelled: Any, test: Any) -> tuple[Any, Any]:
    """Decide by a tensor classifier that reads text without labels too."""
    vectorizer = TermVectorizer(n_jobs=2)
    seen = np.concatenate([labelled, unlabelled])
    X = vectorizer.fit_transform([corpus.texts[i] for i in seen])
    y = np.concatenate([corpus.y[labelled], np.full(len(unlabelled), -1)])
    arrangement = SemanticArrangement(latent_weight=1.0)
    model = SupportTensorMachine(
        arrangement=arrangement, rank=3, unlabeled_value=-1, n_jobs=2, random_state=SEED
    ).fit(X, y)
    return model.decision_function(vectorizer.transform([corpus.texts[i] for i in test])), model.classes_


CLASSIFIERS = {"LinearSVC": _by_svm, "SupportTensorMachine": _by_stm}


def _say(progress: str) -> None:
    """Show how far we are, where someone is looking."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{progress:<70}\r")


def _figure(scores: Any) -> str:
    return f"{np.mean([s.micro for s in scores]):.3f} / {np.mean([s.macro for s in scores]):.3f}"


if __name__ == "__main__":
    main()
