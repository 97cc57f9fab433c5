"""A look at documents and labels before anything is learnt from them."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.base.labels import Labels
from textensor.space import scripts_of
from textensor.workbench.check.columns import look_like_ids, separated_labels, written_out
from textensor.workbench.check.found import FEW_LETTERS, LONG_DOCUMENT, N_SHOWN, Conflict, DataCheck
from textensor.workbench.check.spellings import similar_labels
from textensor.workbench.check.spoken import languages_of
from textensor.workbench.texts import DocumentsWarning, text_keys, texts_with_labels

#: UTF-8 that was read as cp1252, and what decoders put for a character that they could not read.
_GARBLED = re.compile(
    "[\u00c2\u00c3][\u0080-\u00bf\u0152-\u0178\u0192\u2013-\u203a\u20ac\u2122]|\u00e2\u20ac|\ufffd"
)
_SIGNS = "\u00c2\u00c3\u00e2\ufffd"
#: Longer texts are not nearly empty, and are not counted letter by letter.
_SHORT = 12


def check_documents(
    texts: Iterable[str],
    labels: Any,
    *,
    lines: Sequence[int] | None = None,
    unit: str = "line",
    encodings: Sequence[str] = (),
) -> DataCheck:
    """Look for what is odd about documents and their labels; the time is linear in their number.

    Parameters
    ----------
    texts, labels : iterable
        As :meth:`TextCategorizer.fit` takes them.
    lines : sequence of int or None, default=None
        Where each document stands in its file, to name documents by; by default the entries of the list.
    unit : {"line", "row"}, default="line"
        What these numbers count.
    encodings : sequence of str, default=()
        The encodings that the documents were read in.

    Returns
    -------
    DataCheck
        The findings; ``print`` shows them, and ``spellings`` has suggestions for labels.

    Examples
    --------
    >>> from textensor.workbench import check_documents
    >>> texts = ["wheat rose", "maize fell", "Wheat  rose", "a bank", "rates", "the bank lent"]
    >>> found = check_documents(texts, ["Grain", "grain", "money", "money", "money", "grain"])
    >>> print(found)
    6 documents, 6 with a label; 3 labels, one to a document. Scripts: Latin 6. Language: unknown.
    <BLANKLINE>
    1 of 3 labels looks like another spelling, such as 'Grain' for 'grain': rename as check_documents
    suggests.
      'Grain' (1) looks like 'grain' (2): case
    <BLANKLINE>
    1 of 3 labels has one document only, the first is 'Grain': F1 cannot be measured with one document.
    <BLANKLINE>
    2 of 6 documents have the text of another one and a different label: correct the labels, or remove these
    documents.
      entries 0, 2: 'Grain', 'money'
    <BLANKLINE>
    1 of 6 documents repeats the text of an earlier one, so held-out figures are too good: remove the
    duplicates.
    """
    given, known = texts_with_labels(texts, labels)
    places = range(len(given)) if lines is None else lines
    if len(places) != len(given):
        raise ValueError(f"There are {len(given)} texts and {len(places)} lines: give one for each text.")
    found = _look(given, known, text_keys(given), places, "entry" if lines is None else unit)
    return DataCheck(**found, encodings=tuple(encodings))


def warn_of_oddities(
    texts: list[str], labels: Labels, keys: npt.NDArray[np.int64] | None = None
) -> DataCheck:
    """Warn of what is notable about documents, and return all findings.

    The keys of documents are made if they are not given.
    """
    keys = text_keys(texts) if keys is None else keys
    found = DataCheck(**_look(texts, labels, keys, range(len(texts)), "entry"), encodings=())
    for sentence in found.notable:
        warnings.warn(sentence, DocumentsWarning, stacklevel=3)
    return found


def _look(
    texts: list[str], known: Labels, keys: npt.NDArray[np.int64], places: Sequence[int], unit: str
) -> dict[str, Any]:
    counts = dict(zip(map(str, known.names.tolist()), known.counts.tolist(), strict=True))
    ids, words = look_like_ids(known), known.names.dtype.kind in "US"
    separated = separated_labels(counts) if words and not ids and not known.several else None
    whole = set(separated.labels if separated else ())
    spelt = {label: n for label, n in counts.items() if label not in whole} if words and not ids else {}
    groups = _groups(keys)
    conflicts = _conflicts(groups, known)
    return {
        "n_documents": len(texts),
        "n_labelled": int(np.count_nonzero(known.labelled)),
        "labels": counts,
        "several": known.several,
        "spellings": tuple(similar_labels(spelt)),
        "separated": separated,
        "ids": ids,
        "written_out": written_out(counts),
        "single": tuple(label for label, n in counts.items() if n == 1),
        "n_empty": int(np.count_nonzero(keys < 0)),
        "n_short": sum(map(_is_short, texts)),
        "n_long": sum(len(text) > LONG_DOCUMENT for text in texts),
        "n_garbled": sum(map(_is_garbled, texts)),
        "n_repeated": sum(len(group) - 1 for group in groups),
        "n_conflicting": sum(len(group) for group in conflicts),
        "conflicts": tuple(_conflict(group, known, places) for group in conflicts[:N_SHOWN]),
        "scripts": scripts_of(texts),
        "languages": languages_of(texts),
        "unit": unit,
    }


def _is_short(text: str) -> bool:
    plain = text[: 8 * _SHORT].strip()
    return 0 < len(plain) <= _SHORT and sum(map(str.isalnum, plain)) < FEW_LETTERS


def _is_garbled(text: str) -> bool:
    # Looking for one character is many times as fast as the pattern.
    return not text.isascii() and any(c in text for c in _SIGNS) and _GARBLED.search(text) is not None


def _groups(keys: npt.NDArray[np.int64]) -> list[list[int]]:
    """Return the documents of each text that occurs more than once, by their numbers."""
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order], prepend=-2, append=-2))
    found = [order[start:stop].tolist() for start, stop in pairwise(ends.tolist()) if stop - start > 1]
    return sorted(group for group in found if keys[group[0]] >= 0)


def _conflicts(groups: list[list[int]], known: Labels) -> list[list[int]]:
    """Return the labelled documents of each text that occurs with different labels."""
    labelled = known.labelled.tolist()
    found = []
    for group in groups:
        with_label = [document for document in group if labelled[document]]
        if len({known.of(document) for document in with_label}) > 1:
            found.append(with_label)
    return found


def _conflict(group: list[int], known: Labels, places: Sequence[int]) -> Conflict:
    labels = Counter(" and ".join(map(str, known.of(document))) for document in group)
    return Conflict(tuple(places[document] for document in group), tuple(labels))
