"""Work that takes long: one callback for its progress, and a time limit that it obeys."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Flag = npt.NDArray[np.uint8]


class Progress(Protocol):
    """Called with a sentence after each step, and with how much is done if that can be counted."""

    def __call__(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Take a progress message; ``done`` of ``total`` units are complete, ``total`` may be unknown."""


def silent(message: str, done: int | None = None, total: int | None = None) -> None:
    """Show nothing."""


class TimeUpError(RuntimeError):
    """The time limit is reached."""


@dataclass(frozen=True)
class _Limit:
    end: float
    over: Flag


_limit: ContextVar[_Limit | None] = ContextVar("limit", default=None)
#: The flag of work without a limit.
_NEVER: Any = np.zeros(1, dtype=np.uint8)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Make work inside the block raise :class:`TimeUpError` if it takes more than ``seconds``.

    Inside another limit the one that ends first holds. Work notices the limit at the next task or pass, not
    at once.

    Examples
    --------
    >>> from textensor.parallel import in_order
    >>> with time_limit(0.0):
    ...     list(in_order(abs, [-1, 2]))
    Traceback (most recent call last):
    textensor.base.progress.TimeUpError: The time limit is reached.

    Notes
    -----
    The limit is looked at between tasks of :mod:`textensor.parallel` and between the passes of a kernel.
    """
    outer = _limit.get()
    end = time.monotonic() + seconds
    if outer is not None and outer.end <= end:
        yield
        return
    limit = _Limit(end, np.zeros(1, dtype=np.uint8))
    # A kernel cannot read the clock, so a timer raises its flag.
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), limit.over.fill, [1])
    timer.daemon = True
    timer.start()
    token = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(token)
        timer.cancel()


def check_time() -> None:
    """Raise :class:`TimeUpError` if the limit is reached."""
    limit = _limit.get()
    if limit is not None and (limit.over[0] or time.monotonic() >= limit.end):
        raise TimeUpError("The time limit is reached.")


def time_left() -> float:
    """Return the seconds left, infinity without a limit."""
    limit = _limit.get()
    return float("inf") if limit is None else max(0.0, limit.end - time.monotonic())


def time_flag() -> Flag:
    """Return the array that a kernel looks at: its one number is 0 until the limit is reached."""
    limit = _limit.get()
    return _NEVER if limit is None else limit.over
