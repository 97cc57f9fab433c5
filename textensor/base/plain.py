"""Other people's text made plain: nothing in it drives a terminal, a page or a plot, or takes very long."""

import re
import unicodedata
from functools import cache
from typing import Literal

#: Combining marks in a row that a text keeps: the limit of Unicode's stream-safe text format (UAX #15).
MOST_MARKS = 30
#: What a spreadsheet takes for the start of a formula.
FORMULA = frozenset("=+-@\t\r\n＝＋－＠")
#: No mark has a higher code point than these planes.
_PLANES = 0x20000


def clean(text: str, limit: int | None = None) -> str:
    r"""Return text on one line without control characters, which drive terminals and turn lines around.

    Examples
    --------
    >>> clean("a\x1b[31mred\n  label")
    'a[31mred label'
    """
    line = " ".join(text.split())
    line = "".join(c for c in line if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co"))
    return line if limit is None or len(line) <= limit else line[: limit - 1] + "…"


def counted(n: int, what: str) -> str:
    """Return a number with what it counts, in the singular or the plural.

    Examples
    --------
    >>> counted(1, "document"), counted(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def guarded(text: str) -> str:
    """Return a cell that no spreadsheet runs: a quote is put before what begins like a formula.

    Examples
    --------
    >>> guarded("=1+1"), guarded("-12.5"), guarded("wheat")
    ("'=1+1", '-12.5', 'wheat')
    """
    if text[:1] not in FORMULA:
        return text
    try:
        float(text)
    except ValueError:
        return "'" + text
    return text


def unguarded(text: str) -> str:
    """Return a cell as it was before :func:`guarded`.

    Examples
    --------
    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA else text


def few_marks(text: str) -> str:
    r"""Return text without the combining marks behind the first 30 of a row.

    Normalization sorts the marks of a row in quadratic time: 100,000 of them take many seconds. No language
    has so many, and what removes accents afterwards has the same result.

    Examples
    --------
    >>> len(few_marks("e" + 50 * "\u0301" + "a\u0301"))
    33
    """
    # A longer row has one of these characters: most texts are known to be short of marks without a search.
    if text.isascii() or _marks().isdisjoint(text[::MOST_MARKS]):
        return text
    return _many_marks().sub(r"\1", text)


def normal_form(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    r"""Return a text in a normal form of Unicode, with few marks: nothing else here normalizes text.

    Examples
    --------
    >>> normal_form("NFC", "e\u0301") == "\u00e9"
    True
    """
    return unicodedata.normalize(form, few_marks(text))


@cache
def _marks() -> frozenset[str]:
    """Return the characters that normalization turns into combining marks and nothing else."""
    return frozenset(
        mark
        for mark in map(chr, range(_PLANES))
        if all(map(unicodedata.combining, unicodedata.normalize("NFKD", mark)))
    )


@cache
def _many_marks() -> re.Pattern[str]:
    mark = f"[{''.join(sorted(_marks()))}]"
    return re.compile(f"({mark}{{{MOST_MARKS}}}){mark}+")
