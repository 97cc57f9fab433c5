"""Tables: paper | ours | difference | marks of both, as rows of words for Markdown and HTML alike."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

import numpy as np

from experiments.engine.declare import ByName, Figures, Listing, Table, Variant
from experiments.engine.stats import Found, compare, look_up, mean_and_spread, p_value, values
from experiments.engine.store import Kept

NOT_RUN = "not run"
#: Of a t-test over splits where there is one only.
NO_TEST = "one split, no test"
#: Of a method that has no such figure, as one without tuned thresholds.
NO_FIGURE = "–"
#: The row of the means over all parts.
AVERAGE = "Ave."
#: How the papers' marks are typed here.
MINUS = "−"


class Drawn(NamedTuple):
    """A table as words: its caption, head and rows; ``far`` are the rows beyond two standard deviations."""

    caption: str
    head: list[str]
    rows: list[list[str]]
    far: list[str]


def value_tables(table: Table, found: Found) -> list[Drawn]:
    """Return the paper's table, and apart from it what lies beyond the paper, if anything was run of it."""
    methods = found.run.methods
    inside = {name: method for name, method in methods.items() if not method.beyond}
    beyond = {name: method for name, method in methods.items() if method.beyond}
    drawn = []
    if table.measures and inside:
        drawn.append(_values(table, found, inside, ""))
    if table.pairs:
        drawn.append(_marks(table, found))
    if table.measures and any(found.of(part.name, name) for part in found.run.parts for name in beyond):
        drawn.append(_values(table, found, beyond, "Beyond the paper"))
    return drawn


def _values(table: Table, found: Found, methods: dict[str, Variant], caption: str) -> Drawn:
    columns = [_heads(table, k, bool(caption)) for k in range(len(table.measures))]
    head = ["", "method", "splits", *(word for words in columns for word in words)]
    rows, far = [], []
    parts = found.parts(table.parts)
    for part, (name, method) in product(parts, methods.items()):
        if method.parts and part not in method.parts:
            continue
        results = list(found.of(part, name).values())
        ours = [values(results, measure) for measure in table.measures.values()]
        row, is_far = _row(table, columns, table.printed.get(part, {}).get(name, ()), ours, bool(results))
        rows.append([part, _label(name, method), str(max(map(len, ours)) or ""), *row])
        far += [f"{part}, {name}, {column}" for column in is_far]
    for name, printed in ({} if caption else table.averages).items():
        every = [list(found.of(part, name).values()) for part in parts]
        ours = [_mean_of_means(every, measure) for measure in table.measures.values()]
        row, _ = _row(table, columns, printed, ours, all(every))
        rows.append([AVERAGE, _label(name, methods[name]), "", *row])
    return Drawn(caption, head, rows, far)


def _label(name: str, method: Variant) -> str:
    return f"{name}, as in the paper" if method.as_paper else name


def _mean_of_means(every: list[list[Kept]], measure: str) -> list[float]:
    """Return the mean over the parts of what a method has there, nothing where a part lacks it."""
    means = [mean_and_spread(values(results, measure)) for results in every]
    return [] if None in means else [fmean([mean[0] for mean in means if mean is not None])]


def _row(
    table: Table,
    columns: list[list[str]],
    printed: Figures,
    ours: list[list[float]],
    were_run: bool,
) -> tuple[list[str], list[str]]:
    """Return the words of a row, and the columns where ours is far from the paper's."""
    row: list[str] = []
    far = []
    for k, column in enumerate(table.measures):
        words, is_far = _figure(table, printed[k] if k < len(printed) else None, ours[k])
        if were_run and words[1] == NOT_RUN:
            words[1] = NO_FIGURE
        row += words[1:2] if len(columns[k]) == 1 else words[: len(columns[k])]
        if is_far and len(columns[k]) == 3:
            far.append(column)
    return row, far


def _heads(table: Table, k: int, beyond: bool) -> list[str]:
    """Return the heads of the columns of a measure: ours, the paper's before it, the difference after it.

    A column of which the paper has no figure says that it lies beyond it.
    """
    name = list(table.measures)[k]
    if beyond or not table.printed:
        return [name]
    rows = [row for of in table.printed.values() for row in of.values()]
    if all(k >= len(row) or row[k] is None for row in rows):
        return [f"beyond: {name}"]
    return [f"{name}: paper", "ours"] + ([] if name in table.uncompared else ["difference"])


def _digits(table: Table, *figures: float) -> int:
    """Return the decimals: of figures above ten fewer, where there are many; of whole numbers none."""
    if all(isinstance(figure, int) for figure in figures):
        return 0
    largest = max(abs(figure) for figure in figures)
    return table.digits - (math.floor(math.log10(largest)) if table.digits > 2 and largest >= 10 else 0)


def _figure(table: Table, paper: float | None, ours: list[float]) -> tuple[list[str], bool]:
    """Return the printed figure, ours and the difference, and whether that is above two deviations."""
    shown = "" if paper is None else f"{paper:.{max(0, _digits(table, paper))}f}"
    found = mean_and_spread(ours)
    if found is None:
        return [shown, NOT_RUN, ""], False
    mean, spread = table.scale * found[0], table.scale * found[1]
    whole = all(isinstance(figure, int) for figure in ours)
    digits = 0 if whole else max(0, _digits(table, mean))
    alone = math.isnan(spread) or (whole and spread == 0)
    words = f"{mean:.{digits}f}" + ("" if alone else f" ± {spread:.{digits}f}")
    if paper is None:
        return [shown, words, ""], False
    difference = f"{mean - paper:+z.{max(0, _digits(table, mean, paper))}f}".replace("-", MINUS)
    return [shown, words, difference], not math.isnan(spread) and abs(mean - paper) > 2 * spread


