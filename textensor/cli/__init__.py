"""The command. Nothing heavy is imported before a command needs it, so that help is instant."""

import io
import os
import sys
import warnings
from collections.abc import Callable

import typer

from textensor import __version__
from textensor.base.plain import clean
from textensor.cli.commands import COMMANDS
from textensor.cli.interrupt import insisting, on_its_way
from textensor.cli.options import OptionError, as_options
from textensor.cli.output import Messages, Output, open_closed_streams

__all__ = ["app", "main"]

#: The exit code of a command that a signal has ended, as shells have it: this and the signal's number.
SIGNALLED = 128
INTERRUPTED = SIGNALLED + 2
#: That of a command whose options are wrong, as those have it that typer finds.
WRONG_OPTION = 2

app = typer.Typer(
    name="textensor",
    help="Text categorization in tensor space.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in COMMANDS:
    if isinstance(command, typer.Typer):
        app.add_typer(command)
    else:
        app.command()(command)


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


def _warning(message: Warning | str, *_: object) -> None:
    """Show a warning as one sentence."""
    typer.echo(f"textensor: warning: {clean(as_options(str(message)))}", err=True)


def main(command: Callable[[], object] = app) -> None:
    """Run the command: an error is one sentence on standard error and exit code 1.

    A wrong option has code 2, an interrupt 130, a request to terminate 143.
    """
    open_closed_streams()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # what a terminal cannot show must not stop a command
    sys.stdout, sys.stderr = Output.of(sys.stdout), Messages.of(sys.stderr)
    warnings.showwarning = _warning  # type: ignore[assignment]  # takes what it gets
    with insisting() as heard:
        try:
            code = _run(command)
        except KeyboardInterrupt:
            code = INTERRUPTED
    if heard() or code == INTERRUPTED:
        code = SIGNALLED + heard() if heard() else INTERRUPTED
        what = "interrupted" if code == INTERRUPTED else "terminated"
        typer.echo(f"textensor: {what}; no file is left half-written.", err=True)
    if code:
        _forget_output()
    sys.exit(code)


def _run(command: Callable[[], object]) -> str | int | None:
    """Run a command and return its exit code."""
    try:
        try:
            command()
            code: str | int | None = 0
        except SystemExit as left:
            code = left.code
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read our output has left, as head does
        return 1
    except (ValueError, OSError, MemoryError, ImportError) as error:
        if on_its_way(error):  # zipfile and shutil raise errors of their own when they are interrupted
            return INTERRUPTED
        typer.echo(f"textensor: {clean(as_options(_sentence(error)))}", err=True)
        return WRONG_OPTION if isinstance(error, OptionError) else 1
    return code


def _sentence(error: Exception) -> str:
    """Return what an error says, without the number and the form that the system's own errors have."""
    if isinstance(error, MemoryError):
        return "There is not enough memory: use fewer documents, or another machine."
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.filename} cannot be used" if error.filename else "The system refused a request"
        return f"{what} ({error.strerror})."
    return str(error) or type(error).__name__


def _forget_output() -> None:
    """Let Python not try again, and complain once more, to write what could not be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
