"""Scores that are done, kept in a folder: what was interrupted goes on where it stopped.

A file is named by a hash of everything that its scores depend on, and written whole before it gets its name.
"""

import hashlib
import io
import json
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.base.disk import reason, replace_file

__all__ = ["Kept"]

Floats = npt.NDArray[np.float64]

#: Other versions of these may give other scores.
_PACKAGES = ("textensor", "numpy", "scipy", "scikit-learn", "numba")


class Kept:
    """A folder of scores.

    Parameters
    ----------
    folder : path or None
        Where they are kept; None: nowhere.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     kept = Kept(folder)
    ...     kept.keep({"method": "svm", "split": 1}, np.ones((2, 1)), seconds=3.0)
    ...     kept.find({"method": "svm", "split": 1}, (2, 1))
    ...     kept.find({"method": "svm", "split": 2}, (2, 1)) is None
    (array([[1.],
           [1.]]), 3.0)
    True
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"{folder} is no folder to keep a checkpoint in ({reason(error)}): name another."
            ) from error

    def find(self, made_of: dict[str, Any], shape: tuple[int, int]) -> tuple[Floats, float] | None:
        """Return scores and the seconds that they took, or None if they are not there."""
        path = self._path(made_of)
        if path is None or not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as file:
                scores, seconds = file["scores"], float(file["seconds"])
            if scores.dtype != np.float64 or scores.shape != shape:
                raise ValueError(f"it holds no scores of {shape[0]} documents and {shape[1]} labels")
        except (OSError, TypeError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(
                f"{path} cannot be read ({reason(error)}): remove it, and it is made anew."
            ) from error
        return scores, seconds

    def keep(self, made_of: dict[str, Any], scores: Floats, seconds: float) -> None:
        """Write scores, all of them or nothing."""
        path = self._path(made_of)
        if path is None:
            return
        written = io.BytesIO()
        np.savez(written, scores=scores, seconds=np.array(seconds))
        replace_file(path, [written.getvalue()])

    def _path(self, made_of: dict[str, Any]) -> Path | None:
        if self.folder is None:
            return None
        versions = {name: version(name) for name in _PACKAGES}
        told = json.dumps({**made_of, "versions": versions}, sort_keys=True, default=str)
        return self.folder / f"scores-{hashlib.sha256(told.encode()).hexdigest()[:32]}.npz"
