"""Texts as they come: checked, fingerprinted, and what is odd about them counted."""

import hashlib
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from textensor.base.labels import Labels

#: Above this many characters a document is long enough to be worth a warning.
LONG_DOCUMENT = 1_000_000


class DocumentsWarning(UserWarning):
    """Some documents or labels are odd; they are used all the same."""


def check_texts(texts: Iterable[str]) -> Iterable[str]:
    """Refuse a single string, which would be read letter by letter."""
    if isinstance(texts, str):
        raise TypeError("The texts are a single string: give a list of texts.")
    return texts


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
