"""The file itself: a zip of ``header.json`` and numbered ``.npy`` members, stored, in the only way it may be.

Everything in such a zip but its contents follows from the contents. So a reader need not interpret a
directory that may lie: it works out what the bytes around the contents have to be, and compares. Compressed,
encrypted, linked, renamed, reordered or repeated members, comments, and anything before, between or behind
the members are all refused by that one comparison, and no array larger than the file is ever made.
"""

import hashlib
import io
import json
import os
import re
import struct
import zlib
from collections.abc import Iterable
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textensor.base.arrays import Array
from textensor.base.disk import (
    DamageError,
    check_keys,
    npy_head,
    open_regular,
    unique_keys,
)

#: What is written, and read. Numbers 1 and 2 were never released; a newer one is refused by name.
FORMAT = "textensor-model-3"
#: The first version of textensor that reads it.
SINCE = "0.1.0"
#: The largest file: what a zip can be without its 64-bit extension.
MAX_BYTES = (1 << 32) - 1
#: The largest header; it holds the vocabulary.
MAX_HEADER = 1 << 26
MAX_MEMBERS = (1 << 16) - 1
MAX_LENGTH = 1 << 40
LARGEST_NUMBER = (1 << 64) - 1
#: Numbers only, in the order of bytes that all common processors have.
DTYPES = frozenset(["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"])
_KEYS = {"format", "versions", "metadata", "model", "arrays"}
#: Memory that reading a file may take: so many bytes, and so many for each byte of the file.
BASE_MEMORY, MEMORY_FACTOR = 40_000_000, 16
#: Bytes that a sign of JSON leads to at most once it is decoded: a list, an object, one more value, a key.
_SIGNS = {b"[": 200, b"{": 400, b",": 72, b":": 180}

# The fields of a zip, named as in its specification; versions 2.0, the first day of 1980, no flags.
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_VERSION, _DATE = 20, 33


class Budget:
    """The memory that reading a file may take, spent by everything that is made from it.

    Parameters
    ----------
    n_bytes : int
        Size of the file.
    """

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        self._left = BASE_MEMORY + MEMORY_FACTOR * n_bytes

    def spend_on_header(self, text: bytes) -> None:
        """Spend what a header takes at most once it is read and decoded."""
        self.spend(2 * len(text) + sum(cost * text.count(sign) for sign, cost in _SIGNS.items()))

    def spend(self, n_bytes: int) -> None:
        """Refuse what takes more memory than is left."""
        self._left -= n_bytes
        if self._left < 0:
            raise DamageError("it would take far more memory than its size allows")


class Member(NamedTuple):
    """What the bytes around a member are made of."""

    name: str
    size: int
    crc: int

    def before(self) -> bytes:
        """Return the local header, which stands before the contents."""
        fields = _VERSION, 0, 0, 0, _DATE, self.crc, self.size, self.size, len(self.name), 0
        return _LOCAL.pack(b"PK\x03\x04", *fields) + self.name.encode()

    def entry(self, offset: int) -> bytes:
        """Return what the central directory says of it."""
        fields = _VERSION, _VERSION, 0, 0, 0, _DATE, self.crc, self.size, self.size, len(self.name)
        return _CENTRAL.pack(b"PK\x01\x02", *fields, 0, 0, 0, 0, 0, offset) + self.name.encode()

    def length(self) -> int:
        """Return how many bytes of the file it takes, its entry in the directory included."""
        return _LOCAL.size + _CENTRAL.size + 2 * len(self.name) + self.size


def _directory(members: list[Member]) -> bytes:
    """Return everything behind the last member."""
    entries, offset = [], 0
    for member in members:
        entries.append(member.entry(offset))
        offset += _LOCAL.size + len(member.name) + member.size
    directory = b"".join(entries)
    n = len(members)
    return directory + _END.pack(b"PK\x05\x06", 0, 0, n, n, len(directory), offset, 0)


class Packed(NamedTuple):
    """A file that is ready to be written: its pieces, and what is left to whoever decodes it."""

    pieces: list[Any]
    budget: Budget


