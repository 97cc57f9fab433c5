"""What a model file keeps of a class, declared beside the class.

    @keeps(
        n_features_in_=size("n_terms"),
        components_=floats("n_axes", "n_terms"),
        intercept_=floats("n_axes"),
        n_iter_=whole(0),
    )
    class Mine(LinearProjection): ...

The declaration names every attribute of a fitted model, those parameters that are used after fitting, and
what must hold for each. Sizes have names: the first array that is ``floats("n_axes", "n_terms")`` says how
many axes and terms there are, later mentions must agree. A size is 1 or more unless its name ends in ``?``,
and ``"*"`` is any size. A subclass adds to the declaration of its parents, or replaces a name; None removes
one. Two methods are called if a class has them: ``_settle()`` before a model is saved, and ``_check_kept()``
after one is loaded, for what rules cannot say.
"""

import importlib
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

import numpy as np
import scipy.sparse as sp

from textensor.base import checks
from textensor.base.checks import whole
from textensor.base.disk import DamageError
from textensor.base.late.mode import without_scikit

#: The parts of a rule that allows estimators of any class.
ESTIMATORS = (object,)
#: The one class of scikit-learn that a process without it has, too.
PIPELINE = "sklearn.pipeline.Pipeline"
#: The largest whole number that is a size: more cannot be counted in 64 bits.
LARGEST = 1 << 62
#: The longest label that files keep: each row that is predicted is as wide as the longest.
LONGEST_LABEL = 1000
#: The largest number of an array: products of a few, and squares of those, are finite.
MOST = 1e30

Kind = TypeVar("Kind", bound=type)
P = ParamSpec("P")
Length = str | int


def require(holds: Any, otherwise: str) -> None:
    """Refuse what does not hold, with the end of a sentence."""
    if not holds:
        raise DamageError(otherwise)


class Sizes(dict[str, int]):
    """The sizes met so far in an object, by name.

    Attributes
    ----------
    of_parts : dict
        The sizes of the objects that are parts of it, by their ``id``.
    number : int
        Which entry of a list is being checked: it takes the place of ``#`` in the name of a size.
    """

    def __init__(self, of_parts: "dict[int, Sizes] | None" = None) -> None:
        super().__init__()
        self.of_parts = {} if of_parts is None else of_parts
        self.number = 0

    def agree(self, name: Length, length: int) -> None:
        """Set a size, or refuse one that differs from what is known of it; a sum of sizes is known."""
        if name == "*":
            return
        if isinstance(name, int):
            require(length == name, f"it has a length of {length}, not {name}")
            return
        optional, name = name.endswith("?"), name.strip("?").replace("#", str(self.number))
        what = name.replace("n_", "").replace("_", " ")
        summed = " + " in name
        known = sum(self[part] for part in name.split(" + ")) if summed else self.setdefault(name, length)
        require(known == length, f"it has {length} {what} where there are {known}")
        require(length > 0 or optional, f"it has no {what}")


@dataclass(frozen=True)
class Keep:
    """A rule for what is kept.

    Attributes
    ----------
    check : callable
        Given a value and the sizes met so far, it raises a DamageError if the value is not as it should be.
    parts : tuple
        The classes that the value may hold objects of.
    how : {"stored", "absent", "derived", "dropped"}
        Whether it is stored, may be absent, is a property and not stored, or is left out.
    """

    check: Callable[[Any, Sizes], None]
    parts: tuple[type | str, ...] = ()
    how: Literal["stored", "absent", "derived", "dropped"] = "stored"


Rule = Keep | checks.Rule


def as_keep(rule: Rule) -> Keep:
    """Return a rule for parameters as one for what is kept."""
    if isinstance(rule, Keep):
        return rule

    def check(value: Any, _: Sizes) -> None:
        require(rule.holds(value), f"{value!r:.40} is not {rule.says}")
        large = isinstance(value, float) and MOST < abs(value) < np.inf
        require(not large, f"{value!r:.40} is a number that is too large")

    return Keep(check)


# Classes


def keeps(**rules: Rule | None) -> Callable[[Kind], Kind]:
    """Return the decorator that declares what model files keep of a class."""

    def declare(kind: Kind) -> Kind:
        kind._keeps = {name: rule and as_keep(rule) for name, rule in rules.items()}  # type: ignore[attr-defined]
        return kind

    return declare


