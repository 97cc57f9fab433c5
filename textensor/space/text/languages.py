"""Languages that have both a list of stop words and a stemmer."""

import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

from textensor.base.plain import normal_form

#: Names for ``stop_words`` and ``stemmer`` of :class:`textensor.space.TermVectorizer`. The stemmers are
#: PyStemmer's, the stop words those of the package stop-words; for English scikit-learn's are better.
LANGUAGES = (
    *("arabic", "catalan", "czech", "danish", "dutch", "english", "finnish", "french", "german", "greek"),
    *("hindi", "hungarian", "indonesian", "italian", "norwegian", "persian", "polish", "portuguese"),
    *("romanian", "russian", "spanish", "swedish", "turkish"),
)
#: Languages with stop words alone. They are near to one of the others, or often mistaken for it.
OTHERS = ("bulgarian", "slovak", "ukrainian", "vietnamese")
_PARTS = re.compile(r"['’-]")


@cache
def stop_words_of(language: str) -> frozenset[str]:
    """Return the stop words of a language, one of :data:`LANGUAGES`, in lower case.

    Examples
    --------
    >>> sorted(stop_words_of("german"))[:3]
    ['aber', 'alle', 'allem']
    """
    if language not in LANGUAGES:
        raise ValueError(f"There are no stop words for {language!r:.40}, only for {', '.join(LANGUAGES)}.")
    return listed_words(language)


def listed_words(language: str) -> frozenset[str]:
    """Return the stop words of any language that has a list, in lower case."""
    if language == "english":
        return _english()
    from stop_words import get_stop_words

    # Words are cut at an apostrophe or a hyphen; what has a space in it is no word.
    entries = (normal_form("NFC", entry).lower() for entry in get_stop_words(language))
    return frozenset(word for entry in entries if " " not in entry for word in _PARTS.split(entry) if word)


def _english() -> frozenset[str]:
    """Return scikit-learn's stop words, from the one file that has them: to import all of it is slow."""
    found = find_spec("sklearn")
    path = Path(found.origin if found and found.origin else "").parent / "feature_extraction/_stop_words.py"
    if "sklearn" not in sys.modules and path.is_file():
        return frozenset(run_path(str(path))["ENGLISH_STOP_WORDS"])
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)
