"""Which classes model files may hold: nothing else is ever made from a file.

A class of the package is known if it has a declaration (:mod:`textensor.base.kept`), by the name that users
import it by: moving a module leaves files readable. Known too are the estimators of the methods table and the
classes of scikit-learn in :mod:`textensor.files.scikit`. Nothing is imported for any other name.
"""

import importlib
from functools import cache
from typing import Any

from textensor.base.kept import Declaration, class_named, declaration, sort_rules
from textensor.files.scikit import SCIKIT
from textensor.workbench.methods import METHODS

__all__ = ["ROOMS", "class_of", "declared", "name_of"]

#: Where users import estimators from.
ROOMS = ("textensor.classify", "textensor.learn", "textensor.reduce", "textensor.space", "textensor")


def class_of(name: str) -> Any:
    """Return the class of a name, None if model files do not know it."""
    room, _, attribute = name.rpartition(".")
    public = room in ROOMS and attribute in importlib.import_module(room).__all__
    by_method = any(method.estimator == name for method in METHODS.values())
    found = class_named(name) if public or by_method or name in SCIKIT else None
    return found if isinstance(found, type) and declared(found) is not None else None


def name_of(kind: Any) -> str | None:
    """Return the name of a class, None if model files do not know it."""
    rooms = [room for room in ROOMS if kind.__module__.startswith(f"{room}.")]
    names = [f"{room}.{kind.__name__}" for room in rooms]
    names += [method.estimator for method in METHODS.values()] + list(SCIKIT)
    return next((n for n in names if n.endswith(f".{kind.__name__}") and class_of(n) is kind), None)


@cache
def declared(kind: Any) -> Declaration | None:
    """Return what is kept of a class: its own declaration, or ours of a class of scikit-learn."""
    if kind is None:
        return None
    for name, (rules, check) in SCIKIT.items():
        if name.endswith(f".{kind.__name__}") and class_named(name) is kind:
            return sort_rules(kind, rules, check)
    return declaration(kind)
