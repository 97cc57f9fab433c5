"""Character n-grams as terms beside words, under names that cannot be taken for words."""

from collections.abc import Iterable
from itertools import repeat

import numpy as np
import numpy.typing as npt


def quoted(grams: Iterable[str]) -> list[str]:
    """Return the names of character n-grams: quotes show where a space begins or ends one.

    Examples
    --------
    >>> quoted([" whe", "heat"])
    ["' whe'", "'heat'"]
    """
    return [f"'{gram}'" for gram in grams]


def unquoted(words: Iterable[str]) -> list[str]:
    r"""Return the names of words beside quoted n-grams: a backslash goes before a quote or a backslash.

    Few token patterns find such words; without the backslash their names could be those of n-grams.

    Examples
    --------
    >>> unquoted(["wheat", "don't", "'heat'"])
    ['wheat', "don't", "\\'heat'"]
    """
    return [f"\\{word}" if word.startswith(("'", "\\")) else word for word in words]


def are_quoted(names: Iterable[str], n_names: int) -> npt.NDArray[np.bool_]:
    """Return which names are those of character n-grams."""
    return np.fromiter(map(str.startswith, names, repeat("'")), dtype=bool, count=n_names)


def spelling(name: str) -> tuple[bool, str]:
    """Return whether a name is that of a character n-gram, and the term itself: columns are in this order."""
    return (True, name[1:-1]) if name.startswith("'") else (False, name.removeprefix("\\"))
