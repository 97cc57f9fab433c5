"""Languages of texts, guessed from stop words and scripts: quick, and unknown if these say little."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from textensor.base.plain import normal_form
from textensor.space.text.languages import LANGUAGES, OTHERS, listed_words
from textensor.space.text.scripts import main_script, scripts_of

#: Documents that are looked at, evenly from all, and characters of each.
MOST_DOCUMENTS, MOST_CHARACTERS = 1000, 2000
#: A language is named if a text has so many different stop words of it, if they are such a share of its
#: words, and if they weigh so many times as much as those of the next language.
FEWEST, SHARE, AHEAD = 2, 0.1, 1.3
#: The share of documents from which on a language is the one of all.
MOST = 0.6
UNKNOWN = "unknown"
#: Scripts that one language is mainly written in; its texts need no stop words.
_SCRIPTS = {
    **{name: name.lower() for name in ("Armenian", "Burmese", "Georgian", "Greek", "Hebrew", "Khmer", "Lao")},
    **{name: name.lower() for name in ("Tamil", "Telugu", "Thai")},
    "Hangul": "korean",
    "Han": "chinese",
    "Hiragana": "japanese",
    "Katakana": "japanese",
}
_KANA = {"Hiragana", "Katakana"}
#: Combining marks are no letters to a pattern, so words are what stands between spaces and punctuation.
_BETWEEN = re.compile(r"[\s\d_.,:;!?¡¿\"'’‘“”„«»()\[\]{}/\\|<>=+*&%$#@~^`´…–—।،؛؟-]+")


def languages_of(texts: Sequence[str]) -> dict[str, float]:
    """Return the share of texts in each language, the most frequent first; a guess on some of the texts.

    Examples
    --------
    >>> languages_of(["the rain is in the north", "der Regen und der Wind", "wheat 42", "all of it is here"])
    {'english': 0.5, 'german': 0.25, 'unknown': 0.25}
    """
    some = texts[:: 1 + len(texts) // MOST_DOCUMENTS]
    counts = Counter(language_of(text) for text in some if text and not text.isspace())
    ranked = sorted(counts, key=lambda name: (name == UNKNOWN, -counts[name], name))
    return {name: counts[name] / counts.total() for name in ranked}


def language_of(text: str) -> str:
    """Return the language of a text, or "unknown".

    Examples
    --------
    >>> language_of("the rain is in the north"), language_of("今日は雨"), language_of("wheat")
    ('english', 'japanese', 'unknown')
    """
    text = normal_form("NFC", text[:MOST_CHARACTERS]).lower()
    script = main_script(text)
    if script in _SCRIPTS:
        mixed = script == "Han" and _KANA & scripts_of([text]).keys()
        return "japanese" if mixed else _SCRIPTS[script]
    words = Counter(_BETWEEN.split(text))
    del words[""]
    weights: defaultdict[str, float] = defaultdict(float)
    different, times = Counter[str](), Counter[str]()
    for word, n in words.items():
        # A word of several languages tells them apart less.
        for language in (known := _stop_words().get(word, ())):
            weights[language] += 1 / len(known)
            different[language] += 1
            times[language] += n
    if not weights:
        return UNKNOWN
    first, *others = sorted(weights, key=lambda name: -weights[name])
    ahead = not others or weights[first] > AHEAD * weights[others[0]]
    enough = different[first] >= FEWEST and times[first] >= SHARE * words.total()
    return first if ahead and enough else UNKNOWN


def hint(languages: Mapping[str, float]) -> str:
    """Return what to try if most texts are in one language other than English, and nothing otherwise.

    In English stemming changes little; languages with more endings have more to gain.
    """
    name = next(iter(languages), UNKNOWN)
    if name == "english" or name not in LANGUAGES or languages[name] < MOST:
        return ""
    return (
        f"Most documents are in {name.capitalize()}: language={name!r} with stem=True may help if few have a "
        "label."
    )


@cache
def _stop_words() -> dict[str, list[str]]:
    """Return the languages that have each stop word."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for language in (*LANGUAGES, *OTHERS):
        for word in listed_words(language):
            found[word].append(language)
    return dict(found)
