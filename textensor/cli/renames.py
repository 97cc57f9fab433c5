"""Tables that rename labels: `check --fix` writes them, people edit them, `--rename` reads them."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textensor.base.plain import counted
from textensor.cli.rows import unguarded, write_rows

if TYPE_CHECKING:
    from textensor.workbench.check.spellings import Spelling

COLUMNS = ("label", "suggestion")
#: The most that a table may take: a thousand times what a person edits by hand.
MAX_ROW, MAX_TABLE = 1 << 20, 1 << 26


def check_new(path: str) -> None:
    """Refuse to replace a table, which may have been edited."""
    if os.path.lexists(path):
        raise FileExistsError(f"{path} is there already: remove it or choose another place.")


def write_renames(path: str, found: "Iterable[Spelling]") -> None:
    """Write a table of labels and suggestions."""
    rows = (
        (k, dict(zip(COLUMNS, (one.label, one.suggestion), strict=True))) for k, one in enumerate(found, 2)
    )
    write_rows(path, rows, COLUMNS, "csv")


def read_renames(path: str) -> dict[str, str]:
    """Return the new names of labels; a label without a suggestion keeps its name."""
    from textensor.datasets.readers.errors import DocumentError, listed
    from textensor.datasets.readers.source import Source

    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: no such file; textensor check --fix writes one.")
    source = Source(Path(path), None, None, '"', MAX_ROW, MAX_TABLE)
    found: dict[str, tuple[str, int]] = {}
    for line, row in source.rows({}):
        place = f"{source.name}, {source.unit} {line}"
        if not row.keys() >= set(COLUMNS):
            raise DocumentError(
                f"{place}: a table of labels has the columns {listed(COLUMNS)}, and this one has "
                f"{listed([*row])}; write one with textensor check --fix."
            )
        label, name = (_cell(row[column]) for column in COLUMNS)
        if not label:
            raise DocumentError(f"{place}: there is no label to rename; remove the {source.unit}.")
        if found.get(label, (name, 0))[0] != name:
            names = f"{listed([found[label][0]])} and to {listed([name])}"
            raise DocumentError(
                f"{place}: the label {listed([label])} is renamed to {names}; keep one of them."
            )
        found[label] = name, line
    renamed = {label: name for label, (name, _) in found.items() if name and name != label}
    for label, name in renamed.items():
        if name in renamed:
            place, other = (f"{source.unit} {found[one][1]}" for one in (label, name))
            raise DocumentError(
                f"{source.name}, {place}: {listed([label])} becomes {listed([name])}, which is "
                f"renamed itself in {other}; give both the same suggestion."
            )
    return renamed


def _cell(value: Any) -> str:
    return "" if value is None else unguarded(str(value)).strip()


def rename(labels: list[Any], renames: dict[str, str], path: str) -> tuple[list[Any], str]:
    """Return labels with their new names, and a sentence on how many there were."""
    used: set[str] = set()
    n_documents = 0
    found: list[Any] = []
    for one in labels:
        several = isinstance(one, tuple)
        names = one if several else (one,)
        changed = [name for name in names if name in renames]
        used.update(changed)
        n_documents += bool(changed)
        new = tuple(dict.fromkeys(renames.get(name, name) for name in names))
        found.append(new if several else new[0])
    said = f"{counted(len(used), 'label')} renamed in {counted(n_documents, 'document')}, by {path}"
    rest = len(renames) - len(used)
    return found, f"{said}; {counted(rest, 'label')} of it not in the data." if rest else f"{said}."
