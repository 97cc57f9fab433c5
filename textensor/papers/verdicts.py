"""Does a claim hold? Each part that it speaks of is looked at, and the words say what was found there."""

from itertools import product
from typing import NamedTuple

from textensor.evaluate import Comparison
from textensor.papers.declare import Claim
from textensor.papers.stats import Found, compare, mean_and_spread, values

__all__ = ["Verdict", "judge"]

HOLDS, IN_PART, NOT, UNKNOWN = "holds", "holds in part", "does not hold", "not run"


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
    agreed, said, missing = [], [], False
    parts = claim.at or [part.name for part in found.run.parts]
    for part, (name, other) in product(parts, claim.pairs):
        a, b = found.of(part, name), found.of(part, other)
        where = f"{part}, {name} and {other}" if claim.more else part
        both = sorted(set(a) & set(b))
        means = [mean_and_spread(values([side[split] for split in both], claim.measure)) for side in (a, b)]
        if means[0] is None or means[1] is None:
            said.append(f"{where}: not run")
            missing = True
            continue
        difference = means[0][0] - means[1][0]
        test = compare(a, b, claim.test, claim.measure) if claim.test else None
        agreed.append(_agrees(claim, difference, test))
        said.append(f"{where}: {means[0][0]:.4g} against {means[1][0]:.4g}, {_told(claim.test, test)}")
    word = _word(agreed) + (" where it was run" if agreed and missing else "")
    return Verdict(claim, word, "; ".join(said) + ".")


def _agrees(claim: Claim, difference: float, test: Comparison | None) -> float:
    """Return 1 where a part agrees, 0 where it does not, 1/2 in between.

    A sign test may point the other way than the means do, which counts as in between, too.
    """
    mark = "~" if test is None else test.mark[0]
    if claim.expect == "~":
        return float(mark == "~")
    towards = difference > 0 if claim.expect == ">" else difference < 0
    return (float(towards) + float(mark == claim.expect)) / 2 if claim.test else float(towards)


def _word(agreed: list[float]) -> str:
    if not agreed:
        return UNKNOWN
    return HOLDS if min(agreed) == 1.0 else NOT if max(agreed) == 0.0 else IN_PART


def _told(name: str, test: Comparison | None) -> str:
    return "no test" if test is None else f"{name}-test {test.mark}, p = {test.p_value:.2g}"
