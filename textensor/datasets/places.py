"""Where data files are: the folder in TEXTENSOR_DATA, the cache, a public address, in that order.

All three have one layout, because a download is converted into the layout's file before it is stored. So each
set is read in one way, wherever it comes from.
"""

import contextlib
import functools
import io
import lzma
import os
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from textensor.base.disk import replace_file
from textensor.base.progress import Progress, silent
from textensor.datasets.corpus import Corpus
from textensor.datasets.download import failure, fetch

MAX_UNPACKED = 1_000_000_000

# What the standard library raises for damaged archives, beside OSError and ValueError.
DAMAGE = (EOFError, RecursionError, ValueError, lzma.LZMAError, tarfile.TarError, zlib.error)


@dataclass(frozen=True)
class DataFile:
    """One file of the layout, and how to make it from what is published.

    Attributes
    ----------
    path : str
        Where it is inside the data folder, such as ``"tdt2/tdt2_all.svm.xz"``.
    addresses : tuple of str
        Where the original is published; the first that works is used. Empty if it is not published as a file.
    convert : callable
        Takes the original, open for reading, and returns the lines of the layout's file. It raises ValueError
        if the content is not that of the set.
    sha256 : str, optional
        Of the original. Without it, ``convert`` checks the content.
    """

    path: str
    addresses: tuple[str, ...]
    convert: Callable[[IO[bytes]], Iterable[bytes]]
    sha256: str | None = None


@dataclass(frozen=True)
class DatasetInfo:
    """A data set: a line of the catalogue, its loader and its files.

    Attributes
    ----------
    name : str
        The name that :func:`textensor.datasets.load` takes.
    load : callable
        Returns the corpus; its parameters are the options of the set.
    documents, labels : str
        Number of documents and of labels; those of the default subset if there are several.
    terms : str
        The terms of use in a few words.
    options : str
        The options of the loader in words, empty if there are none.
    files : tuple of DataFile
        The files of the set.
    """

    name: str
    load: Callable[..., Corpus]
    documents: str
    labels: str
    terms: str
    options: str = ""
    files: tuple[DataFile, ...] = ()

    @property
    def here(self) -> bool:
        """Whether the set loads without a download."""
        return all(find(file.path) is not None for file in self.files)

    def get(self, progress: Progress = silent) -> list[Path]:
        """Return the files of the set, after downloading those that are missing."""
        return [obtain(file, progress) for file in self.files]


def data_folder() -> Path | None:
    """Return the folder that the environment variable ``TEXTENSOR_DATA`` names, if any."""
    named = os.environ.get("TEXTENSOR_DATA")
    return Path(named).expanduser() if named else None


def cache_folder() -> Path:
    """Return ``TEXTENSOR_CACHE``, or ``textensor`` in the user's cache folder; it need not exist."""
    named = os.environ.get("TEXTENSOR_CACHE")
    if named:
        return Path(named).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(shared) if shared else Path("~/.cache").expanduser()) / "textensor"
    except RuntimeError:  # a user without a home, as in some containers
        return Path(_temporary().name)


def find(path: str) -> Path | None:
    """Look for a file of the layout in the data folder, then in the cache."""
    folders = [data_folder(), cache_folder()]
    if _temporary.cache_info().currsize:
        folders.append(Path(_temporary().name))
    places = (folder / path for folder in folders if folder is not None)
    # Path.is_file would raise an error for a folder that may not be looked into.
    return next((place for place in places if os.path.isfile(place)), None)  # noqa: PTH113


def obtain(file: DataFile, progress: Progress = silent) -> Path:
    """Find a file of the layout, or download and convert it into the cache."""
    found = find(file.path)
    if found is not None:
        return found
    failures = []
    for address in file.addresses:
        try:
            with fetch(address, sha256=file.sha256, progress=progress) as original:
                return store(file.path, file.convert(original))
        except (OSError, *DAMAGE) as error:
            failures.append(f"{address}: {failure(error)}")
    folder = data_folder() or "that the environment variable TEXTENSOR_DATA names"
    tried = f"downloading it failed ({'; '.join(failures)})" if failures else "it cannot be downloaded"
    advice = "try again with a network, or put it" if failures else "put it"
    raise FileNotFoundError(
        f"The file {file.path} is not on this machine, and {tried}: {advice} into the folder {folder}."
    )


def store(path: str, lines: Iterable[bytes]) -> Path:
    """Write a file of the layout into the cache: compressed, whole or not at all.

    Where the cache cannot be written, a folder that lasts as long as this process takes its place.
    """
    try:
        target = _writable(cache_folder() / path)
    except OSError:
        target = _writable(Path(_temporary().name) / path)
    replace_file(target, _packed(lines))
    return target


def _packed(lines: Iterable[bytes]) -> Iterator[bytes]:
    packer = lzma.LZMACompressor(preset=1)
    for line in lines:
        yield packer.compress(line)
    yield packer.flush()


def _writable(target: Path) -> Path:
    """Make the folder of a file and see that files can be made in it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=target.parent):
        return target


@functools.cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="textensor-")


class Capped(io.RawIOBase):
    """A stream with an end to what it gives, because a small archive may unpack to any size."""

    def __init__(self, stream: IO[bytes], max_bytes: int = MAX_UNPACKED) -> None:
        self._stream = stream
        self._left = self._max_bytes = max_bytes

    def readable(self) -> bool:
        """Say that this is a stream to read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, up to its size."""
        chunk = self._stream.read(len(buffer))
        self._left -= len(chunk)
        if self._left < 0:
            raise ValueError(f"it unpacks to more than {self._max_bytes} bytes")
        buffer[: len(chunk)] = chunk
        return len(chunk)


@contextlib.contextmanager
def open_packed(path: Path) -> Iterator[IO[bytes]]:
    """Open an xz file of the layout; damage met while it is open becomes one sentence that names the file."""
    try:
        with lzma.open(path, "rb") as stream:
            yield io.BufferedReader(Capped(stream))
    except DAMAGE as error:
        raise ValueError(f"{path} is damaged ({error}): delete it and get the set again.") from error
