"""Ctrl-C, SIGTERM and SIGHUP end a command, whatever it meets on its way, and let it clean up.

Python gives an interrupt as an exception to whatever code runs at that moment. Where that is a callback from
C (LLVM's while Numba loads a kernel), a finalizer or a weak reference's callback, Python prints the exception
and goes on as if nothing had happened. So an interrupt is said again until it has arrived.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

#: Seconds after which an interrupt is said again.
AGAIN = 0.2
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
_SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


@contextmanager
def insisting() -> Iterator[Callable[[], int]]:
    """Raise KeyboardInterrupt within the block on Ctrl-C, and again until the block is left by it.

    A request to terminate and a terminal that is closed do the same. Gives a function that returns the number
    of the signal that was heard, or 0. A signal that is ignored, as SIGINT is for what a shell runs in the
    background, stays so.
    """
    heard = 0

    def hear(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  # what signal gives
        nonlocal heard
        heard = heard or number
        if hasattr(signal, "setitimer"):
            # Again and again: one that comes just before a read begins would not wake it.
            signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        if not on_its_way(sys.exception()):
            raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    old = {number: signal.getsignal(number) for number in _SIGNALS} if main else {}
    ours = [number for number in old if old[number] in (signal.SIG_DFL, signal.default_int_handler)]
    if not ours:
        yield lambda: heard
        return
    alarm = signal.signal(signal.SIGALRM, hear) if hasattr(signal, "setitimer") else None
    for number in ours:
        signal.signal(number, hear)
    try:
        yield lambda: heard
    finally:
        for number in ours:
            signal.signal(number, old[number])
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, alarm or signal.SIG_DFL)


def on_its_way(error: BaseException | None) -> bool:
    """Return whether an error is an interrupt or came of one: what cleans up must not be interrupted."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
