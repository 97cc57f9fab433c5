"""An index on disk: a folder of ``header.json`` and three ``.npy`` files, read memory-mapped.

Ids are stored as the bytes of their UTF-8 one after the other, and where each begins. That needs no pickle
and no parser, every bound can be checked, and one long id does not widen all others as a fixed width would.
"""

import hashlib
import io
import itertools
import json
import os
import re
from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base.disk import (
    DamageError,
    absolute,
    check_keys,
    npy_head,
    open_regular,
    reason,
    sync_folder,
    unique_keys,
    whole_folder,
    write_new,
)

#: An index holds dense rows; more dimensions than this are terms, not a projection.
MAX_DIMENSIONS = 8192
#: Characters of an id: what is found is shown, and paths and addresses are shorter.
MAX_ID = 10_000
_FORMAT = "textensor-index-1"
_KEYS = {"format", "n_documents", "n_dimensions", "n_added", "arrays"}
_DTYPES = {"vectors": "<f4", "ids": "|u1", "offsets": "<i8"}
_MEMBERS = {"header.json", *(f"{name}.npy" for name in _DTYPES)}
#: What desktops leave in a folder that was looked at: not read, and gone when the index is replaced.
_LITTER = {".DS_Store", "Thumbs.db", "desktop.ini"}
_MAX_HEADER = 1 << 16
_ROWS_AT_ONCE = 4096


class Stored(NamedTuple):
    """What a folder holds: unit rows, their ids, and how many documents were ever added."""

    vectors: npt.NDArray[np.float32]
    ids: list[str]
    n_added: int


def write_index(
    folder: str | Path,
    vectors: Iterable[npt.NDArray[np.float32]],
    n_dimensions: int,
    ids: list[str],
    n_added: int,
) -> None:
    """Write an index to a new folder next to ``folder``, then put it there in one step.

    Whatever happens before that step leaves an older index as it was.
    """
    folder = absolute(folder)
    if os.path.lexists(folder):
        _check_replaceable(folder)
    names = [name.encode() for name in ids]
    offsets = np.zeros(len(ids) + 1, dtype="<i8")
    np.cumsum([len(name) for name in names], out=offsets[1:])
    rows = (np.ascontiguousarray(block, dtype="<f4").ravel().data for block in vectors)
    pieces: dict[str, tuple[tuple[int, ...], Iterable[Any]]] = {
        "vectors": ((len(ids), n_dimensions), rows),
        "ids": ((int(offsets[-1]),), [b"".join(names)]),
        "offsets": ((len(offsets),), [offsets.data]),
    }
    with whole_folder(folder, replace=True) as partial:
        header = {
            "format": _FORMAT,
            "n_documents": len(ids),
            "n_dimensions": n_dimensions,
            "n_added": n_added,
            "arrays": {
                name: {
                    "dtype": _DTYPES[name],
                    "shape": list(shape),
                    "sha256": _write(partial / f"{name}.npy", content, npy_head(_DTYPES[name], shape)),
                }
                for name, (shape, content) in pieces.items()
            },
        }
        _write(partial / "header.json", [json.dumps(header, indent=1).encode()])
        sync_folder(partial)


def _check_replaceable(folder: Path) -> None:
    """Refuse to put an index in the place of anything but an index or an empty folder."""
    try:
        if folder.is_symlink():
            raise DamageError("it is a link")
        if not any(folder.iterdir()):
            return
        _check_members(folder)
        with open_regular(folder / "header.json") as file:
            _read_header(file)
    except (OSError, ValueError, RecursionError) as error:
        raise FileExistsError(
            f"{folder} exists and is no index ({reason(error)}): remove it or choose another place."
        ) from error


def _write(path: Path, pieces: Iterable[Any], head: bytes = b"") -> str:
    """Write pieces to a new file and return the SHA-256 of it all."""
    total = hashlib.sha256()

    def hashed() -> Iterator[Any]:
        for piece in itertools.chain([head], pieces):
            total.update(piece)
            yield piece

    write_new(path, hashed())
    return total.hexdigest()


def read_index(folder: str | Path, *, verify: bool = False) -> Stored:
    """Open an index; its vectors stay on disk until they are used.

    Everything that a search relies on is checked always, the sums only if ``verify``.
    """
    folder = Path(folder)
    if not folder.exists():
        raise FileNotFoundError(f"There is no index {folder}{_left_over(folder)}.")
    try:
        _check_members(folder)
        with open_regular(folder / "header.json") as file:
            header = _read_header(file)
        arrays = {name: _read_array(folder, name, header["arrays"][name], verify) for name in _DTYPES}
        ids = _read_ids(arrays["ids"], arrays["offsets"])
        _check_norms(arrays["vectors"])  # last: it reads by far the most
        return Stored(arrays["vectors"], ids, header["n_added"])
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{folder} holds no index that can be read: {reason(error)}.") from error


