"""A folder of folders: each file a document, each folder's name its label."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from textensor.datasets.readers.decode import read_text
from textensor.datasets.readers.errors import DocumentError, over_the_cap, shown_path, utf8_size
from textensor.datasets.readers.unpack import Budget


class FoundFile(NamedTuple):
    """A file of a folder: its path below that folder, the name of the folder it lies in, and its text."""

    file: str
    label: str
    text: str


def folder_files(
    root: Path, encoding: str | None, max_file_bytes: int, max_bytes: int
) -> Iterator[FoundFile]:
    """Yield the files of a folder and of the folders in it, sorted by name.

    Hidden files and links are passed over; so is what is neither file nor folder. Files that lie directly in
    the folder have no label.
    """
    budget = Budget(max_bytes)
    for entry in _visible(root):
        label = entry.name if entry.is_dir(follow_symlinks=False) else ""
        for found in _visible(root / label) if label else [entry]:
            if found.is_dir(follow_symlinks=False):
                raise DocumentError(
                    f"{shown_path(found.path)}: a folder inside a label's folder; put files there instead."
                )
            if found.is_file(follow_symlinks=False):
                text = _text(Path(found.path), encoding, max_file_bytes, budget)
                yield FoundFile(f"{label}/{found.name}" if label else found.name, label, text)


def _visible(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        visible = [entry for entry in entries if not entry.name.startswith(".") and not entry.is_symlink()]
    for entry in visible:
        try:
            entry.name.encode()
        except UnicodeEncodeError as error:
            raise DocumentError(
                f"{shown_path(entry.path)}: a file name that is not UTF-8; rename it."
            ) from error
    return sorted(visible, key=lambda entry: entry.name)


def _text(path: Path, encoding: str | None, max_file_bytes: int, budget: Budget) -> str:
    name = shown_path(path)
    pieces: list[str] = []
    size = 0
    for piece in read_text(path, name, encoding, budget):
        size += utf8_size(piece)
        if size > max_file_bytes:
            raise over_the_cap(name, max_file_bytes)
        pieces.append(piece)
    return "".join(pieces)
