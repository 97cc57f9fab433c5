"""The one seam to parallel execution: run tasks side by side, results in the order of the tasks.

The answer never depends on how many workers there are: a task is a pure function of its argument.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from joblib import effective_n_jobs

__all__ = ["in_order"]

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
