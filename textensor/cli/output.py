"""Streams that cannot be written: standard output is an error, a message is lost and nothing else is."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any


def open_closed_streams() -> None:
    """Put something in the place of standard streams that are closed.

    Otherwise the first file that is opened would become one of them. Standard input is then empty, standard
    output cannot be written, and what goes to standard error is lost.
    """
    for number, (name, flags, mode) in enumerate(
        (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"))
    ):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, flags)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 (it stays)


class OutputError(OSError):
    """Standard output could not be written."""


@contextlib.contextmanager
def writing_output() -> Iterator[None]:
    """Say of what fails within the block that it is standard output."""
    try:
        yield
    except (BrokenPipeError, OutputError):  # whoever read it has left, which is no error; or it was said
        raise
    except OSError as error:
        from textensor.base.disk import reason

        raise OutputError(f"Standard output could not be written ({reason(error)}).") from error


class _InPlace(io.TextIOWrapper):
    """A text stream in the place of a standard one."""

    @classmethod
    def of(cls, stream: Any) -> Any:
        """Return a stream in the place of one of Python's own, which must not be used any more."""
        if type(stream) is not io.TextIOWrapper:
            return stream
        encoding, buffered = stream.encoding, stream.line_buffering
        return cls(stream.detach(), encoding=encoding, errors="replace", line_buffering=buffered)


class Output(_InPlace):
    """A text stream that says so where it cannot be written.

    Errors come up in ``write`` or ``flush``, with nothing in them that tells standard output from a file.
    """

    def write(self, text: str, /) -> int:
        """Write text."""
        with writing_output():
            return super().write(text)

    def flush(self) -> None:
        """Hand on what was written."""
        with writing_output():
            super().flush()


class Messages(_InPlace):
    """Standard error: progress or a warning that cannot be written must not end the work it tells of."""

    def write(self, text: str, /) -> int:
        """Write text, if that is possible."""
        with contextlib.suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Hand on what was written, if that is possible."""
        with contextlib.suppress(OSError):
            super().flush()
