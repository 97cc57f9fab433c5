"""Character n-grams as terms: by themselves, or beside words under names that cannot be taken for words."""

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from textensor.space.text import term_kernels as kernels
from textensor.space.text.counts import CountedBlock, count, counted
from textensor.space.text.table import MARK, Terms, TermTable, join_terms, utf8
from textensor.space.text.words import Tokens, split_at_spaces

_SPACES = re.compile(r"\s\s+")
#: N-grams whose places are in memory at a time.
_PLACES = 1 << 21


def count_ngrams(documents: list[str], shortest: int, longest: int, *, within_words: bool) -> CountedBlock:
    """Count the character n-grams of documents as scikit-learn's analyzers ``char`` and ``char_wb`` do.

    Within words, each word has a space on both sides, and one that is shorter than the shortest n-gram is
    itself one. The n-grams of each distinct word are found once.

    Examples
    --------
    >>> count_ngrams(["to be"], 3, 3, within_words=True).terms.names()
    [' to', 'to ', ' be', 'be ']
    >>> count_ngrams(["to be"], 4, 4, within_words=False).terms.names()
    ['to b', 'o be']
    """
    if not within_words:
        return count(_ngrams(Terms.of(_SPACES.sub(" ", text) for text in documents), shortest, longest))
    words = split_at_spaces(documents)
    parts = _ngrams(words.terms.wrapped(b" ", b" "), shortest, longest, whole=True)
    rows = count(words)
    given = rows.indptr, rows.indices, rows.counts, parts.indptr, parts.ids
    most = int(np.diff(parts.indptr)[rows.indices].sum())
    return counted(kernels.count_parts, given, most, parts.terms)


def _ngrams(texts: Terms, shortest: int, longest: int, *, whole: bool = False) -> Tokens:
    """Return the n-grams of texts that stand one after the other; see the kernel for ``whole``."""
    table = TermTable()
    offsets = np.append(texts.starts, len(texts.letters))
    n_lengths = longest - shortest + 1
    ids: list[npt.NDArray[np.int32]] = [np.empty(0, dtype=np.int32)]
    indptr = np.zeros(len(offsets), dtype=np.int64)
    first = 0
    while first < len(texts):
        # As many texts as have not too many n-grams, but one at least.
        most = np.searchsorted(offsets, offsets[first] + _PLACES // n_lengths, side="right") - 1
        last = max(first + 1, int(most))
        here = offsets[first : last + 1]
        room = n_lengths * int(here[-1] - here[0]) + len(here)
        starts, stops = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
        rows = np.zeros(len(here), dtype=np.int64)
        n = kernels.find_ngrams(texts.letters, here, shortest, longest, whole, starts, stops, rows)
        ids.append(table.add(Terms(texts.letters, starts[:n], stops[:n])))
        indptr[first + 1 : last + 1] = indptr[first] + rows[1:]
        first = last
    return Tokens(np.concatenate(ids), indptr, table.terms)


def beside(words: CountedBlock, grams: CountedBlock) -> CountedBlock:
    """Return the words and the character n-grams of the same documents as one block."""
    indptr = words.indptr + grams.indptr
    of_words = np.zeros(indptr[-1], dtype=bool)
    lengths = np.diff(words.indptr)
    of_words[np.arange(words.indptr[-1]) + np.repeat(indptr[:-1] - words.indptr[:-1], lengths)] = True
    indices, counts = (np.empty(indptr[-1], dtype=np.int32) for _ in range(2))
    indices[of_words], indices[~of_words] = words.indices, grams.indices + len(words.terms)
    counts[of_words], counts[~of_words] = words.counts, grams.counts
    terms = join_terms([words.terms, grams.terms.wrapped(bytes([MARK]), b"")])
    df, tf = np.concatenate((words.df, grams.df)), np.concatenate((words.tf, grams.tf))
    return CountedBlock(indptr, indices, counts, df, tf, terms)


def names_of(terms: Terms, *, beside_words: bool) -> list[str]:
    r"""Return the names of columns: n-grams beside words are quoted, so that spaces show.

    A word that begins with a quote or a backslash has a backslash before it then, as its name could be that
    of an n-gram otherwise. Few token patterns find such words.

    Examples
    --------
    >>> names_of(Terms.of(["wheat", "don't", "'heat'"]), beside_words=True)
    ['wheat', "don't", "\\'heat'"]
    """
    if not beside_words:
        return terms.names()
    return [
        f"{name}'" if is_gram else f"\\{name}" if name.startswith(("'", "\\")) else name
        for name, is_gram in zip(terms.names(), are_marked(terms).tolist(), strict=True)
    ]


def terms_named(names: Iterable[str], *, beside_words: bool) -> Terms:
    """Return the terms of names that :func:`names_of` gave.

    Examples
    --------
    >>> names_of(terms_named(["wheat", "' whe'"], beside_words=True), beside_words=True)
    ['wheat', "' whe'"]
    """
    if not beside_words:
        return Terms.of(names)
    mark = bytes([MARK])
    return Terms.of_bytes(
        mark + utf8(name[1:].removesuffix("'")) if name.startswith("'") else utf8(name.removeprefix("\\"))
        for name in names
    )


def are_marked(terms: Terms) -> npt.NDArray[np.bool_]:
    """Return which terms are character n-grams beside words."""
    found = np.zeros(len(terms), dtype=bool)
    some = terms.starts < terms.stops
    found[some] = terms.letters[terms.starts[some]] == MARK
    return found
