"""The folder that results go to: it can be written to, and what a full run left there is not lost."""

import tempfile
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.cells import Kind, kept_in, key, read_json
from experiments.declare import Cell, Paper
from textensor.base.disk import reason

__all__ = [
    "TITLE",
    "cells_of_full_pages",
    "check_folder",
    "check_full_pages",
    "check_pages",
    "results_of",
    "seconds_before",
]

#: What all pages of results begin with.
TITLE = "The papers, run again"


def check_folder(folder: Path, names: Collection[str]) -> None:
    """Make the folder if need be; a sentence says why results could not go there, before anything is run."""
    check_pages(folder, names)
    try:
        (folder / ".cells").mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder / ".cells"):
            pass
    except OSError as error:
        raise ValueError(
            f"Results cannot be written to the folder {folder} ({reason(error)}): name another one with -o."
        ) from error


def check_pages(folder: Path, names: Collection[str]) -> None:
    """Refuse a folder where pages would replace what is not of earlier results."""
    for path in (folder, folder / ".cells", *(folder / name for name in names)):
        if path.exists() and not path.is_dir():
            raise ValueError(f"{path} is a file, and results go to a folder: name another one with -o.")
    said = {folder / "README.md": TITLE, folder / "index.html": TITLE}
    said |= {folder / name / "README.md": f"python -m experiments {name} " for name in names}
    within = [path for name in names for path in (folder / name).glob("*.*") if path.is_dir()]
    for path, words in [*said.items(), *((path, "") for path in within)]:
        if path.is_dir():
            raise ValueError(f"{path} is a folder, and a page goes there: name another folder with -o.")
        if path.is_file() and words not in path.read_text(encoding="utf-8", errors="replace"):
            raise ValueError(
                f"{path} is not of earlier results and would be replaced: name a folder with -o."
            )


def cells_of_full_pages(folder: Path, name: str) -> int:
    """Return how many cells are shown by the pages that a full run left of a paper, 0 without such pages."""
    found = results_of(folder, name)
    return len(found["cells"]) if found is not None and found["facts"]["run"] == "full" else 0


def results_of(folder: Path, name: str) -> dict[str, Any] | None:
    """Return the JSON of a paper's results, None if there is none; what is no such file is refused."""
    path = folder / name / "results.json"
    if not path.exists():
        return None
    found = read_json(path)
    if not _are_results(found):
        raise ValueError(f"{path} is no file of results: delete it, or name another folder with -o.")
    results: dict[str, Any] = found
    return results


def seconds_before(folder: Path, names: Iterable[str]) -> dict[Kind, float]:
    """Return how long cells took on average in the runs that left the pages; what is odd is left out."""
    taken: dict[Kind, list[float]] = {}
    for cell in (cell for name in names for cell in (results_of(folder, name) or {"cells": []})["cells"]):
        with suppress(KeyError, TypeError, ValueError):
            of = cell["description"]
            kind = of["protocol"], of["data"], cell["part"], cell["method"]
            taken.setdefault(kind, []).append(float(cell["seconds in all"]))
    return {kind: fmean(found) for kind, found in taken.items()}


def _are_results(found: Any) -> bool:
    """Return whether what a file has is what is written of a paper, as far as it is read again."""
    if not isinstance(found, dict):
        return False
    facts, cells, verdicts = (found.get(name) for name in ("facts", "cells", "verdicts"))
    return (
        isinstance(facts, dict)
        and {"run", "date"} <= set(facts)
        and isinstance(cells, list)
        and isinstance(verdicts, list)
        and all(isinstance(one, dict) and isinstance(one.get("verdict"), str) for one in verdicts)
    )


def check_full_pages(of: Paper, folder: Path, chosen: Iterable[Cell], n_shown: int) -> None:
    """Refuse to write over pages of a full run where their other cells are not there to be shown.

    Committed pages, say, whose cells are on another machine, or of another version. ``chosen`` are cells that
    will be there because they are run.
    """
    every = [cell for run in of.runs for cell in run.cells(True)]
    will_run = {key(cell) for cell in chosen}
    n_there = sum(key(cell) in will_run or kept_in(cell, folder / ".cells") for cell in every)
    if n_there < min(n_shown, len(every)):
        raise ValueError(
            f"{folder / of.name} has pages of a full run with {n_shown} cells, of which this call would "
            f"leave {n_there}: name another folder with -o, run all of {of.name} with its data at hand, or "
            f"delete {folder / of.name / 'results.json'} to have them replaced. (--no-run takes the results "
            "that are packed beside the pages, where they are all there and of this version.)"
        )
