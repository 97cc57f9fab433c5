"""The one seam to joblib: run tasks side by side, results in the order of the tasks.

The answer never depends on how many workers there are: a task is a pure function of its argument.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from joblib import Parallel, delayed

__all__ = ["in_order"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], n_jobs: int | None = None
) -> Iterator[Result]:
    """Yield ``function(task)`` for each task, in order, computed by ``n_jobs`` threads.

    Tasks are drawn from the iterable only as workers become free, so it may be endless. Threads,
    because the kernels run without the interpreter lock and share their arrays.

    Examples
    --------
    >>> list(in_order(abs, [-1, 2, -3], n_jobs=2))
    [1, 2, 3]
    """
    run = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator", pre_dispatch="2*n_jobs")
    yield from run(delayed(function)(task) for task in tasks)
