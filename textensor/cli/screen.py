"""What commands print: tables and progress, with other people's text made harmless."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from textensor.base.plain import clean
from textensor.base.progress import Progress as Tell

__all__ = ["clean", "counting", "download_progress", "print_table", "telling", "waiting"]


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
def telling(message: str, *, keep: bool = True) -> Iterator[Tell]:
    """Show on standard error what is done, and keep each sentence there that is told, if asked to."""
    console = Console(stderr=True, soft_wrap=True)
    with console.status(Text(clean(message))) as status:

        def tell(message: str, done: int | None = None, total: int | None = None) -> None:  # noqa: ARG001
            if keep:
                console.print(Text(clean(message)), highlight=False)
            status.update(Text(clean(message)))

        yield tell


@contextmanager
def counting(message: str, unit: str, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show how many are done, on standard error; a terminal only.

    Nothing is shown, and rich is not asked, where ``quiet``: while it shows something it takes over standard
    output too, and a quiet console would swallow what is printed there.
    """
    if quiet:
        yield lambda more: None  # noqa: ARG005  # what a caller gives
        return
    console = Console(stderr=True)
    n = 0
    with console.status(Text(clean(message))) as status:

        def count(more: int) -> None:
            nonlocal n
            n += more
            status.update(Text(clean(f"{message}: {n:,} {unit}")))

        yield count


@contextmanager
def download_progress(name: str) -> Iterator[Report]:
    """Show how far a download is, on standard error."""
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(clean(name), total=None)
        yield lambda received, expected: progress.update(task, completed=received, total=expected)
