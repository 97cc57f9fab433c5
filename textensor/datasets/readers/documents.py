"""The user's own documents: CSV, TSV, JSON lines, parquet, Excel, a folder of folders, standard input."""

import json
import os
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from textensor.base.checks import Rule, check, one_of, whole
from textensor.datasets.readers.errors import DocumentError, listed, shown, shown_path
from textensor.datasets.readers.source import SUFFIXES, Source
from textensor.datasets.readers.tables import Row, missing_column

MAX_DOCUMENT_BYTES = 1 << 24
MAX_BYTES = 1 << 36


def _is_encoding(value: Any) -> bool:
    try:
        "".encode(value or "utf-8")
    except (LookupError, TypeError, ValueError):
        return False
    return True


_SEPARATOR = Rule("a text that is not empty, or None", lambda value: value != "")
_ENCODING = Rule("an encoding that Python knows, or None", _is_encoding)


class Document(NamedTuple):
    """One document of a user's data.

    Attributes
    ----------
    text : str
        The text.
    labels : tuple of str
        The labels; none if the document is unlabelled.
    row : dict
        All columns as they were read, those of the text and the label too: strings from CSV, TSV and Excel,
        JSON values from JSON lines, Python values from parquet, ``{"file": "label/name.txt"}`` from a folder.
    file : str
        The file that the document was read from.
    line : int
        The line that the document begins at, from 1; the number of the row in a parquet file or a sheet of
        Excel, 1 in a folder.
    """

    text: str
    labels: tuple[str, ...]
    row: dict[str, Any]
    file: str
    line: int


class TextsAndLabels(NamedTuple):
    """Texts and their labels, in the order of the data.

    Attributes
    ----------
    texts : list of str
        One text per document.
    labels : list of str, or list of tuple of str
        One label per document, ``""`` if it is unlabelled. If a separator was given, or the data itself holds
        lists of labels, one tuple of labels per document, ``()`` if it is unlabelled.
    """

    texts: list[str]
    labels: list[str] | list[tuple[str, ...]]


def read_documents(
    path: str | os.PathLike[str],
    *,
    text: str = "text",
    label: str | None = "label",
    label_separator: str | None = None,
    format: str | None = None,  # noqa: A002  # the word that users know from pandas and pyarrow
    encoding: str | None = None,
    quote: str | None = '"',
    max_document_bytes: int = MAX_DOCUMENT_BYTES,
    max_bytes: int = MAX_BYTES,
) -> "Documents":
    r"""Read documents of your own, one at a time.

    Parameters
    ----------
    path : str or path
        A file of CSV, TSV or JSON lines, also compressed with gzip or xz; a parquet file; an Excel workbook
        (its first sheet); a folder with one folder per label and one file per document; ``"-"`` for standard
        input.
    text : str, default="text"
        The column of the text. Of no use for a folder.
    label : str or None, default="label"
        The column of the label; an empty one makes a document unlabelled. None reads unlabelled documents.
    label_separator : str or None, default=None
        What stands between several labels of one document. None if a document has one label, or if the data
        holds lists of labels, as JSON lines and parquet can.
    format : {"csv", "tsv", "jsonl", "parquet", "excel"} or None, default=None
        None tells it from the file's name, or else from its first line.
    encoding : str or None, default=None
        None takes a byte order mark's word for it, or else UTF-8, or else cp1252.
    quote : {'"', "'"} or None, default='"'
        What CSV and TSV put around fields; None if they hold plain fields only.
    max_document_bytes : int, default=16 MiB
        The most that one document may take: a row of a table, a line of JSON, a file of a folder.
    max_bytes : int, default=64 GiB
        The most that may be read in all, after decompression.

    Returns
    -------
    Documents
        An iterable of `Document`, with `columns` and `load`.

    Raises
    ------
    DocumentError
        If the data cannot be read: a sentence with the file and the line.
    FileNotFoundError
        If there is no such file or folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mail.csv")
    ...     _ = path.write_text('text;label;from\n"Cheap; now";spam;x@y.z\nLunch?;;mum\n')
    ...     documents = read_documents(path)
    ...     for document in documents:
    ...         print(document.line, document.text, document.labels, document.row["from"])
    ...     documents.load()
    2 Cheap; now ('spam',) x@y.z
    3 Lunch? () mum
    TextsAndLabels(texts=['Cheap; now', 'Lunch?'], labels=['spam', ''])
    """
    check("label_separator", label_separator, _SEPARATOR)
    check("format", format, one_of(*dict.fromkeys(SUFFIXES.values()), None))
    check("encoding", encoding, _ENCODING)
    check("quote", quote, one_of('"', "'", None))
    check("max_document_bytes", max_document_bytes, whole(1))
    check("max_bytes", max_bytes, whole(1))
    source = None if os.fspath(path) == "-" else Path(path)
    if source and not (os.fspath(path) and source.exists()):
        raise FileNotFoundError(f"{shown_path(source)}: no such file or folder.")
    found = Source(source, format, encoding, quote, max_document_bytes, max_bytes)
    return Documents(found, text, label, label_separator)


