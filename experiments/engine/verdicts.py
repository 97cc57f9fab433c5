"""Does a claim hold? Each place that it covers is checked, and the verdict says what was found there."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from experiments.engine.declare import Claim
from experiments.engine.stats import Found, compare, half_of, mean_and_spread, p_value, values
from experiments.engine.store import Kept

HOLDS, IN_PART, NOT, UNKNOWN, UNTESTED = "holds", "holds in part", "does not hold", "not run", "not tested"
#: What is added to a verdict if some places could not be checked.
LIMITS = (" where it was run", " where it was tested")
#: The rule, as the pages state it.
RULE = (
    "A claim is checked in each place that it covers, such as STM against SVM with 5% of Reuters. If it says "
    "that one method is ahead, a place is for it if the means are in that order and the test is significant "
    "(one-sided, p <= .05), and against it if the test is significant the other way. If it says that two "
    "methods are level, a place is for it if the test finds no difference either way, and against it "
    "otherwise. A claim holds if all places are for it, and in part if at least one is and fewer are against "
    "it; otherwise it does not hold."
)

#: What the marks mean, and what is tested.
MARKS = (
    "Marks: >> or << p <= .01, > or < p <= .05, ~ neither. The s-test is over decisions, the S- and T-tests "
    "over the F1 of categories, the t-test over splits, draws or keywords. Our figures are means ± one "
    "standard deviation over the same; – means that a method has no such figure."
)


class Verdict(NamedTuple):
    """A claim, whether it holds, and why."""

    claim: Claim
    word: str
    why: str


class _Place(NamedTuple):
    """What was found at one place: 1 is for the claim, -1 against it, 0 neither; None: not run or tested."""

    said: str
    side: int | None
    limit: str = ""


def judge(claim: Claim, found: Found, other: Found | None = None) -> Verdict:
    """Judge a claim by :data:`RULE`; ``other`` has the results of the second methods, if of another run."""
    places = [*_places(claim, found, other or found)]
    sides = [place.side for place in places if place.side is not None]
    limits = {place.limit for place in places if place.limit}
    details = "; ".join(place.said for place in places) + "."
    if limits == {LIMITS[0]} and not sides:
        return Verdict(claim, UNKNOWN, "It has no results yet.")
    if not sides:
        return Verdict(claim, UNTESTED, details)
    agreed, opposed = sides.count(1), sides.count(-1)
    word = HOLDS if agreed == len(sides) else IN_PART if agreed > opposed else NOT
    how = f"By the {claim.test}-test" if claim.test else "By the order of the means alone"
    places_are = "place is" if len(sides) == 1 else "places are"
    against = f" and {opposed} against it" if opposed else ""
    limit = next((words for words in LIMITS if words in limits), "")
    why = f"{how}, {agreed} of {len(sides)} {places_are} for it{against}. {details}"
    return Verdict(claim, word + limit, why)


def without_limits(word: str) -> str:
    """Return a verdict without what was not run; one that could not be tested counts as not run.

    Examples
    --------
    >>> without_limits("holds in part where it was run")
    'holds in part'
    """
    for words in LIMITS:
        word = word.removesuffix(words)
    return UNKNOWN if word == UNTESTED else word


def _places(claim: Claim, found: Found, other: Found) -> Iterator[_Place]:
    """Yield what was found at each place that a claim covers."""
    parts = claim.at or found.parts(())
    measures = claim.measures or {"": claim.measure}
    for part, (name, second), (label, measure) in product(parts, claim.pairs, measures.items()):
        a, b = found.of(part, name), other.of(part, second)
        if claim.half:
            a, b = half_of(a, measure, claim.half), half_of(b, measure, claim.half)
        pair = f"{name} against {second}" if len(claim.pairs) > 1 else ""
        shown = "" if pair and len(parts) == 1 else part
        where = ", ".join(words for words in (shown, label, pair) if words)
        units = [1.0, 1.0]
        if claim.since:
            before = found.of(claim.since, name), other.of(claim.since, second)
            units = [float(np.mean(values(one.values(), measure) or [np.nan])) for one in before]
        sides = (a, measure), (b, claim.other_measure or measure)
        both = sorted(set(a) & set(b))
        means = [mean_and_spread(values([side[split] for split in both], of)) for side, of in sides]
        if means[0] is None or means[1] is None or np.isnan(units).any():
            yield _Place(f"{where}: not run", None, LIMITS[0])
            continue
        first, second_mean = means[0][0] / units[0], means[1][0] / units[1]
        yield _place(claim, f"{where}: {first:.4g} and {second_mean:.4g}", first - second_mean, a, b, measure)


def _place(
    claim: Claim, said: str, difference: float, a: Mapping[int, Kept], b: Mapping[int, Kept], measure: str
) -> _Place:
    """Return the side of a place whose means are known: by their order, or by the claim's test."""
    ordered = 0 if difference == 0 else 1 if (difference > 0) == (claim.expect == ">") else -1
    if not claim.test:
        return _Place(said, ordered)
    test = compare(a, b, claim.test, measure)
    if test is None:
        return _Place(f"{said}, one split, no test", None, LIMITS[1])
    level, agrees = test.mark == "~", test.mark[0] == claim.expect
    if claim.expect == "~":
        side = 1 if level else -1
    else:  # a test that points the other way than the means do is not for an order
        side = 0 if level else int(ordered == 1) if agrees else -1
    return _Place(f"{said}, {test.mark}, {p_value(test)}", side)
