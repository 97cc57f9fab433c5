"""Where commands may write: never over what they read, nor over what they did not make."""

import os
from pathlib import Path

from textensor.base.disk import DamageError, check_writable, open_regular, reason

#: How a page begins that a report may replace.
PAGE = b"<!doctype html"


def check_folder(out: str) -> None:
    """Refuse to write into a folder that is not there or cannot be written, before any work is done."""
    if out == "-":
        return
    folder = Path(out).absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder to write {out} to: make it, or choose another place.")
    try:
        check_writable(folder)
    except OSError as error:
        raise OSError(
            f"{out} cannot be written, because its folder cannot ({reason(error)}): choose another place."
        ) from error


def check_apart(out: str, **read: str | None) -> None:
    """Refuse to write to what is no file, or is read, given by what it is to the user, such as ``model``."""
    check_folder(out)
    for what, path in read.items():
        if out != "-" and path not in (None, "-") and _same(out, str(path)):
            raise ValueError(f"{out} is the {what.replace('_', ' ')} itself: write to another place.")
    place = Path(out)
    if out != "-" and (place.is_symlink() or (place.exists() and not place.is_file())):
        what = "a link" if place.is_symlink() else "no regular file"
        raise ValueError(f"{out} is not replaced (it is {what}): choose another place.")


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)  # noqa: PTH121 (under another name, or by a link)
    except OSError:  # one of them is not there
        return False


def check_report(report: str | None, **read: str | None) -> None:
    """Refuse a place for a report before any work is done; only a page or an empty file is replaced."""
    if report is None:
        return
    check_apart(report, **read)
    path = Path(report)
    if not path.exists():
        return
    try:
        with open_regular(path) as file:
            begins = file.read(len(PAGE))
    except DamageError as error:
        raise ValueError(f"{report} is not replaced ({error}): choose another place.") from error
    if begins and begins.lower() != PAGE:
        raise ValueError(f"{report} is not replaced (it is no page of HTML): choose another place.")
