"""The labels of documents, one or several each, as numbers: what a categorizer learns from."""

import hashlib
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.workbench.methods import UNLABELLED

__all__ = ["Categories", "check_texts", "fingerprint", "read_categories", "warn_of_oddities"]

#: Above this many characters a document is long enough to be told of.
LONG_DOCUMENT = 1_000_000


@dataclass(frozen=True)
class Categories:
    """Which labels documents have.

    Attributes
    ----------
    names : ndarray of str or int
        The labels, sorted.
    several : bool
        Whether a document may have several.
    indicator : csr_array of bool, documents x labels
        Which labels each has.
    """

    names: npt.NDArray[Any]
    several: bool
    indicator: sp.csr_array

    @property
    def labelled(self) -> npt.NDArray[np.intp]:
        """The documents that have a label."""
        return np.flatnonzero(np.diff(self.indicator.indptr))

    @property
    def counts(self) -> npt.NDArray[np.intp]:
        """How many documents each label has."""
        return np.bincount(self.indicator.indices, minlength=len(self.names))

    def rows(self, documents: npt.NDArray[np.intp]) -> "Categories":
        """Return the labels of some documents."""
        return Categories(self.names, self.several, self.indicator[documents])

    def truth(self) -> npt.NDArray[np.bool_]:
        """Return documents x labels."""
        return np.asarray(self.indicator.toarray())

    def targets(self) -> npt.NDArray[np.signedinteger[Any]]:
        """Return what an estimator is given: numbers of labels, or an indicator; -1 where there is none."""
        without = np.diff(self.indicator.indptr) == 0
        if self.several:
            indicator = self.indicator.toarray().astype(np.int8)
            indicator[without] = UNLABELLED
            return indicator
        codes = np.full(len(without), UNLABELLED, dtype=np.int64)
        codes[~without] = self.indicator.indices
        return codes

    def label(self, document: int) -> tuple[Any, ...]:
        """Return the names of a document's labels."""
        start, stop = self.indicator.indptr[document : document + 2]
        return tuple(self.names[self.indicator.indices[start:stop]].tolist())


def check_texts(texts: Iterable[str]) -> Iterable[str]:
    """Refuse a single string, which would be read letter by letter."""
    if isinstance(texts, str):
        raise TypeError("The texts are a single string: give a list of texts.")
    return texts


def read_categories(labels: Iterable[Any], names: Sequence[Any] | None = None) -> Categories:
    """Read labels: one for each document, or a tuple, list or set of them; ``""``, None or () is no label.

    Parameters
    ----------
    labels : iterable
        Strings or whole numbers, or collections of them.
    names : sequence or None
        The labels there are; by default those that are met.

    Examples
    --------
    >>> read_categories(["b", "", "a"]).targets().tolist()
    [1, -1, 0]
    >>> read_categories([("a", "b"), (), ["b"]]).targets().tolist()
    [[1, 1], [-1, -1], [0, 1]]
    """
    given = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    several = any(isinstance(one, tuple | list | set | frozenset) for one in given)
    sets = [_labels_of(one, several) for one in given]
    known = sorted({name for one in sets for name in one}, key=_order) if names is None else list(names)
    column = {name: k for k, name in enumerate(known)}
    rows = [(d, column[name]) for d, one in enumerate(sets) for name in one if name in column]
    places = np.array(rows, dtype=np.intp).reshape(-1, 2).T
    ones = np.ones(places.shape[1], dtype=bool)
    indicator = sp.csr_array((ones, (places[0], places[1])), shape=(len(sets), len(known)))
    return Categories(np.array(known), several, indicator)


def _labels_of(one: Any, several: bool) -> tuple[Any, ...]:
    if isinstance(one, tuple | list | set | frozenset):
        found = tuple(dict.fromkeys(one))
    else:
        found = () if one is None or (isinstance(one, str) and one == "") else (one,)
        if several and found:
            raise ValueError(f"The label {one!r:.80} stands alone where others are in lists: give lists.")
    found = tuple(name.item() if isinstance(name, np.generic) else name for name in found)
    for name in found:
        if not isinstance(name, str | int) or isinstance(name, bool) or name == "":
            raise ValueError(f"A label is a string or a whole number, not {name!r:.80}.")
    return found


def _order(name: Any) -> tuple[str, Any]:
    return type(name).__name__, name


def fingerprint(texts: Iterable[str], labels: Iterable[Any]) -> str:
    """Return the SHA-256 of texts and labels: the same data in CSV or JSON lines has the same."""
    found = hashlib.sha256()
    for text, label in zip(texts, labels, strict=True):
        several = label if isinstance(label, tuple | list | set | frozenset) else (label,)
        for part in (text, *sorted(map(str, several))):
            encoded = part.encode("utf-8", "surrogatepass")
            found.update(len(encoded).to_bytes(8, "little"))
            found.update(encoded)
        found.update(b"\0" * 8)
    return found.hexdigest()


def warn_of_oddities(texts: Sequence[str], categories: Categories) -> None:
    """Warn, with counts, of labels seen once and of empty and very long documents."""
    once = categories.names[categories.counts == 1]
    empty = sum(not text.strip() for text in texts)
    long = sum(len(text) > LONG_DOCUMENT for text in texts)
    if len(once):
        _warn(
            f"{len(once)} of {len(categories.names)} labels have one document only, the first is "
            f"{str(once[0])!r:.80}: how well they are found is not measurable."
        )
    if empty:
        _warn(f"{empty} of {len(texts)} documents are empty.")
    if long:
        _warn(f"{long} of {len(texts)} documents have more than {LONG_DOCUMENT:,} characters.")


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)
