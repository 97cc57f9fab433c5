"""``textensor fit`` and ``predict`` from a CSV file to a file, beside a script of the usual pipeline."""

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from benchmarks.measure import publish, side_by_side, table
from textensor.datasets import Corpus, load

#: The peer: what a user would write. Rows are predicted 10,000 at a time, so its memory is bounded too.
PEER = """
import csv, sys
from itertools import islice
import joblib
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

csv.field_size_limit(1 << 30)
task, data, model, out = sys.argv[1:]
with open(data, newline="", encoding="utf-8") as file:
    rows = csv.DictReader(file)
    if task == "predict":
        pipeline = joblib.load(model)
        with open(out, "w", newline="", encoding="utf-8") as written:
            writer = csv.writer(written)
            writer.writerow([*rows.fieldnames, "predicted"])
            while block := list(islice(rows, 10_000)):
                found = pipeline.predict([row["text"] for row in block])
                writer.writerows([*row.values(), label] for row, label in zip(block, found))
    else:
        rows = list(rows)
        svm = LinearSVC() if task == "fit" else CalibratedClassifierCV(LinearSVC(), cv=3)
        pipeline = make_pipeline(TfidfVectorizer(), svm)
        pipeline.fit([row["text"] for row in rows], [row["label"] for row in rows])
        joblib.dump(pipeline, model)
"""
SIZES = (100_000, 1_000_000)
WORDS = 40


def main() -> None:
    try:
        corpus = load("20newsgroups")
    except FileNotFoundError as error:
        print(f"The workbench is measured on 20 Newsgroups: {error}\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        write_part(at / "train.csv", corpus, corpus.train)
        write_part(at / "test.csv", corpus, ~corpus.train)
        (at / "peer.py").write_text(PEER)
        n_test = int((~corpus.train).sum())
        note = "20 Newsgroups by date, 11,314 documents"
        parts = [fitting(at, "train.csv", note), predicting(at, n_test), streaming(at)]
        body = "\n\n".join([reuters(at), *parts])
    publish("workbench", "The commands, end to end", body)


def reuters(at: Path) -> str:
    """Fit the training documents of Reuters, which are shorter."""
    try:
        corpus = load("reuters21578")
    except FileNotFoundError as error:
        return f"Not measured on Reuters: {error}"
    write_part(at / "reuters.csv", corpus, corpus.train)
    return fitting(at, "reuters.csv", f"Reuters-21578, {corpus.train.sum():,} documents with one label each")


def write_part(path: Path, corpus: Corpus, part: np.ndarray) -> None:
    names = np.array(corpus.label_names)
    rows = ((corpus.texts[d].replace("\0", " "), names[corpus.y[d]]) for d in np.flatnonzero(part))
    write(path, ["text", "label"], rows)


def write(path: Path, header: list[str], rows: object) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header])
        csv.writer(file).writerows(rows)


def run(at: Path, *arguments: object) -> float:
    """Run a process to its end, and return the most memory that it had, in MiB."""
    command = [sys.executable, *map(str, arguments)]
    with subprocess.Popen(command, cwd=at, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        told = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed: {told.decode()[-500:]}")
    return used.ru_maxrss / 1024


def peer(at: Path, task: str, data: str) -> float:
    return run(at, "peer.py", task, data, "calibrated" if task == "calibrate" else "peer", "peer.csv")


def ours(at: Path, task: str, method: str, *options: str) -> float:
    if task == "fit":
        given = *options, "--features", "words", "-m", method, "-o", f"{method}.model"
        return run(at, "-m", "textensor", "fit", *given)
    return run(at, "-m", "textensor", "predict", f"{method}.model", *options, "-o", f"{method}.csv")


def fitting(at: Path, data: str, corpus: str) -> str:
    """Fit once each, as the peer does; then with held-out folds, as both do for probabilities."""
    whole = {
        "TfidfVectorizer + LinearSVC, calibrated on 3 folds": lambda: peer(at, "calibrate", data),
        "`textensor fit --method svm`": lambda: ours(at, "fit", "svm", data),
    }
    bare = "--no-cross-validate"
    once = {
        "TfidfVectorizer + LinearSVC": lambda: peer(at, "fit", data),
        f"`textensor fit --method svm {bare}`": lambda: ours(at, "fit", "svm", data, bare),
        f"`textensor fit --method stm {bare}`": lambda: ours(at, "fit", "stm", data, bare),
    }
    found = {
        "labels and probabilities (one run)": {name: timed(fit)[0] for name, fit in whole.items()},
        "labels (median of 2 runs)": side_by_side(once, rounds=2),  # last: its models are used below
    }
    rows = [
        [kind, name, value, next(iter(seconds.values())) / value]
        for kind, seconds in reversed(found.items())
        for name, value in seconds.items()
    ]
    note = (
        f"{corpus}: a process from a CSV file to a model file with words as features, all cores free to use; "
        "`LinearSVC` has use for one."
    )
    return f"{note}\n\n{table(['gives', 'what', 'seconds', 'times as fast'], rows)}"


def timed(function: Callable[[], float]) -> tuple[float, float]:
    """Return the seconds that a function took, and its result."""
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def predicting(at: Path, n_test: int) -> str:
    """Predict the test part; the models are those of the last fit, without probabilities."""
    seconds = side_by_side(
        {
            "TfidfVectorizer + LinearSVC": lambda: peer(at, "predict", "test.csv"),
            "`textensor predict`, svm": lambda: ours(at, "predict", "svm", "test.csv"),
            "`textensor predict`, stm": lambda: ours(at, "predict", "stm", "test.csv"),
            "`textensor predict --n-jobs 1`, svm": lambda: ours(
                at, "predict", "svm", "test.csv", "--n-jobs", "1"
            ),
        },
        rounds=2,
    )
    rows = [[name, value, round(n_test / value)] for name, value in seconds.items()]
    return f"Its {n_test:,} test documents, start of the process included.\n\n" + table(
        ["what", "seconds", "documents a second"], rows
    )


def streaming(at: Path) -> str:
    """Predict many short lines, and see what memory that takes."""
    with (at / "train.csv").open(newline="", encoding="utf-8") as file:
        words = np.array(
            sorted({word for row in islice(csv.reader(file), 1, 2000) for word in row[0].split()})
        )
    rng = np.random.default_rng(0)
    lines = [
        " ".join(words[(len(words) * rng.random(WORDS) ** 3).astype(int)].tolist()) for _ in range(10_000)
    ]
    rows: list[list[object]] = []
    for size in SIZES:
        write(at / "lines.csv", ["id", "text"], enumerate(islice(cycle(lines), size)))
        contenders = {"`textensor predict`, svm": lambda: ours(at, "predict", "svm", "lines.csv")}
        if size == SIZES[0]:
            contenders["TfidfVectorizer + LinearSVC"] = lambda: peer(at, "predict", "lines.csv")
        for name, predict in contenders.items():
            seconds, memory = timed(predict)
            rows.append([f"{size:,}", name, round(size / seconds), round(memory)])
    note = f"Lines of {WORDS} words drawn at random from that corpus, one run."
    return f"{note}\n\n{table(['lines', 'what', 'lines a second', 'peak MiB'], rows)}"
