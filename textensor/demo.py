"""The demonstration behind ``make demo``: the commands in turn, on text that every machine has."""

import os
import shlex
import sys
import time
import webbrowser
from pathlib import Path

import typer

from textensor.cli import app, main

#: Where the report and the model are written to.
FOLDER = Path("textensor-demo")
REPORT, MODEL = FOLDER / "comparison.html", FOLDER / "docstrings.model"

#: Few labels, then many: an SVM, and one that reads text without labels too.
COMPARE = ["--methods", "svm,semantic-svm", "--train", "5%,10%,50%", "--splits", "3", "--read-rest"]
TEXTS = (
    "Return the eigenvalues and eigenvectors of a symmetric matrix.",
    "Wait until the server sends the header of its answer, then read the body.",
    "Fit a forest of decision trees to the training samples and return the class of each sample.",
)


def demonstrate() -> None:
    """Compare two methods, write a report, save a model, and explain three predictions."""
    start = time.perf_counter()
    FOLDER.mkdir(exist_ok=True)
    typer.echo("Which module of Python's libraries does a docstring come from?")
    _run("compare", "docstrings", *COMPARE, "--report", str(REPORT))
    _run("fit", "docstrings", "--method", "svm", "--output", str(MODEL))
    for text in TEXTS:
        _run("explain", str(MODEL), text, "--top", "4")
    typer.echo(f"\nDone in {time.perf_counter() - start:.0f} s. The report: {REPORT.absolute()}")
    if sys.stdout.isatty() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open(REPORT.absolute().as_uri())


def _run(*arguments: str) -> None:
    """Show a command and run it."""
    typer.echo(f"\n$ textensor {shlex.join(arguments)}")
    sys.argv = ["textensor", *arguments]  # what the report says to run again
    code = app(list(arguments), standalone_mode=False)
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main(demonstrate)
