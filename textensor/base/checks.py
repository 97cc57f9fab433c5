"""Parameter checks: a class declares what its parameters may be, and ``fit`` and model files see to it.

A rule knows how to say itself, so that every message reads alike: ``C must be a number above 0, not -1.``
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Rule:
    """What a parameter may be: the end of "it must be ...", and whether a value is that."""

    says: str
    holds: Callable[[Any], bool]


def _as_float(value: Real) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return float("inf")


def number(
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> Rule:
    """Return the rule: a finite real number within bounds.

    Examples
    --------
    >>> number(above=0).holds(0.5), number(least=0).says
    (True, 'a number of 0 or more')
    """

    def holds(value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
            return False
        found = _as_float(value)
        if not np.isfinite(found):
            return False
        return (
            (above is None or found > above)
            and (least is None or found >= least)
            and (below is None or found < below)
            and (most is None or found <= most)
        )

    bounds = {"above {:g}": above, "of {:g} or more": least, "below {:g}": below, "at most {:g}": most}
    said = " and ".join(said.format(bound) for said, bound in bounds.items() if bound is not None)
    return Rule(f"a number {said}".strip(), holds)


def whole(least: int = 1, most: int | None = None) -> Rule:
    """Return the rule: a whole number of ``least`` or more, at most ``most``; True is not one."""

    def holds(value: Any) -> bool:
        if not isinstance(value, Integral) or isinstance(value, bool | np.bool_):
            return False
        return least <= int(value) and (most is None or int(value) <= most)

    bounds = f"of {least} or more" if most is None else f"from {least} to {most}"
    return Rule(f"a whole number {bounds}", holds)


def one_of(*values: Any) -> Rule:
    """Return the rule: one of these constants."""
    names = ", ".join(map(repr, values))

    def holds(value: Any) -> bool:
        return any(type(value) is type(known) and value == known for known in values)

    return Rule(f"one of {names}", holds)


flag = Rule("True or False", lambda value: isinstance(value, bool | np.bool_))
#: n_jobs, as joblib counts workers.
jobs = Rule(
    "a whole number other than 0, or None",
    lambda value: value is None or (whole(-(2**31)).holds(value) and value != 0),
)
#: random_state.
seed = Rule(
    "a whole number of 0 or more, a RandomState, or None",
    lambda value: value is None or whole(0).holds(value) or isinstance(value, np.random.RandomState),
)


def optional(rule: Rule) -> Rule:
    """Return the rule: None, or what another rule allows."""
    return Rule(f"{rule.says}, or None", lambda value: value is None or rule.holds(value))


def each(says: str, holds: Callable[[Any], bool]) -> Rule:
    """Return the rule: a sequence of one value or more, each of a kind."""

    def hold(value: Any) -> bool:
        several = isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim == 1)
        return several and len(value) > 0 and all(map(holds, value))

    return Rule(says, hold)


def check(name: str, value: Any, rule: Rule) -> None:
    """Refuse a value that a rule does not allow."""
    if not rule.holds(value):
        raise ValueError(f"{name} must be {rule.says}, not {value!r:.80}.")


def check_parameters(estimator: Any) -> None:
    """Check the parameters of an estimator against the rules of its class, ``_parameters``."""
    rules: Mapping[str, Rule] = estimator._parameters
    for name, rule in rules.items():
        check(name, getattr(estimator, name), rule)
