"""What commands print: tables and progress, with other people's text made harmless."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from textensor.plain import clean

__all__ = ["clean", "download_progress", "print_table", "waiting"]


class Report(Protocol):
    """A function that is told how many bytes are here, and of how many where that is known."""

    def __call__(self, received: int, expected: int | None, /) -> None: ...


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> None:
    """Print a table; the columns listed in ``numbers`` are set to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for k, name in enumerate(header):
        table.add_column(name, justify="right" if k in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean(str(cell))) for cell in row))
    # Where the output is a file or a pipe, lines are as long as they need to be.
    width = None if sys.stdout.isatty() else 1000
    for line in Console(width=width).render_lines(table, pad=False):
        sys.stdout.write("".join(segment.text for segment in line).rstrip() + "\n")


@contextmanager
def waiting(message: str) -> Iterator[None]:
    """Show on standard error, while it lasts, what takes a moment; a terminal only."""
    with Console(stderr=True).status(Text(clean(message))):
        yield


@contextmanager
def download_progress(name: str) -> Iterator[Report]:
    """Show how far a download is, on standard error."""
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(clean(name), total=None)
        yield lambda received, expected: progress.update(task, completed=received, total=expected)
