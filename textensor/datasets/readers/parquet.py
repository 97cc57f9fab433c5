"""Rows of parquet files, through pyarrow."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textensor.datasets.readers.errors import DocumentError, over_the_cap, utf8_size
from textensor.datasets.readers.tables import Row, check_columns
from textensor.datasets.readers.unpack import Budget

_BATCH = 4096


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
        for columns in _batches(parquet, path, name, needed):
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
        raise DocumentError(f"{where}: not parquet, or damaged ({_first_line(error)}).") from error


def _batches(parquet: Any, path: Path, name: str, needed: list[str]) -> Iterator[list[tuple[str, Any]]]:
    with parquet.ParquetFile(path) as file:
        leaves = [file.schema.column(at) for at in range(len(file.schema))]
        strings = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    # Strings as dictionaries: one long string that a million rows refer to then stays one string in memory.
    with parquet.ParquetFile(path, read_dictionary=strings) as file:
        names = file.schema_arrow.names
        check_columns(names, needed, name)
        for batch in file.iter_batches(batch_size=_BATCH, use_threads=False):
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


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0].rstrip(".")
