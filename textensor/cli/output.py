"""Standard output that cannot be written: one sentence, whichever way it was printed to."""

import contextlib
import io
from collections.abc import Iterator
from typing import Any


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


class Output(io.TextIOWrapper):
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

    @classmethod
    def of(cls, stream: io.TextIOWrapper) -> Any:
        """Return a stream in the place of another, which must not be used any more."""
        encoding, buffered = stream.encoding, stream.line_buffering
        return cls(stream.detach(), encoding=encoding, errors="replace", line_buffering=buffered)
