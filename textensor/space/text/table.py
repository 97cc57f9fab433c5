"""Terms as bytes: many of them in one array, numbered by a table that no dict of strings is as fast as.

The letters are UTF-8, whose bytes sort as the characters do. A character n-gram that stands beside words has
the byte :data:`MARK` before it, which UTF-8 does not use: it equals no word and sorts after all of them.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from textensor.base.compiled import is_interpreted
from textensor.parallel import in_order
from textensor.space.text import term_kernels as kernels

MARK = 0xFF
#: Bytes of terms that are compared at a time, and how often before Python compares the rest.
_WIDTH, _ROUNDS = 8, 6
#: Terms that are looked up at a time.
_BATCH = 1 << 7
#: Terms that are copied or sorted at a time.
_CHUNK = 1 << 14


def utf8(name: str) -> bytes:
    """Return a string as UTF-8. A lone surrogate is no character, but it must not stop the encoder."""
    if not isinstance(name, str):
        raise ValueError(
            f"A term is of type {type(name).__name__}: analyzers and tokenizers must return text."
        )
    return name.encode("utf-8", "surrogatepass")


def _read_only(letters: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return an array that is not written to: others are of another type to kernels, compiled for each."""
    if letters.flags.writeable:
        letters = letters.view()
        letters.flags.writeable = False
    return letters


