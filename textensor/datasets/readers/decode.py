"""Text of a file, a pipe or standard input, in whatever encoding it is written."""

import codecs
import re
from collections.abc import Callable, Generator
from itertools import chain
from pathlib import Path
from typing import Any

from textensor.datasets.readers.errors import DocumentError, utf8_size
from textensor.datasets.readers.unpack import Budget, read_blocks

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

    @property
    def encoding(self) -> str:
        """What the text read so far is written in."""
        return self._decided or "ascii"

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


def read_text(
    path: Path | None,
    name: str,
    encoding: str | None,
    budget: Budget,
    tell: Callable[[str], object] | None = None,
) -> Generator[str, None, None]:
    """Yield the text in pieces; none but the last ends between a carriage return and its line feed.

    A path of None is standard input. A byte order mark (UTF-8, UTF-16, UTF-32) says the encoding; without one
    it is UTF-8 or cp1252. At the end `tell` is called with the name of the encoding, ASCII if it could be
    either.
    """
    blocks = read_blocks(path, name, budget)
    first = next(blocks)
    marked = next((codec for mark, codec in _BYTE_ORDER_MARKS.items() if first.startswith(mark)), None)
    chosen = encoding or marked
    decoder: Any = codecs.getincrementaldecoder(chosen)() if chosen else _Utf8OrCp1252()
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
    if tell is not None:
        tell((chosen or decoder.encoding).removesuffix("-sig"))


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