def pack(header: dict[str, Any], arrays: list[Array]) -> Packed:
    """Return the bytes of a file; ``header`` lacks the description of the arrays, which is added."""
    described = [_described(array) for array in arrays]
    header = {"format": FORMAT, **header, "arrays": [description for description, _, _ in described]}
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(text) > MAX_HEADER:
        raise DamageError(
            f"its terms, labels and settings take {len(text) >> 20} MiB, over the limit of {MAX_HEADER >> 20}"
        )
    contents: list[list[Any]] = [[text], *([head, data] for _, head, data in described)]
    members = [
        Member(_name(number), sum(len(piece) for piece in content), _crc(content))
        for number, content in enumerate(contents)
    ]
    n_bytes = sum(member.length() for member in members) + _END.size
    if n_bytes > MAX_BYTES or len(members) > MAX_MEMBERS:
        raise DamageError(f"it takes more than 4 GiB or more than {MAX_MEMBERS} arrays")
    pieces: list[Any] = []
    for member, content in zip(members, contents, strict=True):
        pieces += [member.before(), *content]
    budget = Budget(n_bytes)
    budget.spend_on_header(text)
    budget.spend(sum(array.nbytes for array in arrays))
    return Packed([*pieces, _directory(members)], budget)


def _name(number: int) -> str:
    return f"{number - 1}.npy" if number else "header.json"


def _crc(pieces: Iterable[Any]) -> int:
    total = 0
    for piece in pieces:
        total = zlib.crc32(piece, total)
    return total


def _described(array: Array) -> tuple[dict[str, Any], bytes, memoryview]:
    """Return what the header says of an array, the first bytes of its member and the others."""
    fortran = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    head = npy_head(array.dtype.str, array.shape, fortran=fortran)
    # The layout is kept: BLAS rounds a product differently by the layout of what it multiplies.
    data = np.ascontiguousarray(array.T if fortran else array).reshape(-1).view(np.uint8).data
    total = hashlib.sha256(head)
    total.update(data)
    description = {
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "fortran": bool(fortran),
        "sha256": total.hexdigest(),
    }
    return description, head, data


def read_header(path: Path) -> tuple[dict[str, Any], Budget]:
    """Read and check the header alone; return it and the budget of the file."""
    with open_regular(path) as file:
        header, _, budget = _read_header(file)
        return header, budget


def read_file(path: Path) -> tuple[dict[str, Any], list[Array], Budget]:
    """Read and check the header and all arrays; return them and the budget that is left to decode them."""
    with open_regular(path) as file:
        header, first, budget = _read_header(file)
        members, arrays = [first], []
        for number, description in enumerate(header["arrays"], start=1):
            array, member = _read_array(file, _name(number), description)
            budget.spend(array.nbytes)
            arrays.append(array)
            members.append(member)
        directory = _directory(members)
        if file.read(len(directory) + 1) != directory:
            raise DamageError("its end is not that of a model file")
        return header, arrays, budget


def _read_header(file: io.BufferedReader) -> tuple[dict[str, Any], Member, Budget]:
    """Read ``header.json``; the size of the file must be the one that it leads to."""
    n_bytes = os.fstat(file.fileno()).st_size
    if n_bytes > MAX_BYTES:
        raise DamageError("it is larger than 4 GiB")
    member = _read_member(file, _name(0), None)
    if member.size > min(MAX_HEADER, n_bytes):
        raise DamageError("its header is larger than the file or the limit")
    text = file.read(member.size)
    if zlib.crc32(text) != member.crc or len(text) != member.size:
        raise DamageError("header.json has changed since it was written: its sum differs")
    budget = Budget(n_bytes)
    budget.spend_on_header(text)
    header = json.loads(
        text.decode("ascii"),
        object_pairs_hook=unique_keys,
        parse_constant=_no_number,
        parse_float=_finite,
        parse_int=_whole,
    )
    _check_format(header)
    check_keys("header.json", header, _KEYS)
    if not isinstance(header["arrays"], list) or len(header["arrays"]) >= MAX_MEMBERS:
        raise DamageError("header.json has no list of arrays")
    expected = member.length() + _END.size
    for number, description in enumerate(header["arrays"], start=1):
        expected += Member(_name(number), _check_description(description), 0).length()
    if expected != n_bytes:
        raise DamageError(f"it has {n_bytes} bytes, and its header describes {expected}")
    return header, member, budget


def _no_number(text: str) -> Any:
    raise DamageError(f"header.json holds {text}, which is no number")


