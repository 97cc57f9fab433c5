"""Other people's text made plain: nothing in it drives a terminal, a page or a plot."""

import unicodedata


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