class Documents(Iterable[Document]):
    """Documents of a user's data, read one at a time each time they are gone through.

    Made by `read_documents`. Standard input and pipes can be gone through once.

    Attributes
    ----------
    columns : tuple of str
        The columns of the first document.
    lines : array of int
        The line of each document, set by `load`.
    """

    def __init__(self, source: Source, text: str, label: str | None, label_separator: str | None) -> None:
        self._source, self._text, self._label, self._label_separator = source, text, label, label_separator
        self._name = source.name
        self.lines = array("q")
        # The first document is read at once, so that a wrong column is an error before any work is done.
        # The open stream is kept for the first loop over the documents.
        documents = self._read()
        first = next(documents)
        self.columns = tuple(first.row)
        self._open: Iterator[Document] | None = chain((first,), documents)

    def __repr__(self) -> str:
        return f"<Documents of {self._name}, columns {listed(self.columns)}>"

    def __iter__(self) -> Iterator[Document]:
        documents, self._open = self._open, None
        if documents is None and not self._source.lasting:
            raise RuntimeError(f"{self._name} can be read only once; keep what load() returns.")
        return documents or self._read()

    @property
    def unit(self) -> str:
        """What documents are counted in: ``"line"``, or ``"row"`` in formats without lines."""
        return self._source.unit

    @property
    def is_folder(self) -> bool:
        """Whether each document is a file of a folder."""
        return self._source.is_folder

    @property
    def format(self) -> str | None:
        """The format that was given or that the name says, such as ``"tsv"``."""
        return self._source.known_format

    @property
    def separator(self) -> str | None:
        """The separator between the fields of CSV and TSV; None for other formats."""
        return next(iter(self._source.separators), None)

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings of the text, known once all documents were read; several only in a folder."""
        return tuple(sorted(self._source.encodings))

    def load(self) -> TextsAndLabels:
        """Return all texts and labels as two lists."""
        texts: list[str] = []
        labels: list[tuple[str, ...]] = []
        self.lines = array("q")
        several = self._label_separator is not None
        for document in self:
            self.lines.append(document.line)
            texts.append(document.text)
            labels.append(document.labels)
            several = several or isinstance(document.row.get(self._label or ""), list)
        if several:
            return TextsAndLabels(texts, labels)
        return TextsAndLabels(texts, [found[0] if found else "" for found in labels])

    def _read(self) -> Iterator[Document]:
        """Yield all documents, then complain if there were none, or none with a label."""
        needed = {self._text: "text="} | ({} if self._label is None else {self._label: "label="})
        empty = unlabelled = True
        rows = self._files() if self._source.is_folder else map(self._document, self._source.rows(needed))
        for document in rows:
            empty = False
            unlabelled = unlabelled and not document.labels
            yield document
        if empty:
            raise DocumentError(f"{self._name}: no documents in it.")
        if unlabelled and self._label is not None:
            raise self._no_label(self._label)

    def _no_label(self, label: str) -> DocumentError:
        unlabelled = "label=None to read unlabelled documents"
        if self._source.is_folder:
            return DocumentError(
                f"{self._name}: no label, all documents lie outside folders; put each into a folder named "
                f"after its label, or pass {unlabelled}."
            )
        return DocumentError(
            f"{self._name}: no label, the column {listed([label])} is empty everywhere (the columns are "
            f"{listed(self.columns)}); pass another label=, or {unlabelled}."
        )

    def _files(self) -> Iterator[Document]:
        for file, folder, text in self._source.files():
            labels = (folder,) if folder and self._label is not None else ()
            yield Document(text, labels, {"file": file}, str(Path(self._source.path or "", file)), 1)

    def _document(self, found: Row) -> Document:
        line, row = found
        text = row.get(self._text)
        if text is None and self._text in row:
            text = ""  # a null of JSON or parquet is what an empty field is in CSV
        if not isinstance(text, str):
            raise self._no_text(line, row)
        if self._label is None:
            return Document(text, (), row, self._name, line)
        labels = _labels(row.get(self._label), self._label_separator)
        if labels is None:
            what = "is neither a string, nor a number, nor a list of those"
            raise DocumentError(
                f'{self._place(line)}: the label in the column "{shown(self._label)}" {what}.'
            )
        return Document(text, labels, row, self._name, line)

    def _no_text(self, line: int, row: dict[str, Any]) -> DocumentError:
        if self._text not in row:
            return missing_column(self._text, row, self._place(line), "text=")
        place, column = self._place(line), shown(self._text)
        return DocumentError(
            f'{place}: the column "{column}" holds something else than text; give each document a string.'
        )

    def _place(self, line: int) -> str:
        return f"{self._name}, {self.unit} {line}"


def _labels(value: Any, separator: str | None) -> tuple[str, ...] | None:
    """Return the labels that a column's value stands for, or None if it cannot stand for any."""
    if isinstance(value, str):
        if separator is None:  # nearly every label, so it is worth a line of its own
            return (name,) if (name := value.strip()) else ()
        names = value.split(separator)
    elif isinstance(value, list):
        if not all(isinstance(item, (str, int, float)) for item in value):
            return None
        names = [_label(item) for item in value]
    elif value is None or isinstance(value, (int, float)):
        names = [_label(value)]
    else:
        return None
    stripped = (name.strip() for name in names)
    return tuple(dict.fromkeys(name for name in stripped if name))


def _label(value: str | float | None) -> str:
    """Return one label as a string; what pandas writes for a missing one (NaN) is none."""
    if isinstance(value, str):
        return value
    return "" if value is None or value != value else json.dumps(value)
