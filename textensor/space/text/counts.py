"""Counting tokens: from a block of documents to a block of a documents x terms matrix.

Everything here works on a block of documents at a time and on the terms in it, so a corpus of any size
passes through in bounded memory and blocks can be counted side by side.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.space.text import term_kernels as kernels
from textensor.space.text.table import Terms, TermTable
from textensor.space.text.words import Tokens

#: A block closes when it holds this many characters, or this many documents.
BLOCK_CHARACTERS = 1 << 21
BLOCK_DOCUMENTS = 1 << 14

Numbers = npt.NDArray[np.int64]


class CountedBlock(NamedTuple):
    """A block of documents as counts: row ``d`` has the terms ``indices[indptr[d]:indptr[d + 1]]``.

    ``df`` and ``tf`` say in how many documents of the block each term occurs, and how often.
    """

    indptr: Numbers
    indices: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    df: Numbers
    tf: Numbers
    terms: Terms


def count(tokens: Tokens) -> CountedBlock:
    """Count each document's tokens, in the order they first appear in it."""
    return counted(kernels.count_tokens, (tokens.indptr, tokens.ids), len(tokens.ids), tokens.terms)


def counted(kernel: Any, given: tuple[Any, ...], most: int, terms: Terms) -> CountedBlock:
    """Return what a kernel counts, given row pointers and more: at most so many entries."""
    rows = np.zeros(len(given[0]), dtype=np.int64)
    place, df, tf = (np.zeros(len(terms), dtype=np.int64) for _ in range(3))
    indices, counts = (np.empty(most, dtype=np.int32) for _ in range(2))
    kernel(*given, place, rows, indices, counts, df, tf)
    n = rows[-1]
    if n < most:
        indices, counts = indices[:n].copy(), counts[:n].copy()
    return CountedBlock(rows, indices, counts, df, tf, terms)


@dataclass
class TermCounts:
    """In how many documents each term occurs, and how often: what a vocabulary is chosen from.

    Counts of different documents merge by addition, in any order, so the counting pass over a large
    corpus can be cut into parts.
    """

    n_documents: int = 0
    table: TermTable = field(default_factory=TermTable)
    _frequencies: Numbers = field(default_factory=lambda: np.zeros((2, 0), dtype=np.int64))

    @property
    def document_frequency(self) -> Numbers:
        """In how many documents each term of the table occurs."""
        return self._frequencies[0, : len(self.table)]

    @property
    def term_frequency(self) -> Numbers:
        """How often each term of the table occurs."""
        return self._frequencies[1, : len(self.table)]

    def add(self, block: CountedBlock, binary: bool = False) -> npt.NDArray[np.int32]:
        """Count one more block; return the number of each of its terms."""
        return self._add(len(block.indptr) - 1, block.terms, block.df, block.df if binary else block.tf)

    def merge(self, other: "TermCounts") -> None:
        """Add the counts of other documents."""
        self._add(other.n_documents, other.table.terms, other.document_frequency, other.term_frequency)

    def _add(self, n_documents: int, terms: Terms, df: Numbers, tf: Numbers) -> npt.NDArray[np.int32]:
        where = self.table.add(terms)
        room = self._frequencies.shape[1]
        if len(self.table) > room:
            more = len(self.table) + len(self.table) // 4 - room  # so that few blocks have to copy
            self._frequencies = np.pad(self._frequencies, ((0, 0), (0, more)))
        self._frequencies[0][where] += df
        self._frequencies[1][where] += tf
        self.n_documents += n_documents
        return where


def texts_of(
    raw_documents: Iterable[Any], decode: Callable[[Any], Any] = lambda document: document
) -> Iterator[str]:
    """Yield documents as strings; anything else is refused by its number."""
    if isinstance(raw_documents, str | bytes):
        raise ValueError("One string was given where an iterable of documents is expected.")
    for i, document in enumerate(raw_documents):
        text = decode(document)
        if not isinstance(text, str):
            raise ValueError(f"Document {i} is of type {type(text).__name__}; it must be text.")
        yield text


def blocks_of(documents: Iterable[str]) -> Iterator[list[str]]:
    """Cut a stream of documents into blocks, at the same places whoever asks."""
    block: list[str] = []
    size = 0
    for document in documents:
        block.append(document)
        size += len(document)
        if size >= BLOCK_CHARACTERS or len(block) >= BLOCK_DOCUMENTS:
            yield block
            block, size = [], 0
    if block:
        yield block


def drain(blocks: list[Any]) -> Iterator[Any]:
    """Yield the entries of a list, which is empty afterwards: what has been used takes no memory."""
    blocks.reverse()
    while blocks:
        yield blocks.pop()
