"""All results behind the pages of a full run in one file beside them.

A clone has the pages but not the folder of results that they were written from. From this file they can be
written again, with other words or another test, and a run can go on where it was stopped on another machine.
"""

import json
import lzma
from pathlib import Path

from experiments.cells import is_result, key, result_path
from experiments.declare import Cell, Paper
from textensor.base.disk import replace_file

__all__ = ["PACKED", "pack", "unpack"]

#: The file in the folder of a paper's pages: a line for each result, its name before its JSON.
PACKED = "cells.jsonl.xz"


def pack(of: Paper, folder: Path) -> None:
    """Write the results that the folder ``.cells`` has of a paper to one file."""
    paths = {name: result_path(cell, folder / ".cells") for name, cell in _cells(of).items()}
    there = [(name, path) for name, path in paths.items() if path.exists()]
    lines = [f"{name} {path.read_text(encoding='utf-8')}\n" for name, path in there]
    replace_file(folder / of.name / PACKED, [lzma.compress("".join(lines).encode())])


def unpack(of: Paper, folder: Path) -> None:
    """Put packed results of a paper back where there are none; those of other versions are left."""
    packed = folder / of.name / PACKED
    if not packed.exists():
        return
    cells = _cells(of)
    try:
        lines = lzma.decompress(packed.read_bytes()).decode().splitlines()
        results = {name: text for name, _, text in (line.partition(" ") for line in lines) if name in cells}
        whole = all(is_result(json.loads(text), cells[name]) for name, text in results.items())
    except (lzma.LZMAError, ValueError, RecursionError):
        whole = False
    if not whole:
        raise ValueError(f"{packed} is damaged: delete it, or name another folder with -o.")
    for name, text in results.items():
        path = result_path(cells[name], folder / ".cells")
        if not path.exists():
            replace_file(path, [text.encode()])


def _cells(of: Paper) -> dict[str, Cell]:
    """Return the cells of the full run by the names of their results."""
    return {key(cell): cell for run in of.runs for cell in run.cells(True)}
