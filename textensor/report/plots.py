"""Plots as numbers: where lines, ticks and words go. The templates draw them, which escapes every word.

Lines differ in colour, dash and marker, so that they can be told apart in grey and by everyone.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from textensor.report.data import Automation, Curve, Figure

WIDTH, HEIGHT = 480, 280
LEFT, RIGHT, TOP, BOTTOM = 40, 8, 14, 48
#: What the name of a size takes; of those that are closer only the first is named.
ROOM = 44
#: What the name of a point takes.
NAME_ROOM = 30
#: The side of a small plot.
SIDE = 120
#: Colours, dashes and markers in the style sheet.
N_STYLES = 8


class Line(NamedTuple):
    """One line: its name, style, path, band of intervals and points."""

    name: str
    style: int
    path: str
    band: str
    points: list[tuple[float, float, str]]


class LinePlot(NamedTuple):
    """Lines over training sizes."""

    width: int
    height: int
    left: int
    right: int
    bottom: int
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    lines: list[Line]


class CoveragePlot(NamedTuple):
    """The share of right labels over the share of documents, with a band of intervals and named points."""

    width: int
    height: int
    left: int
    right: int
    bottom: int
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    path: str
    band: str
    points: list[tuple[float, float, str, bool]]


class CurvePlot(NamedTuple):
    """Precision against recall, and where the decisions lie."""

    side: int
    path: str
    chosen: tuple[float, float]


def line_plot(
    sizes: Sequence[tuple[float, str]], named: Iterable[tuple[str, Sequence[Figure | None]]]
) -> LinePlot:
    """Draw figures between 0 and 1 over training sizes, whose distances are those of their logarithms.

    A size is a number of documents and its name, a line a name and a figure for each size, or None.
    """
    lines = list(named)
    lows = [figure.low for _, figures in lines for figure in figures if figure]
    floor, y_values = _scale(min(lows, default=0.0))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    at = _spread([math.log(max(number, 1)) for number, _ in sizes], LEFT + 24, right - 24)

    def height(value: float) -> float:
        return round(bottom - (bottom - TOP) * (value - floor) / (1 - floor), 1)

    drawn = []
    for number, (name, figures) in enumerate(lines):
        found = [(x, figure) for x, figure in zip(at, figures, strict=True) if figure]
        line = [(x, height(figure.value)) for x, figure in found]
        upper = [(x, height(figure.high)) for x, figure in found]
        lower = [(x, height(figure.low)) for x, figure in found]
        points = [(*place, f"{figure.value:.3f}") for place, (_, figure) in zip(line, found, strict=True)]
        band = path([*upper, *reversed(lower)])
        drawn.append(Line(name, number % N_STYLES, path(line), band, points))
    x_ticks: list[tuple[float, str]] = []
    for x, (_, name) in zip(at, sizes, strict=True):
        if not x_ticks or abs(x - x_ticks[-1][0]) >= ROOM:
            x_ticks.append((x, name))
    y_ticks = [(height(y), f"{y:.1f}") for y in y_values]
    return LinePlot(WIDTH, HEIGHT, LEFT, right, bottom, x_ticks, y_ticks, drawn)


def coverage_plot(automation: Automation) -> CoveragePlot:
    """Draw how many labels are right over how many documents are automated; points have probabilities.

    Points that are closer than their names are wide are not named.
    """
    # The band of the first few documents is as wide as the plot; it does not make the plot higher.
    many = [point.low for point in automation.curve if point.share >= 0.1]
    floor, y_values = _scale(min([*many, *(point.right for point in automation.levels)]))
    left, right, top, bottom = LEFT + 8, WIDTH - RIGHT, TOP + 12, HEIGHT - BOTTOM

    def place(share: float, value: float) -> tuple[float, float]:
        down = bottom - (bottom - top) * (max(value, floor) - floor) / (1 - floor)
        return round(left + (right - left) * share, 1), round(down, 1)

    upper = [place(point.share, point.high) for point in automation.curve]
    lower = [place(point.share, point.low) for point in automation.curve]
    points: list[tuple[float, float, str, bool]] = []
    for point in automation.levels:
        x, y = place(point.share, point.right)
        apart = all(abs(x - other) >= NAME_ROOM for other, _, _, named in points if named)
        points.append((x, y, f"{point.above:g}", point.above > 0 and apart))
    return CoveragePlot(
        WIDTH,
        HEIGHT,
        left,
        right,
        bottom,
        [(place(k / 5, floor)[0], f"{20 * k}%") for k in range(6)],
        [(place(0, y)[1], f"{100 * y:.0f}%") for y in y_values],
        path(place(point.share, point.right) for point in automation.curve),
        path([*upper, *reversed(lower)]),
        points,
    )


def curve_plot(curve: Curve) -> CurvePlot:
    """Draw precision against recall in a square."""
    places = [_in_square(r, p) for r, p in zip(curve.recall, curve.precision, strict=True)]
    return CurvePlot(SIDE, path(places), _in_square(*curve.chosen))


def path(places: Iterable[tuple[float, float]]) -> str:
    """Return the d of an SVG path.

    Examples
    --------
    >>> path([(0, 1.5), (2, 3)])
    'M0 1.5L2 3'
    """
    return "L".join(f"{x:g} {y:g}" for x, y in places).join(["M", ""])


def _in_square(x: float, y: float) -> tuple[float, float]:
    return round(x * SIDE, 1), round((1 - y) * SIDE, 1)


def _scale(lowest: float) -> tuple[float, list[float]]:
    """Return where an axis to 1 begins so that the lowest value is on it, and the values of its ticks."""
    step = 0.1 if lowest >= 0.4 else 0.2
    floor = min(1 - step, math.floor(lowest / step + 1e-9) * step)
    return floor, [floor + k * step for k in range(round((1 - floor) / step) + 1)]


def _spread(values: Sequence[float], left: float, right: float) -> list[float]:
    """Bring values to a stretch of the page; equal ones lie in its middle."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high == low:
        return [(left + right) / 2] * len(values)
    return [round(left + (right - left) * (value - low) / (high - low), 1) for value in values]
