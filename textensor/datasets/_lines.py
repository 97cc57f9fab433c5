"""From a file, a pipe or standard input to lines of text: decompressed, capped, decoded, split.

What is read here was written by others, so nothing is held beyond a cap: bytes come in blocks of fixed
size, a line is given up as soon as it outgrows its cap, and decompression never runs ahead of the reader.
"""

import codecs
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

BLOCK = 1 << 18
XZ_MEMORY = 1 << 28  # `xz -9` needs 65 MiB to decompress; a hostile header can ask for 4 GiB

_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"
_BYTE_ORDER_MARKS = {  # UTF-32 first: its little-endian mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_MIXED = "mixed with UTF-8"
_ABOVE_ASCII = bytes(range(128, 256))
#: What UTF-8 has for the letters and signs of cp1252, or nearly: in cp1252 itself a capital A with a hat or
#: a tilde before a sign, or a small one before two.
_WESTERN_SEQUENCE = re.compile(rb"[\xc2\xc3][\x80-\xbf]|\xe2[\x80-\x84][\x80-\xbf]")
_UTF8_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


class DocumentError(ValueError):
    """Documents that cannot be read: one sentence that names the file, the line and what to do."""


def shown(name: str, longest: int = 60) -> str:
    """Return a name of someone else's choosing, made safe for a message."""
    name = name if len(name) <= longest else name[: longest - 3] + "..."
    return name if name.isprintable() else repr(name)


def shown_path(path: str | os.PathLike[str]) -> str:
    """Return a path, made safe for a message, but whole: its end is what tells it from others."""
    return shown(os.fspath(path), 5000)


def utf8_size(text: str) -> int:
    """Return the bytes that a text takes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def megabytes(size: int) -> str:
    """Return a number of bytes for a message."""
    return f"{size / 2**20:,.0f} MiB" if size >= 2**20 else f"{size:,} bytes"


def over_the_cap(place: str, max_bytes: int) -> DocumentError:
    """Return the error for a document that is too large."""
    cap = megabytes(max_bytes)
    return DocumentError(f"{place}: a document over the cap of {cap}; pass a larger max_document_bytes.")


@contextmanager
def open_bytes(path: Path | None) -> Iterator[BinaryIO]:
    """Open a file, or standard input for None; gzip and xz are known by their first bytes, not by name."""
    with ExitStack() as stack:
        source = sys.stdin.buffer if path is None else stack.enter_context(path.open("rb"))
        head = source.read(len(_XZ))
        stream = io.BufferedReader(_PutBack(head, source), BLOCK)
        if head.startswith(_GZIP):
            yield cast(BinaryIO, stack.enter_context(gzip.GzipFile(fileobj=stream)))
        elif head == _XZ:
            yield stack.enter_context(io.BufferedReader(_XzReader(stream), BLOCK))
        else:
            yield stream


class _PutBack(io.RawIOBase):
    """A stream with the bytes already taken from it put back, since a pipe cannot be rewound."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = self._head[: len(view)] or self._rest.read(len(view))
        self._head = self._head[len(data) :]
        view[: len(data)] = data
        return len(data)


class _XzReader(io.RawIOBase):
    """Decompress xz with a limit on the memory it may ask for, which `lzma.LZMAFile` does not have."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = b""
        while not data:
            chunk = b""
            if self._decoder.eof:
                chunk = self._start_of_next_stream()
                if not chunk:
                    return 0
            elif self._decoder.needs_input:
                chunk = self._source.read(BLOCK)
                if not chunk:
                    raise EOFError("the xz data ends too early")
            data = self._decoder.decompress(chunk, max_length=len(view))
        view[: len(data)] = data
        return len(data)

    def _start_of_next_stream(self) -> bytes:
        """Return the first bytes of the xz stream that follows, past padding; none at the end."""
        chunk = self._decoder.unused_data
        while not chunk.strip(b"\0"):
            chunk = self._source.read(BLOCK)
            if not chunk:
                return b""
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        return chunk.lstrip(b"\0")


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


def read_blocks(stream: BinaryIO, name: str, budget: Budget) -> Iterator[bytes]:
    """Yield blocks of `BLOCK` bytes, the last ones shorter and then empty, within a budget.

    The blocks of a pipe are those of a file, however the bytes arrive, so that what is decided from a block
    is decided the same way for both.
    """
    while True:
        try:
            block = stream.read(BLOCK)
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise DocumentError(f"{name}: the compressed data is damaged or cut short ({error}).") from error
        budget.spend(len(block), name)
        yield block
        if not block:
            return


class _Utf8OrCp1252(codecs.BufferedIncrementalDecoder):
    """UTF-8, or cp1252 when the first block with anything beyond ASCII says so.

    ASCII is the same in both, so nothing need be decided before a byte beyond ASCII comes. The block that
    brings it decides: UTF-8 if it is valid; cp1252 if more of its bytes are impossible in UTF-8 than it has
    valid characters of UTF-8; otherwise the encodings are mixed, which is an error. Every block must agree,
    and a line of UTF-8 within cp1252 is mixed, however much of the other there is.
    """

    def __init__(self) -> None:
        super().__init__()
        self._decided: str | None = None

    def _buffer_decode(self, data: Any, errors: str, final: bool) -> tuple[str, int]:
        data = bytes(data)
        if self._decided != "cp1252":
            try:
                text, used = codecs.utf_8_decode(data, errors, final)
            except UnicodeDecodeError:
                if self._decided or not _looks_like_cp1252(data):
                    raise
            else:
                if not text.isascii():
                    self._decided = "utf-8"
                return text, used
        self._decided = "cp1252"
        if (within := _utf8_within(data)) is not None:
            raise UnicodeDecodeError("cp1252", data, within, within + 1, _MIXED)
        return data.decode("cp1252"), len(data)


def _looks_like_cp1252(data: bytes) -> bool:
    """Whether more bytes are impossible in UTF-8 than there are valid characters of it."""
    as_utf8 = data.decode("utf-8", "ignore")
    valid = len(as_utf8) - len(data.translate(None, _ABOVE_ASCII))
    return len(data) - utf8_size(as_utf8) > valid


def _utf8_within(data: bytes) -> int | None:
    """Return where UTF-8 stands within cp1252, None if nowhere.

    Some pairs of cp1252 could be UTF-8 and are not: a capital before a space that does not break. So one is
    taken for UTF-8 only if it reads as a letter or sign of the West, as the pairs that it would be are never
    written, or if its line has others and nothing else beyond ASCII.
    """
    if not (found := _UTF8_SEQUENCE.search(data)):
        return None
    if certain := _WESTERN_SEQUENCE.search(data):
        return certain.start()
    at = data.rfind(b"\n", 0, found.start()) + 1
    for line in data[at:].splitlines(keepends=True):
        pairs = [] if line.isascii() else _UTF8_SEQUENCE.findall(line)
        if len(pairs) > 1 and _UTF8_SEQUENCE.sub(b"", line).isascii():
            return at + line.index(pairs[0])
        at += len(line)
    return None


def decode(blocks: Iterator[bytes], name: str, encoding: str | None) -> Iterator[str]:
    """Yield the text of blocks; no piece but the last ends between a carriage return and its line feed.

    A byte order mark (UTF-8, UTF-16, UTF-32) says the encoding; without one it is UTF-8 or cp1252.
    """
    first = next(blocks)
    marked = next((codec for mark, codec in _BYTE_ORDER_MARKS.items() if first.startswith(mark)), None)
    chosen = encoding or marked
    decoder = codecs.getincrementaldecoder(chosen)() if chosen else _Utf8OrCp1252()
    line, held = 1, ""
    for block in chain((first,), blocks):
        if not chosen and (at := block.find(b"\0")) >= 0:
            raise _not_text(name, line + _line_ends(held.encode() + block[:at]))
        try:
            text = held + decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise _bad_encoding(error, name, line, held, encoding) from error
        if (nul := text.find("\0")) >= 0:
            raise _not_text(name, line + _line_ends(text[:nul].encode()))
        if block is first:  # a mark may stand there although the encoding was given
            text = text.removeprefix("\ufeff")
        held = "\r" if block and text.endswith("\r") else ""
        text = text.removesuffix(held)
        line += text.count("\n") + text.count("\r") - text.count("\r\n")
        if text:
            yield text


def _line_ends(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _not_text(name: str, line: int) -> DocumentError:
    return DocumentError(
        f"{name}, line {line}: a NUL character, so this is not text; save a spreadsheet as CSV, and pass "
        'encoding= for text without a byte order mark ("utf-16-le").'
    )


def _bad_encoding(
    error: UnicodeDecodeError, name: str, line: int, held: str, encoding: str | None
) -> DocumentError:
    data = bytes(error.object)
    line += _line_ends(held.encode() + data[: error.start])
    byte = f"byte 0x{data[error.start]:02x}"
    if encoding:
        return DocumentError(f"{name}, line {line}: {byte} is not {encoding}; pass the file's own encoding=.")
    if error.reason == _MIXED:
        return DocumentError(
            f"{name}, line {line}: mixed encodings, UTF-8 here ({byte}) and cp1252 elsewhere; save the file "
            "in one encoding, or pass encoding=."
        )
    codec = "cp1252" if error.encoding == "charmap" else error.encoding
    return DocumentError(
        f"{name}, line {line}: bad encoding, {byte} is not {codec} as the rest is; save the file in one "
        "encoding, or pass encoding=."
    )


class Lines:
    """Lines with their ends (LF, CRLF or CR), none over `max_bytes`; `number` is that of the last one taken.

    Parameters
    ----------
    texts : iterable of str
        Pieces of text, as `decode` yields them.
    name : str
        The file, for messages.
    max_bytes : int
        The most that a line may take in UTF-8.

    Attributes
    ----------
    first : str
        The first line that is not blank: what the format is known by.
    """

    def __init__(self, texts: Iterable[str], name: str, max_bytes: int) -> None:
        self.name, self.max_bytes, self.number = name, max_bytes, 0
        self._block: list[str] = []
        self._next = 0  # the first line of the block that was not taken
        self._rest = self._take(texts)
        self.first = next((line for line in self._rest if not line.isspace()), "")
        if not self.first:
            raise DocumentError(f"{name}: the file is empty.")

    def __iter__(self) -> Iterator[str]:
        return chain((self.first,), self._rest)

    def error(self, what: str, number: int | None = None) -> DocumentError:
        """Return an error at a line, the last one taken unless said."""
        return DocumentError(f"{self.name}, line {number or self.number}: {what}")

    def too_long(self, number: int) -> DocumentError:
        """Return the error for a document over the cap that begins at a line."""
        return over_the_cap(f"{self.name}, line {number}", self.max_bytes)

    def up_to(self, mark: str) -> str:
        """Take at once the next lines that are at hand and have no such mark, and return them in one."""
        block, start = self._block, self._next
        stop = next((k for k in range(start, len(block)) if mark in block[k]), len(block))
        self._next = stop
        self.number += stop - start
        return "".join(block[start:stop])

    def _take(self, texts: Iterable[str]) -> Iterator[str]:
        for block in self._split(texts):
            if 4 * max(map(len, block)) > self.max_bytes:
                self._check(block)
            self._block, self._next = block, 0
            while self._next < len(block):
                line = block[self._next]
                self._next += 1
                self.number += 1
                yield line

    def _check(self, block: list[str]) -> None:
        for k, line in enumerate(block, 1):
            if utf8_size(line) > self.max_bytes:
                raise self.too_long(self.number + k)

    def _split(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Yield the lines of each text, a line that goes on in the next one with that."""
        held: list[str] = []
        for text in texts:
            lines = io.StringIO(text, newline="").readlines()
            tail = "" if lines[-1].endswith(("\n", "\r")) else lines.pop()
            if lines:
                lines[0] = "".join([*held, lines[0]])
                held.clear()
                yield lines
            if tail:
                held.append(tail)
                if sum(map(len, held)) > self.max_bytes:
                    raise self.too_long(self.number + 1)
        if held:
            yield ["".join(held)]