def _left_over(folder: Path) -> str:
    """Say where the old index is if the machine stopped in the middle of replacing it."""
    found = sorted(p for p in folder.parent.glob(".*.old") if p.name.startswith(f".{folder.name}."))
    return f", but saving was cut short and the one before is in {found[-1]}: rename that" if found else ""


def _check_members(folder: Path) -> None:
    """Refuse a folder with more or less in it than an index."""
    most = len(_MEMBERS) + len(_LITTER) + 1
    members = {entry.name for entry in itertools.islice(folder.iterdir(), most)} - _LITTER
    for name in sorted(members - _MEMBERS):
        raise DamageError(f"{name!r} is no part of an index")
    for name in sorted(_MEMBERS - members):
        raise DamageError(f"{name} is missing")


def _read_header(file: io.BufferedReader) -> dict[str, Any]:
    """Read ``header.json`` and check that it says what a header says, no more and no less."""
    text = file.read(_MAX_HEADER + 1)
    if len(text) > _MAX_HEADER:
        raise DamageError("header.json is too large")
    header = json.loads(text.decode(), object_pairs_hook=unique_keys)
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise DamageError(f"header.json does not say that the format is {_FORMAT!r}")
    check_keys("header.json", header, _KEYS)
    for key in ("n_documents", "n_dimensions", "n_added"):
        _check_number(key, header[key])
    n_documents, n_dimensions = header["n_documents"], header["n_dimensions"]
    if n_dimensions > MAX_DIMENSIONS or n_documents > (header["n_added"] if n_dimensions else 0):
        raise DamageError("the numbers in header.json contradict each other or a limit")
    check_keys("arrays in header.json", header["arrays"], set(_DTYPES))
    for name, entry in header["arrays"].items():
        _check_entry(name, entry)
    vectors, ids, offsets = (header["arrays"][name]["shape"] for name in _DTYPES)
    if vectors != [n_documents, n_dimensions] or len(ids) != 1 or offsets != [n_documents + 1]:
        raise DamageError("the shapes of its arrays do not fit each other")
    return header


def _check_entry(name: str, entry: Any) -> None:
    """Refuse a description of an array that could not be one of ours."""
    check_keys(f"{name} in header.json", entry, {"dtype", "shape", "sha256"})
    if entry["dtype"] != _DTYPES[name] or not isinstance(entry["shape"], list):
        raise DamageError(f"{name} must be an array of {_DTYPES[name]!r}")
    for number in entry["shape"]:
        _check_number(f"the shape of {name}", number)
    if not isinstance(entry["sha256"], str) or not re.fullmatch("[0-9a-f]{64}", entry["sha256"]):
        raise DamageError(f"the sum of {name} must be 64 hexadecimal digits")


def _check_number(where: str, number: Any) -> None:
    if type(number) is not int or not 0 <= number < 1 << 48:
        raise DamageError(f"{where} must be a number from 0 on")


def _read_array(folder: Path, name: str, entry: dict[str, Any], verify: bool) -> npt.NDArray[Any]:
    """Map one array after comparing its first bytes and its size with what the header says."""
    path = folder / f"{name}.npy"
    dtype, shape = np.dtype(_DTYPES[name]), tuple(entry["shape"])
    head = npy_head(dtype.str, shape)
    with open_regular(path) as file:
        n_bytes = len(head) + dtype.itemsize * prod(shape)
        if file.read(len(head)) != head or os.fstat(file.fileno()).st_size != n_bytes:
            raise DamageError(f"{path.name} is not the array that header.json describes")
        file.seek(0)
        if verify and hashlib.file_digest(file, "sha256").hexdigest() != entry["sha256"]:
            raise DamageError(f"{path.name} has changed since it was written: its sum differs")
        return np.memmap(file, dtype=dtype, mode="r", offset=len(head), shape=shape).view(np.ndarray)


def _check_norms(vectors: npt.NDArray[np.float32]) -> None:
    """Refuse rows that are neither of unit length nor zero, not-a-number among them."""
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = vectors[start : start + _ROWS_AT_ONCE]
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.einsum("ij,ij->i", rows, rows)
            wrong = ~((np.abs(squares - 1) < 1e-3) | (squares == 0))
        if wrong.any():
            raise DamageError(f"row {start + int(wrong.argmax())} of vectors.npy is not of unit length")


def _read_ids(ids: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> list[str]:
    """Cut the bytes into ids, after a look at where the cuts are."""
    rising = bool((offsets[1:] >= offsets[:-1]).all())
    if offsets[0] != 0 or offsets[-1] != len(ids) or not rising:
        raise DamageError("offsets.npy does not cut ids.npy into ids")
    content = ids.tobytes()
    names = [content[a:b].decode() for a, b in itertools.pairwise(offsets.tolist())]
    if max(map(len, names), default=0) > MAX_ID:
        raise DamageError(f"an id has more than {MAX_ID:,} characters")
    if len(set(names)) < len(names):
        raise DamageError("an id is there twice")
    return names
