"""Bytes of a file, a pipe or standard input: decompressed, in blocks of fixed size, within a budget.

What is read here was written by others, so nothing is held beyond a cap, and decompression never runs ahead
of the reader.
"""

import gzip
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from textensor.datasets.readers.errors import DocumentError, megabytes

BLOCK = 1 << 18
XZ_MEMORY = 1 << 28  # `xz -9` needs 65 MiB to decompress; a hostile header can ask for 4 GiB

_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"


class Budget:
    """The bytes that may still be read, in one file or many, after decompression."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = self.left = max_bytes

    def spend(self, size: int, name: str) -> None:
        """Take bytes away; complain at the file where they run out."""
        self.left -= size
        if self.left < 0:
            raise DocumentError(
                f"{name}: more than {megabytes(self.max_bytes)} in all, after decompression; pass a larger "
                "max_bytes if you trust the data."
            )


def read_blocks(path: Path | None, name: str, budget: Budget) -> Iterator[bytes]:
    """Yield blocks of `BLOCK` bytes, the last ones shorter and then empty, within a budget.

    The blocks of a pipe are those of a file, however the bytes arrive, so that what is decided from a block
    is decided the same way for both.
    """
    held = b""
    with ExitStack() as stack:
        try:
            for piece in _pieces(path, stack):
                budget.spend(len(piece), name)
                held += piece
                if len(held) >= BLOCK:
                    yield held[:BLOCK]
                    held = held[BLOCK:]
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise DocumentError(f"{name}: the compressed data is damaged or cut short ({error}).") from error
    if held:
        yield held
    yield b""


def _pieces(path: Path | None, stack: ExitStack) -> Iterator[bytes]:
    """Read a file, or standard input for None; gzip and xz are known by their first bytes, not by name."""
    source = sys.stdin.buffer if path is None else stack.enter_context(path.open("rb"))
    head = source.read(len(_XZ))
    stream: Any = _PutBack(head, source)
    if head == _XZ:
        return _xz_pieces(stream)
    if head.startswith(_GZIP):
        stream = stack.enter_context(gzip.GzipFile(fileobj=stream))
    return iter(lambda: stream.read(BLOCK), b"")


class _PutBack:
    """A stream with the bytes already taken from it put back, since a pipe cannot be rewound."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int) -> bytes:
        data, self._head = self._head[:size], self._head[size:]
        return data + self._rest.read(size - len(data))


def _xz_pieces(source: _PutBack) -> Iterator[bytes]:
    """Decompress xz with a limit on the memory it may ask for, which `lzma.LZMAFile` does not have."""
    chunk = source.read(BLOCK)
    while chunk:
        decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        yield decoder.decompress(chunk, max_length=BLOCK)
        while not decoder.eof:
            chunk = source.read(BLOCK) if decoder.needs_input else b""
            if decoder.needs_input and not chunk:
                raise EOFError("the xz data ends too early")
            yield decoder.decompress(chunk, max_length=BLOCK)
        # Another stream may follow, behind padding.
        chunk = decoder.unused_data.lstrip(b"\0")
        while not chunk and (chunk := source.read(BLOCK)):
            chunk = chunk.lstrip(b"\0")
