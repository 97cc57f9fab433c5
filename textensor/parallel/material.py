"""What tasks in other processes share: written to a folder, or sent, and opened once in each process."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

#: A task whose workers die this often, with nothing finished in between, is given up.
ATTEMPTS = 3


class WorkersError(RuntimeError):
    """Workers keep dying, or there are none."""


class Material(Protocol):
    """What tasks share. It can be written to a folder and opened again elsewhere."""

    def save(self, folder: Path) -> None:
        """Write everything to a folder that is there and empty."""

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Open what was saved, mapped into memory."""
        ...


def gave_up(n_waiting: int) -> str:
    """Return why tasks were given up."""
    return (
        f"Workers keep dying and {n_waiting} tasks are not done, most likely for want of memory: use fewer "
        "workers or smaller tasks; with a checkpoint folder, what is done is kept."
    )


@contextmanager
def saved(material: Any) -> Iterator[Path]:
    """Write material to a folder that is there for as long as the block."""
    with tempfile.TemporaryDirectory(prefix="textensor-", ignore_cleanup_errors=True) as folder:
        material.save(Path(folder))
        yield Path(folder)


@lru_cache(maxsize=1)
def _opened(kind: type[Material], folder: Path) -> Material:
    """Open material once in each process."""
    return kind.load(folder)


def reloaded(
    function: Callable[[Any, Task], Result], kind: type[Material], folder: Path, task: Task, number: int
) -> tuple[int, Result]:
    """Return a task's number and result; its material is in a folder."""
    return number, function(_opened(kind, folder), task)


def numbered(
    task: Task, number: int, function: Callable[[Any, Task], Result], material: Any
) -> tuple[int, Result]:
    """Return a task's number and result."""
    return number, function(material, task)
