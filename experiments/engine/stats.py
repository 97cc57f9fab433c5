"""Figures and significance tests over the cells of a run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.engine.declare import Run
from experiments.engine.store import CellStore, Kept
from textensor.evaluate import Comparison, macro_sign_test, macro_t_test, paired_t_test
from textensor.evaluate.significance import sign_test

#: The smallest p that is told.
SMALLEST = 1e-16


class Found(NamedTuple):
    """The results of a run that are there: of each part and method, by the number of the split."""

    run: Run
    results: Mapping[tuple[str, str], Mapping[int, Kept]]

    def of(self, part: str, method: str) -> Mapping[int, Kept]:
        """Return the results of a method at a part, empty if it was not run."""
        return self.results.get((part, method), {})

    def figures(self, part: str, method: str, measure: str) -> list[float]:
        """Return a measure of all results of a method at a part."""
        return values(self.of(part, method).values(), measure)

    def parts(self, some: Sequence[str]) -> list[str]:
        """Return the parts that are named, all of the run if there are none."""
        return [part.name for part in self.run.parts if not some or part.name in some]


def collect(run: Run, full: bool, store: CellStore) -> Found:
    """Gather the results of a run."""
    results: dict[tuple[str, str], dict[int, Kept]] = {}
    for cell in run.cells(full):
        result = store.find(cell)
        if result is not None:
            results.setdefault((cell.part, cell.method), {})[cell.split] = result
    return Found(run, results)


def values(results: Iterable[Kept], measure: str) -> list[float]:
    """Return a measure of each result; one that is a list counts as so many splits.

    Examples
    --------
    >>> values([{"a": {"b": 1.0}}, {"a": {"b": [2.0, 3.0]}}], "a.b")
    [1.0, 2.0, 3.0]
    """
    found: list[float] = []
    for result in results:
        value = look_up(result, measure)
        found += value if isinstance(value, list) else [] if value is None else [value]
    return found


def look_up(result: Kept, measure: str) -> Any:
    """Return a measure by its dotted name, None if there is none."""
    value: Any = result
    for name in measure.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def mean_and_spread(figures: list[float]) -> tuple[float, float] | None:
    """Return the mean and the standard deviation, None of no figures; the deviation of one figure is NaN."""
    if not figures:
        return None
    return float(np.mean(figures)), float(np.std(figures, ddof=1)) if len(figures) > 1 else float("nan")


def compare(a: Mapping[int, Kept], b: Mapping[int, Kept], test: str, measure: str) -> Comparison | None:
    """Test a against b over the splits that both have; None where the test cannot be made.

    ``test``: "s" sign test over decisions, "S" and "T" sign test and t-test over categories, whose measure
    names the protocol as ``assignment.macro`` does; "t" paired t-test over splits.
    """
    both = sorted(set(a) & set(b))
    if not both:
        return None
    first, second = [a[split] for split in both], [b[split] for split in both]
    if test == "t":
        figures = values(first, measure), values(second, measure)
        return paired_t_test(*figures) if len(figures[0]) > 1 else None
    protocol = measure.split(".")[0]
    if test == "s":
        return _decisions(first, second, f"{protocol}.wrong")
    per_category = [[look_up(one, f"{protocol}.per category") for one in side] for side in (first, second)]
    try_ = macro_sign_test if test == "S" else macro_t_test
    return try_(*(np.asarray(side, dtype=float) for side in per_category))


def half_of(results: Mapping[int, Kept], measure: str, half: str) -> dict[int, Kept]:
    """Return results of the "small" or the "large" half of the categories, by their training documents.

    The larger half has the odd one; equals are taken in the order of the categories.

    Examples
    --------
    >>> result = {"training": [9, 0, 2, 5], "x": {"per category": [0.9, 0.2, 0.4], "macro": 0.5}}
    >>> half_of({0: result}, "x.macro", "small")[0]["x"]
    {'per category': [0.2], 'macro': 0.2}
    """
    protocol = measure.split(".")[0]
    narrowed = {}
    for split, result in results.items():
        sizes = np.array([size for size in result["training"] if size])
        order = np.argsort(sizes, kind="stable")
        some = order[: len(order) // 2] if half == "small" else order[len(order) // 2 :]
        figures = [result[protocol]["per category"][k] for k in sorted(some.tolist())]
        narrowed[split] = {protocol: {"per category": figures, "macro": float(np.mean(figures))}}
    return narrowed


def p_value(test: Comparison) -> str:
    """Return the p of a test in words; what is smaller than rounding is not told apart."""
    return f"p = {test.p_value:.2g}" if test.p_value >= SMALLEST else f"p < {SMALLEST:.0e}"


def _decisions(a: list[Kept], b: list[Kept], name: str) -> Comparison:
    """Return the sign test over decisions of which only one of the two is right.

    Results of before the store have no wrong decisions, but ``apart``: how often they alone are right, and
    how often the first method of their run alone is. They are tested against that method only.
    """
    only_a = only_b = 0
    for one, other in zip(a, b, strict=True):
        if look_up(one, name) is None:
            up, down = look_up(one, name.replace(".wrong", ".apart"))
        else:
            wrong, other_wrong = set(look_up(one, name)), set(look_up(other, name))
            up, down = len(other_wrong - wrong), len(wrong - other_wrong)
        only_a += up
        only_b += down
    return sign_test(only_a, only_b)
