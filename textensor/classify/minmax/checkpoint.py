"""Modules that are done, kept in a folder, so that a fit which was interrupted goes on where it stopped.

The folder of one fit is named by a hash of everything that the modules depend on. Files are ``.npz`` of plain
arrays, each written whole before it gets its name.
"""

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from textensor.classify.minmax.modules import Module

__all__ = ["Checkpoint", "digest"]

Key = tuple[int, int, int]

#: Modules are written together, so many seconds after the last ones: at most that much work is lost.
SECONDS = 2.0
_NUMBERS = ("intercept", "n_rows", "seconds", "objective", "n_epochs", "reached")


def digest(settings: dict[str, Any], arrays: Iterable[npt.NDArray[Any]]) -> str:
    """Return a hash of settings and arrays, 32 hexadecimal digits."""
    sha = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for array in arrays:
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(np.ascontiguousarray(array).data)
    return sha.hexdigest()[:32]


class Checkpoint:
    """The modules of one fit that are done; leaving the ``with`` block, for whatever reason, writes the last.

    Parameters
    ----------
    folder : path or None
        Where checkpoints are kept. None: nowhere.
    name : str
        The hash of what the modules depend on.
    n_terms : int
        How many terms there are.
    """

    def __init__(self, folder: str | Path | None, name: str, n_terms: int) -> None:
        if folder is not None and not isinstance(folder, str | Path):
            raise ValueError(f"checkpoint must be a path or None, not {folder!r}.")
        self.folder = None if folder is None else Path(folder) / name
        self.done: dict[Key, Module] = {}
        self._waiting: dict[Key, Module] = {}
        self._written = time.monotonic()
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ValueError(f"checkpoint={str(folder)!r} is no folder to write to ({error}).") from error
            for path in sorted(self.folder.glob("modules-*.npz")):
                self.done.update(_read(path, n_terms))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write()

    def add(self, key: Key, module: Module) -> None:
        """Take a module that is done."""
        self.done[key] = module
        if self.folder is not None:
            self._waiting[key] = module
            if time.monotonic() - self._written > SECONDS:
                self._write()

    def _write(self) -> None:
        if self.folder is None or not self._waiting:
            return
        modules = list(self._waiting.values())
        label, positive, negative = next(iter(self._waiting))
        path = self.folder / f"modules-{label}-{positive}-{negative}.npz"
        partial = path.with_suffix(f".{os.getpid()}.partial")
        with partial.open("wb") as file:
            np.savez(
                file,
                keys=np.array(list(self._waiting), dtype=np.int64),
                ends=np.cumsum([len(m.terms) for m in modules]),
                terms=np.concatenate([m.terms for m in modules]),
                weights=np.concatenate([m.weights for m in modules]),
                numbers=np.array([[getattr(m, name) for name in _NUMBERS] for m in modules]),
            )
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        self._waiting = {}
        self._written = time.monotonic()


def _read(path: Path, n_terms: int) -> dict[Key, Module]:
    try:
        with np.load(path, allow_pickle=False) as file:
            keys, ends, numbers = file["keys"], file["ends"], file["numbers"]
            terms = np.split(file["terms"], ends[:-1])
            weights = np.split(file["weights"], ends[:-1])
        found = {}
        for key, term, weight, row in zip(keys.tolist(), terms, weights, numbers.tolist(), strict=True):
            intercept, n_rows, seconds, objective, n_epochs, reached = row
            if term.dtype != np.int32 or weight.dtype != np.float32 or len(term) != len(weight):
                raise ValueError("it holds no weights of terms")
            if not ((term >= 0) & (term < n_terms)).all() or (np.diff(term) <= 0).any():
                raise ValueError("its terms are not those of the documents")
            found[key[0], key[1], key[2]] = Module(
                term, weight, intercept, int(n_rows), seconds, objective, int(n_epochs), bool(reached)
            )
        return found
    except (OSError, TypeError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path} cannot be read ({error}): remove it, and its modules are trained anew."
        ) from error
