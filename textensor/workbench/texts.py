"""Texts as they come: checked, fingerprinted, and what is odd about them counted."""

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from textensor.base.indicator import column_of
from textensor.base.label_sets import is_missing
from textensor.base.labels import Labels, read_named
from textensor.base.plain import counted

#: Above this many characters a document is long enough to be worth a warning.
LONG_DOCUMENT = 1_000_000


class DocumentsWarning(UserWarning):
    """Some documents or labels are odd; they are used all the same."""


def check_texts(texts: Iterable[str]) -> Iterator[str]:
    """Return the texts one by one; what is no list of texts, or no text, is refused.

    A table of one column is that column. A single string would be read letter by letter, and a data frame by
    the names of its columns.
    """
    if isinstance(texts, str | bytes):
        raise TypeError("The texts are a single string: give a list of texts.")
    texts = column_of(texts)
    width = len(texts.columns) if hasattr(texts, "columns") else 1
    if width != 1 or (isinstance(texts, np.ndarray) and texts.ndim != 1):
        raise ValueError("The texts are a table of several columns: give one column.")
    return _checked(texts)


def _checked(texts: Iterable[Any]) -> Iterator[str]:
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            what = f"missing ({text})" if is_missing(text) else f"not text but {type(text).__name__}"
            raise ValueError(
                f'The text at entry {number} is {what}: give a string, "" if it is empty, or leave it out.'
            )
        yield text


def texts_with_labels(texts: Iterable[str], labels: Any) -> tuple[list[str], Labels]:
    """Return texts and labels of raw documents as lists have them, one label or set of labels for each."""
    given, known = list(check_texts(texts)), read_named(labels)
    if len(given) != known.n_documents:
        raise ValueError(
            f"{counted(len(given), 'text')} and {counted(known.n_documents, 'label')} were given: "
            "give one label for each text."
        )
    return given, known


def fingerprint(texts: Iterable[str], labels: Iterable[Any]) -> str:
    """Return the SHA-256 of texts and labels, the same for the same data in CSV and in JSON lines."""
    found = hashlib.sha256()
    for text, label in zip(texts, labels, strict=True):
        several = label if isinstance(label, tuple | list | set | frozenset) else (label,)
        for part in (text, *sorted(map(str, several))):
            encoded = part.encode("utf-8", "surrogatepass")
            found.update(len(encoded).to_bytes(8, "little"))
            found.update(encoded)
        found.update(b"\0" * 8)
    return found.hexdigest()


def warn_of_oddities(texts: Sequence[str], labels: Labels) -> None:
    """Warn, with counts, of labels with one document and of empty and very long documents."""
    once = labels.names[labels.counts == 1]
    empty = sum(not text.strip() for text in texts)
    long = sum(len(text) > LONG_DOCUMENT for text in texts)
    found = []
    if len(once):
        found.append(
            f"{len(once)} of {len(labels.names)} labels {'has' if len(once) == 1 else 'have'} one document "
            f"only, the first is {str(once[0])!r:.80}: F1 cannot be measured with one document."
        )
    if empty:
        found.append(f"{empty} of {len(texts)} documents {'is' if empty == 1 else 'are'} empty.")
    if long:
        has = "has" if long == 1 else "have"
        found.append(f"{long} of {len(texts)} documents {has} more than {LONG_DOCUMENT:,} characters.")
    for sentence in found:
        warnings.warn(sentence, DocumentsWarning, stacklevel=3)
