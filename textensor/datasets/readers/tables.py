"""Rows of tables: CSV and TSV, JSON lines, and parquet through pyarrow.

The `csv` module is not used because its cap on a field (131,072 characters) is one setting for the whole
process, which a library must not change, and because it does not say where an unclosed quote opened.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from textensor.base.plain import counted
from textensor.datasets.readers.errors import DocumentError, listed, over_the_cap, utf8_size
from textensor.datasets.readers.lines import Lines
from textensor.datasets.readers.unpack import Budget

Row = tuple[int, dict[str, Any]]

_UP_TO_A_LONE_QUOTE = {quote: re.compile(f"[^{quote}]*(?:{quote}{quote}[^{quote}]*)*") for quote in "\"'"}
# A quoted or a plain field after its separator; the third group takes the rest if it is neither.
_WHOLE_FIELD = r"{s}(?:{q}([^{q}]*+(?:{q}{q}[^{q}]*+)*+){q}(?={s}|\Z)|(?!{q})([^{s}]*+))|(.+)"
_NEWLINES = ("\n", "\r\n", "\r")
_PARQUET_BATCH = 4096


def check_columns(columns: list[str], needed: list[str], place: str) -> None:
    """Refuse columns that bear one name twice, or lack a needed one."""
    if len(set(columns)) < len(columns):
        twice = [name for name, times in Counter(columns).items() if times > 1]
        raise DocumentError(f"{place}: more than one column is called {listed(twice)}; rename them.")
    for name in needed:
        if name not in columns:
            raise missing_column(name, columns, place, labelled=len(needed) > 1)


def missing_column(name: str, columns: Iterable[str], place: str, *, labelled: bool) -> DocumentError:
    """Return the error for a column that is not there."""
    there = listed(list(columns)) or "none"
    options = "text= and label=" if labelled else "text="
    return DocumentError(
        f"{place}: no column {listed([name])}, the columns are {there}; name yours with {options}."
    )


def delimited_rows(lines: Lines, separators: str, quote: str | None, needed: list[str]) -> Iterator[Row]:
    """Yield the rows of a table with a header, each with the line that it begins at.

    The separator is the candidate that the header has most of, outside quotes. A quote is put around a field
    that holds separators or line ends, and is doubled inside; None if fields are never quoted.
    """
    records = _records(lines, _separator(lines.first, separators, quote), quote)
    header_line, columns = next(records)
    check_columns(columns, needed, f"{lines.name}, line {header_line}")
    for number, fields in records:
        if len(fields) != len(columns):
            raise lines.error(
                f"{counted(len(fields), 'field')} where the header has {len(columns)}; "
                "quote fields that hold the separator.",
                number,
            )
        yield number, dict(zip(columns, fields, strict=True))


def _separator(header: str, candidates: str, quote: str | None) -> str:
    outside = re.sub(f"{quote}[^{quote}]*{quote}", "", header) if quote else header
    return max(candidates, key=outside.count)


def _records(lines: Lines, separator: str, quote: str | None) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each record, with the line that it begins at; blank lines are passed over."""
    source = iter(lines)
    whole_fields = re.compile(_WHOLE_FIELD.format(q=quote or '"', s=separator), re.DOTALL)
    for line in source:
        if line in _NEWLINES:
            continue
        if not quote or quote not in line:
            yield lines.number, line.rstrip("\r\n").split(separator)
            continue
        found = whole_fields.findall(separator + line.rstrip("\r\n"))
        if found[-1][2]:
            yield lines.number, _long_record(lines, source, line, separator, quote)
        else:
            yield lines.number, [quoted.replace(quote * 2, quote) or plain for quoted, plain, _ in found]


def _long_record(lines: Lines, source: Iterator[str], line: str, separator: str, quote: str) -> list[str]:
    """Return the fields of a record that goes on while a quote is open; complain if one is wrong."""
    fields: list[str] = []
    at, size, start = 0, utf8_size(line), lines.number
    while True:
        if line.startswith(quote, at):
            opened = lines.number
            field, line, at, size = _quoted_field(lines, source, line, at + 1, size, quote)
        else:
            end = line.find(separator, at)
            end = end if end >= 0 else len(line.rstrip("\r\n"))
            field, at, opened = line[at:end], end, start
        fields.append(field)
        if line.startswith(separator, at):
            at += len(separator)
        elif at == len(line) or line[at:] in _NEWLINES:
            return fields
        else:
            raise lines.error(
                f"a quote opened in line {opened} is closed and then more text follows; double the quotes "
                "inside a field, or pass quote=None if fields are not quoted."
            )


