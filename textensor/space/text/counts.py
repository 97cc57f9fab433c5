"""Counting tokens: from a block of documents to a block of a documents x terms matrix.

Everything here works on a block of documents at a time and on the names of the terms in it, so a
corpus of any size passes through in bounded memory and blocks can be counted side by side.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import filterfalse, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base.checks import one_of
from textensor.space.text import word_kernels as kernels
from textensor.space.text.words import Tokens

#: The length of a row of counts.
NORM = one_of("l2", "l1", None)
#: A block closes when it holds this many characters, or this many documents.
BLOCK_CHARACTERS = 1 << 23
BLOCK_DOCUMENTS = 1 << 14


class CountedBlock(NamedTuple):
    """A block of documents as counts: row ``d`` has ``indices[indptr[d]:indptr[d + 1]]`` into ``names``."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    names: list[str]


@dataclass
class TermCounts:
    """In how many documents each term occurs, and how often: what a vocabulary is chosen from.

    Counts of different documents merge by addition, in any order, so the counting pass over a large
    corpus can be cut into parts.
    """

    n_documents: int = 0
    columns: dict[str, int] = field(default_factory=dict)
    document_frequency: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    term_frequency: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def add(self, block: CountedBlock, binary: bool = False) -> npt.NDArray[np.int32]:
        """Count one more block; return the column of each of its names."""
        n = len(block.names)
        df = np.bincount(block.indices, minlength=n)
        tf = df if binary else np.bincount(block.indices, weights=block.counts, minlength=n).astype(np.int64)
        return self._add(len(block.indptr) - 1, block.names, df, tf)

    def merge(self, other: "TermCounts") -> None:
        """Add the counts of other documents."""
        self._add(other.n_documents, other.columns, other.document_frequency, other.term_frequency)

    def _add(
        self,
        n_documents: int,
        names: Collection[str],
        df: npt.NDArray[np.int64],
        tf: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int32]:
        columns = self.columns
        new = [*filterfalse(columns.__contains__, names)]
        columns.update(zip(new, range(len(columns), len(columns) + len(new)), strict=True))
        where = columns_in(columns, names)
        missing = len(columns) - len(self.document_frequency)
        if missing:
            self.document_frequency = np.pad(self.document_frequency, (0, missing))
            self.term_frequency = np.pad(self.term_frequency, (0, missing))
        self.document_frequency[where] += df
        self.term_frequency[where] += tf
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


def number_tokens(documents: Iterable[Iterable[str]]) -> Tokens:
    """Give numbers to the tokens of documents that some other code has cut up."""
    columns: dict[str, int] = {}
    ids: list[int] = []
    indptr = [0]
    for document in documents:
        ids.extend(columns.setdefault(token, len(columns)) for token in document)
        indptr.append(len(ids))
    return Tokens(np.array(ids, dtype=np.int32), np.array(indptr, dtype=np.int64), list(columns))


def replace_names(tokens: Tokens, rename: Callable[[list[str]], list[str | None]]) -> Tokens:
    """Rename tokens, each distinct one once; those renamed to None are dropped, equal names become one."""
    columns: dict[str, int] = {}
    number = np.array(
        [-1 if name is None else columns.setdefault(name, len(columns)) for name in rename(tokens.names)],
        dtype=np.int32,
    )
    ids = number[tokens.ids]
    kept = ids >= 0
    indptr = np.concatenate(([0], np.cumsum(kept)))[tokens.indptr]
    return Tokens(ids[kept], indptr, list(columns))


def with_ngrams(tokens: Tokens, shortest: int, longest: int) -> Tokens:
    """Return the n-grams of each document in place of its tokens, shorter ones first."""
    if (shortest, longest) == (1, 1):
        return tokens
    lengths = np.diff(tokens.indptr)
    document = np.repeat(np.arange(len(lengths)), lengths)
    # Grams of n tokens are those of n - 1 with the next token behind; each distinct pair is named once.
    ids, names, ends = tokens.ids.astype(np.int64), tokens.names, np.arange(len(tokens.ids))
    levels: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[str]]] = []
    for n in range(1, longest + 1):
        if n > 1:
            fits = ends + 1 < tokens.indptr[document + 1]
            ends, document = ends[fits] + 1, document[fits]
            pairs, ids = np.unique(ids[fits] << 32 | tokens.ids[ends], return_inverse=True)
            names = [
                f"{names[a]} {tokens.names[b]}"
                for a, b in zip((pairs >> 32).tolist(), (pairs & 0xFFFFFFFF).tolist(), strict=True)
            ]
        if n >= shortest:
            levels.append((document, ids, names))
    offsets = np.cumsum([0, *(len(level[2]) for level in levels)])
    owner = np.concatenate([level[0] for level in levels])
    grams = np.concatenate([level[1] + at for level, at in zip(levels, offsets, strict=False)])
    order = np.argsort(owner, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(lengths)))))
    joined = Tokens(grams[order].astype(np.int32), indptr, [name for level in levels for name in level[2]])
    # A token with a space in it can spell the same as two tokens: one name, one column.
    return replace_names(joined, list)


def join_tokens(first: Tokens, second: Tokens) -> Tokens:
    """Return the tokens of two kinds of the same documents, those of the first kind first."""
    lengths = np.diff(first.indptr), np.diff(second.indptr)
    indptr = first.indptr + second.indptr
    ids = np.empty(indptr[-1], dtype=np.int32)
    of_first = np.repeat(np.tile([True, False], len(indptr) - 1), np.column_stack(lengths).ravel())
    ids[of_first] = first.ids
    ids[~of_first] = second.ids + len(first.names)
    return Tokens(ids, indptr, first.names + second.names)


def count(tokens: Tokens) -> CountedBlock:
    """Count each document's tokens, in the order they first appear in it."""
    indptr, indices, counts = kernels.count_tokens(tokens.ids, tokens.indptr, len(tokens.names))
    n = indptr[-1]
    return CountedBlock(indptr, indices[:n].copy(), counts[:n].copy(), tokens.names)


def columns_in(vocabulary: Mapping[str, int], names: Collection[str]) -> npt.NDArray[np.int32]:
    """Return the column of each name in a vocabulary, -1 where it has none."""
    return np.fromiter(map(vocabulary.get, names, repeat(-1)), dtype=np.int32, count=len(names))
