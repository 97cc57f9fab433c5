"""Rows of Excel workbooks (.xlsx), through openpyxl.

A workbook is a zip of XML. openpyxl reads a sheet row by row, but trusts what it is given: it holds all texts
of the workbook, whole parts as trees and each row with all its elements, and fills gaps between rows. So it
is given every part through a guard, which refuses what no sheet of Excel has before it is held.
"""

import warnings
from collections.abc import Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Self
from xml.parsers import expat
from zipfile import ZipFile

from textensor.datasets.readers.errors import DocumentError, megabytes, over_the_cap, utf8_size
from textensor.datasets.readers.tables import Needed, Row, check_columns
from textensor.datasets.readers.unpack import BLOCK, Budget

#: The rows of a sheet, the elements of a row of 16,384 cells, and the texts of a workbook, which cells share.
MAX_ROWS, MAX_IN_ROW, MAX_TEXTS = 1 << 20, 1 << 16, 1 << 21
#: Bytes of those texts, which are all held.
MAX_TEXT_BYTES = 1 << 28
#: Elements and bytes of a part that are in no row and no text: styles, names, rules.
MAX_OTHER, MAX_OTHER_BYTES = 1 << 17, 1 << 25
#: Bytes of markup that a byte of a document may take, and of a tag with its attributes.
MARKUP, MAX_TAG_BYTES = 4, 1 << 20
#: Rows that are read while the warnings of openpyxl are held back.
_BATCH = 1000


def excel_rows(path: Path, name: str, needed: Needed, max_row_bytes: int, max_bytes: int) -> Iterator[Row]:
    """Yield the rows of the first visible sheet as strings, each with its number in the sheet.

    The first row that is not blank is the header; blank rows and columns without a name are passed over.
    """
    try:
        from openpyxl.reader.excel import ExcelReader
    except ImportError as error:
        raise ImportError(
            f'{name}: reading Excel needs openpyxl; run: pip install "textensor[excel]", or save it as CSV.'
        ) from error

    budget = Budget(max_bytes)
    columns: list[str] = []
    with path.open("rb") as file:
        for number, values in _values(ExcelReader, file, name, max_row_bytes, budget):
            cells = [_text(value) for value in values]
            if not any(cells):
                continue
            size = sum(map(utf8_size, cells))
            if size > max_row_bytes:
                raise over_the_cap(f"{name}, row {number}", max_row_bytes)
            budget.spend(size, f"{name}, row {number}")
            if not columns:
                columns = [cell.strip() for cell in cells]
                check_columns([column for column in columns if column], needed, f"{name}, row {number}")
                continue
            cells += [""] * (len(columns) - len(cells))
            yield number, {column: cell for column, cell in zip(columns, cells, strict=False) if column}
    if not columns:
        raise DocumentError(f"{name}: the first sheet is empty.")


