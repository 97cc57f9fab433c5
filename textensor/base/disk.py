"""What all files on disk have in common: they are there whole or not at all, and are opened with care.

The first bytes of a ``.npy`` file are compared with the only ones that its dtype and shape may have, not
interpreted: numpy's own reader would also open archives and try older ways of writing.
"""

import contextlib
import errno
import io
import os
import secrets
import shutil
import stat
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


class DamageError(ValueError):
    """What is wrong with something on disk, as the end of a sentence."""


def reason(error: BaseException) -> str:
    """Return what an exception says, for use within a sentence: one line, no control characters."""
    said = " ".join((getattr(error, "strerror", None) or str(error)).split()).rstrip(".")
    return "".join(sign if sign.isprintable() else "?" for sign in said) or type(error).__name__


def npy_head(dtype: str, shape: tuple[int, ...], *, fortran: bool = False) -> bytes:
    """Return the first bytes of a ``.npy`` file of version 1.0, whatever numpy's version."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def absolute(path: str | Path) -> Path:
    """Return a path from the root, with no link followed."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (resolve() would follow a link)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_new(path: Path, pieces: Iterable[Any]) -> None:
    """Write pieces of bytes to a file that is not there yet, and wait until they are on the disk."""
    with path.open("xb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def replace_file(path: Path, pieces: Iterable[Any]) -> None:
    """Write pieces of bytes to a new file and put it in the place of an old one: whole or not at all.

    What is there and is no regular file stays: a device, a pipe, a folder, and a link, whose name would
    otherwise come to stand for something else.
    """
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        what = "it is a link" if path.is_symlink() else "it is no regular file"
        raise FileExistsError(errno.EEXIST, what, str(path))
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        write_new(partial, pieces)
        partial.replace(path)
        sync_folder(path.parent)
    finally:
        with contextlib.suppress(FileNotFoundError):
            partial.unlink()


@contextlib.contextmanager
def whole_folder(path: str | Path, *, replace: bool = False) -> Iterator[Path]:
    """Give a new folder to write to; it gets its name if the block ends well, and is removed otherwise.

    Folders above it are made. With ``replace`` a folder that is there makes way in the last step: until then
    it stays as it is. If the machine stops within that step it is left beside the new one, as
    ``.NAME.TOKEN.old``.
    """
    path = absolute(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(8)
    partial, old = path.with_name(f".{token}.partial"), path.with_name(f".{path.name}.{token}.old")
    try:
        partial.mkdir()
        yield partial
        if replace and path.exists():
            shutil.copymode(path, partial)  # a private folder stays private
        try:
            if replace:
                with contextlib.suppress(FileNotFoundError):
                    path.rename(old)
            partial.rename(path)
        except BaseException:  # Ctrl-C too: what was there goes back
            if old.exists() and not path.exists():
                old.rename(path)
            raise
        sync_folder(path.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def open_regular(path: Path) -> Iterator[io.BufferedReader]:
    """Open a regular file, never a link nor a pipe that would keep us waiting."""
    if path.is_symlink():
        raise DamageError(f"{path.name} is a link")
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise DamageError(f"{path.name} is not a regular file")
    with os.fdopen(handle, "rb") as file:
        yield file


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of JSON; a key that comes twice would be read differently by others."""
    if len(dict(pairs)) < len(pairs):
        raise DamageError("header.json has a key twice")
    return dict(pairs)


def check_keys(where: str, entry: Any, keys: set[str]) -> None:
    """Refuse what is no object of JSON with exactly these keys."""
    if not isinstance(entry, dict) or set(entry) != keys:
        raise DamageError(f"{where} must have the keys {', '.join(sorted(keys))} and no others")
