"""What must hold for a value in a model file, said in a few words.

A rule is a function of a value and of the sizes met so far in the same object; it raises
:class:`~textensor.base.disk.DamageError` where the value is not what it should be. Sizes have names: the
first array that is ``floats("axes", "terms")`` says how many axes and terms there are. Later mentions must
agree. ``"*"`` is any size.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from textensor.base.disk import DamageError

__all__ = [
    "Rule",
    "Sizes",
    "anything",
    "columns",
    "dtype",
    "each",
    "either",
    "flag",
    "floats",
    "integers",
    "labels",
    "matrix",
    "names",
    "number",
    "one_of",
    "pattern",
    "permutation",
    "require",
    "size",
    "text",
    "truths",
    "whole",
]

Sizes = dict[str, int]
Rule = Callable[[Any, Sizes], None]

#: The largest whole number that is a size: more cannot be counted in 64 bits.
LARGEST = 1 << 62


def require(holds: Any, otherwise: str) -> None:
    """Refuse what does not hold, with the end of a sentence."""
    if not holds:
        raise DamageError(otherwise)


def _agree(name: str, length: int, sizes: Sizes) -> None:
    if name != "*":
        known = sizes.setdefault(name, length)
        require(known == length, f"it has {length} {name} where there are {known}")


def _array(value: Any, kinds: str, dimensions: tuple[str, ...], sizes: Sizes) -> Any:
    """Return the value if it is an array of such a kind and shape."""
    require(isinstance(value, np.ndarray) and value.dtype.kind in kinds, "it is not an array of such numbers")
    require(value.ndim == len(dimensions), f"it has {value.ndim} dimensions, not {len(dimensions)}")
    for name, length in zip(dimensions, value.shape, strict=True):
        _agree(name, length, sizes)
    return value


def floats(*dimensions: str, least: float = -np.inf, infinite: bool = False) -> Rule:
    """Return the rule: an array of float32 or float64 of these sizes, finite, none below ``least``."""

    def rule(value: Any, sizes: Sizes) -> None:
        values = _array(value, "f", dimensions, sizes)
        require(not np.isnan(values).any() if infinite else np.isfinite(values).all(), "it is not finite")
        require((values >= least).all(), f"it holds a number below {least:g}")

    return rule


def integers(*dimensions: str, below: str | None = None) -> Rule:
    """Return the rule: an array of whole numbers from 0 on, below a size named earlier if one is given."""

    def rule(value: Any, sizes: Sizes) -> None:
        values = _array(value, "i", dimensions, sizes)
        top = LARGEST if below is None else sizes[below]
        require(values.min(initial=0) >= 0 and values.max(initial=-1) < top, "it holds a number out of range")

    return rule


def truths(*dimensions: str) -> Rule:
    """Return the rule: an array of true and false."""

    def rule(value: Any, sizes: Sizes) -> None:
        _array(value, "b", dimensions, sizes)

    return rule


def permutation(dimension: str) -> Rule:
    """Return the rule: each number below the size once, as int64."""

    def rule(value: Any, sizes: Sizes) -> None:
        order = _array(value, "i", (dimension,), sizes)
        require(order.dtype == np.int64, "it is not of int64")
        require(np.array_equal(np.sort(order), np.arange(len(order))), "it is not a permutation")

    return rule


def size(name: str, least: int = 1) -> Rule:
    """Return the rule: a whole number that is the size of this name."""

    def rule(value: Any, sizes: Sizes) -> None:
        whole(least)(value, sizes)
        _agree(name, value, sizes)

    return rule


def labels(dimension: str = "classes", least: int = 1) -> Rule:
    """Return the rule: an array of names or numbers, all different."""

    def rule(value: Any, sizes: Sizes) -> None:
        found = _array(value, "biufUO", (dimension,), sizes).tolist()
        require(len(found) >= least, f"it has {len(found)} labels, fewer than {least}")
        require(len({label for label in found if label == label}) == len(found), "a label is there twice")

    return rule


def names(dimension: str) -> Rule:
    """Return the rule: an array of strings."""

    def rule(value: Any, sizes: Sizes) -> None:
        _array(value, "UO", (dimension,), sizes)

    return rule


def columns(dimension: str) -> Rule:
    """Return the rule: a vocabulary, which gives each term a column of its own."""

    def rule(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, dict) and len(value) > 0, "it is not a vocabulary")
        require(all(type(term) is str for term in value), "it has a term that is no string")
        require(set(value.values()) == set(range(len(value))), "its columns are not one for each term")
        _agree(dimension, len(value), sizes)

    return rule


def matrix(rows: str, terms: str, kinds: str = "f") -> Rule:
    """Return the rule: a dense or sparse matrix of finite numbers, indices in range."""

    def rule(value: Any, sizes: Sizes) -> None:
        if not sp.issparse(value):
            _array(value, kinds, (rows, terms), sizes)
            require(np.isfinite(value).all(), "it is not finite")
            return
        _array(value.data, kinds, ("*",), sizes)
        require(np.isfinite(value.data).all(), "it is not finite")
        for name, length in zip((rows, terms), value.shape, strict=True):
            _agree(name, length, sizes)

    return rule


def number(above: float = -np.inf, least: float = -np.inf, most: float = np.inf) -> Rule:
    """Return the rule: a finite number within bounds."""

    def rule(value: Any, sizes: Sizes) -> None:
        del sizes
        fits = type(value) is int and abs(value) <= LARGEST
        require(fits or (type(value) is float and abs(value) < np.inf), f"{value!r:.40} is not a number")
        require(value > above and least <= value <= most, f"{value!r:.40} is out of range")

    return rule


def whole(least: int = 0, most: int = LARGEST) -> Rule:
    """Return the rule: a whole number within bounds."""

    def rule(value: Any, sizes: Sizes) -> None:
        del sizes
        require(type(value) is int and least <= value <= most, f"{value!r:.40} is not such a whole number")

    return rule


def one_of(*values: Any) -> Rule:
    """Return the rule: one of these constants."""

    def rule(value: Any, sizes: Sizes) -> None:
        del sizes
        found = any(type(value) is type(known) and value == known for known in values)
        require(found, f"{value!r:.40} is not one of {', '.join(map(repr, values))}")

    return rule


flag = one_of(True, False)


def either(*rules: Rule) -> Rule:
    """Return the rule: the first of these that holds, or what the last one says."""

    def rule(value: Any, sizes: Sizes) -> None:
        for one in rules[:-1]:
            try:
                trial = dict(sizes)
                one(value, trial)
            except DamageError:
                continue
            sizes.update(trial)
            return
        rules[-1](value, sizes)

    return rule


def each(one: Rule, kind: type = list, length: int | None = None) -> Rule:
    """Return the rule: a list or tuple in which a rule holds for each."""

    def rule(value: Any, sizes: Sizes) -> None:
        require(type(value) is kind, f"it is not a {kind.__name__}")
        require(length is None or len(value) == length, f"it has {len(value)} parts, not {length}")
        for part in value:
            one(part, sizes)

    return rule


def dtype(value: Any, sizes: Sizes) -> None:
    """Hold for a dtype of numbers, or the name of one."""
    del sizes
    known = isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.number))
    require(known or value in ("float32", "float64", "int32", "int64"), f"{value!r:.40} is not a dtype")


def text(value: Any, sizes: Sizes) -> None:
    """Hold for a string."""
    del sizes
    require(type(value) is str, f"{value!r:.40} is not a string")


def anything(value: Any, sizes: Sizes) -> None:
    """Hold for all data: for what nothing is computed from."""
    del value, sizes


def pattern(value: Any, sizes: Sizes) -> None:
    """Hold for regular expressions of no power to stall: short, three repetitions, none of a whole group."""
    del sizes
    if value is None:
        return
    require(type(value) is str and len(value) <= 200, "it is not a short regular expression")
    # What is escaped or in brackets is one sign.
    plain = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "a", value, flags=re.DOTALL)
    plain = re.sub(r"\(\?[a-zA-Z:]", "(", plain)
    repeats = re.findall(r"[*+?]|\{\d*,?\d*\}", re.sub(r"([*+?}])\?", r"\1", plain))
    stalls = len(repeats) > 3 or re.search(r"\)(?:[*+]|\{)", plain) or "(?" in plain
    require(not stalls, "it is a regular expression that may take for ever: write a simpler one")
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        raise DamageError(f"it is no regular expression: {error}") from error
