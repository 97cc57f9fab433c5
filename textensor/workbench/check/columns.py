"""Columns of labels that are something else: several labels in one, ids, missing values written out."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from textensor.base.labels import Labels
from textensor.base.reading.y import read_named

#: Signs that stand between labels. Of the labels with such a sign, so many and such a share must be made of
#: parts that are labels elsewhere: more of them if the sign also occurs in names.
SEPARATORS = {";": (1, 0.5), "|": (1, 0.5), ",": (2, 0.8), "/": (2, 0.8), "+": (2, 0.8)}
_IN_NAMES = frozenset(",/+")
#: From so many labelled documents on, labels may look like ids.
FEWEST_IDS = 30
#: So many labels with less than two documents each are ids for certain; a few may be one example each.
MANY_LABELS = 1000
#: What programs write for a missing value.
_MISSING = re.compile(r"#?n/a|nan|null|<na>|nat|\(null\)|#value!|#ref!", re.IGNORECASE)


class Separated(NamedTuple):
    """Labels that hold a separator, as if they were several.

    Attributes
    ----------
    separator : str
        The sign.
    labels : tuple of str
        The labels that hold it.
    n_documents : int
        Number of documents with such a label.
    n_parts : int
        Number of labels after splitting all of them.
    """

    separator: str
    labels: tuple[str, ...]
    n_documents: int
    n_parts: int


def separated_labels(counts: Mapping[str, int]) -> Separated | None:
    """Return the labels that look like several in one, None if there are none.

    Their parts must be labels elsewhere: alone, or in other such labels.

    Examples
    --------
    >>> separated_labels({"grain": 4, "wheat": 2, "grain;wheat": 3, "wheat; grain": 1})
    Separated(separator=';', labels=('grain;wheat', 'wheat; grain'), n_documents=4, n_parts=2)
    >>> separated_labels({"arts, crafts": 3, "news/world": 5, "news/sports": 4})
    """
    found = [one for sign in SEPARATORS if (one := _separated(sign, counts)) is not None]
    return max(found, key=lambda one: one.n_documents, default=None)


def _separated(sign: str, counts: Mapping[str, int]) -> Separated | None:
    parts = {label: [part.strip() for part in label.split(sign)] for label in counts if sign in label}
    parts = {label: found for label, found in parts.items() if len(found) > 1 and all(found)}
    first = Counter(found[0] for found in parts.values())
    later = Counter(part for found in parts.values() for part in set(found[1:]))

    def known(part: str) -> bool:
        if part in counts:
            return True
        # Names and paths begin with the same words, but do not also end with them.
        return bool(first[part] and later[part]) if sign in _IN_NAMES else first[part] + later[part] > 1

    n_known, (fewest, share) = sum(all(map(known, found)) for found in parts.values()), SEPARATORS[sign]
    if n_known < max(fewest, share * len(parts)):
        return None
    alone = {label for label in counts if label not in parts}
    return Separated(
        sign, tuple(parts), sum(counts[label] for label in parts), len(alone | set(first) | set(later))
    )


def look_like_ids(labels: Labels) -> bool:
    """Return whether there are nearly as many labels as documents.

    Examples
    --------
    >>> from textensor.base.reading.y import read_named
    >>> look_like_ids(read_named(range(40))), look_like_ids(read_named([1, 2] * 20))
    (True, False)
    """
    n_given = int(labels.counts.sum())
    return n_given >= FEWEST_IDS and len(labels.names) > n_given / 2


def are_ids(labels: Any) -> bool:
    """Return whether labels are ids for certain, and not one example for each of some labels.

    They are if there are more than a thousand, or if no document is without one and each has its own.

    Parameters
    ----------
    labels : iterable
        As :meth:`TextCategorizer.fit` takes them.

    Examples
    --------
    >>> from textensor.workbench import are_ids
    >>> are_ids(range(40)), are_ids([*range(39), 38])
    (True, False)
    """
    known = read_named(labels)
    if not look_like_ids(known):
        return False
    own = len(known.names) == known.n_documents and bool((known.counts == 1).all())
    return len(known.names) > MANY_LABELS or (own and bool(np.all(known.labelled)))


def written_out(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the labels that a program writes for a missing value, with their numbers of documents."""
    return {label: n for label, n in counts.items() if _MISSING.fullmatch(label.strip())}