@cache
def class_named(name: str) -> Any:
    """Import a class by its public name; a process without scikit-learn has its own pipelines."""
    if without_scikit() and name == PIPELINE:
        return importlib.import_module("textensor.base.late.stand_in").Pipeline
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def part(*classes: type | str, shares: tuple[str, ...] = (), **renamed: str) -> Keep:
    """Return the rule: a fitted estimator or a record, of one of these classes if any are named.

    Parameters
    ----------
    *classes : type or str
        The classes, or their public names.
    shares : tuple of str
        Names of sizes that the part and the whole have in common; ``"length_#"`` is all of that name.
    **renamed : str
        Names of sizes of the part, and what the whole calls them.
    """

    def check(value: Any, sizes: Sizes) -> None:
        known = any(type(value) is (class_named(c) if isinstance(c, str) else c) for c in classes)
        require(known or (not classes and hasattr(value, "fit")), "it is not of the right class")
        if hasattr(value, "fit"):
            _require_fitted(value)
        theirs = sizes.of_parts.get(id(value), Sizes())
        shared = {name: name for name in shares if not name.endswith("#")}
        for name in shares:
            shared |= {key: key for key in theirs if name.endswith("#") and key.startswith(name[:-1])}
        for name, ours in (shared | renamed).items():
            require(name in theirs, f"the {type(value).__name__} in it does not say {name}")
            sizes.agree(ours, theirs[name])

    return Keep(check, classes or ESTIMATORS)


def steps_of(model: Any) -> list[Any]:
    """Return the steps of a pipeline, or the model itself as the only one."""
    return [step for _, step in model.steps] if hasattr(model, "steps") else [model]


def width(step: Any, *, after: bool) -> int | None:
    """Return how many columns a fitted step takes, None if it takes texts, or how many it returns."""
    steps = [inner for inner in steps_of(step) if inner != "passthrough"]
    if steps != [step]:
        return width(steps[-1 if after else 0], after=after)
    if after and hasattr(step, "vocabulary_"):
        return len(step.vocabulary_)
    own = getattr(step, "n_features_in_", None)
    return getattr(step, "_n_features_out", own) if after else own


def _require_fitted(value: Any) -> None:
    from textensor.base.late.parts import NotFittedError, check_is_fitted

    try:
        check_is_fitted(value)
    except NotFittedError:
        raise DamageError(f"the {type(value).__name__} in it is not fitted") from None


# How something is kept


def absent_or(rule: Rule) -> Keep:
    """Return the rule: an attribute that may be missing."""
    return replace(as_keep(rule), how="absent")


def derived(rule: Rule) -> Keep:
    """Return the rule: a property, which is not stored but checked, so that it can name a size."""
    return replace(as_keep(rule), how="derived")


def either(*rules: Rule) -> Keep:
    """Return the rule: the first of these that holds, or what the last one says."""
    kept = [as_keep(rule) for rule in rules]

    def check(value: Any, sizes: Sizes) -> None:
        for one in kept[:-1]:
            trial = copy(sizes)
            try:
                one.check(value, trial)
            except DamageError:
                continue
            sizes.update(trial)
            return
        kept[-1].check(value, sizes)

    return Keep(check, sum((one.parts for one in kept), ()))


def none_or(rule: Rule) -> Keep:
    """Return the rule: None, or what another rule allows."""
    return either(checks.one_of(None), rule)


def each(rule: Rule, kind: type = list, length: Length = "*") -> Keep:
    """Return the rule: a list or tuple in which a rule holds for each, and of so many."""
    one = as_keep(rule)

    def check(value: Any, sizes: Sizes) -> None:
        require(type(value) is kind, f"it is not a {kind.__name__}")
        sizes.agree(length, len(value))
        for number, entry in enumerate(value):
            sizes.number = number
            one.check(entry, sizes)

    return Keep(check, one.parts)


def tuple_of(*rules: Rule) -> Keep:
    """Return the rule: a tuple of as many values, one for each rule."""
    kept = [as_keep(rule) for rule in rules]

    def check(value: Any, sizes: Sizes) -> None:
        require(type(value) is tuple and len(value) == len(kept), f"it is not a tuple of {len(kept)}")
        for one, entry in zip(kept, value, strict=True):
            one.check(entry, sizes)

    return Keep(check, sum((one.parts for one in kept), ()))


# Values: the check of one is all there is to its rule


def _rule(check: Callable[Concatenate[Any, Sizes, P], None]) -> Callable[P, Keep]:
    """Turn the check of a value, given further arguments, into a function of those that returns the rule."""

    @wraps(check)
    def make(*args: P.args, **kwargs: P.kwargs) -> Keep:
        return Keep(lambda value, sizes: check(value, sizes, *args, **kwargs))

    return make


def _array(value: Any, sizes: Sizes, kinds: str, dimensions: tuple[Length, ...]) -> Any:
    """Return the value if it is an array of such a kind and shape; kernels know numbers of 4 and 8 bytes."""
    known = isinstance(value, np.ndarray) and value.dtype.kind in kinds
    known = known and (kinds not in "fi" or value.dtype.itemsize in (4, 8))
    require(known, "it is not an array of such numbers")
    require(value.ndim == len(dimensions), f"it has {value.ndim} dimensions, not {len(dimensions)}")
    for name, length in zip(dimensions, value.shape, strict=True):
        sizes.agree(name, length)
    return value


