"""The folder that results go to: it can be written to, and what a full run left there is not lost."""

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from textensor.disk import reason
from textensor.papers.cells import kept_in, key
from textensor.papers.declare import Cell, Paper

__all__ = ["TITLE", "cells_of_full_pages", "check_folder", "check_full_pages"]

#: What all pages of results begin with.
TITLE = "The papers, run again"


def check_folder(folder: Path, names: Iterable[str]) -> None:
    """Make the folder if need be; a sentence says why results could not go there, before anything is run."""
    for path in (folder, folder / ".cells", *(folder / name for name in names)):
        if path.exists() and not path.is_dir():
            raise ValueError(f"{path} is a file, and results go to a folder: name another one with -o.")
    for path in (folder / "README.md", folder / "index.html"):
        if path.exists() and TITLE not in path.read_text(encoding="utf-8", errors="replace"):
            raise ValueError(
                f"{path} is not of earlier results and would be replaced: name a folder with -o."
            )
    try:
        (folder / ".cells").mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder / ".cells"):
            pass
    except OSError as error:
        raise ValueError(
            f"Results cannot be written to the folder {folder} ({reason(error)}): name another one with -o."
        ) from error


def cells_of_full_pages(folder: Path, name: str) -> int:
    """Return how many cells are shown by the pages that a full run left of a paper, 0 without such pages."""
    path = folder / name / "results.json"
    if not path.exists():
        return 0
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(
            f"{path} is no file of results: delete it, or name another folder with -o."
        ) from error
    return len(found["cells"]) if found["facts"]["run"] == "full" else 0


def check_full_pages(of: Paper, folder: Path, chosen: Iterable[Cell], n_shown: int) -> None:
    """Refuse to run a table of a full run anew where its other cells are not there to be shown.

    Committed pages, say, whose cells are on another machine, or are of other code.
    """
    every = [cell for run in of.runs for cell in run.cells(True)]
    will_run = {key(cell) for cell in chosen}
    n_there = sum(key(cell) in will_run or kept_in(cell, folder / ".cells") for cell in every)
    if n_there < min(n_shown, len(every)):
        raise ValueError(
            f"{folder / of.name} has pages of a full run with {n_shown} cells, of which this call would "
            f"leave {n_there}: name another folder with -o, or run all of {of.name}."
        )
