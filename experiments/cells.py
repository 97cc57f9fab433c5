"""Cells are evaluated once: their results are kept in files named after the hash of what made them."""

import hashlib
import json
import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.declare import Cell
from experiments.protocols import version
from experiments.surroundings import surroundings
from textensor.base.disk import replace_file

__all__ = [
    "Kept",
    "Kind",
    "Progress",
    "evaluate_all",
    "is_result",
    "kept",
    "kept_in",
    "key",
    "read_json",
    "result_path",
    "with_sum",
]

#: One thread for each process, so that two of them do not fight over the cores.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
#: Seconds that a process waits for its next cell.
LONGEST_CELL = 7200
#: The entry of a result that tells whether the others are as they were written.
SUM = "sum"
Kept = dict[str, Any]
#: Told after each cell: how many are done, of how many, and the seconds left, if they can be told.
Progress = Callable[[int, int, float | None, Cell], None]
#: A cell, the reason where its data is not at hand, and the seconds it took.
Tried = tuple[Cell, str, float]
#: So many cells are done before the time that is left is told.
FIRST = 3
#: Cells of one protocol, data set, part and method take about as long as each other.
Kind = tuple[str, str, str, str]


def key(cell: Cell) -> str:
    """Return the name of a cell's result: the hash of its description and of its protocol's version."""
    text = json.dumps([cell.description(), version(cell.protocol)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def result_path(cell: Cell, folder: Path) -> Path:
    """Return where the result of a cell is kept."""
    return folder / f"{key(cell)}.json"


def kept_in(cell: Cell, folder: Path) -> bool:
    """Return whether there is a result of a cell."""
    return result_path(cell, folder).exists()


def read_json(path: Path) -> Any:
    """Return what a file holds, None if it is no JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None


def kept(cell: Cell, folder: Path) -> Kept | None:
    """Return the result of a cell if there is one; a file that is damaged or of another cell is refused."""
    path = result_path(cell, folder)
    if not path.exists():
        return None
    found = read_json(path)
    if not is_result(found, cell):
        raise ValueError(f"{path} is no result of a cell: delete it, and it is run again.")
    result: Kept = found
    result.pop(SUM, None)
    return result


def is_result(found: Any, cell: Cell) -> bool:
    """Return whether what a file has is what :func:`run` writes of a cell, its measures by their sum."""
    return (
        isinstance(found, dict)
        and found == with_sum(found)
        and found.get("description") == json.loads(json.dumps(cell.description()))
        and isinstance(found.get("seconds in all"), float | int)
        and isinstance(found.get("made"), dict)
        and "date" in found["made"]
        and all(isinstance(word, str) for word in found["made"].values())
        and isinstance(found.get("warnings"), list)
        and all(isinstance(said, str) for said in found["warnings"])
    )


def with_sum(result: Kept) -> Kept:
    """Return a result with the hash of all else that it has."""
    others = {name: value for name, value in result.items() if name != SUM}
    text = json.dumps(others, sort_keys=True)
    return others | {SUM: hashlib.sha256(text.encode()).hexdigest()[:16]}


def run(cell: Cell, path: Path) -> None:
    """Evaluate a cell and keep its result in a file.

    The caller names the file.
    """
    from threadpoolctl import threadpool_limits

    from experiments.protocols import evaluate

    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as said, threadpool_limits(1):
        warnings.simplefilter("always")
        result = evaluate(cell)
    seconds = time.perf_counter() - start
    result |= {
        "description": cell.description(),
        "made": surroundings(),
        "seconds in all": round(seconds, 2),
        "warnings": sorted({f"{one.category.__name__}: {one.message}"[:200] for one in said}),
    }
    result = json.loads(json.dumps(result))  # as it is read again: names are words, tuples are lists
    replace_file(path, [json.dumps(with_sum(result)).encode()])


def evaluate_all(
    cells: Sequence[Cell],
    folder: Path,
    n_jobs: int = 2,
    progress: Progress | None = None,
    before: Mapping[Kind, float] | None = None,
) -> dict[str, str]:
    """Evaluate the cells that have no result yet: those that are timed alone, the others side by side.

    A stop in the middle loses only the cells that were under way; a damaged result is named before anything
    is run. Returned are the sets that are not at hand, with the reason; their cells stay without a result.
    ``before`` has the seconds that cells took in an earlier run, from which the time that is left is told.
    """
    folder.mkdir(parents=True, exist_ok=True)
    todo = list({key(cell): cell for cell in cells if kept(cell, folder) is None}.values())
    together, alone = [c for c in todo if not c.alone], [c for c in todo if c.alone]
    pace, absent = _Pace(todo, before or {}), {}
    for done, (cell, reason, seconds) in enumerate(_results(together, alone, folder, n_jobs), 1):
        if reason:
            absent[cell.data] = reason
        if progress is not None:
            progress(done, len(todo), pace.left(cell, seconds), cell)
    return absent


class _Pace:
    """How long the waiting cells may take: each as long as others of its kind did, here or before."""

    def __init__(self, cells: Iterable[Cell], before: Mapping[Kind, float]) -> None:
        self.waiting = Counter(self.kind(cell) for cell in cells)
        self.before = before
        self.taken: dict[Kind, list[float]] = {}
        self.start = time.perf_counter()

    @staticmethod
    def kind(cell: Cell) -> Kind:
        return cell.protocol, cell.data, cell.part, cell.method

    def left(self, cell: Cell, seconds: float) -> float | None:
        """Return the seconds left after a cell that took so many, None of the first cells."""
        self.waiting[self.kind(cell)] -= 1
        self.taken.setdefault(self.kind(cell), []).append(seconds)
        if sum(map(len, self.taken.values())) < FIRST:
            return None
        means = {kind: fmean(found) for kind, found in self.taken.items()}
        # What another machine took, in the pace of this one.
        both = [(mean, self.before[kind]) for kind, mean in means.items() if self.before.get(kind)]
        slower = sum(now for now, _ in both) / sum(then for _, then in both) if both else 1.0
        expected = {kind: slower * then for kind, then in self.before.items()} | means
        unseen = fmean(expected.values())
        ahead = sum(n * expected.get(kind, unseen) for kind, n in self.waiting.items())
        side_by_side = sum(map(sum, self.taken.values())) / (time.perf_counter() - self.start)
        return ahead / side_by_side if side_by_side else None


def _results(together: list[Cell], alone: list[Cell], folder: Path, n_jobs: int) -> Iterator[Tried]:
    """Yield cells as they are done."""
    if n_jobs == 1 or len(together) < 2:
        yield from _one_by_one(together, folder)
    else:
        yield from _side_by_side(together, folder, n_jobs)
    yield from _one_by_one(alone, folder)


def _one_by_one(cells: Iterable[Cell], folder: Path) -> Iterator[Tried]:
    for cell in cells:
        yield _tried(cell, result_path(cell, folder))


def _side_by_side(cells: list[Cell], folder: Path, n_jobs: int) -> Iterator[Tried]:
    """Run cells in processes, those of one data set after each other, for a process keeps what it loaded."""
    from joblib import Parallel, delayed

    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ |= dict.fromkeys(ONE_THREAD, "1")
    try:
        # A process that waits for a long cell beside it is kept, with the data that it loaded.
        work = Parallel(
            n_jobs,
            "loky",
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch=n_jobs,
            idle_worker_timeout=LONGEST_CELL,
        )
        with warnings.catch_warnings():
            # joblib renews a process that holds much, as one with a large set does, and says so.
            warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
            yield from work(delayed(_tried)(cell, result_path(cell, folder)) for cell in cells)
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _tried(cell: Cell, path: Path) -> Tried:
    start, reason = time.perf_counter(), ""
    try:
        if not path.exists():  # another run, beside this one, may have done it
            run(cell, path)
    except FileNotFoundError as error:  # a set that is nowhere to be had: what needs it was not run
        reason = str(error)
    return cell, reason, time.perf_counter() - start
