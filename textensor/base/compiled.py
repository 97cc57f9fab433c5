"""How kernels are compiled: without the interpreter lock, and cached where a folder can be written."""

import logging
from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

logger = logging.getLogger("textensor")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` with Numba on first call, for use from several threads at once.

    The machine code is kept on disk, next to the source or in the user's cache folder. Where
    neither can be written it is compiled in memory in every process.
    """
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba found no folder it may write to
        return numba.njit(nogil=True)(function)


class _SayOnce(event.Listener):
    """Say, once in a process, that a kernel is being compiled, for it takes seconds."""

    said = False

    def on_start(self, event: event.Event) -> None:
        if not self.said and "textensor" in str(event.data["dispatcher"].py_func.__module__):
            self.said = True
            logger.warning("Compiling kernels: a few seconds, the first time only.")

    def on_end(self, event: event.Event) -> None:
        """Nothing to say."""


_say_once = _SayOnce()
event.register("numba:compile", _say_once)
