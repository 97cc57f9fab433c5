"""Labels that look like other spellings of each other: case, punctuation, accents, plural, typing errors.

The search is linear in the number of labels: two labels are compared only if they are equal after folding, or
after leaving out a letter or two of each.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from textensor.base.plain import normal_form

#: Above these numbers of labels no typing errors are looked for, or only those of one letter.
MOST_LABELS, MOST_FOR_TWO = 20_000, 1_000
#: Longer labels are compared after folding only.
LONGEST = 60
#: Words of fewer letters are too short for a typing error; from so many on there may be two.
SHORTEST, LONG = 5, 9
#: So many labels that are one letter apart at the same place are a series: class-a, class-b, class-c.
SERIES = 3
#: A bucket of more labels than this is a pattern of theirs, and no accident.
CROWD = 12

#: What folding takes for a space: dots, dashes, quotes, brackets and the like, but no sign such as +.
_BETWEEN = r"\s\-‐‑‒–—_.,·•/\\:'\"`´’‘“”«»()\[\]{}!?"
_BETWEEN_DIGITS = re.compile(rf"(?<=\d)[{_BETWEEN}]+(?=\d)")
_SIGN = re.compile(r"(?<!\S)[-−](?=\d)|(?<=\S)-\Z")
_SPACES = re.compile(rf"[{_BETWEEN}]+")
_DIGITS = re.compile(r"\d+")


class Spelling(NamedTuple):
    """A label that looks like another spelling of a label with more documents.

    Attributes
    ----------
    label, suggestion : str
        The label, and the one that it looks like.
    reason : {"case", "spaces or punctuation", "accents", "characters", "singular and plural", "spelling"}
        How the two differ; by characters if they look the same, as with a space of no width.
    n_documents, n_suggested : int
        Number of documents of each.
    """

    label: str
    suggestion: str
    reason: str
    n_documents: int
    n_suggested: int


class _Family(NamedTuple):
    """Labels that are equal after folding, the one with most documents first."""

    key: str
    words: tuple[str, ...]
    labels: tuple[str, ...]
    n_documents: int


def similar_labels(counts: Mapping[str, int]) -> list[Spelling]:
    """Return the labels that look like other spellings, sorted by what they look like.

    Parameters
    ----------
    counts : mapping of str to int
        The labels, and how many documents each has.

    Examples
    --------
    >>> for found in similar_labels({"Sports": 40, "sports": 9, "Sprots": 2, "News": 30}):
    ...     print(found.label, "->", found.suggestion, f"({found.reason})")
    sports -> Sports (case)
    Sprots -> Sports (spelling)
    """
    families = _families(counts)
    above = _errors(families) | _plurals(families)
    found = []
    for number, family in enumerate(families):
        root, reason = number, ""
        while root in above:  # each step goes to a family before it
            root, why = above[root]
            reason = reason or why
        suggestion = families[root].labels[0]
        found += [
            Spelling(
                label, suggestion, reason or _difference(label, suggestion), counts[label], counts[suggestion]
            )
            for label in family.labels
            if label != suggestion
        ]
    return sorted(found, key=lambda one: (one.suggestion, -one.n_documents, one.label))


def fold(label: str) -> tuple[str, ...]:
    r"""Return the words of a label without case, accents and punctuation.

    Numbers keep what stands between their digits and a minus before them, and a label a minus at its end:
    1.5 is not 15, -1 is not 1, and A- is not A.

    Examples
    --------
    >>> fold("Tech-Support"), fold("r\u00e9sum\u00e9"), fold("C++"), fold("v1.0"), fold("R&D")
    (('tech', 'support'), ('resume',), ('c++',), ('v1.0',), ('r', 'and', 'd'))
    """
    text = normal_form("NFKC", label).casefold()
    if not text.isascii():
        text = _without_accents(text)
    text = _SIGN.sub("−", text.strip().replace("&", " and "))
    kept = _BETWEEN_DIGITS.sub("\0", text)
    words = tuple(word.replace("\0", ".") for word in _SPACES.split(kept) if word)
    return words or (label,)


def _without_accents(text: str) -> str:
    """Return text without the accents of Latin and Greek letters, which other scripts' marks are not."""
    found: list[str] = []
    for character in normal_form("NFD", text):
        kind = unicodedata.category(character)
        accent = kind == "Mn" and found and unicodedata.name(found[-1], "").startswith(("LATIN", "GREEK"))
        if kind != "Cf" and not accent:
            found.append(character)
    return normal_form("NFC", "".join(found))