def _marks(table: Table, found: Found) -> Drawn:
    """Return the tests: what the paper printed, if it did, and what comes out here."""
    words = ("{}: paper", "ours") if table.marks else ("{}: ours",)
    head = ["", "A", "B"] + [word.format(_test_name(test)) for test in table.tests for word in words]
    rows = []
    for part in found.parts(table.parts):
        for pair, (a, b) in enumerate(table.pairs):
            printed = [*table.marks.get(part, ())][pair : pair + 1]
            row = [part, a, b]
            for k, test in enumerate(table.tests):
                ours = _mark(table, found.of(part, a), found.of(part, b), test)
                row += [printed[0][k] if printed else "", ours] if table.marks else [ours]
            rows.append(row)
    return Drawn("Significance: A against B, p in brackets", head, rows, [])


def _test_name(test: str) -> str:
    of, _, measure = test.partition(" ")
    return f"{of}-test of {measure}" if measure else f"{of}-test"


def _mark(table: Table, a: Mapping[int, Kept], b: Mapping[int, Kept], test: str) -> str:
    """Return the mark of a test and its p."""
    of, _, measure = test.partition(" ")
    result = compare(a, b, of, measure or table.tested)
    if result is None:
        return NO_TEST if a and b else NOT_RUN
    p = p_value(result).removeprefix("p = ").removeprefix("p ")
    ahead = f"; {result.statistic:.0f} to {result.n - result.statistic:.0f}"
    return f"{result.mark} ({p}{ahead if table.counted and of == 'S' else ''})"


def by_name_table(item: ByName, found: Found) -> Drawn:
    """Return figures by name: as printed and as counted here, or those of methods in percent."""
    results = {
        method: look_up(result, item.measure) or {}
        for (_, method), splits in found.results.items()
        for result in splits.values()
    }
    if item.printed:
        ours = next(iter(results.values()), {})
        rows = []
        for name, printed in item.printed.items():
            pairs = zip(printed, ours.get(name, [None] * len(printed)), strict=True)
            rows.append([name, *(word for pair in pairs for word in _beside(*pair, "g"))])
        return Drawn("", _three_each(item.columns), rows, [])
    methods = [name for name in item.methods if name in results]
    columns = " / ".join(item.columns)
    head = ["", *([columns] if len(item.methods) == 1 else [f"{name}: {columns}" for name in methods])]
    rows = []
    for name, figures in (results[methods[0]] if methods else {}).items():
        row = [f"{name} ({figures['documents']})" if "documents" in figures else name]
        for method in methods:
            shown = (f"{100 * results[method][name][column]:.2f}" for column in item.columns)
            row.append(" / ".join(shown))
        rows.append(row)
    return Drawn("", head, rows, [])


def listing_table(item: Listing, found: Found) -> Drawn:
    """Return a table by the entries of a list, and the means below it."""
    part, printed = found.run.parts[0].name, np.array(list(item.printed.values()))
    ours = [np.array(found.figures(part, method, item.measure)) for method in item.methods]
    timed = item.methods[1:] if item.seconds else ()
    taken = [found.figures(part, method, "seconds") for method in timed]
    head = _three_each(item.methods) + [word for name in timed for word in (f"{name}, s: paper", "ours")]
    rows = []
    for k, name in enumerate([*item.printed, "mean"]):
        some = slice(k, k + 1) if k < len(printed) else slice(None)
        row = [name]
        for m, own in enumerate(ours):
            were_run = len(own) and len(ours[0])
            added = own[some].mean() - (ours[0][some].mean() if m else 0.0) if were_run else None
            figure = None if added is None else item.scale * added
            row += _beside(printed[some, m].mean(), figure, ".1f", "+z" if m else "")
        for m, seconds in enumerate(taken):
            each, is_mean = len(seconds) == len(printed), some == slice(None)
            shown = f"{fmean(seconds[some]):.3f}" if each or (seconds and is_mean) else ""
            for_all = " for all" if len(seconds) == 1 and is_mean else ""
            paper = fmean([figures[m] for figures in item.seconds.values()][some])
            row += [f"{paper:.3f}", shown + for_all if seconds or not is_mean else NOT_RUN]
        rows.append(row)
    return Drawn("", head, rows, [])


def _three_each(names: Sequence[str]) -> list[str]:
    return ["", *(word for name in names for word in (f"{name}: paper", "ours", "difference"))]


def _beside(paper: float, ours: float | None, form: str, sign: str = "") -> list[str]:
    """Return the printed figure, ours and the difference, or that ours was not run."""
    own = [NOT_RUN, ""] if ours is None else [f"{ours:{sign}{form}}", f"{ours - paper:+z{form}}"]
    return [word.replace("-", MINUS) for word in (f"{paper:{sign}{form}}", *own)]


def markdown(drawn: Drawn) -> str:
    """Return a Markdown table.

    Examples
    --------
    >>> print(markdown(Drawn("", ["a", "b"], [["1", "22"]], [])))
    | a | b  |
    | - | -- |
    | 1 | 22 |
    """
    cells = [[word.replace("|", "/") for word in row] for row in [drawn.head, *drawn.rows]]
    widths = [max(1, *(len(row[k]) for row in cells)) for k in range(len(drawn.head))]
    lines = [cells[0], ["-" * width for width in widths], *cells[1:]]
    return "\n".join(
        "| " + " | ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)) + " |"
        for line in lines
    )
