"""Ctrl-C ends a command, whatever it meets on its way.

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


@contextmanager
def insisting() -> Iterator[Callable[[], bool]]:
    """Raise KeyboardInterrupt within the block on Ctrl-C, and again until the block is left by it.

    Gives a function that says whether there was an interrupt. Where SIGINT is ignored, as it is for what a
    shell runs in the background, it stays so.
    """
    heard = False

    def hear(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  # what signal gives
        nonlocal heard
        heard = True
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
        if not _on_its_way(sys.exception()):
            raise KeyboardInterrupt

    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not ours:
        yield lambda: heard
        return
    alarm = signal.signal(signal.SIGALRM, hear) if hasattr(signal, "setitimer") else None
    signal.signal(signal.SIGINT, hear)
    try:
        yield lambda: heard
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, alarm or signal.SIG_DFL)


def _on_its_way(error: BaseException | None) -> bool:
    """Say whether an interrupt is being handled: what cleans up after it must not be interrupted."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