def _whole(text: str) -> int:
    return checked_number(int(text) if len(text) <= 21 else LARGEST_NUMBER + 1)


def checked_number(number: int) -> int:
    """Return a whole number of at most 64 bits: more are no setting, and can be chosen to have one hash."""
    if abs(number) > LARGEST_NUMBER:
        raise DamageError("it holds a whole number of more than 64 bits")
    return number


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) < float("inf") else _no_number(text[:20])


def _check_format(header: Any) -> None:
    """Refuse other formats, and say so if it is another of ours."""
    found = header.get("format") if isinstance(header, dict) else None
    if found == FORMAT:
        return
    number = re.fullmatch(r"textensor-model-([1-9][0-9]{0,5})", found) if isinstance(found, str) else None
    if number and int(number[1]) < int(FORMAT.rpartition("-")[2]):
        raise DamageError(f"its format {number[1]} is from before the first release: fit the model again")
    if number:
        raise DamageError(
            f"its format {number[1]} is newer than this version of textensor: install a newer one"
        )
    raise DamageError(f"header.json does not say that the format is {FORMAT!r}")


def _check_description(description: Any) -> int:
    """Refuse a description of an array that could not be one of ours; return the size of its member."""
    check_keys("the description of an array", description, {"dtype", "shape", "fortran", "sha256"})
    dtype, shape, total = description["dtype"], description["shape"], description["sha256"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise DamageError(f"an array has the dtype {dtype!r:.40}, which is not one of numbers")
    if not isinstance(shape, list) or len(shape) > 32:
        raise DamageError("an array has no shape")
    if not all(type(length) is int and 0 <= length <= MAX_LENGTH for length in shape):
        raise DamageError("an array has a shape that cannot be")
    if type(description["fortran"]) is not bool or (description["fortran"] and len(shape) < 2):
        raise DamageError("an array has a layout that cannot be")
    if not isinstance(total, str) or not re.fullmatch("[0-9a-f]{64}", total):
        raise DamageError("the sum of an array is not 64 hexadecimal digits")
    head = npy_head(dtype, tuple(shape), fortran=description["fortran"])
    return len(head) + np.dtype(dtype).itemsize * prod(shape)


def _read_member(file: io.BufferedReader, name: str, size: int | None) -> Member:
    """Read what stands before a member; a size of None is taken from there."""
    found = file.read(_LOCAL.size + len(name))
    if len(found) < _LOCAL.size:
        raise DamageError("it is not a textensor model, or it is cut short")
    fields = _LOCAL.unpack(found[: _LOCAL.size])
    member = Member(name, fields[7] if size is None else size, fields[6])
    if found[:4] != member.before()[:4] and size is None:
        raise DamageError("it is not a textensor model")
    if member.before() != found:
        raise DamageError(f"{name} is not where it should be, or not stored as it should be")
    return member


def _read_array(file: io.BufferedReader, name: str, description: dict[str, Any]) -> tuple[Array, Member]:
    """Read one array whose description is checked already."""
    shape, dtype, fortran = tuple(description["shape"]), description["dtype"], description["fortran"]
    head = npy_head(dtype, shape, fortran=fortran)
    flat = np.empty(prod(shape), dtype=dtype)
    member = _read_member(file, name, len(head) + flat.nbytes)
    data = flat.view(np.uint8).data
    if file.read(len(head)) != head or file.readinto(data) != flat.nbytes:
        raise DamageError(f"{name} is not the array that header.json describes")
    total = hashlib.sha256(head)
    total.update(data)
    if _crc([head, data]) != member.crc or total.hexdigest() != description["sha256"]:
        raise DamageError(f"{name} has changed since it was written: its sum differs")
    if dtype == "|b1" and flat.view(np.uint8).max(initial=0) > 1:
        raise DamageError(f"{name} holds truth values that are neither true nor false")
    return flat.reshape(shape, order="F" if fortran else "C"), member


def starts_like_one(path: Path) -> bool:
    """Return whether a file is empty or begins like a model file: what may be replaced by one."""
    with open_regular(path) as file:
        found = file.read(_LOCAL.size + len(_name(0)))
        return not found or (found[:4] == b"PK\x03\x04" and found[_LOCAL.size :] == _name(0).encode())
