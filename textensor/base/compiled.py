"""Kernels: compiled when they are first called, and run as they are written on what is small.

Numba takes most of a second to import, and seconds to compile on a machine that has none of the kernels yet.
A line of text is scored in less than that by the same functions as plain Python, with the same bits.
"""

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_interpreted: ContextVar[bool] = ContextVar("interpreted", default=False)
_making = threading.RLock()
Maker = Callable[..., Callable[..., Any]]
#: What is not known to Numba yet, by module.
_overloads: dict[str, list[tuple[Callable[..., Any], dict[str, Any], Maker]]] = {}


def kernel(function: Callable[..., Any]) -> Any:
    """Let Numba compile a function on its first call, for use from several threads at once."""
    return Kernel(function)


def overload(function: Callable[..., Any], **options: Any) -> Callable[[Maker], Maker]:
    """Declare a function of several kinds of arguments, as :func:`numba.extending.overload` does.

    What is decorated returns the function for arguments of a kind, given these or their types.
    """

    def declare(make: Maker) -> Maker:
        _overloads.setdefault(function.__module__, []).append((function, options, make))
        return make

    return declare


class Kernel:
    """A function that is compiled when it is first called, unless that is within :func:`interpreted`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function

    def __call__(self, *args: Any) -> Any:
        """Run the function."""
        return (self.py_func if _interpreted.get() else self.compiled)(*args)

    def __getattr__(self, name: str) -> Any:
        """Return what Numba's dispatcher has under a name.

        Numba asks for ``_numba_type_`` if another kernel calls this one.
        """
        if name.startswith("__") or name == "compiled":
            raise AttributeError(name)
        return getattr(self.compiled, name)

    @functools.cached_property
    def compiled(self) -> Any:
        """Numba's dispatcher."""
        from textensor.base.late.numba_cache import compile_kernel, extending

        with _making:
            made = vars(self).get("compiled")
            if made is None:
                made = vars(self)["compiled"] = compile_kernel(self.py_func)
                for function, options, make in _overloads.pop(self.py_func.__module__, ()):
                    extending.overload(function, **options)(make)
        return made


@contextmanager
def interpreted(small: bool = True, *, always: bool = False) -> Iterator[bool]:
    """Run kernels as plain Python within the block, if what they are given is ``small``.

    Where Numba is loaded already, compiled kernels are the quicker ones. Solvers add up in another order if
    they are compiled, so that for them it must not matter what is loaded: they ``always`` run as Python.
    """
    plain = _interpreted.get() or (small and (always or "numba" not in sys.modules))
    token = _interpreted.set(plain)
    try:
        yield plain
    finally:
        _interpreted.reset(token)


def is_interpreted() -> bool:
    """Return whether kernels run as plain Python now."""
    return _interpreted.get()
