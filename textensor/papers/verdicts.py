"""Does a claim hold? Each part that it speaks of is looked at, and the words say what was found there."""

from typing import NamedTuple

from textensor.papers.declare import Claim
from textensor.papers.stats import Found, compare, mean_and_spread, values

__all__ = ["Verdict", "judge"]

HOLDS, IN_PART, NOT, UNKNOWN = "holds", "holds in part", "does not hold", "not run"
#: The level of a test.
LEVEL = 0.05


class Verdict(NamedTuple):
    """A claim, whether it holds, and why."""

    claim: Claim
    word: str
    why: str


def judge(claim: Claim, found: Found) -> Verdict:
    """Judge a claim.

    It *holds* where every part agrees with it, and significantly so where it says that one is ahead. It does
    *not hold* where none agrees: the order is the other one, or a level race is significantly not level.
    """
    agreed, said = [], []
    for part in claim.at or [part.name for part in found.run.parts]:
        a, b = found.of(part, claim.a), found.of(part, claim.b)
        both = sorted(set(a) & set(b))
        means = [mean_and_spread(values([side[split] for split in both], claim.measure)) for side in (a, b)]
        if means[0] is None or means[1] is None:
            said.append(f"{part}: not run")
            continue
        difference = means[0][0] - means[1][0]
        test = compare(a, b, claim.test, claim.measure)
        p = None if test is None else test.p_value
        agreed.append(_agrees(claim.expect, difference, p))
        said.append(f"{part}: {means[0][0]:.4g} against {means[1][0]:.4g}, {_p(p)}")
    return Verdict(claim, _word(agreed), "; ".join(said) + ".")


def _agrees(expect: str, difference: float, p: float | None) -> float:
    """Return 1 where a part agrees, 0 where it does not, 1/2 in between."""
    significant = p is not None and p <= LEVEL
    if expect == "~":
        return 0.0 if significant else 1.0
    towards = difference > 0 if expect == ">" else difference < 0
    return (1.0 if significant else 0.5) if towards else 0.0


def _word(agreed: list[float]) -> str:
    if not agreed:
        return UNKNOWN
    return HOLDS if min(agreed) == 1.0 else NOT if max(agreed) == 0.0 else IN_PART


def _p(p: float | None) -> str:
    return "one split, no test" if p is None else f"p = {p:.2g}"
