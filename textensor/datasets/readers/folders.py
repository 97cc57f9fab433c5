"""A folder of folders: each file a document, each folder's name its label."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from textensor.datasets.readers.decode import read_text
from textensor.datasets.readers.errors import DocumentError, over_the_cap, shown_path, utf8_size
from textensor.datasets.readers.unpack import Budget


def folder_files(
    root: Path,
    encoding: str | None,
    max_file_bytes: int,
    max_bytes: int,
    tell: Callable[[str], object],
) -> Iterator[tuple[str, str, str]]:
    """Yield path, label and text of the files of a folder and of the folders in it, sorted by name.

    A label is the name of a folder; files directly in the root have none. Hidden files and links are skipped,
    and so is anything that is neither a file nor a folder. `tell` is called with the encoding of each file.
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
                text = _text(Path(found.path), encoding, max_file_bytes, budget, tell)
                yield f"{label}/{found.name}".removeprefix("/"), label, text


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


def _text(
    path: Path, encoding: str | None, max_file_bytes: int, budget: Budget, tell: Callable[[str], object]
) -> str:
    name = shown_path(path)
    pieces: list[str] = []
    size = 0
    for piece in read_text(path, name, encoding, budget, tell):
        size += utf8_size(piece)
        if size > max_file_bytes:
            raise over_the_cap(name, max_file_bytes)
        pieces.append(piece)
    return "".join(pieces)