@dataclass(frozen=True)
class Terms:
    """Terms as UTF-8: term ``k`` is ``letters[starts[k]:stops[k]]``."""

    letters: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "letters", _read_only(self.letters))

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """Return strings as terms.

        Examples
        --------
        >>> Terms.of(["ab", "ß"]).letters.tolist()
        [97, 98, 195, 159]
        """
        return cls.of_bytes(map(utf8, names))

    @classmethod
    def of_bytes(cls, encoded: Iterable[bytes]) -> Self:
        """Return strings of bytes as terms."""
        known = list(encoded)
        return cls.cut(b"".join(known), np.cumsum([0, *map(len, known)]))

    @classmethod
    def cut(cls, letters: Any, ends: npt.NDArray[np.int64]) -> Self:
        """Return terms that stand one after the other, given where each ends; the first number is 0."""
        return cls(np.frombuffer(letters, dtype=np.uint8), ends[:-1], ends[1:])

    def take(self, which: npt.NDArray[Any] | slice) -> "Terms":
        """Return some of the terms."""
        return Terms(self.letters, self.starts[which], self.stops[which])

    def compact(self) -> "Terms":
        """Return the same terms without the letters of others, if these are most of the letters."""
        lengths = self.stops - self.starts
        if 2 * lengths.sum() > len(self.letters):
            return self
        return self.wrapped(b"", b"")

    def wrapped(self, before: bytes, after: bytes) -> "Terms":
        """Return the terms one after the other, with letters before and after each."""
        around = np.frombuffer(before + after, dtype=np.uint8)
        ends = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(self.stops - self.starts + len(around), out=ends[1:])
        letters = np.empty(ends[-1], dtype=np.uint8)
        self.copy_to(letters, ends[:-1] + len(before))
        for k, letter in enumerate(before):
            letters[ends[:-1] + k] = letter
        for k, letter in enumerate(reversed(after)):
            letters[ends[1:] - 1 - k] = letter
        return Terms.cut(letters, ends)

    def copy_to(self, letters: npt.NDArray[np.uint8], places: npt.NDArray[np.int64]) -> None:
        """Write the letters of each term to a place in an array."""
        kernels.copy_terms(self.letters, self.starts, self.stops, places, letters)

    def encoded(self) -> list[bytes]:
        """Return the terms as strings of bytes."""
        letters = self.letters.tobytes()
        return [letters[a:b] for a, b in zip(self.starts.tolist(), self.stops.tolist(), strict=True)]

    def names(self) -> list[str]:
        """Return the terms as strings; a marked one begins with a quote.

        Examples
        --------
        >>> Terms.of(["ab", "ß"]).names()
        ['ab', 'ß']
        """
        return [name for chunk in self._chunks() for name in chunk._names()]

    def _names(self) -> list[str]:
        lines = self.wrapped(b"", b"\n").letters
        lines = np.where(lines == MARK, np.uint8(ord("'")), lines)
        found = lines.tobytes().decode("utf-8", "surrogatepass").split("\n")[:-1]
        if len(found) == len(self):
            return found
        letters = lines.tobytes()  # a term has a line end in it
        ends = np.cumsum(self.stops - self.starts + 1).tolist()
        return [
            letters[a : b - 1].decode("utf-8", "surrogatepass")
            for a, b in zip([0, *ends], ends, strict=False)
        ]

    def _chunks(self) -> "Iterator[Terms]":
        return (self.take(slice(k, k + _CHUNK)) for k in range(0, len(self), _CHUNK))

    def order(self, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the alphabetical order of the terms, which are all different.

        Examples
        --------
        >>> Terms.of(["b", "ab", "ß", "a"]).order().tolist()
        [3, 1, 0, 2]
        """
        padded = np.concatenate((self.letters, np.zeros(_WIDTH, dtype=np.uint8)))
        # The eight bytes from each place on, as numbers that sort alike.
        eights = np.ndarray(len(self.letters) + 1, dtype=">u8", buffer=padded, strides=(1,))
        # By their first two bytes, then in parts that fit into a cache.
        two = (self._keys(eights, np.arange(len(self)), 0) >> np.uint64(48)).astype(np.uint16)
        order = np.argsort(two, kind="stable")
        ends = np.cumsum(np.bincount(two, minlength=1))
        cuts = [0]
        while cuts[-1] < len(self):
            cuts.append(int(ends[np.searchsorted(ends, min(cuts[-1] + _CHUNK, len(self)))]))

        def sort(part: slice) -> None:
            order[part] = self._order(eights, order[part])

        for _ in in_order(sort, map(slice, cuts, cuts[1:]), n_jobs):
            pass
        return order

    def _order(self, eights: npt.NDArray[Any], order: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return some of the terms in alphabetical order."""
        tied, group = np.arange(len(order)), np.zeros(len(order), dtype=np.int64)  # places not settled yet
        for done in range(_ROUNDS):
            if len(tied) == 0:
                return order
            here = order[tied]
            keys = self._keys(eights, here, done * _WIDTH)
            by = np.argsort(keys) if done == 0 else np.lexsort((keys, group))
            order[tied] = here[by]
            keys, group = keys[by], group[by]
            new = np.concatenate(([True], (keys[1:] != keys[:-1]) | (group[1:] != group[:-1])))
            group = np.cumsum(new)
            alone = new & np.concatenate((new[1:], [True]))
            tied, group = tied[~alone], group[~alone]
        rest = [
            (g, self.letters[self.starts[term] : self.stops[term]].tobytes(), term)
            for g, term in zip(group.tolist(), order[tied].tolist(), strict=True)
        ]
        order[tied] = [term for _, _, term in sorted(rest)]
        return order

    def _keys(
        self, eights: npt.NDArray[Any], which: npt.NDArray[np.intp], skip: int
    ) -> npt.NDArray[np.uint64]:
        """Return eight bytes of each term as a number; 0 stands for none."""
        starts, stops = self.starts[which] + skip, self.stops[which]
        n_bytes = np.clip(stops - starts, 0, _WIDTH)
        keys = eights[np.minimum(starts, stops)].astype(np.uint64)
        unused = (8 * (_WIDTH - np.maximum(n_bytes, 1))).astype(np.uint64)
        return np.where(n_bytes > 0, keys >> unused << unused, np.uint64(0))


def join_terms(kinds: Sequence[Terms]) -> Terms:
    """Return terms of several kinds one after the other."""
    begin = np.cumsum([0, *(len(kind.letters) for kind in kinds)])
    return Terms(
        np.concatenate([kind.letters for kind in kinds]),
        np.concatenate([kind.starts + at for kind, at in zip(kinds, begin, strict=False)]),
        np.concatenate([kind.stops + at for kind, at in zip(kinds, begin, strict=False)]),
    )


class TermTable:
    """Numbers for terms, in the order they come; equal terms have one number."""

    def __init__(self) -> None:
        # A random number of the process: nobody can prepare terms that all fall into one place of the table.
        self._seed = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)
        self._bits = 12
        self._entries = np.zeros(2 << self._bits, dtype=np.uint64)
        self._letters = np.empty(1 << 15, dtype=np.uint8)
        self._ends = np.zeros(1 << 12, dtype=np.int64)
        self._n = 0
        self._known: dict[bytes, int] | None = {} if is_interpreted() else None

    def __len__(self) -> int:
        return self._n if self._known is None else len(self._known)

    def add(self, terms: Terms) -> npt.NDArray[np.int32]:
        """Return the number of each term; those that are new get the next ones."""
        return self._number(terms, add=True)

    def find(self, terms: Terms) -> npt.NDArray[np.int32]:
        """Return the number of each term, -1 if it has none."""
        return self._number(terms, add=False)

    @property
    def terms(self) -> Terms:
        """The terms in the order of their numbers."""
        if self._known is not None:
            return Terms.of_bytes(self._known)
        return Terms.cut(self._letters[: self._ends[self._n]], self._ends[: self._n + 1])

    def _number(self, terms: Terms, *, add: bool) -> npt.NDArray[np.int32]:
        if self._known is not None:
            return self._numbered(terms.encoded(), self._known, add=add)
        ids, keys = np.empty(len(terms), dtype=np.int32), np.empty(_BATCH, dtype=np.uint64)
        if add and self._n == 0:  # a guess, so that the table need not grow often
            self._bits = max(self._bits, (len(terms) // 4).bit_length())
            self._entries = np.zeros(2 << self._bits, dtype=np.uint64)
        done = 0
        while True:
            done, self._n = kernels.number_terms(
                terms.letters,
                terms.starts,
                terms.stops,
                done,
                self._entries,
                np.uint64(64 - self._bits),
                self._seed,
                _read_only(self._letters),
                self._letters,
                self._ends,
                self._n,
                ids,
                add,
                keys,
            )
            if done == len(terms):
                return ids
            self._grow(int(terms.stops[done] - terms.starts[done]))

    @staticmethod
    def _numbered(terms: list[bytes], known: dict[bytes, int], *, add: bool) -> npt.NDArray[np.int32]:
        """Return the numbers of terms, found without compiled code."""
        found = (known.setdefault(t, len(known)) for t in terms) if add else (known.get(t, -1) for t in terms)
        return np.fromiter(found, dtype=np.int32, count=len(terms))

    def _grow(self, length: int) -> None:
        """Make room for at least one more term of a length."""
        if 2 * (self._n + 1) > len(self._entries) // 2 - 1:
            larger = np.zeros(2 * len(self._entries), dtype=np.uint64)
            kernels.move_entries(self._entries, np.uint64(64 - self._bits), self._seed, larger)
            self._entries, self._bits = larger, self._bits + 1
        if self._n + 2 > len(self._ends):
            self._ends = np.concatenate((self._ends, np.zeros_like(self._ends)))
        if self._ends[self._n] + length > len(self._letters):
            more = np.empty(max(length, len(self._letters)), dtype=np.uint8)
            self._letters = np.concatenate((self._letters, more))
