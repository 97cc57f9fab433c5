"""The store: a result is kept once, under the hash of its cell's description and its protocol's version.

During a run, each result is a file in the folder ``.cells``, so that a stopped run can resume. The results
behind the pages of a full run are packed into one file beside them. A clone has only the packed files: a full
run starts from them. A quick run does not read them, so that its figures are always computed here.
"""

import hashlib
import json
import lzma
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.engine.declare import Cell, Experiment
from experiments.protocols import version
from textensor.base.disk import replace_file

#: The file in the folder of an experiment's pages: a line for each result, its name before its JSON.
PACKED = "cells.jsonl.xz"
#: The entry of a result that tells whether the others are as they were written.
SUM = "sum"
Kept = dict[str, Any]
#: Cells of one protocol, data set and settings take about as long as each other, whatever their split.
Kind = tuple[str, str, str]


def key(cell: Cell) -> str:
    """Return the name of a cell's result: the hash of its description and of its protocol's version."""
    text = json.dumps([cell.description(), version(cell.protocol)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def kind(description: dict[str, Any]) -> Kind:
    """Return the kind of a cell from its description."""
    settings = json.dumps(description["settings"], sort_keys=True)
    return description["protocol"], description["data"], settings


def with_sum(result: Kept) -> Kept:
    """Return a result with the hash of all else that it has."""
    others = {name: value for name, value in result.items() if name != SUM}
    text = json.dumps(others, sort_keys=True)
    return others | {SUM: hashlib.sha256(text.encode()).hexdigest()[:16]}


class CellStore:
    """Results in the folder of pages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cells = folder / ".cells"
        #: Packed results, as JSON texts by the names of their cells.
        self.packed: dict[str, str] = {}

    def path(self, cell: Cell) -> Path:
        """Return where the result of a cell is kept."""
        return self.cells / f"{key(cell)}.json"

    def has(self, cell: Cell) -> bool:
        """Return whether there is a result of a cell."""
        return key(cell) in self.packed or self.path(cell).exists()

    def find(self, cell: Cell) -> Kept | None:
        """Return the result of a cell, if any; a file that is damaged or of another cell is refused."""
        path = self.path(cell)
        if path.exists():
            found = _parsed(path.read_text(encoding="utf-8"))
            if not _is_result(found, cell):
                raise ValueError(f"{path} is damaged or of another cell: delete it to run the cell again.")
        else:
            found = json.loads(self.packed.get(key(cell), "null"))
        return None if found is None else {name: value for name, value in found.items() if name != SUM}

    def keep(self, cell: Cell, result: Kept) -> None:
        """Write the result of a cell, whole or not at all."""
        result = json.loads(json.dumps(result))  # as it is read again: names are words, tuples are lists
        replace_file(self.path(cell), [json.dumps(with_sum(result)).encode()])

    def pack(self, of: Experiment) -> None:
        """Write the results of an experiment's full run to one file."""
        paths = {key(cell): self.path(cell) for cell in of.cells(True)}
        texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items() if path.exists()}
        texts = self.packed | texts
        lines = [f"{name} {texts[name]}\n" for name in paths if name in texts]
        replace_file(self.folder / of.name / PACKED, [lzma.compress("".join(lines).encode())])

    def read_packed(self, of: Experiment) -> None:
        """Read the packed results of an experiment, except those of other versions."""
        packed = self.folder / of.name / PACKED
        cells = {key(cell): cell for cell in of.cells(True)}
        try:
            results = {name: text for name, text in _lines(packed) if name in cells}
            whole = all(_is_result(_parsed(text), cells[name]) for name, text in results.items())
        except (lzma.LZMAError, ValueError):
            whole = False
        if not whole:
            raise ValueError(f"{packed} is damaged: delete it, or name another folder with -o.")
        self.packed |= results

    def seconds(self, name: str) -> dict[Kind, float]:
        """Return how long an experiment's packed cells took on average; what is odd is left out."""
        taken: dict[Kind, list[float]] = {}
        with suppress(lzma.LZMAError, ValueError):
            for _, text in _lines(self.folder / name / PACKED):
                with suppress(KeyError, TypeError, ValueError):
                    found = _parsed(text)
                    taken.setdefault(kind(found["description"]), []).append(float(found["seconds in all"]))
        return {of: fmean(each) for of, each in taken.items()}


def _lines(packed: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and the JSON of packed results, none if there is no file."""
    text = lzma.decompress(packed.read_bytes()).decode() if packed.exists() else ""
    for line in text.splitlines():
        name, _, found = line.partition(" ")
        yield name, found


def _parsed(text: str) -> Any:
    """Return what a JSON text holds, None if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_result(found: Any, cell: Cell) -> bool:
    """Return whether a file has what is written of a cell, its measures by their sum."""
    return (
        isinstance(found, dict)
        and found == with_sum(found)
        and found.get("description") == json.loads(json.dumps(cell.description()))
        and isinstance(found.get("seconds in all"), float | int)
        and isinstance(found.get("made"), dict)
        and "date" in found["made"]
        and all(isinstance(word, str) for word in found["made"].values())
        and isinstance(found.get("warnings"), list)
        and all(isinstance(said, str) for said in found["warnings"])
    )
