r"""Scripts of the world: what belongs to a word, and which scripts have no spaces between words.

``\w`` of a regular expression takes the marks of Hindi, Thai or pointed Hebrew for gaps between words, and a
sentence of Chinese for one word. Here marks belong to the letter before them, and text of a script without
spaces gives pairs of neighbouring characters, which do as well as words for categorization and need no
dictionary.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from textensor.base.plain import few_marks, normal_form
from textensor.space.text.words import word_characters

#: Kinds of characters beside 0, which separates, and 1, which is part of a word: a mark, a character that is
#: paired with its neighbour, and a mark that stacks the next character under the last one.
MARK, PAIRED, STACKING = 2, 3, 4
#: Blocks of letters by script. What is in no block is of "Other" scripts.
_BLOCKS = {
    "Latin": "0041-02B8 02E0-02E4 1D00-1DBF 1E00-1EFF 2C60-2C7F A722-A7FF AB30-AB6F FB00-FB06 FF21-FF5A",
    "Greek": "0370-03FF 1F00-1FFF",
    "Cyrillic": "0400-052F 1C80-1C8F A640-A69F",
    "Armenian": "0530-058F FB13-FB17",
    "Hebrew": "0590-05FF FB1D-FB4F",
    "Arabic": "0600-06FF 0750-077F 0870-08FF FB50-FDFF FE70-FEFF",
    "Syriac": "0700-074F 0860-086F",
    "Thaana": "0780-07BF",
    "Devanagari": "0900-097F A8E0-A8FF",
    "Bengali": "0980-09FF",
    "Gurmukhi": "0A00-0A7F",
    "Gujarati": "0A80-0AFF",
    "Odia": "0B00-0B7F",
    "Tamil": "0B80-0BFF",
    "Telugu": "0C00-0C7F",
    "Kannada": "0C80-0CFF",
    "Malayalam": "0D00-0D7F",
    "Sinhala": "0D80-0DFF",
    "Thai": "0E00-0E7F",
    "Lao": "0E80-0EFF",
    "Tibetan": "0F00-0FFF",
    "Burmese": "1000-109F A9E0-A9FF AA60-AA7F",
    "Georgian": "10A0-10FF 1C90-1CBF 2D00-2D2F",
    "Hangul": "1100-11FF 3130-318F A960-A97F AC00-D7FF FFA0-FFDC",
    "Ethiopic": "1200-139F 2D80-2DDF AB00-AB2F",
    "Cherokee": "13A0-13FF AB70-ABBF",
    "Khmer": "1780-17FF",
    "Mongolian": "1800-18AF",
    "Hiragana": "3041-309F",
    "Katakana": "30A0-30FF 31F0-31FF FF66-FF9F",
    "Han": "2E80-2FDF 3005-3007 3021-3029 3400-4DBF 4E00-9FFF F900-FAFF 20000-323AF",
}
WITHOUT_SPACES = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Burmese")
_NAMES = ["", "Other", *_BLOCKS]
_LETTER = re.compile("[A-Za-z]")


def scripts_of(texts: Iterable[str]) -> dict[str, int]:
    """Return how many of the texts have letters of each script, the most frequent script first.

    Japanese has three scripts: Han, Hiragana and Katakana.

    Examples
    --------
    >>> scripts_of(["wheat", "пшеница", "wheat is 小麦", "42"])
    {'Latin': 2, 'Cyrillic': 1, 'Han': 1}
    """
    found = np.zeros(len(_NAMES), dtype=np.int64)
    latin = _NAMES.index("Latin")
    for text in texts:
        if text.isascii():
            found[latin] += _LETTER.search(text) is not None
        else:
            found[np.unique(_scripts()[_codes(text)])] += 1
    order = [k for k in np.argsort(-found[1:], kind="stable") + 1 if found[k]]
    return {_NAMES[k]: int(found[k]) for k in order}


def main_script(text: str) -> str:
    """Return the script of most letters of a text, and nothing if it has no letters.

    Examples
    --------
    >>> main_script("wheat is 小麦"), main_script("42")
    ('Latin', '')
    """
    if text.isascii():
        return "Latin" if _LETTER.search(text) else ""
    found = np.bincount(_scripts()[_codes(text)], minlength=2)[1:]
    return _NAMES[int(found.argmax()) + 1] if found.any() else ""


def normalizing(preprocess: Callable[[str], str]) -> Callable[[str], str]:
    """Return a preprocessor whose result is in the normal form C: equal letters are equal characters.

    Of a long row of marks only the first ones are kept, before anything has to put them into order.

    Examples
    --------
    >>> normalizing(str.lower)("CAFE" + chr(0x301)) == "café"
    True
    """

    def prepare(text: str) -> str:
        text = preprocess(text if text.isascii() else few_marks(text))
        return text if text.isascii() else normal_form("NFC", text)

    return prepare


@cache
def word_kinds(end: int) -> npt.NDArray[np.uint8]:
    """Return the kind of each code point below an end; rarely are many needed."""
    kinds = word_characters(end).copy()
    for name in WITHOUT_SPACES:
        for first, last in _ranges(name):
            some = kinds[first : last + 1]
            digits = [unicodedata.category(chr(first + k)) == "Nd" for k in range(len(some))]
            some[(some == 1) & ~np.array(digits, dtype=bool)] = PAIRED
    joiners = (0x200C, 0x200D, 0xFF9E, 0xFF9F)  # and the sound marks of halfwidth Katakana
    kinds[[code for code in (*_marks(end), *joiners) if code < end]] = MARK
    kinds[[code for code in (0x17D2, 0x1039) if code < end]] = STACKING
    return kinds


def _marks(end: int) -> list[int]:
    """Return the code points of combining marks below an end. Those of plane 14 are selectors of variants."""
    codes = chain(range(min(end, 0x20000)), range(0xE0000, min(end, 0xE0200)))
    return [code for code in codes if unicodedata.category(chr(code))[0] == "M"]


def _codes(text: str) -> npt.NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


@cache
def _scripts() -> npt.NDArray[np.uint8]:
    """Return the number of the script of each letter, 0 for what is no letter."""
    scripts = word_characters(0x110000).copy()  # 1 is "Other"
    digits = [code for code in range(0x20000) if unicodedata.category(chr(code))[0] == "N"]
    scripts[[ord("_"), *digits]] = 0
    for number, name in enumerate(_BLOCKS, start=2):
        for first, last in _ranges(name):
            some = scripts[first : last + 1]
            some[some > 0] = number
    scripts[ord("µ")] = 0
    return scripts


def _ranges(name: str) -> list[tuple[int, int]]:
    """Return the first and the last code point of each block of a script."""
    pairs = (block.partition("-") for block in _BLOCKS[name].split())
    return [(int(first, 16), int(last, 16)) for first, _, last in pairs]
