"""The one seam to parallel execution: run tasks side by side, results in the order of the tasks.

The answer never depends on how many workers there are: a task is a pure function of its argument.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from joblib import effective_n_jobs

__all__ = ["Run", "crew", "in_order", "tree_reduce"]

Task = TypeVar("Task")
Result = TypeVar("Result")


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
    n_workers = effective_n_jobs(n_jobs)
    if n_workers == 1:
        yield from map(function, tasks)
        return
    with ThreadPoolExecutor(n_workers) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(function, task))
                if len(waiting) > 2 * n_workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


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
    n_workers = effective_n_jobs(n_jobs)
    if n_workers == 1:
        yield lambda function, tasks: list(map(function, tasks))
        return
    with ThreadPoolExecutor(n_workers) as pool:
        yield lambda function, tasks: list(pool.map(function, tasks))


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
        A Dask cluster; what a lost worker had done is done again.

    Examples
    --------
    >>> tree_reduce(str, [1, 2, 3, 4, 5], "({}{})".format, n_jobs=2)
    '(((12)(34))5)'
    """
    if client is not None:
        level = client.map(function, tasks, pure=False)
        while len(level) > 1:
            pairs = [
                client.submit(combine, *level[k : k + 2], pure=False) for k in range(0, len(level) - 1, 2)
            ]
            level = pairs + level[2 * len(pairs) :]
        return level[0].result()
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
