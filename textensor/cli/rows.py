"""Documents out again: CSV or JSON lines, row by row, with what was found added to their own columns."""

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from textensor.base.disk import write_file
from textensor.base.plain import clean, guarded
from textensor.cli.options import OptionError
from textensor.cli.output import writing_output

if TYPE_CHECKING:
    from textensor.datasets import Documents

FORMATS = ("csv", "jsonl")

Row = tuple[int, dict[str, Any]]


def added_names(columns: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return names for new columns; those that are taken are called predicted_...

    Examples
    --------
    >>> added_names(["text", "label"], ["label", "score"])
    ['predicted_label', 'score']
    """
    names = []
    for wish in wanted:
        name = wish
        while name in columns or name in names:
            name = f"predicted_{name}"
        names.append(name)
    return names


def chosen_format(kind: str | None, output: str, data: str) -> str:
    """Return the format to write: the one that is given, else that of the output's name or of the data."""
    if kind is not None and kind not in FORMATS:
        raise OptionError(f"--format is {' or '.join(FORMATS)}, not {kind!r:.40}.")
    named = (output if output != "-" else data).lower()
    return kind or ("jsonl" if ".json" in named or ".ndjson" in named else "csv")


def separator_to_write(kind: str | None, output: str, documents: "Documents") -> str:
    """Return the separator between fields: the one that was read, unless a format or a name says otherwise.

    ``kind`` is the format that was asked for; a file of tabs called .tsv is no CSV, one called .csv is.
    """
    name = output.lower()
    if name.endswith((".tsv", ".tab")):
        return "\t"
    comma = documents.format == "tsv" and (kind == "csv" or name.endswith(".csv"))
    return "," if comma else documents.separator or ","


def write_rows(
    out: str, rows: Iterable[Row], columns: Sequence[str], kind: str, separator: str = ","
) -> None:
    """Write rows to a file, whole or not at all, or to standard output as they come, which ``"-"`` means."""
    pieces = _csv(rows, columns, separator) if kind == "csv" else _json_lines(rows)
    if out == "-":
        _to_standard_output(pieces)
        return
    write_file(out, pieces)


def _to_standard_output(pieces: Iterable[bytes]) -> None:
    """Write as it is to a pipe or file; a terminal gets no control characters, which could drive it."""
    for piece in pieces:
        if sys.stdout.isatty():
            lines = piece.decode("utf-8").split("\n")
            sys.stdout.write("\n".join(map(clean, lines)))
        else:
            with writing_output():
                sys.stdout.buffer.write(piece)
    sys.stdout.flush()


def _csv(rows: Iterable[Row], columns: Sequence[str], separator: str) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow([_cell(name) for name in columns])
    known = set(columns)
    for line, row in rows:
        if len(row) > len(columns) or not known.issuperset(row):
            other = next(name for name in row if name not in known)
            raise ValueError(
                f"Line {line} has a column {other!r:.80} that the first document does not have: "
                "write JSON lines with --json."
            )
        writer.writerow([_cell(row.get(name, "")) for name in columns])
        if text.tell() > 1 << 16:
            yield _taken(text)
    yield _taken(text)


def _taken(text: io.StringIO) -> bytes:
    """Return what was written so far, and empty it."""
    found = text.getvalue().encode("utf-8", "replace")
    text.seek(0)
    text.truncate()
    return found


def _json_lines(rows: Iterable[Row]) -> Iterator[bytes]:
    for _, row in rows:
        yield (json.dumps(row, ensure_ascii=False, default=str) + "\n").encode("utf-8", "replace")


def _cell(value: Any) -> str:
    """Return a value as a cell that no spreadsheet runs.

    Examples
    --------
    >>> _cell("=1+1"), _cell(-12.5), _cell(["a"]), _cell(None)
    ("'=1+1", '-12.5', '["a"]', '')
    """
    return guarded(value if type(value) is str else _as_text(value))


def _as_text(value: Any) -> str:
    """Return what is no text as JSON has it; numbers and truths, which are many, without the encoder."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False, default=str)
