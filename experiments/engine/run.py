"""Evaluate cells: those that are timed alone, the others side by side, each once."""

import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from experiments.engine.declare import Cell
from experiments.engine.store import CellStore, Kind, key, kind
from experiments.engine.surroundings import surroundings
from experiments.protocols import evaluate
from textensor.base.progress import Progress, silent

#: Seconds that a process waits for its next cell.
LONGEST_CELL = 7200
#: A cell, the reason if its data is not at hand, and the seconds it took.
Tried = tuple[Cell, str, float]
#: So many cells are done before the time that is left is told.
FIRST = 3


def evaluate_all(
    cells: Sequence[Cell],
    store: CellStore,
    n_jobs: int = 2,
    progress: Progress = silent,
    before: Mapping[Kind, float] | None = None,
) -> dict[str, str]:
    """Evaluate the cells that have no result yet, and keep their results.

    A stop in the middle loses only the cells that were under way; a damaged result is named before anything
    is run. Returned are the sets that are not at hand, with the reason; their cells stay without a result.
    ``before`` has the seconds that cells took in an earlier run, from which the time that is left is told.
    """
    store.cells.mkdir(parents=True, exist_ok=True)
    todo = list({key(cell): cell for cell in cells if store.find(cell) is None}.values())
    together, alone = [c for c in todo if not c.alone], [c for c in todo if c.alone]
    pace, absent = _Pace(todo, before or {}), {}
    for done, (cell, reason, seconds) in enumerate(_results(together, alone, store, n_jobs), 1):
        if reason:
            absent[cell.data] = reason
        left = pace.left(cell, seconds)
        rest = "" if left is None else f", about {_amount(left)} left"
        message = f"{done} of {len(todo)} done{rest}: {cell.data}, {cell.part}, {cell.method}"
        progress(message, done, len(todo))
    return absent


def run(cell: Cell, store: CellStore) -> None:
    """Evaluate a cell and keep its result."""
    from threadpoolctl import threadpool_limits

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
    store.keep(cell, result)


def _amount(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


class _Pace:
    """How long the waiting cells may take: each as long as others of its kind did, here or before."""

    def __init__(self, cells: Iterable[Cell], before: Mapping[Kind, float]) -> None:
        self.waiting = Counter(kind(cell.description()) for cell in cells)
        self.before = before
        self.taken: dict[Kind, list[float]] = {}
        self.start = time.perf_counter()

    def left(self, cell: Cell, seconds: float) -> float | None:
        """Return the seconds left after a cell that took so many, None of the first cells."""
        own = kind(cell.description())
        self.waiting[own] -= 1
        self.taken.setdefault(own, []).append(seconds)
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


def _results(together: list[Cell], alone: list[Cell], store: CellStore, n_jobs: int) -> Iterator[Tried]:
    """Yield cells as they are done."""
    if n_jobs > 1 and len(together) > 1:
        yield from _side_by_side(together, store, n_jobs)
    else:
        alone = together + alone
    for cell in alone:
        yield _tried(cell, store)


def _side_by_side(cells: list[Cell], store: CellStore, n_jobs: int) -> Iterator[Tried]:
    """Run cells in processes, those of one data set after each other, for a process keeps what it loaded."""
    from joblib import Parallel, delayed, parallel_config

    # One thread for each process, so that two of them do not fight over the cores.
    with parallel_config("loky", inner_max_num_threads=1), warnings.catch_warnings():
        # joblib renews a process that holds much, as one with a large set does, and says so.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        # A process that waits for a long cell beside it is kept, with the data that it loaded.
        work = Parallel(
            n_jobs,
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch=n_jobs,
            idle_worker_timeout=LONGEST_CELL,
        )
        # Packed results stay here: a process writes new ones only.
        yield from work(delayed(_tried)(cell, CellStore(store.folder)) for cell in cells)


def _tried(cell: Cell, store: CellStore) -> Tried:
    start, reason = time.perf_counter(), ""
    try:
        if not store.has(cell):  # another run, beside this one, may have done it
            run(cell, store)
    # A set that is nowhere to be had, or a package that is not installed: what needs it was not run.
    except (FileNotFoundError, ModuleNotFoundError) as error:
        reason = str(error)
    return cell, reason, time.perf_counter() - start
