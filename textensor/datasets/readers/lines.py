"""Lines of text, each within a cap: a line is given up as soon as it outgrows it."""

import io
from collections.abc import Iterable, Iterator
from itertools import chain

from textensor.datasets.readers.errors import DocumentError, over_the_cap, utf8_size


class Lines:
    """Lines with their ends (LF, CRLF or CR), none over `max_bytes` of UTF-8, from the pieces of `read_text`.

    `number` is that of the last line taken; `first` is the first line that is not blank, which tells the
    format; `name` is the file, for messages.
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

    def _too_long(self, number: int) -> DocumentError:
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
                for number, line in enumerate(block, self.number + 1):
                    if utf8_size(line) > self.max_bytes:
                        raise self._too_long(number)
            self._block, self._next = block, 0
            while self._next < len(block):
                line = block[self._next]
                self._next += 1
                self.number += 1
                yield line

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
                    raise self._too_long(self.number + 1)
        if held:
            yield ["".join(held)]
