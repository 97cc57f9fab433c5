"""Whether ``TextCategorizer("auto")`` keeps its time budget, with few and many labels and documents.

The documents are made up: words by Zipf's law, and in each document words of its labels among them. Every fit
has a process of its own, so that memory and processor time are those of the fit.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import publish, table
from textensor.datasets import make_documents
from textensor.evaluate.f1 import micro_f1

#: Documents that the fitted model is tried on.
N_TEST = 2_000
N_TERMS, LENGTH = 50_000, 60
#: Words that belong to a label, and how many of them each document has for each of its labels.
TOPIC, DRAWN = 40, 4
#: Topics are made of so many of the commonest words, and such a share of the documents is labelled at random.
COMMON, NOISE = 5_000, 0.1
#: A fit may take so much longer than a budget of a minute or more.
MARGIN, LONG = 1.2, 60


class Case(NamedTuple):
    budget: float
    documents: int
    labels: int
    several: bool = False


CASES = (
    *(Case(60, 200_000, labels) for labels in (2, 50, 500, 2_000)),
    *(Case(60, 200_000, labels, several=True) for labels in (50, 2_000)),
    *(Case(60, 20_000, labels) for labels in (2, 2_000)),
    Case(60, 20_000, 2_000, several=True),
    *(Case(20, 200_000, labels) for labels in (2, 2_000)),
    *(Case(5, documents, labels) for documents in (2_000, 200_000) for labels in (2, 500)),
)


def main() -> None:
    rows = []
    for case in CASES:
        found = measured(case)
        over = found["seconds"] / case.budget
        if case.budget < LONG:
            kept = "yes" if over <= MARGIN else "quickest taken" if found["quickest"] else "no"
        else:
            kept = "yes" if over <= MARGIN else "no"
        size = [f"{case.budget:g}", f"{case.documents:,}", f"{case.labels:,}"]
        size.append("several" if case.several else "one")
        figures = [round(found["micro"], 3), round(found["commonest"], 3), round(found["MiB"])]
        what = [found["seconds"], found["processor"], kept, found["chosen"], found["folds"]]
        rows.append([*size, *what, *figures])
    header = ["budget, s", "documents", "labels", "to a document", "seconds", "processor seconds", "kept"]
    header += ["chosen", "folds", "micro-F1", "of the commonest label", "peak MiB"]
    note = (
        f"Seconds of `TextCategorizer('auto', time_budget=...).fit` on made-up documents of {LENGTH} words "
        f"and more; a budget of {LONG} s or more is kept within {MARGIN - 1:.0%}, after a shorter one the "
        f"quickest method is fitted. Micro-F1 on {N_TEST:,} other documents shows that the model is usable, "
        "beside that of giving all of them the commonest label. One run each, all cores free to use. "
        "Processor seconds far below seconds mean that other processes had the machine."
    )
    publish("budget", "The time budget", f"{note}\n\n{table(header, rows)}")


def measured(case: Case) -> dict[str, Any]:
    """Fit in a process of its own, and return what it printed and how much memory it took."""
    sys.stderr.write(f"{case}\n")
    command = [sys.executable, "-m", "benchmarks.budget", json.dumps(case)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        told = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{case} failed.")
    return {**json.loads(told), "MiB": used.ru_maxrss / 1024}


def fitted(case: Case) -> dict[str, Any]:
    """Fit once, and return seconds, what was chosen, and F1 on other documents."""
    from textensor import TextCategorizer

    texts, labels = documents(case)
    n = case.documents
    start, processor = time.perf_counter(), time.process_time()

    def tell(message: str, *_: int | None) -> None:
        sys.stderr.write(f"  {time.perf_counter() - start:6.1f} s  {message}\n")

    given = labels[:n] if case.several else [label for (label,) in labels[:n]]
    model = TextCategorizer("auto", time_budget=case.budget, progress=tell).fit(texts[:n], given)
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    tell("Fitted.")
    names, sizes = np.unique(np.concatenate(labels[:n]), return_counts=True)
    predicted = [one if case.several else (one,) for one in model.predict(texts[n:])]
    return {
        "seconds": seconds,
        "processor": processor,
        "chosen": f"{model.method_} on {model.features_}",
        "quickest": model.method_ == "centroid",
        "folds": model.figures_.get("folds", 0),
        "micro": micro(labels[n:], predicted),
        "commonest": micro(labels[n:], [(names[sizes.argmax()],)] * N_TEST),
    }


def documents(case: Case) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return texts and their labels, those of the test documents last.

    The sizes of labels follow Zipf's law, too, so many of 2,000 labels are rare.
    """
    rng = np.random.default_rng(0)
    n = case.documents + N_TEST
    words = np.array([f"w{k}" for k in range(N_TERMS)])
    topics = rng.integers(COMMON, size=(case.labels, TOPIC))
    shares = 1 / np.arange(2, case.labels + 2)
    drawn = rng.choice(case.labels, p=shares / shares.sum(), size=(n, 4))
    n_labels = rng.integers(1, 5, size=n) if case.several else np.ones(n, dtype=int)
    X = make_documents(n, N_TERMS, 1, mean_length=LENGTH, random_state=0).X
    texts, labels = [], []
    for row, (numbers, k) in enumerate(zip(drawn, n_labels, strict=True)):
        own = np.unique(numbers[:k])
        common = X.indices[X.indptr[row] : X.indptr[row + 1]]
        topical = topics[own][:, rng.integers(TOPIC, size=DRAWN)].ravel()
        texts.append(" ".join(words[np.concatenate([common, topical])].tolist()))
        own = drawn[rng.integers(n), :k] if rng.random() < NOISE else own
        labels.append(tuple(f"label {one}" for one in np.unique(own)))
    return texts, labels


def micro(truth: list[tuple[str, ...]], predicted: list[tuple[str, ...]]) -> float:
    """Return the F1 of all decisions taken together."""
    pairs = zip(truth, predicted, strict=True)
    counts = [(len({*one} & {*other}), len(other), len(one)) for one, other in pairs]
    return float(micro_f1(*np.transpose(counts)))


if __name__ == "__main__":
    print(json.dumps(fitted(Case(*json.loads(sys.argv[1])))))
