"""``python -m experiments``: run the papers' tables and figures, and our own comparisons."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from textensor.cli import main
from textensor.cli.options import OptionError

if TYPE_CHECKING:
    from experiments.engine.pages import Written

#: Seconds between two lines of progress in a log; a terminal shows each cell.
EVERY = 60.0

NAMES = typer.Argument(
    None, metavar="[NAME[/ITEM]]...", help="An experiment, one of its tables or figures, or all."
)
LIST = typer.Option(
    False, "--list", help="List all tables and figures, or those of the given names, and exit."
)
QUICK = typer.Option(
    False,
    "--quick",
    help="Run very few splits, in minutes (default). Pages go to FOLDER/quick beside those of a full run.",
)
FULL = typer.Option(
    False, "--full", help="Run as many splits as the papers used, from the results in FOLDER on: hours."
)
RUN = typer.Option(
    True,
    "--run/--no-run",
    help="Run missing cells, or only write the pages again from stored results.",
)
OUTPUT = typer.Option("results", "--output", "-o", metavar="FOLDER", help="Folder of the results.")
N_JOBS = typer.Option(2, "--n-jobs", help="Number of processes. Only measured seconds depend on it.")


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def reproduce(
    names: list[str] | None = NAMES,
    show: bool = LIST,
    quick: bool = QUICK,
    full: bool = FULL,
    run: bool = RUN,
    output: str = OUTPUT,
    n_jobs: int = N_JOBS,
) -> None:
    """Run the tables and figures of the papers, and our own comparisons.

    Example: python -m experiments stm-text/table3 --quick
    """
    if show:
        _list(names or ["all"])
        return
    if not names:
        raise OptionError("Name an experiment, a table or figure, or all: see python -m experiments --list.")
    if quick and full:
        raise OptionError("--quick and --full exclude each other: choose one.")
    if not output:
        raise OptionError("-o names no folder: name one.")
    if n_jobs < 1:
        raise OptionError(f"--n-jobs is {n_jobs}: it must be 1 or more.")
    from experiments.engine.reproduce import reproduce as run_and_write
    from experiments.engine.verdicts import UNKNOWN
    from textensor.cli.screen import print_table, telling

    with telling("Reading earlier results", keep=False) as tell:
        told = time.monotonic()

        def progress(message: str, done: int | None = None, total: int | None = None) -> None:
            del done, total  # the message has the time left, by the kind of cell
            nonlocal told
            tell(message)
            if not sys.stderr.isatty() and time.monotonic() - told >= EVERY:
                told = time.monotonic()
                typer.echo(message, err=True)

        written = run_and_write(names, output, full=full, run=run, n_jobs=n_jobs, progress=progress)
    judged = [(one.experiment.name, v.claim.text, v.word) for one in written for v in one.verdicts]
    were_run = [row for row in judged if row[-1] != UNKNOWN]
    if were_run:
        print_table(["experiment", "claim", "verdict"], were_run)
    if n_open := len(judged) - len(were_run):
        have = "has" if n_open == 1 else "have"
        typer.echo(f"\n{n_open} of {len(judged)} claims {have} no results yet.")
    _tell(written, [name for name in names if "/" in name], output)


def _tell(written: "list[Written]", named: list[str], output: str) -> None:
    """Print what was not available, and where the pages and the named tables and figures are."""
    from experiments import experiment, select

    for absent in dict.fromkeys(one.facts.get("not available, so not run", "") for one in written):
        if absent:
            typer.echo(f"Not available, so not run: {absent}", err=True)
    pages = written[0].place.parent
    if pages != Path(output):
        typer.echo(
            f"\n{output} has the pages of a full run, which are unchanged. The quick pages are in {pages}."
        )
    for of, items in select(named).items():
        for item in items:
            typer.echo(f"\n{experiment(of).item(item).heading}: {pages / of / 'README.md'}")
    typer.echo(f"\nAll tables and figures: {pages}/index.html. One experiment: {pages}/NAME/README.md.")
    if all(
        "not available, so not run" in one.facts and one.facts["cells"].startswith("0 ") for one in written
    ):
        raise typer.Exit(1)


def _list(names: list[str]) -> None:
    from experiments import experiment, select
    from textensor.cli.screen import print_table

    rows = [
        (f"{of}/{item}", experiment(of).item(item).title)
        for of, items in select(names).items()
        for item in items
    ]
    if "all" in names:
        rows.append(("python -m experiments.coverage", "How often 95% intervals of F1 hold, a simulation"))
    print_table(["name", "what it is"], rows)


if __name__ == "__main__":
    main(app)