def _quoted_field(
    lines: Lines, source: Iterator[str], line: str, at: int, size: int, quote: str
) -> tuple[str, str, int, int]:
    """Return a field whose quote is open at `at`, then the line it ends in, where, and the record's size."""
    parts, opened = [], lines.number
    body = _UP_TO_A_LONE_QUOTE[quote]
    while True:
        end = line.find(quote, at)
        if end >= 0:
            end = body.match(line, end).end()  # type: ignore[union-attr]  # matches the empty string at least
            if end < len(line):
                parts.append(line[at:end])
                return "".join(parts).replace(quote * 2, quote), line, end + 1, size
        parts += [line[at:], lines.up_to(quote)]
        line, at = next(source, ""), 0
        size += utf8_size(parts[-1]) + utf8_size(line)
        if size > lines.max_bytes:
            raise _unclosed(lines, f"within {lines.max_bytes:,} bytes (max_document_bytes)", opened)
        if not line:
            raise _unclosed(lines, "before the end of the file", opened)


def _unclosed(lines: Lines, where: str, opened: int) -> DocumentError:
    return lines.error(
        f"an unterminated quote opens here and is not closed {where}; close it, or pass quote=None if fields "
        "are not quoted.",
        opened,
    )


def json_rows(lines: Lines) -> Iterator[Row]:
    """Yield the objects of JSON lines, each with its line; blank lines are passed over."""
    for line in lines:
        if line.isspace():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_object)
        except json.JSONDecodeError as error:
            raise lines.error(
                f"not JSON ({error.msg} at column {error.colno}); write one object per line."
            ) from error
        except (ValueError, RecursionError) as error:
            raise lines.error(f"JSON that cannot be read ({error}).") from error
        if not isinstance(row, dict):
            raise lines.error("not a JSON object; write one object per line, such as {...}.")
        if "\\ud" in line or "\\uD" in line:
            _check_surrogates(lines, row)
        yield lines.number, row


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object names a key twice")
    return found


def _check_surrogates(lines: Lines, row: dict[str, Any]) -> None:
    """Refuse halves of surrogate pairs: JSON can escape them, but they are no characters."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise lines.error(
            "bad encoding, half of a surrogate pair (\\ud800 to \\udfff); remove it."
        ) from error


def parquet_rows(
    path: Path, name: str, needed: list[str], max_row_bytes: int, max_bytes: int
) -> Iterator[Row]:
    """Yield the rows of a parquet file, numbered from 1; the strings of one row group are held at a time."""
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ImportError(
            f'{name}: reading parquet needs pyarrow; run: pip install "textensor[parquet]"'
        ) from error

    number, budget = 0, Budget(max_bytes)
    try:
        for columns in _parquet_batches(parquet, path, name, needed):
            for at in range(len(columns[0][1])):
                number += 1
                row = {column: values[at].as_py() for column, values in columns}
                size = _size(row)
                if size > max_row_bytes:
                    raise over_the_cap(f"{name}, row {number}", max_row_bytes)
                budget.spend(size, f"{name}, row {number}")
                yield number, row
    except DocumentError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        where = f"{name}, row {number}" if number else name
        said = str(error).split("\n", 1)[0].rstrip(".")
        raise DocumentError(f"{where}: not parquet, or damaged ({said}).") from error


def _parquet_batches(
    parquet: Any, path: Path, name: str, needed: list[str]
) -> Iterator[list[tuple[str, Any]]]:
    with parquet.ParquetFile(path) as file:
        leaves = [file.schema.column(at) for at in range(len(file.schema))]
        strings = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    # Strings as dictionaries: one long string that a million rows refer to then stays one string in memory.
    with parquet.ParquetFile(path, read_dictionary=strings) as file:
        names = file.schema_arrow.names
        check_columns(names, needed, name)
        for batch in file.iter_batches(batch_size=_PARQUET_BATCH, use_threads=False):
            yield list(zip(names, batch.columns, strict=True))


def _size(value: Any) -> int:
    """Return the bytes of the strings in a value."""
    if isinstance(value, str):
        return utf8_size(value)
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list) else 8
