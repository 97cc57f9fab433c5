"""Which classes model files may hold, and what is kept of each: nothing else is ever made from a file.

A class of the package is known if it has a declaration (:mod:`textensor.base.kept`), by the name that users
import it by: moving a module leaves files readable. Known too are the estimators of the methods table and the
classes of scikit-learn in :mod:`textensor.files.scikit`. Nothing is imported for any other name.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from textensor.base.checks import one_of, whole
from textensor.base.kept import PIPELINE, Keep, Rule, absent_or, as_keep, class_named, either, strings
from textensor.base.late.mode import without_scikit
from textensor.files.scikit import SCIKIT
from textensor.workbench.methods import METHODS

#: Where users import estimators from.
ROOMS = ("textensor.classify", "textensor.learn", "textensor.reduce", "textensor.space")
CATEGORIZER = "textensor.TextCategorizer"
#: What any estimator may have: the names of its columns, the form of its output, and a number of threads,
#: which loading forgets.
COMMON: dict[str, Rule] = {
    "feature_names_in_": absent_or(strings("n_terms")),
    "_sklearn_output_config": absent_or(one_of({"transform": "default"}, {"transform": "pandas"}, {})),
    "n_jobs": absent_or(either(one_of(None), whole(-256, -1), whole(1, 256))),
}


def class_of(name: str) -> Any:
    """Return the class of a name, None if model files do not know it."""
    room, _, attribute = name.rpartition(".")
    public = room in ROOMS and attribute in importlib.import_module(room).__all__
    by_method = any(method.estimator == name for method in METHODS.values())
    if not (public or by_method or name == CATEGORIZER or name in SCIKIT):
        return None
    if without_scikit() and name.startswith("sklearn.") and name != PIPELINE:
        return None
    found = class_named(name)
    concrete = isinstance(found, type) and not inspect.isabstract(found)
    return found if concrete and declared(found) is not None else None


def name_of(kind: Any) -> str | None:
    """Return the name of a class, None if model files do not know it."""
    names = [f"{room}.{kind.__name__}" for room in ROOMS if kind.__module__.startswith(f"{room}.")]
    names += [CATEGORIZER, *(method.estimator for method in METHODS.values()), *SCIKIT]
    return next((n for n in names if n.endswith(f".{kind.__name__}") and class_of(n) is kind), None)


@dataclass(frozen=True)
class Declaration:
    """What is kept of a class, sorted.

    Attributes
    ----------
    kind : type
        The class. One without ``get_params`` is a record, a named tuple or dataclass, and part of another.
    attributes, parameters, derived : dict of Keep
        The rules of fitted attributes, or of the fields of a record, of parameters and of properties.
    dropped : frozenset of str
        Attributes and parameters that are left out.
    check, settle : callable
        What is called with a model that was loaded, and with one before it is saved.
    """

    kind: Any
    attributes: Mapping[str, Keep]
    parameters: Mapping[str, Keep]
    derived: Mapping[str, Keep]
    dropped: frozenset[str]
    check: Callable[[Any], object]
    settle: Callable[[Any], object]

    @property
    def record(self) -> bool:
        """Whether it is a record."""
        return not hasattr(self.kind, "get_params")

    def fitted(self, model: Any) -> bool:
        """Return whether a model has what a fitted one must have."""
        needed = [name for name, keep in self.attributes.items() if keep.how == "stored"]
        return not needed or any(name in vars(model) for name in needed)


@cache
def declared(kind: Any) -> Declaration | None:
    """Return what a class and its parents declare, or the table says of a class of scikit-learn."""
    if kind is None:
        return None
    for name, (rules, check) in SCIKIT.items():
        if name.endswith(f".{kind.__name__}") and class_named(name) is kind:
            return _sorted(kind, rules, check)
    found = [vars(base)["_keeps"] for base in reversed(kind.__mro__) if "_keeps" in vars(base)]
    kept: dict[str, Keep] = {}
    for name, keep in (item for one in found for item in one.items()):
        kept.pop(name, None)  # what replaces a rule may name sizes of its own class
        kept |= {} if keep is None else {name: keep}
    return _sorted(kind, kept, None) if found else None


def _sorted(kind: Any, rules: Mapping[str, Rule], check: Callable[[Any], object] | None) -> Declaration:
    """Return the declaration of a class that has these rules."""
    estimator = hasattr(kind, "get_params")
    known = inspect.signature(kind).parameters if estimator else {}
    usual = {name: rule for name, rule in COMMON.items() if estimator and (name in known or name != "n_jobs")}
    kept = {name: as_keep(rule) for name, rule in {**rules, **usual, **rules}.items()}
    stored = {name: keep for name, keep in kept.items() if keep.how in ("stored", "absent")}
    return Declaration(
        kind,
        {name: keep for name, keep in stored.items() if name not in known},
        {name: keep for name, keep in stored.items() if name in known},
        {name: keep for name, keep in kept.items() if keep.how == "derived"},
        frozenset(name for name, keep in kept.items() if keep.how == "dropped"),
        getattr(kind, "_check_kept", id) if check is None else check,
        getattr(kind, "_settle", id),
    )
