"""Parameters that a class declares."""

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from textensor.base.checks import check, check_parameters, flag, jobs, number, one_of, optional, whole

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (number(), [0, -1.5, np.float32(2), np.int64(3), Fraction(1, 2)], [NAN, INF, "1", None, True, 1j]),
        (number(above=0), [1e-9], [0, -1]),
        (number(least=0, below=1), [0, 0.5], [1, -0.1]),
        (number(above=0, most=1), [1, 0.5], [0, 1.1, NAN]),
        (jobs, [None, 1, -1, np.int64(2)], [0, True, np.bool_(True), 1.0, "1"]),
        (whole(), [1, np.int32(7), 10**30], [0, 1.0, True, np.bool_(True), "1", None]),
        (whole(-1), [-1], [-2]),
        (one_of("a", 1, None), ["a", 1, None], ["b", True, 1.0, np.array([1, 2])]),
        (flag, [True, np.bool_(False)], [0, 1, None, "True"]),
        (optional(whole(2)), [None, 2], [1, False]),
    ],
)
def test_rules(rule, good, bad):
    assert all(rule.holds(value) for value in good)
    assert not any(rule.holds(value) for value in bad)


class Thing:
    _parameters: ClassVar = {"C": number(above=0), "n_jobs": optional(whole())}

    def __init__(self, C=1.0, n_jobs=None):
        self.C, self.n_jobs = C, n_jobs


def test_an_estimator_says_what_its_parameter_must_be():
    check_parameters(Thing())
    with pytest.raises(ValueError, match=r"^C must be a number above 0, not -1\.$"):
        check_parameters(Thing(C=-1))
    with pytest.raises(ValueError, match=r"^n_jobs must be a whole number of 1 or more, or None, not 0\.$"):
        check_parameters(Thing(n_jobs=0))


def test_a_long_value_is_cut():
    with pytest.raises(ValueError, match=r"^kind must be one of 'a', 'b', not 'x{79}\.$"):
        check("kind", "x" * 1000, one_of("a", "b"))
