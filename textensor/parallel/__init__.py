"""The one seam to parallel execution: threads, processes, a Dask cluster. It knows nothing of what is run.

The answer never depends on how many workers there are: a task is a pure function of its argument, and of
material that all tasks share and none changes.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from typing import Any

from textensor.base.checks import check, jobs
from textensor.base.compiled import is_interpreted
from textensor.base.progress import check_time
from textensor.parallel.cluster import answer, by_cluster
from textensor.parallel.material import ATTEMPTS, Result, Task, WorkersError, gave_up, reloaded, saved

__all__ = ["WorkersError", "as_done", "crew", "in_order", "on_cluster", "tree_reduce"]

_client: ContextVar[Any] = ContextVar("client", default=None)


def in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], n_jobs: int | None = None
) -> Iterator[Result]:
    """Yield ``function(task)`` for each task, in order, computed by ``n_jobs`` threads.

    Threads, because the kernels run without the interpreter lock and share their arrays. ``n_jobs``
    means what it means to joblib. Tasks are drawn from the iterable only as results are taken, two for
    each worker ahead, so that a stream passes through in bounded memory: joblib's own generator runs
    ahead of a slow consumer without limit.

    Examples
    --------
    >>> list(in_order(abs, [-1, 2, -3], n_jobs=2))
    [1, 2, 3]
    """
    n_workers = _n_workers(n_jobs)
    if not _shares_memory():
        from joblib import cpu_count

        n_workers = min(n_workers, cpu_count())  # a cluster's workers are no threads of this machine
    if n_workers == 1:
        for task in tasks:
            check_time()
            yield function(task)
        return
    with ThreadPoolExecutor(n_workers) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                check_time()
                waiting.append(pool.submit(copy_context().run, function, task))  # a thread has no time limit
                if len(waiting) > 2 * n_workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _n_workers(n_jobs: int | None) -> int:
    """Return how many workers joblib would take."""
    check("n_jobs", n_jobs, jobs)
    if is_interpreted():  # what is small
        return 1
    if "joblib" not in sys.modules:  # nobody can have named a backend, and it is slow to import
        n_processors = (
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        )
        return max(1, n_jobs if n_jobs > 0 else n_processors + 1 + n_jobs) if n_jobs else 1
    from joblib import effective_n_jobs

    return 1 if _in_a_cluster() and not _shares_memory() else int(effective_n_jobs(n_jobs))


def _shares_memory() -> bool:
    """Say whether the backend that joblib names, threads if none, works in this process."""
    if "joblib" not in sys.modules:
        return True
    from joblib.parallel import get_active_backend

    return bool(getattr(get_active_backend(prefer="threads")[0], "supports_sharedmem", False))


def _in_a_cluster() -> bool:
    """Say whether this is a task of a Dask worker."""
    distributed = sys.modules.get("distributed.utils")
    return distributed is not None and hasattr(distributed.thread_state, "execution_state")


#: Runs a function over tasks and returns the results in their order.
Run = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


@contextmanager
def crew(n_jobs: int | None = None) -> Iterator[Run]:
    """Give a function that runs tasks side by side, by threads that stay from one call to the next.

    For many short rounds of tasks, of milliseconds each: to start threads takes as long as such a round.

    Examples
    --------
    >>> with crew(n_jobs=2) as run:
    ...     run(abs, [-1, 2]) + run(abs, [-3])
    [1, 2, 3]
    """
    n_workers = _n_workers(n_jobs)
    with ThreadPoolExecutor(n_workers) if n_workers > 1 else nullcontext() as pool:

        def run(function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
            check_time()
            return list(map(function, tasks) if pool is None else pool.map(function, tasks))

        yield run


def tree_reduce(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    combine: Callable[[Result, Result], Result],
    *,
    n_jobs: int | None = None,
    client: Any = None,
) -> Result:
    """Combine ``function(task)`` of all tasks in a fixed tree: neighbours in pairs, then pairs of pairs.

    The tree depends on the number of tasks alone, so sums have the same bits on threads and on a cluster.

    Parameters
    ----------
    function, combine : callable
        Pure; with a client they must be picklable, and they run on the workers.
    tasks : sequence
        At least one.
    n_jobs : int or None
        Threads, where there is no client.
    client : distributed.Client or None
        A Dask cluster, by default the one named as for :func:`as_done`; what a lost worker had done is done
        again.

    Examples
    --------
    >>> tree_reduce(str, [1, 2, 3, 4, 5], "({}{})".format, n_jobs=2)
    '(((12)(34))5)'
    """
    client = _cluster() if client is None else client
    if client is not None:
        level = client.map(function, tasks, pure=False)
        while len(level) > 1:
            pairs = [
                client.submit(combine, *level[k : k + 2], pure=False) for k in range(0, len(level) - 1, 2)
            ]
            level = pairs + level[2 * len(pairs) :]
        return answer(client, level[0])
    waiting: list[tuple[int, Result]] = []  # with the height of the tree below each
    for result in in_order(function, tasks, n_jobs):
        height = 0
        while waiting and waiting[-1][0] == height:
            result = combine(waiting.pop()[1], result)
            height += 1
        waiting.append((height, result))
    total = waiting.pop()[1]
    while waiting:
        total = combine(waiting.pop()[1], total)
    return total


def as_done(
    function: Callable[[Any, Task], Result], material: Any, tasks: Sequence[Task], n_jobs: int | None = None
) -> Iterator[tuple[int, Result]]:
    """Yield the number of a task and ``function(material, task)`` as they are done, in any order.

    By threads, unless ``joblib.parallel_config`` names another backend or :func:`on_cluster` a Dask client.
    A task of a Dask worker (one of a grid search, say) does them itself: all workers may be waiting likewise.
    Processes map the material into memory from a folder; where a cluster's workers do not see this machine's
    files, it is sent to them. What a worker that died had in hand is done again by another one.

    Parameters
    ----------
    function : callable
        Pure, and defined in a module, so that other processes find it.
    material : Material
        What all tasks share.
    tasks : sequence
        Each small enough to be sent about.
    n_jobs : int or None
        As in joblib; a cluster uses all its workers.

    Examples
    --------
    >>> sorted(as_done(pow, 2, [3, 1, 2]))
    [(0, 8), (1, 2), (2, 4)]
    """
    client = _cluster()
    if client is not None:
        yield from by_cluster(function, material, tasks, client)
    elif _shares_memory() or _in_a_cluster():
        yield from _by_threads(function, material, tasks, _n_workers(n_jobs))
    else:
        yield from _by_processes(function, material, tasks, n_jobs)


@contextmanager
def on_cluster(client: Any) -> Iterator[None]:
    """Run what is fitted inside the block on the workers of a ``distributed.Client``."""
    token = _client.set(client)
    try:
        yield
    finally:
        _client.reset(token)


def _cluster() -> Any:
    """Return the client that :func:`on_cluster` or joblib's backend names, or None."""
    if _in_a_cluster():
        return None
    client = _client.get()
    if client is None and "joblib" not in sys.modules:
        return None
    from joblib.parallel import get_active_backend

    return client if client is not None else getattr(get_active_backend()[0], "client", None)


