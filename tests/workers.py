"""What the tests of parallel execution run in other processes, which start soon: little is imported."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np


class Numbers(NamedTuple):
    """Material of one array."""

    values: np.ndarray

    def save(self, folder):
        np.save(folder / "values.npy", self.values)

    @classmethod
    def load(cls, folder):
        return cls(np.load(folder / "values.npy", mmap_mode="r"))


def look_up(material, task):
    time.sleep(0.02)
    return int(material.values[task]), os.getpid()


def process(task):
    return {os.getpid()}


def die(material, task):
    if task == 3:
        kill(os.getpid())
    return task


def die_once(material, task):
    """Look a number up; the process dies if there is a file to make, and it is not there yet."""
    number, mark = task
    if mark is not None and not Path(mark).exists():
        Path(mark).touch()
        kill(os.getpid())
    return int(material.values[number])


def die_first(mark, function, material, task):
    """Run a function; the process that makes a file dies in the middle of its task."""
    with suppress(FileExistsError):
        Path(mark).touch(exist_ok=False)
        kill(os.getpid())
    return function(material, task)


def fail(material, task):
    raise ZeroDivisionError(f"task {task}")


def kill(pid):
    os.kill(pid, signal.SIGKILL)
