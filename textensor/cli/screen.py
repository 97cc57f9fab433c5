"""What commands print: tables, JSON and progress, with other people's text made harmless."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from textensor.base.plain import clean
from textensor.base.progress import Progress, silent
from textensor.cli.options import as_options

#: The two protocols of F1 as tables name them.
PROTOCOLS = {"argmax": "arg max", "assignment": "assignment"}


#: Characters of a cell that are shown.
LONGEST_CELL = 1000


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> None:
    """Print a table; the columns listed in ``numbers`` are set to the right."""
    cells = [[clean(str(cell)[: 4 * LONGEST_CELL], LONGEST_CELL) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _print_folded(header, cells, numbers)
        return
    from rich.cells import cell_len

    # In a file or a pipe, lines are as long as they need to be.
    lines = [list(header), *cells]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        spaces = [" " * (width - cell_len(cell)) for width, cell in zip(widths, line, strict=True)]
        padded = (
            space + cell if k in numbers else cell + space
            for k, (cell, space) in enumerate(zip(line, spaces, strict=True))
        )
        sys.stdout.write("  ".join(padded).rstrip() + "\n")


def _print_folded(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int]) -> None:
    """Print a table as wide as the terminal; what is wider goes on in the next line."""
    from rich.console import Console  # here: it is slow to import
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for k, name in enumerate(header):
        table.add_column(name, justify="right" if k in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    for line in Console().render_lines(table, pad=False):
        sys.stdout.write("".join(segment.text for segment in line).rstrip() + "\n")


def print_json(data: Any) -> None:
    """Print data as JSON."""
    sys.stdout.write(json.dumps(data, indent=2) + "\n")


def print_found(found: Any, show: Callable[[Any], None], as_json: bool, report: str | None) -> None:
    """Print what was found: as JSON, or else by ``show``, and where its report is."""
    if as_json:
        print_json(found.as_data())
        return
    show(found)
    if report:
        sys.stdout.write(f"\nReport: {clean(report)}\n")


@contextmanager
def telling(message: str, *, keep: bool = True, quiet: bool = False) -> Iterator[Progress]:
    """Show progress on standard error within the block: the last message, and a bar if there is a total.

    With ``keep`` each message after the first stays there, on a line of its own; nothing else is written to a
    file or a pipe.
    """
    if quiet:  # rich takes over standard output too, and a quiet console would swallow what is printed there
        yield silent
        return
    from rich.console import Console
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=True, soft_wrap=True)
    start, before = time.monotonic(), 0
    with console.status(Text(clean(message))) as status:

        def tell(message: str, done: int | None = None, total: int | None = None) -> None:
            nonlocal start, before
            text = Text(clean(as_options(message)))
            if keep:
                console.print(text, highlight=False)
            if not done or not total:
                status.update(text)
                return
            if done < before:  # the next of several downloads
                start = time.monotonic()
            before = done
            left = timedelta(seconds=round((time.monotonic() - start) * (total - done) / done))
            line = Table.grid(padding=(0, 1))
            line.add_row(text, ProgressBar(total, done, width=40), f"{left} left")
            status.update(line)

        yield tell