def _values(
    reader: Any, file: BinaryIO, name: str, max_row_bytes: int, budget: Budget
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the values of each row; whatever openpyxl makes of a damaged file is one sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and rules that it does not know
            opened = reader(file, read_only=True, data_only=True, keep_links=False)
            opened.archive = _Archive(file, name, max_row_bytes, budget)
            opened.read()
        sheets = [one for one in opened.wb.worksheets if one.sheet_state == "visible"]
        if not sheets:
            raise DocumentError(f"{name}: no sheet in it.")
        sheets[0].reset_dimensions()  # which many programs write wrongly
        rows = enumerate(sheets[0].iter_rows(values_only=True), 1)
        while True:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                batch = list(islice(rows, _BATCH))
            if not batch:
                return
            yield from batch
    except (DocumentError, MemoryError):
        raise
    except Exception as error:  # whatever a hostile file leads it to
        if isinstance(error.__cause__, DocumentError):  # openpyxl says in which part
            raise error.__cause__ from error
        said = (str(error.__cause__ or error) or type(error).__name__).split("\n", 1)[0].rstrip(".")
        raise DocumentError(
            f"{name}: not an Excel workbook, or damaged, or protected by a password ({said:.200})."
        ) from error


def _text(value: Any) -> str:
    """Return a cell as CSV would have it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.replace("_x000D_", "")  # how Excel writes a carriage return
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return value.isoformat() if isinstance(value, date) else str(value)


class _Archive(ZipFile):
    """A zip whose members are read through a guard."""

    def __init__(self, file: BinaryIO, name: str, max_row_bytes: int, budget: Budget) -> None:
        super().__init__(file)
        self._guard = name, max_row_bytes, budget

    def open(self, *args: Any, **options: Any) -> Any:
        """Return a stream of a member."""
        return _Part(super().open(*args, **options), *self._guard)


class _Part:
    """A part of a workbook, which is given up as soon as it holds too much of anything."""

    def __init__(self, stream: Any, name: str, max_row_bytes: int, budget: Budget) -> None:
        self._stream, self._name, self._budget = stream, name, budget
        self._max_row_bytes = max_row_bytes
        self._rows = self._row = self._texts = self._within = self._others = 0
        self._fed = self._held = 0  # bytes so far, and those of rows and texts that are behind
        self._begun = -1  # the byte at which the row or text at hand began
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.StartDoctypeDeclHandler = self._doctype
        self._parser: Any = parser

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the stream, and let go of the parser, which knows this object."""
        self._stream.close()
        self._parser = None

    def read(self, size: int = -1) -> bytes:
        """Return bytes that were looked at."""
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(BLOCK), b""))
        block: bytes = self._stream.read(size)
        self._budget.spend(len(block), self._name)
        self._fed += len(block)
        if self._parser is not None:
            try:
                self._parser.Parse(block)
            except expat.ExpatError:
                self._parser = None  # where openpyxl will leave it, too
            else:
                if self._fed - self._parser.CurrentByteIndex > MAX_TAG_BYTES:
                    self._refuse(f"a tag of more than {megabytes(MAX_TAG_BYTES)}")
        if self._begun >= 0 and self._fed - self._begun > MARKUP * self._max_row_bytes:
            raise over_the_cap(f"{self._name}, row {self._row}", self._max_row_bytes)
        if self._begun < 0 and self._fed - self._held > MAX_OTHER_BYTES:
            self._refuse(f"more than {megabytes(MAX_OTHER_BYTES)} of styles and the like")
        return block

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if tag in ("row", "si"):
            self._begun, self._within = self._parser.CurrentByteIndex, 0
            if tag == "row":
                self._next_row(attributes.get("r", ""))
            else:
                self._next_text()
        elif self._begun >= 0:
            self._within += 1
            if self._within > MAX_IN_ROW:
                self._refuse(f"a row of more than {MAX_IN_ROW:,} elements")
        else:
            self._others += 1
            if self._others > MAX_OTHER:
                self._refuse(f"more than {MAX_OTHER:,} styles and the like")

    def _end(self, tag: str) -> None:
        if tag.rpartition(":")[2] in ("row", "si") and self._begun >= 0:
            self._held += self._parser.CurrentByteIndex - self._begun
            self._begun = -1

    def _next_row(self, given: str) -> None:
        self._rows += 1
        try:
            self._row = int(float(given)) if given else self._row + 1
        except (ValueError, OverflowError):
            self._row = MAX_ROWS + 1
        if max(self._row, self._rows) > MAX_ROWS:
            self._refuse(f"more than {MAX_ROWS:,} rows")

    def _next_text(self) -> None:
        self._texts += 1
        if self._texts > MAX_TEXTS:
            self._refuse(f"more than {MAX_TEXTS:,} different texts")
        if self._begun > MAX_TEXT_BYTES:
            self._refuse(f"more than {megabytes(MAX_TEXT_BYTES)} of text")

    def _doctype(self, *_: object) -> None:
        self._refuse("a document type, which no workbook has")

    def _refuse(self, what: str) -> None:
        raise DocumentError(f"{self._name}: {what}; save the sheet as CSV.")
