"""What all files on disk have in common: they are there whole or not at all, and are opened with care.

The first bytes of a ``.npy`` file are compared with the only ones that its dtype and shape may have, not
interpreted: numpy's own reader would also open archives and try older ways of writing.
"""

import contextlib
import errno
import io
import os
import re
import secrets
import shutil
import stat
import struct
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Names of files and folders that are not complete yet.
_PARTIAL = re.compile(r"\.[0-9a-f]{16}\.partial")
#: A file may be this much longer than so many times what it takes on the disk; the rest is holes.
HOLES, HOLES_FACTOR = 50_000_000, 20
#: Seconds after which a partial file that nobody holds is one that a dead process left.
STALE = 3600.0
_swept: dict[Path, float] = {}  # when each folder was last looked through by this process


class DamageError(ValueError):
    """What is wrong with something on disk, as the end of a sentence."""


def reason(error: BaseException) -> str:
    """Return what an exception says, for use within a sentence: one line, no control characters."""
    said = " ".join((getattr(error, "strerror", None) or str(error)).split()).rstrip(".")
    if "allow_pickle" in said:  # numpy's advice is to load it all the same
        return "it does not hold plain arrays"
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


def check_writable(folder: Path) -> None:
    """Raise OSError if no file can be made in a folder; the attempt leaves nothing behind."""
    with tempfile.TemporaryFile(dir=folder):
        pass


def _partial_name() -> str:
    return f".{secrets.token_hex(8)}.partial"


def _hold(handle: int) -> bool:
    """Lock what is open until it is closed, and say whether it could be: a dead process holds nothing."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def sweep(folder: Path) -> None:
    """Remove what dead processes have left in a folder unfinished, if the system can tell that they are.

    A folder is looked through once in an hour: a checkpoint folder has many files, and each is a write.
    """
    now = time.monotonic()
    if now - _swept.get(folder, -float("inf")) <= STALE:
        return
    _swept[folder] = now
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if _PARTIAL.fullmatch(entry.name):
                _remove_stale(Path(entry.path))


def _remove_stale(path: Path) -> None:
    with contextlib.suppress(OSError):
        if time.time() - path.lstat().st_mtime <= STALE:
            return
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            if _hold(handle):
                _remove(path)
        finally:
            os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def write_new(path: Path, pieces: Iterable[Any], mode: int | None = None) -> None:
    """Write pieces of bytes to a file that is not there yet, and wait until they are on the disk.

    ``mode`` gives its permissions; None leaves them to the system.
    """

    def make(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else mode)

    with open(path, "xb", opener=make) as file:
        _hold(file.fileno())
        if mode is not None:
            path.chmod(mode)  # the umask may have taken some away
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def replace_file(path: Path, pieces: Iterable[Any]) -> None:
    """Write pieces of bytes to a new file and put it in the place of an old one: whole or not at all.

    It gets the permissions of the old one. What is there and is no regular file stays: a device, a pipe, a
    folder, and a link, whose name would otherwise come to stand for something else.
    """
    mode = None
    if os.path.lexists(path):
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            what = "it is a link" if path.is_symlink() else "it is no regular file"
            raise FileExistsError(errno.EEXIST, what, str(path))
        mode &= 0o777
    sweep(path.parent)
    partial = path.with_name(_partial_name())
    try:
        write_new(partial, pieces, mode)
        partial.replace(path)
        sync_folder(path.parent)
    finally:
        # Once more if Ctrl-C comes in between, as it may while an error is on its way.
        try:
            partial.unlink(missing_ok=True)
        except KeyboardInterrupt:
            partial.unlink(missing_ok=True)
            raise


def write_file(path: str | Path, pieces: Iterable[Any]) -> None:
    """Write a file as :func:`replace_file` does; an error says what became of it in a sentence."""
    try:
        replace_file(Path(path), pieces)
    except FileExistsError as error:
        raise ValueError(f"{path} is not replaced ({reason(error)}): choose another place.") from error
    except OSError as error:
        raise OSError(
            f"{path} was not written ({reason(error)}); what was there before is as it was."
        ) from error


@contextlib.contextmanager
def whole_folder(path: str | Path, *, replace: bool = False) -> Iterator[Path]:
    """Give a new folder to write to; it gets its name if the block ends well, and is removed otherwise.

    Folders above it are made. With ``replace`` a folder that is there makes way in the last step: until then
    it stays as it is. If the machine stops within that step it is left beside the new one, as
    ``.NAME.TOKEN.old``.
    """
    path = absolute(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent)
    partial = path.with_name(_partial_name())
    old = path.with_name(f".{path.name}.{secrets.token_hex(8)}.old")
    held: int | None = None
    try:
        partial.mkdir()
        held = _hold_folder(partial)
        yield partial
        if replace and path.exists():
            shutil.copymode(path, partial)  # a private folder stays private
        if replace:
            with contextlib.suppress(FileNotFoundError):
                path.rename(old)
        partial.rename(path)
        sync_folder(path.parent)
    finally:
        try:
            _clear(partial, path, old)
        except (KeyboardInterrupt, OSError):  # an interrupt within rmtree can become an error
            _clear(partial, path, old)
            raise
        finally:
            if held is not None:
                os.close(held)


def _clear(partial: Path, path: Path, old: Path) -> None:
    """Remove what is beside a folder; what was there before goes back if nothing has taken its place."""
    if not path.exists():
        with contextlib.suppress(OSError):
            old.rename(path)
    shutil.rmtree(partial, ignore_errors=True)
    if path.exists():
        shutil.rmtree(old, ignore_errors=True)


def _hold_folder(folder: Path) -> int | None:
    """Lock a folder until the handle is closed, if the system can open folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        _hold(handle)
        return handle
    return None


@contextlib.contextmanager
def open_regular(path: Path) -> Iterator[io.BufferedReader]:
    """Open a regular file, never a link nor a pipe that would keep us waiting, nor one of holes."""
    if path.is_symlink():
        raise DamageError(f"{path.name} is a link")
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        _check_regular(path.name, os.fstat(handle), handle)
    except DamageError:
        os.close(handle)
        raise
    with os.fdopen(handle, "rb") as file:
        yield file


def _check_regular(name: str, found: os.stat_result, handle: int) -> None:
    """Refuse what is no regular file, or a small one that claims to be long: reading it would take long."""
    if not stat.S_ISREG(found.st_mode):
        raise DamageError(f"{name} is not a regular file")
    on_disk = 512 * getattr(found, "st_blocks", 0)  # 0 if the system does not say
    if found.st_size > HOLES + HOLES_FACTOR * on_disk and (on_disk or _is_hole(handle)):
        raise DamageError(f"{name} has {found.st_size:,} bytes, but only {on_disk:,} of them are on the disk")


def _is_hole(handle: int) -> bool:
    """Return whether a file is known to have no data at all."""
    try:
        os.lseek(handle, 0, os.SEEK_DATA)
    except (AttributeError, OSError) as error:
        return getattr(error, "errno", None) == errno.ENXIO
    os.lseek(handle, 0, os.SEEK_SET)
    return False


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of JSON; a key that comes twice would be read differently by others."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise DamageError("header.json has a key twice")
    return found


def check_keys(where: str, entry: Any, keys: set[str]) -> None:
    """Refuse what is no object of JSON with exactly these keys."""
    if not isinstance(entry, dict) or set(entry) != keys:
        raise DamageError(f"{where} must have the keys {', '.join(sorted(keys))} and no others")
