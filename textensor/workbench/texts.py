"""Texts and labels of raw documents as they come: checked, and known again."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.base.kept import LONGEST_LABEL
from textensor.base.labels import Labels
from textensor.base.plain import counted, normal_form
from textensor.base.reading.indicator import column_of
from textensor.base.reading.label_sets import is_missing
from textensor.base.reading.y import read_named


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


def check_learnable(labels: Labels) -> None:
    """Refuse labels that nothing can be learnt from, and names that a model file cannot keep."""
    longest = max(map(str, labels.names), key=len, default="")
    if len(longest) > LONGEST_LABEL:
        raise ValueError(
            f"The label {longest!r:.80} has {len(longest):,} characters: give labels of at most "
            f"{LONGEST_LABEL:,}."
        )
    if len(labels.names) == 0:
        raise ValueError("No document has a label: there is nothing to learn from.")
    if len(labels.names) == 1:
        only = str(labels.names[0])
        raise ValueError(
            f"All documents with a label have one and the same, {only!r:.80}: give two labels or more."
        )


def text_keys(texts: Iterable[str]) -> npt.NDArray[np.int64]:
    r"""Return a number for each text by which it is known again, -1 if it is empty.

    It is 62 bits of the BLAKE2b hash of the text without its case and its spaces. Equal texts have equal
    numbers, different ones almost certainly different numbers.

    Examples
    --------
    >>> one, other, third, empty = text_keys(["Lunch at  noon", "lunch at noon\n", "lunch", " "]).tolist()
    >>> one == other, one == third, empty
    (True, False, -1)
    """
    return np.fromiter(map(_key, texts), dtype=np.int64)


def _key(text: str) -> int:
    plain = " ".join(text.split()).casefold()
    if not plain:
        return -1
    if not plain.isascii():
        plain = normal_form("NFC", plain)
    found = hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(found, "little") >> 2


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
