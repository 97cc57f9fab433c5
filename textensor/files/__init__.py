"""Model files: fitted estimators as data, safe to pass on.

A file is a zip of ``header.json`` and ``.npy`` members. Nothing in it is ever run: classes come from a closed
table, everything else is numbers and texts, and what they have to be is checked before it is used.
"""

import contextlib
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import textensor
from textensor.base.disk import DamageError, absolute, reason, replace_file
from textensor.base.kept import PIPELINE
from textensor.base.late.mode import go_without_scikit
from textensor.files.container import Budget, Packed, pack, read_file, read_header, starts_like_one
from textensor.files.reading import Reader
from textensor.files.summary import plain, summary
from textensor.files.writing import Writer

__all__ = ["Description", "ModelFileError", "check_replaceable", "describe", "load", "open_model", "save"]


class ModelFileError(ValueError):
    """A model that cannot be stored, or a file that holds none that can be read."""


def save(model: Any, path: str | Path, *, metadata: dict[str, Any] | None = None) -> None:
    """Write a fitted model to a file: all of it, or nothing, and then an older file stays as it was.

    Parameters
    ----------
    model : fitted estimator
        One of the classes in docs/model-files.md, pipelines of them included.
    path : path
        An older model file is replaced; anything else that is there is not.
    metadata : dict or None
        What else to keep, as JSON: where the data came from, how good the model was.

    Raises
    ------
    ModelFileError
        The model is not fitted, or holds what is no data: a function, an estimator that is not in the table.

    Examples
    --------
    >>> import tempfile
    >>> from textensor.files import load, save
    >>> from textensor.reduce import CentroidProjection
    >>> model = CentroidProjection().fit([[1.0, 0.0], [0.0, 2.0]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save(model, place + "/my.model")
    ...     load(place + "/my.model").transform([[3.0, 4.0]])
    array([[3., 4.]])
    """
    path = absolute(path)
    check_replaceable(path)
    try:
        packed = _packed(model, {} if metadata is None else metadata)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, packed.pieces)
    except (DamageError, RecursionError, OverflowError) as error:
        raise ModelFileError(f"This {type(model).__name__} cannot be saved: {reason(error)}.") from error
    except OSError as error:
        raise OSError(
            f"{path} was not written ({reason(error)}); what was there before is as it was."
        ) from error


def load(path: str | Path) -> Any:
    """Return the model in a file.

    Nothing in the file is ever run, and no pickle is read. Whoever made it still chose what the model says.

    Parameters
    ----------
    path : path
        What :func:`save` wrote; links are not followed.

    Raises
    ------
    ModelFileError
        It is not a model file, it is damaged, or its format is older or newer than this version reads.
    """
    return open_model(path)[0]


def open_model(path: str | Path, *, to_score: bool = False) -> tuple[Any, "Description"]:
    """Return the model in a file and what the file says of it: :func:`load` and :func:`describe` at once.

    With ``to_score``, this process is only to score documents: scikit-learn, which is slow to import, is left
    out unless the model holds parts of it. Everything is checked all the same.
    """
    with _readable(path) as file:
        header, arrays, budget = read_file(file)
        if to_score and not _holds_scikit(header["model"]):
            go_without_scikit()
        return _decoded(header, arrays, budget), _description(header, budget)


@dataclass(frozen=True)
class Description:
    """What a model file says of itself.

    Attributes
    ----------
    model : dict
        ``"class"``, ``"parameters"`` and ``"state"``; of arrays their dtype and shape, of a vocabulary how
        many terms.
    metadata : dict
        What was given to :func:`save`.
    versions : dict
        Of the libraries it was written with.
    format : str
        Of the file.
    n_bytes : int
        Of the file.
    """

    model: dict[str, Any]
    metadata: dict[str, Any]
    versions: dict[str, str]
    format: str
    n_bytes: int


