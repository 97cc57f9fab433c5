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
    from rich.console import Console  # here: it is slow to import
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for k, name in enumerate(header):
        table.add_column(name, justify="right" if k in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean(str(cell)[: 4 * LONGEST_CELL], LONGEST_CELL)) for cell in row))
    # Where the output is a file or a pipe, lines are as long as they need to be.
    width = None if sys.stdout.isatty() else 1000
    for line in Console(width=width).render_lines(table, pad=False):
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
