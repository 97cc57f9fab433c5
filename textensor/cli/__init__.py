"""The command. Nothing heavy is imported before a command needs it, so that help is instant."""

import io
import sys

import typer

from textensor import __version__
from textensor.cli import datasets

__all__ = ["app", "main"]

app = typer.Typer(
    name="textensor",
    help="Text categorization in tensor space.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(datasets.app, name="datasets")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"textensor {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and leave."
    ),
) -> None:
    """Text categorization in tensor space."""


def main() -> None:
    """Run the command: an error is one sentence on standard error and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # what a terminal cannot show must not stop a command
    try:
        app()
    except (ValueError, OSError, MemoryError) as error:
        message = str(error) or type(error).__name__
        typer.echo(f"textensor: {message}", err=True)
        sys.exit(1)