def describe(path: str | Path) -> Description:
    """Return what a file says of its model, from the header alone: no array is read, nothing is made of it.

    Examples
    --------
    >>> import tempfile
    >>> from textensor.files import describe, save
    >>> from textensor.reduce import CentroidProjection
    >>> model = CentroidProjection().fit([[1.0, 0.0], [0.0, 2.0]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save(model, place + "/my.model", metadata={"macro F1": 0.93})
    ...     found = describe(place + "/my.model")
    >>> found.model["class"], found.model["state"]["components_"], found.metadata
    ('textensor.reduce.CentroidProjection', 'float64 2 x 2', {'macro F1': 0.93})
    """
    with _readable(path) as file:
        return _description(*read_header(file))


def _holds_scikit(node: Any) -> bool:
    """Return whether a model has a part that only scikit-learn can make; pipelines are not among them."""
    if isinstance(node, list):
        return any(map(_holds_scikit, node))
    if not isinstance(node, dict):
        return False
    name = node.get("class")
    foreign = isinstance(name, str) and name.startswith("sklearn.") and name != PIPELINE
    return foreign or any(_holds_scikit(part) for key, part in node.items() if key != "vocabulary")


def _description(header: dict[str, Any], budget: Budget) -> Description:
    _check_rest(header)
    model = summary(header["model"], header["arrays"])
    return Description(model, header["metadata"], header["versions"], header["format"], budget.n_bytes)


@contextlib.contextmanager
def _readable(path: str | Path) -> Iterator[Path]:
    """Say in one sentence why a file cannot be read."""
    try:
        yield Path(path)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"There is no model file {path}.") from error
    except OSError:
        raise
    except Exception as error:  # whatever the contents of a file lead to, it is the file that is wrong
        raise ModelFileError(f"{path} cannot be read as a model: {reason(error)[:400]}.") from error


def _packed(model: Any, metadata: dict[str, Any]) -> Packed:
    """Return the file of a model, after making a second one of its contents as a reader would.

    So whatever would be refused when it is loaded is refused when it is saved.
    """
    if type(metadata) is not dict:
        raise DamageError("its metadata is not a dict")
    writer = Writer()
    with _placed(writer):
        node = writer.encode(model)
    if not isinstance(node, dict) or "class" not in node:
        raise DamageError("it is not an estimator")
    if node["state"] is None:
        raise DamageError("it is not fitted")
    from importlib.metadata import version  # here: it is slow to import

    versions = {
        "python": platform.python_version(),
        "textensor": textensor.__version__,
        "numpy": np.__version__,
        "scipy": version("scipy"),
        "scikit-learn": version("scikit-learn"),
    }
    header = {"versions": versions, "metadata": plain(metadata), "model": node}
    packed = pack(header, writer.arrays)
    _decoded(header, writer.arrays, packed.budget)
    return packed


def _decoded(header: dict[str, Any], arrays: list[Any], budget: Budget) -> Any:
    """Return the model of a header and its arrays."""
    _check_rest(header)
    reader = Reader(arrays, budget)
    with _placed(reader):
        model = reader.decode(header["model"])
        reader.finish()
    return model


@contextlib.contextmanager
def _placed(coder: Reader | Writer) -> Iterator[None]:
    """Say where it was that something went wrong."""
    try:
        yield
    except DamageError as error:
        place = ".".join(coder.where)
        raise DamageError(f"{place[:200]}: {error}" if place else str(error)) from error


def _check_rest(header: dict[str, Any]) -> None:
    """Refuse a header whose model, metadata or versions are not what they should be."""
    node, versions = header["model"], header["versions"]
    if not isinstance(node, dict) or not {"class", "parameters", "state"} == node.keys():
        raise DamageError("header.json holds no model")
    if not isinstance(node["state"], dict):
        raise DamageError("its model is not fitted")
    if not isinstance(header["metadata"], dict):
        raise DamageError("its metadata is no object")
    plain(header["metadata"])  # refuses what is nested too deeply
    if not isinstance(versions, dict) or not all(isinstance(text, str) for text in versions.values()):
        raise DamageError("its versions are not texts")


def check_replaceable(path: str | Path) -> None:
    """Refuse to put a model in the place of anything but a model: ask before work that takes long."""
    path = absolute(path)
    try:
        replaceable = not os.path.lexists(path) or starts_like_one(path)
        why = "it is no model file"
    except DamageError as error:
        replaceable, why = False, reason(error)
    if not replaceable:
        raise FileExistsError(f"{path} is not replaced ({why}): remove it or choose another place.")
