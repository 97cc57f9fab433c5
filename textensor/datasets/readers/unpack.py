"""Bytes of a file, a pipe or standard input: decompressed, in blocks of fixed size, within a budget.

What is read here was written by others, so nothing is held beyond a cap, and decompression never runs ahead
of the reader.
"""

import gzip
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
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
    with _open_bytes(path) as stream:
        while True:
            try:
                block = stream.read(BLOCK)
            except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
                raise DocumentError(
                    f"{name}: the compressed data is damaged or cut short ({error})."
                ) from error
            budget.spend(len(block), name)
            yield block
            if not block:
                return


@contextmanager
def _open_bytes(path: Path | None) -> Iterator[Any]:
    """Open a file, or standard input for None; gzip and xz are known by their first bytes, not by name."""
    with ExitStack() as stack:
        source = sys.stdin.buffer if path is None else stack.enter_context(path.open("rb"))
        head = source.read(len(_XZ))
        stream: Any = _PutBack(head, source)
        if head.startswith(_GZIP):
            yield stack.enter_context(gzip.GzipFile(fileobj=stream))
        else:
            yield _XzReader(stream) if head == _XZ else stream


class _PutBack:
    """A stream with the bytes already taken from it put back, since a pipe cannot be rewound."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int) -> bytes:
        data, self._head = self._head[:size], self._head[size:]
        return data + self._rest.read(size - len(data))


class _XzReader:
    """Decompress xz with a limit on the memory it may ask for, which `lzma.LZMAFile` does not have."""

    def __init__(self, source: _PutBack) -> None:
        self._source = source
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            chunk = b""
            if self._decoder.eof:
                chunk = self._start_of_next_stream()
                if not chunk:
                    break
            elif self._decoder.needs_input:
                chunk = self._source.read(BLOCK)
                if not chunk:
                    raise EOFError("the xz data ends too early")
            data += self._decoder.decompress(chunk, max_length=size - len(data))
        return data

    def _start_of_next_stream(self) -> bytes:
        """Return the first bytes of the xz stream that follows, past padding; none at the end."""
        chunk = self._decoder.unused_data
        while not chunk.strip(b"\0"):
            chunk = self._source.read(BLOCK)
            if not chunk:
                return b""
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        return chunk.lstrip(b"\0")