def _require_usual(values: Any) -> None:
    """Refuse numbers that are not finite, or so large that what is computed from them is not."""
    require(np.isfinite(values).all(), "it is not finite")
    require(max(values.max(initial=0), -values.min(initial=0)) <= MOST, "it holds a number that is too large")


@_rule
def floats(value: Any, sizes: Sizes, *dimensions: Length, infinite: bool = False) -> None:
    """Check an array of floats of these sizes, finite unless it may be infinite, never NaN."""
    values = _array(value, sizes, "f", dimensions)
    if infinite:
        require(not np.isnan(values).any(), "it is not finite")
    else:
        _require_usual(values)


@_rule
def integers(value: Any, sizes: Sizes, *dimensions: Length, below: str | None = None) -> None:
    """Check an array of whole numbers from 0 on, below a size named earlier if one is given."""
    values = _array(value, sizes, "i", dimensions)
    top = LARGEST if below is None else sizes[below]
    require(values.min(initial=0) >= 0 and values.max(initial=-1) < top, "it holds a number out of range")


@_rule
def permutation(value: Any, sizes: Sizes, dimension: Length) -> None:
    """Check that each number below the size is there once, as int64."""
    order = _array(value, sizes, "i", (dimension,))
    require(order.dtype == np.int64, "it is not of int64")
    require(np.array_equal(np.sort(order), np.arange(len(order))), "it is not a permutation")


@_rule
def size(value: Any, sizes: Sizes, name: str, least: int = 1) -> None:
    """Check a whole number that is the size of this name."""
    known = type(value) is int and least <= value <= LARGEST
    require(known, f"{value!r:.40} is not {whole(least).says}")
    sizes.agree(name, value)


@_rule
def labels(
    value: Any, sizes: Sizes, dimension: str = "n_classes", least: int = 1, kinds: str = "biufUO"
) -> None:
    """Check an array of names or numbers of such kinds, all different."""
    found = _array(value, sizes, kinds, (dimension,))
    require(len(found) >= least, f"it has {len(found)} labels, fewer than {least}")
    longest = max(map(len, found.tolist()), default=0) if found.dtype.kind in "UO" else 0
    require(longest <= LONGEST_LABEL, f"a label has {longest:,} characters, more than {LONGEST_LABEL:,}")
    different = len(set(found.tolist()) if found.dtype.kind in "UO" else np.unique(found))
    require(different == len(found) and (found == found).all(), "a label is there twice")


@_rule
def strings(value: Any, sizes: Sizes, dimension: str) -> None:
    """Check an array of strings."""
    _array(value, sizes, "UO", (dimension,))


@_rule
def columns(value: Any, sizes: Sizes, dimension: str) -> None:
    """Check a vocabulary, which gives each term a column of its own."""
    require(isinstance(value, dict) and len(value) > 0, "it is not a vocabulary")
    require(all(type(term) is str for term in value), "it has a term that is not a string")
    taken = np.zeros(len(value), dtype=np.bool_)  # sets of as many numbers would take more than the terms
    for column in value.values():
        require(type(column) is int and 0 <= column < len(taken), "it has a column out of range")
        taken[column] = True
    require(taken.all(), "its columns are not one for each term")
    sizes.agree(dimension, len(value))


@_rule
def matrix(value: Any, sizes: Sizes, rows: str, terms: str, *, layout: str | None = None) -> None:
    """Check a dense or sparse matrix of finite numbers; reading checks the indices of each."""
    sparse = sp.issparse(value)
    data = _array(value.data if sparse else value, sizes, "f", ("*",) if sparse else ("*", "*"))
    _require_usual(data)
    require(not (sparse and layout) or value.format == layout, "it is not in the right order")
    for name, length in zip((rows, terms), value.shape, strict=True):
        sizes.agree(name, length)


def _mapping(value: Any, sizes: Sizes) -> None:
    """Hold for a dict of strings to any data."""
    del sizes
    require(type(value) is dict and all(type(key) is str for key in value), "it has no names for its values")


def _nothing(value: Any, sizes: Sizes) -> None:
    """Hold for all data."""


#: Any data, for what nothing is computed from.
data = Keep(_nothing)
#: Any data and estimators: parameters that are not used after fitting.
anything = Keep(_nothing, ESTIMATORS)
#: A dict of strings to any data.
mapping = Keep(_mapping)
#: An attribute or parameter that is not stored: what was fitted does not need it.
dropped = Keep(_nothing, how="dropped")
text = checks.Rule("a string", lambda value: type(value) is str)
_NUMBERS = ("float32", "float64", "int32", "int64")


def _dtype(value: Any, sizes: Sizes) -> None:
    """Hold for the common types of numbers, by name, as a dtype or as a type."""
    del sizes
    known = type(value) is str or isinstance(value, np.dtype | type)
    require(known and value in (*_NUMBERS, *map(np.dtype, _NUMBERS)), "it is not a dtype of documents")


#: A dtype: the one rule that allows a type, which elsewhere could pass for a function.
dtype = Keep(_dtype, (np.dtype,))
