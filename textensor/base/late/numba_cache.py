"""Kernels compiled by Numba: without the interpreter lock, and cached if a folder can be written."""

import hashlib
import logging
import pickle
from collections.abc import Callable
from typing import Any

import numba
from numba import extending
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile

from textensor.base.disk import reason

__all__ = ["compile_kernel", "extending"]

logger = logging.getLogger("textensor")


def compile_kernel(function: Callable[..., Any]) -> Any:
    """Return a function that Numba compiles for the types of its first call.

    The machine code is kept on disk, next to the source or in the user's cache folder. If neither can be
    written, or the cache fails later, it is compiled in memory.
    """
    compiled = numba.njit(nogil=True)(function)
    try:
        compiled._cache = _Cache(function)
    except (RuntimeError, OSError):  # numba found no folder it may write to
        logger.debug("No folder for compiled kernels.")
    return compiled


class _CheckedFile(IndexDataCacheFile):
    """Machine code on disk with a checksum: a damaged piece could crash the process, or lie."""

    def save(self, key: Any, data: Any) -> None:
        whole = self._dump((self._source_stamp, key, data))
        super().save(key, (hashlib.sha256(whole).digest(), whole))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        if found is None:
            return None
        checksum, whole = found
        if hashlib.sha256(whole).digest() != checksum:
            raise ValueError("the checksum of a file is wrong")
        stamp, kept, data = pickle.loads(whole)  # noqa: S301  # numba's cache is made of pickles
        # Another process may be between writing its index and its data: then this is older code.
        return data if (stamp, kept) == (self._source_stamp, key) else None


class _Cache(FunctionCache):
    """Numba's cache, but optional: if it fails, the kernel is compiled in memory, with one warning."""

    failed = False

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = "with checksums", self._impl.locator.get_source_stamp()  # others are not fresh
        self._cache_file = _CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, *of: Any) -> Any:
        try:
            return super().load_overload(*of)
        except Exception as error:  # a pickle can raise anything
            self._fail(error)
        try:
            self.flush()  # so that the kernel is saved anew
        except OSError:
            self.disable()
        return None

    def save_overload(self, *of: Any) -> None:
        try:
            super().save_overload(*of)
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not _Cache.failed:
            _Cache.failed = True
            logger.warning(
                "The cache of compiled kernels in %s failed (%s): compiling in memory.",
                self.cache_path,
                reason(error),
            )


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
