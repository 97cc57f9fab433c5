"""The checkpoint store: a folder of finished results, so that interrupted work resumes where it stopped.

A file is named by a hash of everything its content depends on, holds plain arrays (``.npz``), and is written
whole or not at all.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any, TypeVar

import numpy as np
from numpy.lib.npyio import NpzFile

from textensor.base.arrays import Array
from textensor.base.checks import Rule, check, optional
from textensor.base.disk import open_regular, reason, replace_file

Arrays = dict[str, Array]
T = TypeVar("T")

#: Packages whose version may change a result.
PACKAGES = ("textensor", "numpy", "scipy", "scikit-learn", "numba")
_DAMAGE = (
    OSError,
    TypeError,
    ValueError,
    LookupError,
    EOFError,
    MemoryError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


def versions() -> dict[str, str]:
    """Return the versions that a result was made with."""
    return {"Python": python_version()} | {name: version(name) for name in PACKAGES}


def digest(settings: Mapping[str, Any], arrays: Iterable[Array] = ()) -> str:
    """Return a hash of settings, arrays and versions: the name of a result that depends on all of them."""
    return hash_of({**settings, "versions": versions()}, arrays)


def hash_of(settings: Mapping[str, Any], arrays: Iterable[Array] = ()) -> str:
    """Return a hash of settings and arrays, 32 hexadecimal digits."""
    sha = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for array in arrays:
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(np.ascontiguousarray(array).data)
    return sha.hexdigest()[:32]


class Store:
    """A folder of checkpoints.

    Parameters
    ----------
    folder : path or None
        The folder, made if needed. None: nothing is kept and nothing is found.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> name = "scores-" + digest({"method": "svm", "split": 1})
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     store.keep(name, scores=np.ones(2), seconds=np.array(3.0))
    ...     store.find(name, lambda arrays: arrays["scores"])
    ...     store.find("scores-of-another", dict) is None
    ...     [float(seconds) for seconds in store.each("scores-", lambda arrays: arrays["seconds"])]
    array([1., 1.])
    True
    [3.0]
    """

    def __init__(self, folder: str | Path | None) -> None:
        check("checkpoint", folder, optional(Rule("a path", lambda value: isinstance(value, str | Path))))
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"{folder} cannot be a checkpoint folder ({reason(error)}): name another."
            ) from error

    def find(self, name: str, read: Callable[[Arrays], T]) -> T | None:
        """Return what is kept under a name, or None.

        ``read`` turns the arrays, by name, into the result; its ValueErrors are reported as damage.
        """
        if self.folder is None:
            return None
        path = self.folder / f"{name}.npz"
        return _read(path, read) if path.exists() else None

    def each(self, prefix: str, read: Callable[[Arrays], T]) -> Iterator[T]:
        """Yield everything whose name has a prefix, sorted by name."""
        paths = [] if self.folder is None else sorted(self.folder.glob(f"{prefix}*.npz"))
        return (_read(path, read) for path in paths)

    def keep(self, name: str, **arrays: Array) -> None:
        """Write arrays, all of them or nothing."""
        if self.folder is None:
            return
        written = io.BytesIO()
        np.savez(written, allow_pickle=False, **arrays)
        path = self.folder / f"{name}.npz"
        try:
            replace_file(path, [written.getbuffer()])
        except OSError as error:
            raise OSError(f"The checkpoint {path} cannot be written ({reason(error)}).") from error


def _read(path: Path, read: Callable[[Arrays], T]) -> T:
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as packed:
            if any(one.compress_type != zipfile.ZIP_STORED for one in packed.infolist()):
                raise ValueError("it is compressed")  # none of ours is, and it can grow to any size
            with NpzFile(file, allow_pickle=False) as found:
                return read(dict(found))
    except _DAMAGE as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else reason(error)
        raise ValueError(
            f"{path} cannot be read ({what}): remove it, and its results are computed again."
        ) from error
