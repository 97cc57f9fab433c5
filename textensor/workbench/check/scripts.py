"""The script that most letters of a text are of."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

#: Characters of a text that are looked at.
SAMPLE = 100
#: Names of scripts that differ from the first word of their letters' names.
_CALLED = {"Cjk": "Han", "Canadian": "Canadian Aboriginal", "Old": "other", "Modifier": "other"}


def main_scripts(texts: Iterable[str]) -> dict[str, int]:
    r"""Return how many texts are mainly of each script, the commonest first.

    Texts without letters are left out. Each different letter of a sample has one vote.

    Examples
    --------
    >>> main_scripts(["lunch at noon", "\u043e\u0431\u0435\u0434", "12:30", "menu"])
    {'Latin': 2, 'Cyrillic': 1}
    """
    counts = Counter(map(_main, texts))
    del counts[""]
    return dict(counts.most_common())


def _main(text: str) -> str:
    sample = text[:SAMPLE]
    if sample.isascii():
        return "Latin" if any(map(str.isalpha, sample)) else ""
    letters = [*map(_script, set(sample))]
    found = {*letters} - {""}
    return max(found, key=lambda script: (letters.count(script), script), default="")


@cache
def _script(character: str) -> str:
    """Return the script of a letter, "" for anything else."""
    if not character.isalpha():
        return ""
    first = unicodedata.name(unicodedata.normalize("NFKC", character)[0], "").partition(" ")[0].capitalize()
    return _CALLED.get(first, first)
