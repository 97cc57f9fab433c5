"""Where documents come from and how they are written: one table of formats for files, pipes and folders."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textensor.datasets.readers.decode import read_text
from textensor.datasets.readers.errors import DocumentError, shown_path
from textensor.datasets.readers.folders import folder_files
from textensor.datasets.readers.lines import Lines
from textensor.datasets.readers.tables import (
    Needed,
    Row,
    delimited_rows,
    json_rows,
    parquet_rows,
    separator_of,
)
from textensor.datasets.readers.unpack import Budget

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xlsx": "excel",
    ".xlsm": "excel",
}


def _excel_rows(*args: Any) -> Any:
    from textensor.datasets.readers.excel import excel_rows  # here: it is slow to import

    return excel_rows(*args)


#: Formats that are read from a file, not from its beginning to its end, and that have no lines.
_BINARY = {"parquet": parquet_rows, "excel": _excel_rows}


@dataclass(frozen=True)
class Source:
    """Documents as they are stored, and what reading has shown of it so far.

    Attributes
    ----------
    path : Path or None
        None is standard input.
    format, encoding, quote, max_document_bytes, max_bytes
        As :func:`~textensor.datasets.read_documents` takes them.
    encodings : set of str
        The encodings of the text that was read to its end; several only for a folder.
    separators : list of str
        The separator of the table, empty before its header was read and if there is none.
    """

    path: Path | None
    format: str | None
    encoding: str | None
    quote: str | None
    max_document_bytes: int
    max_bytes: int
    encodings: set[str] = field(default_factory=set)
    separators: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The path for messages."""
        return shown_path(self.path) if self.path else "standard input"

    @property
    def unit(self) -> str:
        """What documents are counted in."""
        return "row" if self.known_format in _BINARY else "line"

    @property
    def is_folder(self) -> bool:
        """Whether each document is a file."""
        return self.path is not None and self.path.is_dir()

    @property
    def lasting(self) -> bool:
        """Whether the source can be read again, which a pipe cannot."""
        return self.path is not None and (self.path.is_file() or self.path.is_dir())

    @property
    def known_format(self) -> str | None:
        """The format that is given, or that the name says."""
        if self.format or not self.path:
            return self.format
        path = self.path.with_suffix("") if self.path.suffix.lower() in (".gz", ".xz") else self.path
        return SUFFIXES.get(path.suffix.lower())

    def files(self) -> Iterator[tuple[str, str, str]]:
        """Yield path, label and text of each file of a folder."""
        assert self.path is not None  # noqa: S101  # for the type checker: a folder has a path
        return folder_files(
            self.path, self.encoding, self.max_document_bytes, self.max_bytes, self.encodings.add
        )

    def rows(self, needed: Needed) -> Iterator[Row]:
        """Yield the rows of a table, each with its line; `needed` are the columns that must be there."""
        if read := _BINARY.get(self.known_format or ""):
            if not self.path or not self.lasting:
                what = str(self.known_format).capitalize()
                raise DocumentError(f"{self.name}: {what} cannot be read from a pipe; save it as a file.")
            yield from read(self.path, self.name, needed, self.max_document_bytes, self.max_bytes)
            return
        budget = Budget(self.max_bytes)
        with closing(read_text(self.path, self.name, self.encoding, budget, self.encodings.add)) as texts:
            lines = Lines(texts, self.name, self.max_document_bytes)
            known = self.known_format or ("jsonl" if lines.first.lstrip().startswith(("{", "[")) else "csv")
            if known == "jsonl":
                yield from json_rows(lines)
                return
            self.separators[:] = [separator_of(lines.first, "\t" if known == "tsv" else ",;\t", self.quote)]
            yield from delimited_rows(lines, self.separators[0], self.quote, needed)
