"""Tables that rename labels: `check --fix` writes them, people edit them, `--rename` reads them."""

from pathlib import Path
from typing import Any

from textensor.base.label_sets import COLLECTIONS
from textensor.base.plain import FORMULA, counted
from textensor.datasets.readers.errors import DocumentError, listed
from textensor.datasets.readers.source import Source

COLUMNS = ("label", "suggestion")
#: The most that a table may take: a thousand times what a person edits by hand.
MAX_ROW, MAX_TABLE = 1 << 20, 1 << 26


def read_renames(path: str) -> dict[str, str]:
    """Return the new names of labels; a label without a suggestion keeps its name."""
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
    """Return a cell as it was before a quote was put before what a spreadsheet would run.

    Examples
    --------
    >>> _cell("'=1+1"), _cell("'tis"), _cell(None)
    ('=1+1', "'tis", '')
    """
    text = "" if value is None else str(value)
    return (text[1:] if text[:1] == "'" and text[1:2] in FORMULA else text).strip()


def rename(labels: list[Any], renames: dict[str, str], path: str) -> tuple[list[Any], str]:
    """Return labels with their new names, and a sentence on how many there were.

    Examples
    --------
    >>> rename(["Tea", "tea", "rice"], {"Tea": "tea"}, "labels.csv")
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
