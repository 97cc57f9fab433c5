"""The folder that pages go to: it can be written to, and what a full run left there is not lost."""

import json
import tempfile
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from experiments.engine.declare import Cell, Experiment
from experiments.engine.store import CellStore, key
from textensor.base.disk import reason

#: What all pages of results begin with.
TITLE = "The papers, run again"
#: The file beside the pages of an experiment: where and when it was run, how many cells, the verdicts.
RESULTS = "results.json"


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
    """Refuse a folder where pages would replace files that this command did not write."""
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
                f"{path} was not written by this command and would be replaced: name another folder with -o."
            )


def results_of(folder: Path, name: str) -> dict[str, Any] | None:
    """Return what was noted beside the pages of an experiment, None without pages; an odd file is refused."""
    path = folder / name / RESULTS
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        whole = {"run", "date"} <= set(found["facts"]) and isinstance(found["shown"], int)
        whole = whole and all(isinstance(one["verdict"], str) for one in found["verdicts"])
    except (ValueError, RecursionError, KeyError, TypeError):
        whole = False
    if not whole:
        raise ValueError(f"{path} is damaged: delete it, or name another folder with -o.")
    return dict(found)


def check_full_pages(of: Experiment, store: CellStore, chosen: Iterable[Cell], n_shown: int) -> None:
    """Refuse to write over pages of a full run if their other cells are not there to be shown.

    For example, their packed results may be missing or of another version. ``chosen`` are the cells that this
    call runs.
    """
    every = [*of.cells(True)]
    will_run = {key(cell) for cell in chosen}
    n_there = sum(key(cell) in will_run or store.has(cell) for cell in every)
    if n_there < min(n_shown, len(every)):
        pages = store.folder / of.name
        raise ValueError(
            f"{pages} has pages of a full run with {n_shown} cells, and this call would leave only "
            f"{n_there}. Name another folder with -o, run all of {of.name} with its data at hand, or delete "
            f"{pages / RESULTS} to replace the pages."
        )
