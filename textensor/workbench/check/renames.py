"""Tables that rename labels: `check --fix` writes them, people edit them, `--rename` reads them."""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from textensor.base.disk import write_file
from textensor.base.plain import counted, guarded, unguarded
from textensor.base.reading.label_sets import COLLECTIONS
from textensor.datasets.readers.errors import DocumentError, listed
from textensor.datasets.readers.source import Source
from textensor.workbench.check.spellings import Spelling

COLUMNS = ("label", "suggestion")
#: The most that a table may take: a thousand times what a person edits by hand.
MAX_ROW, MAX_TABLE = 1 << 20, 1 << 26


def write_renames(path: str | Path, spellings: Iterable[Spelling]) -> None:
    """Write a table of suggested names of labels as CSV, to be corrected by hand.

    Parameters
    ----------
    path : path
        The file; an older one is replaced.
    spellings : iterable of Spelling
        What :func:`~textensor.workbench.check_documents` found.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((guarded(one.label), guarded(one.suggestion)) for one in spellings)
    write_file(path, [text.getvalue().encode("utf-8", "replace")])


def read_renames(path: str | Path) -> dict[str, str]:
    """Return the new names of labels in a table; a label without a suggestion keeps its name."""
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
    return unguarded("" if value is None else str(value)).strip()


def rename_labels(
    labels: Iterable[Any], renames: Mapping[str, str], path: str | Path = "the table"
) -> tuple[list[Any], str]:
    """Return labels with their new names, and a sentence on how many there were.

    Parameters
    ----------
    labels : iterable
        A label or a collection of labels for each document.
    renames : mapping of str to str
        The new names, such as :func:`read_renames` returns.
    path : path, default="the table"
        Where the names are from, for the sentence.

    Examples
    --------
    >>> rename_labels(["Tea", "tea", "rice"], {"Tea": "tea"}, "labels.csv")
    (['tea', 'tea', 'rice'], '1 label renamed in 1 document, by labels.csv.')
    """
    used: set[str] = set()
    n_documents = 0
    found: list[Any] = []
    for one in labels:
        several = isinstance(one, COLLECTIONS)
        names = one if several else (one,)
        changed = [name for name in names if name in renames]
        used.update(changed)
        n_documents += bool(changed)
        new = tuple(dict.fromkeys(renames.get(name, name) for name in names))
        found.append(new if several else new[0])
    said = f"{counted(len(used), 'label')} renamed in {counted(n_documents, 'document')}, by {path}"
    rest = len(renames) - len(used)
    return found, f"{said}; {counted(rest, 'label')} of it not in the data." if rest else f"{said}."
