"""What the table of classes says of each: which attributes a fitted one has, and what must hold for them."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from textensor.files.rules import Rule, Sizes, names, one_of, require

__all__ = ["COMMON", "Entry", "class_of", "part"]

#: What scikit-learn may add to any estimator.
COMMON: Mapping[str, Rule] = {
    "feature_names_in_": names("terms"),
    "_sklearn_output_config": one_of(
        {"transform": "default"}, {"transform": "pandas"}, {"transform": "polars"}, {}
    ),
}


@dataclass(frozen=True)
class Entry:
    """A class that model files may hold.

    Parameters
    ----------
    state : dict of rules
        The attributes of a fitted one, by their names in ``vars``, and what must hold for each, in this
        order: a size is named before anything is said to be below it.
    parameters : dict of rules
        What must hold for those parameters that are looked at after fitting. The others may be any data.
    optional : dict of rules
        Attributes that may be missing.
    dropped : tuple of str
        Attributes and parameters that are left out: what was fitted does not need them.
    settle : callable
        Called with the model before it is saved, to work out what was put off.
    complete : callable or None
        Called with the model that is loaded, or would be: sees that its attributes fit each other.
    record : bool
        Whether it is no estimator but a named tuple or dataclass, whose fields are ``state``.
    """

    state: Mapping[str, Rule]
    parameters: Mapping[str, Rule] = field(default_factory=dict)
    optional: Mapping[str, Rule] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    settle: Callable[[Any], object] = vars
    complete: Callable[[Any], object] | None = None
    record: bool = False

    def fitted(self, model: Any) -> bool:
        """Return whether a model has anything to store beside its parameters."""
        return not self.state or any(key in vars(model) for key in self.state)


@cache
def class_of(name: str) -> Any:
    """Import a class by its public name."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def part(*classes: str) -> Rule:
    """Return the rule: a fitted estimator or a record, of one of these classes if any are named."""

    def rule(value: Any, sizes: Sizes) -> None:
        del sizes
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import check_is_fitted

        known = any(type(value) is class_of(name) for name in classes)
        require(known or (not classes and hasattr(value, "fit")), "it is not of the right class")
        if hasattr(value, "fit"):
            try:
                check_is_fitted(value)
            except NotFittedError:
                require(False, f"the {type(value).__name__} in it is not fitted")

    return rule