def _difference(label: str, other: str) -> str:
    """Return how two labels differ that are equal after folding."""
    if label.casefold() == other.casefold():
        return "case"
    one, two = (
        "".join(c for c in normal_form("NFKC", name).casefold() if unicodedata.category(c) != "Cf")
        for name in (label, other)
    )
    if one == two:
        return "characters"
    return (
        "spaces or punctuation"
        if _without_accents(one) == one and _without_accents(two) == two
        else "accents"
    )


def _families(counts: Mapping[str, int]) -> list[_Family]:
    """Return labels that are equal after folding, those with most documents first."""
    folded: defaultdict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for label in sorted(counts, key=lambda label: (-counts[label], label)):
        words = fold(label)
        folded["".join(words)].append((label, words))
    found = [
        _Family(
            key, members[0][1], tuple(label for label, _ in members), sum(counts[one] for one, _ in members)
        )
        for key, members in folded.items()
    ]
    return sorted(found, key=lambda family: (-family.n_documents, family.key))


def _plurals(families: list[_Family]) -> dict[int, tuple[int, str]]:
    """Return for families that differ from one before them by an s the number of that one."""
    first: dict[tuple[str, ...], int] = {}
    found = {}
    for number, family in enumerate(families):
        before = first.setdefault(tuple(map(_singular, family.words)), number)
        if before != number:
            found[number] = before, "singular and plural"
    return found


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural and word[-2].isalpha() else word


# Typing errors


def _errors(families: list[_Family]) -> dict[int, tuple[int, str]]:
    """Return for families that look mistyped the number of the one, with more documents, that is meant."""
    if len(families) > MOST_LABELS:
        return {}
    buckets: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, family in enumerate(families):
        if SHORTEST <= len(family.key) <= LONGEST:
            two = len(families) <= MOST_FOR_TWO and len(family.key) >= LONG
            for left, place in _left_out(family.key, two):
                buckets[left].append((number, place))
    found: dict[int, tuple[int, int]] = {}  # the family, the distance and the one that is meant
    for members in buckets.values():
        for one, other in _pairs(members):
            distance = _distance(families[other], families[one])
            if distance and (other not in found or (distance, one) < found[other]):
                found[other] = distance, one
    return {number: (meant, "spelling") for number, (_, meant) in found.items()}


def _left_out(key: str, two: bool) -> Iterator[tuple[str, int]]:
    """Yield a key as it is, without each letter and without each two, and the place of a single one."""
    yield key, -1
    for at in range(len(key)):
        yield key[:at] + key[at + 1 :], at
    if two and len(key) <= LONGEST // 2:
        for first, second in combinations(range(len(key)), 2):
            yield key[:first] + key[first + 1 : second] + key[second + 1 :], -1


def _pairs(members: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the families of a bucket two by two, but for those of a series and of a crowd."""
    if len(members) < 2:
        return
    places = [place for _, place in members if place >= 0]
    series = {place for place in places if places.count(place) >= SERIES}
    numbers = sorted({number for number, place in members if place not in series})
    if len(numbers) <= CROWD:
        yield from combinations(numbers, 2)


def _distance(rare: _Family, common: _Family) -> int:
    """Return by how many typing errors a family may be another one, 0 if it is a label of its own.

    Two words that are one letter apart are likely both meant, unless one label is rare beside the other, or
    letters are swapped or doubled.
    """
    if _DIGITS.findall(rare.key) != _DIGITS.findall(common.key):
        return 0
    pairs = [(rare.key, common.key)]
    if len(rare.words) == len(common.words):
        pairs = [pair for pair in zip(rare.words, common.words, strict=True) if pair[0] != pair[1]]
    total = 0
    for one, other in pairs:
        shorter = min(len(one), len(other))
        if shorter < SHORTEST - 1 or max(len(one), len(other)) < SHORTEST or one[0] != other[0]:
            return 0
        total += edits(one, other, 2)
        if total > (2 if shorter >= LONG else 1):
            return 0
    slip = len(pairs) == 1 and total == 1 and _is_slip(*pairs[0])
    times = 1 if slip else 2 if total == 1 else 5
    return total if rare.n_documents * times <= common.n_documents else 0


def _is_slip(one: str, other: str) -> bool:
    """Return whether two words differ by two letters swapped, or by a letter doubled."""
    if len(one) == len(other):
        return sorted(one) == sorted(other)
    short, long = sorted((one, other), key=len)
    at = next((k for k in range(len(short)) if short[k] != long[k]), len(short))
    return at > 0 and long[at] == long[at - 1]


def edits(one: str, other: str, most: int) -> int:
    """Return the letters to insert, leave out, replace or swap with the next; more than ``most`` is any more.

    Examples
    --------
    >>> edits("sprots", "sports", 2), edits("biling", "billing", 2), edits("cat", "horse", 2)
    (1, 1, 3)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, previous[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