def _by_threads(
    function: Callable[[Any, Task], Result], material: Any, tasks: Sequence[Task], n_workers: int
) -> Iterator[tuple[int, Result]]:
    if n_workers == 1:
        for number, task in enumerate(tasks):
            check_time()
            yield number, function(material, task)
        return
    pool = ThreadPoolExecutor(n_workers)
    try:
        numbers = {
            pool.submit(copy_context().run, function, material, task): number
            for number, task in enumerate(tasks)
        }
        for future in as_completed(numbers):
            check_time()
            yield numbers.pop(future), future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _by_processes(
    function: Callable[[Any, Task], Result],
    material: Any,
    tasks: Sequence[Task],
    n_jobs: int | None,
) -> Iterator[tuple[int, Result]]:
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend(prefer="threads")
    order = "generator_unordered" if getattr(backend, "supports_return_generator", False) else "list"
    waiting = dict(enumerate(tasks))
    deaths = 0
    with saved(material) as folder:
        while waiting:
            calls = [
                delayed(reloaded)(function, type(material), folder, task, k) for k, task in waiting.items()
            ]
            try:
                for number, result in Parallel(n_jobs=n_jobs, return_as=order)(calls):
                    del waiting[number]
                    deaths = 0
                    yield number, result
            except BrokenProcessPool as error:
                deaths += 1
                if deaths == ATTEMPTS:
                    raise WorkersError(gave_up(len(waiting))) from error
