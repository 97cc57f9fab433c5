"""Progress: one callback for everything that takes long."""

from typing import Protocol


class Progress(Protocol):
    """Called with a sentence after each step, and with how much is done if that can be counted."""

    def __call__(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Take a progress message; ``done`` of ``total`` units are complete, ``total`` may be unknown."""


def silent(message: str, done: int | None = None, total: int | None = None) -> None:
    """Show nothing."""
