"""Modules that are done, kept in a checkpoint folder, so that an interrupted fit resumes where it stopped."""

import time
from pathlib import Path
from typing import Self

import numpy as np

from textensor.base.store import Arrays, Store
from textensor.classify.minmax.modules import Key, Module

#: Modules are written together, so many seconds after the last ones: at most that much work is lost.
SECONDS = 2.0


class Checkpoint:
    """The modules of one fit that are done; leaving the ``with`` block, for whatever reason, writes the last.

    Without a folder nothing is kept. The name is the hash of everything the modules depend on.
    """

    def __init__(self, folder: str | Path | None, name: str, n_terms: int) -> None:
        self.done: dict[Key, Module] = {}
        self._store, self._prefix = Store(folder), f"modules-{name}"
        self._waiting: dict[Key, Module] = {}
        self._written = time.monotonic()
        for found in self._store.each(self._prefix, lambda arrays: _modules(arrays, n_terms)):
            self.done.update(found)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()

    def add(self, key: Key, module: Module) -> None:
        """Take a module that is done."""
        self.done[key] = module
        if self._store.folder is not None:
            self._waiting[key] = module
            if time.monotonic() - self._written > SECONDS:
                self._write()

    def _write(self) -> None:
        if not self._waiting:
            return
        modules = list(self._waiting.values())
        label, positive, negative = next(iter(self._waiting))
        self._store.keep(
            f"{self._prefix}-{label}-{positive}-{negative}",
            keys=np.array(list(self._waiting), dtype=np.int64),
            ends=np.cumsum([len(m.terms) for m in modules]),
            terms=np.concatenate([m.terms for m in modules]),
            weights=np.concatenate([m.weights for m in modules]),
            numbers=np.array([m.numbers for m in modules], dtype=np.float64),
        )
        self._waiting = {}
        self._written = time.monotonic()


def _modules(arrays: Arrays, n_terms: int) -> dict[Key, Module]:
    """Return the modules of one file."""
    keys, ends, numbers = arrays["keys"], arrays["ends"], arrays["numbers"]
    terms, weights = np.split(arrays["terms"], ends[:-1]), np.split(arrays["weights"], ends[:-1])
    if numbers.dtype != np.float64 or numbers.shape[1:] != (6,):
        raise ValueError("it does not hold six numbers for each module")
    if not (np.isfinite(numbers).all() and np.isfinite(arrays["weights"]).all()):
        raise ValueError("it holds infinite numbers")
    found = {}
    for key, term, weight, row in zip(keys.tolist(), terms, weights, numbers.tolist(), strict=True):
        if term.dtype != np.int32 or weight.dtype != np.float32 or len(term) != len(weight):
            raise ValueError("it holds no weights of terms")
        if not ((term >= 0) & (term < n_terms)).all() or (np.diff(term) <= 0).any():
            raise ValueError("its terms are not those of the documents")
        found[key[0], key[1], key[2]] = Module(term, weight, row)
    return found
