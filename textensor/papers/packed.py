"""All results behind the pages of a full run in one file beside them.

A clone has the pages but not the folder of results that they were written from. From this file they can be
written again, with other words or another test, and a run can go on where it was stopped on another machine.
"""

import json
import lzma
from pathlib import Path

from textensor.disk import replace_file
from textensor.papers.cells import is_whole, key, result_path
from textensor.papers.declare import Paper

__all__ = ["PACKED", "pack", "unpack"]

#: The file in the folder of a paper's pages: a line for each result, its name before its JSON.
PACKED = "cells.jsonl.xz"


def pack(of: Paper, folder: Path) -> None:
    """Write the results that the folder ``.cells`` has of a paper to one file."""
    there = [(name, path) for name, path in _paths(of, folder).items() if path.exists()]
    lines = [f"{name} {path.read_text(encoding='utf-8')}\n" for name, path in there]
    replace_file(folder / of.name / PACKED, [lzma.compress("".join(lines).encode())])


def unpack(of: Paper, folder: Path) -> None:
    """Put packed results of a paper back where there are none; those of other code than this are left."""
    packed = folder / of.name / PACKED
    if not packed.exists():
        return
    paths = _paths(of, folder)
    try:
        lines = lzma.decompress(packed.read_bytes()).decode().splitlines()
        results = {name: text for name, _, text in (line.partition(" ") for line in lines) if name in paths}
        whole = all(is_whole(json.loads(text)) for text in results.values())
    except (lzma.LZMAError, ValueError, RecursionError):
        whole = False
    if not whole:
        raise ValueError(f"{packed} is damaged: delete it, or name another folder with -o.")
    for name, text in results.items():
        if not paths[name].exists():
            replace_file(paths[name], [text.encode()])


def _paths(of: Paper, folder: Path) -> dict[str, Path]:
    """Return where each result of the full run is kept, by its name."""
    every = (cell for run in of.runs for cell in run.cells(True))
    return {key(cell): result_path(cell, folder / ".cells") for cell in every}
