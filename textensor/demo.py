"""The demonstration behind ``make demo``: what few labels give on text that is on every machine."""

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from textensor.cli.screen import print_table, waiting
from textensor.datasets import load
from textensor.evaluate import f1_by_argmax, f1_by_assignment, small_sample_splits
from textensor.space import TermVectorizer

FRACTIONS = (0.05, 0.10, 0.50)
N_SPLITS = 3
SEED = 0


def main() -> None:
    """Load the docstrings, train at three sizes, print one table."""
    start = time.perf_counter()
    with waiting("Reading the docstrings of Python's libraries (some seconds the first time)"):
        corpus = load("docstrings")
    sys.stdout.write(f"{corpus.description}\n\n")
    print_table(["labels", "trained on", "arg max", "assignment"], _rows(corpus), numbers=[1])
    sys.stdout.write(
        f"\nTF-IDF + LinearSVC, micro-F1 / macro-F1, mean of {N_SPLITS} splits (seed {SEED}); "
        f"{time.perf_counter() - start:.0f} s.\n"
        "arg max: one label per document. assignment: every yes-or-no decision counts.\n"
    )


def _rows(corpus: Any) -> Iterator[tuple[str, int, str, str]]:
    for fraction in FRACTIONS:
        sizes, argmax, assignment = [], [], []
        for train, test in small_sample_splits(fraction, n_splits=N_SPLITS, random_state=SEED).split(
            corpus.texts, corpus.y
        ):
            # Vocabulary and document frequencies come from the training part alone.
            vectorizer = TermVectorizer(n_jobs=2)
            X_train = vectorizer.fit_transform([corpus.texts[i] for i in train])
            X_test = vectorizer.transform([corpus.texts[i] for i in test])
            model = LinearSVC(random_state=SEED).fit(X_train, corpus.y[train])
            decisions = model.decision_function(X_test)
            sizes.append(len(train))
            argmax.append(f1_by_argmax(corpus.y[test], decisions, classes=model.classes_))
            assignment.append(f1_by_assignment(corpus.y[test], decisions, classes=model.classes_))
            _say(f"{fraction:.0%} of the labels, split {len(sizes)} of {N_SPLITS}")
        yield f"{fraction:.0%}", round(np.mean(sizes)), _figure(argmax), _figure(assignment)
    _say("")


def _say(progress: str) -> None:
    """Show how far we are, where someone is looking."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{progress:<40}\r")


def _figure(scores: list[Any]) -> str:
    return f"{np.mean([s.micro for s in scores]):.3f} / {np.mean([s.macro for s in scores]):.3f}"


if __name__ == "__main__":
    main()
