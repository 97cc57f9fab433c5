"""Run mutants, each in a process of its own forked from a warm one, within limits of time and memory."""

import contextlib
import faulthandler
import gc
import itertools
import json
import os
import random
import resource
import select
import shutil
import signal
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from tests.cli.conftest import write_csv
from tests.files.zoo import TEXTS, WORDS
from tests.fuzz import subjects
from tests.fuzz.asking import ask_embedding, ask_index, ask_model

#: A mutant is given so many seconds, and so much memory above that of the process that it is forked from.
SECONDS = 10
LIMIT = 1 << 30
#: What loading and asking may take: so much, and so many times the size of the file.
ALLOWANCE = 50 * 1_000_000
TIMES = 20


class Outcome(NamedTuple):
    """What became of a mutant: ``"refused"``, ``"harmless"``, or what went wrong."""

    number: int
    subject: str
    kind: str
    said: str
    size: int
    megabytes: float

    @property
    def is_fault(self) -> bool:
        """Whether it is something that must never happen."""
        return self.kind not in ("refused", "harmless")


class Fuzzer:
    """Makes and runs the mutants of a seed; mutant k depends on the seed and k alone."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.place = Path(tempfile.mkdtemp(prefix="fuzz-"))
        self.mail = write_csv(self.place / "mail.csv", ["text", "label"], zip(TEXTS, WORDS, strict=True))

    def warm(self) -> None:
        """Compile and import all that honest files need, in this process."""
        for name in subjects.MODELS:
            subjects.model_parts(name, self.place)
            ask_model(self.place / f"{name}.model", subjects.given(name), self.mail)
        ask_index(subjects.index_folder(self.place))
        pd.DataFrame({"a": ["text"]})  # what a model may return
        gc.freeze()  # a collection in a child would copy every page

    def write(self, number: int, path: Path) -> str:
        """Write a mutant; return what it is a mutant of. One that JSON cannot hold is made again."""
        for attempt in itertools.count():
            rng = random.Random(f"{self.seed}-{number}-{attempt}")
            subject = rng.choice(subjects.SUBJECTS)
            with contextlib.suppress(RecursionError, ValueError, OverflowError):
                if subject == subjects.INDEX:
                    subjects.mutated_index(self.place, path, rng)
                elif subject == subjects.EMBEDDING:
                    subjects.mutated_embedding(path, rng)
                else:
                    subjects.mutated_model(subject, self.place, path, rng)
                break
            shutil.rmtree(path, ignore_errors=True)
        return subject

    def run(self, number: int) -> Outcome:
        """Make one mutant and give it to all that read such files, in a process of its own."""
        path = self.place / f"mutant-{number}"
        try:
            subject = self.write(number, path)
            size = sum(file.stat().st_size for file in [path, *path.rglob("*")] if file.is_file())
            kind, said, n_bytes = forked(lambda: self._ask(subject, path))
            too_much = n_bytes > ALLOWANCE + TIMES * size
            if too_much and kind in ("refused", "harmless"):
                kind, said = "memory", f"{n_bytes / 1e6:.0f} MB for {size} bytes"
            return Outcome(number, subject, kind, said, size, round(n_bytes / 1e6, 1))
        finally:
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)

    def _ask(self, subject: str, path: Path) -> str:
        if subject == subjects.INDEX:
            return ask_index(path)
        if subject == subjects.EMBEDDING:
            return ask_embedding(path, subjects.HOSTILE)
        return ask_model(path, subjects.given(subject), self.mail)

    def each(self, numbers: list[int], workers: int) -> Iterator[Outcome]:
        """Yield the outcomes of mutants as they come, from so many processes."""
        reading, writing = os.pipe()
        children = []
        for worker in range(workers):
            child = os.fork()
            if child == 0:
                os.close(reading)
                os._exit(self._work(writing, numbers[worker::workers]))
            children.append(child)
        os.close(writing)
        with os.fdopen(reading) as lines:
            for line in lines:
                yield Outcome(*json.loads(line))
        left = [os.waitpid(child, 0)[1] for child in children]
        if any(left):
            raise RuntimeError("A worker has died: not all mutants were run.")

    def _work(self, writing: int, numbers: list[int]) -> int:
        """Run mutants in a worker and write their outcomes to a pipe; return the exit code."""
        try:
            with os.fdopen(writing, "w", buffering=1) as lines:
                for number in numbers:
                    lines.write(json.dumps(self.run(number)) + "\n")
        except BaseException:
            traceback.print_exc()
            return 1
        return 0

    def close(self) -> None:
        """Remove what was written."""
        shutil.rmtree(self.place, ignore_errors=True)


def forked(ask: Any) -> tuple[str, str, int]:
    """Run a function in a child; return its answer or what went wrong, details, and the memory it took."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _limit()
        before = _memory(1)
        try:
            answer = (ask(), "")
        except BaseException as error:
            answer = (type(error).__name__, _place(error))
        taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
        with contextlib.suppress(OSError):
            os.write(writing, json.dumps([*answer, max(0, taken)]).encode()[:60_000])
        os._exit(0)
    os.close(writing)
    # The clock is here: a child that runs commands sets and stops clocks of its own.
    hangs = not select.select([reading], [], [], SECONDS)[0]
    if hangs:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if hangs:
        return "hang", f"over {SECONDS} s", 0
    if os.WIFSIGNALED(status):
        return "crash", f"signal {os.WTERMSIG(status)}", 0
    kind, said, taken = json.loads(text) if text else ("crash", "no answer", 0)
    return kind, said, taken


def _limit() -> None:
    """Set the limits of a mutant in its own process, and let nothing that it says be seen."""
    faulthandler.disable()
    os.environ["RUST_BACKTRACE"] = "0"  # reading debug symbols would take 60 MB
    most = _memory(0) + LIMIT
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _memory(field: int) -> int:
    """Return the memory of this process: field 0 is what it has asked for, field 1 what it uses."""
    return int(Path("/proc/self/statm").read_text().split()[field]) * resource.getpagesize()


def _place(error: BaseException) -> str:
    """Return what an error says and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return f"{error!s:.200} | {' < '.join(reversed(ours[-7:]))}"
