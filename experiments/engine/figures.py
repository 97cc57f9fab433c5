"""Figures as SVG files of their own: lines over training sizes, categories by size, points of a plane."""

import math
from collections import defaultdict
from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from experiments.engine.declare import Figure, Listing
from experiments.engine.stats import Found, look_up, mean_and_spread
from textensor.report.plots import path

WIDTH, HEIGHT = 560, 340
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 14, 50
#: The room for the words to the left of a listing.
WORDS = 96
ROW = 18
#: The least that a logarithmic axis shows.
LEAST = 1e-4
COLOURS = ("#1763ab", "#b8500b", "#0f7a4f", "#8b3fa0", "#7a5c00", "#b0246a", "#2f6b7c", "#555b61")


class Line(NamedTuple):
    """A line: its name, its points, its colour's number, and whether the paper printed it.

    A point that is not a number was not run, or not printed: the line is interrupted there.
    """

    name: str
    points: list[tuple[float, float]]
    colour: int
    printed: bool = False


def lines_of(figure: Figure, found: Found) -> tuple[list[Line], list[str]]:
    """Return our lines and the paper's over the parts (or measures), and the names below them."""
    names = parts = found.parts(figure.parts)
    places = [(part, figure.measure) for part in parts]
    if figure.measures:
        places, names = [(parts[0], measure) for measure in figure.measures.values()], list(figure.measures)
    lines = []
    for colour, method in enumerate(figure.methods):
        printed = figure.printed.get(method, ())
        points = [(float(x), math.nan if y is None else y) for x, y in enumerate(printed)]
        lines.append(Line(f"{method}, paper", points, colour, True))
        ours = []
        for x, (part, measure) in enumerate(places):
            mean = mean_and_spread(found.figures(part, method, measure))
            ours.append((float(x), math.nan if mean is None else figure.scale * mean[0]))
        lines.append(Line(method, ours, colour))
    return [line for line in lines if any(seen(line.points))], names


def seen(points: Sequence[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """Return the pieces of a line between the points that are not numbers.

    Examples
    --------
    >>> seen([(0, 0.5), (1, 0.6), (2, math.nan), (3, 0.7)])
    [[(0, 0.5), (1, 0.6)], [(3, 0.7)]]
    """
    runs = groupby(points, key=lambda point: math.isnan(point[1]))
    return [list(run) for missing, run in runs if not missing]


def not_drawn(lines: Sequence[Line], names: Sequence[str]) -> str:
    """Say where our lines are interrupted; nothing where they are not."""
    gaps = {
        line.name: [names[int(x)] for x, y in line.points if math.isnan(y)]
        for line in lines
        if not line.printed
    }
    said = [f"{name} at {', '.join(at)}" for name, at in gaps.items() if at]
    return f"Lines have gaps where cells were not run: {'; '.join(said)}." if said else ""


def category_lines(figure: Figure, found: Found) -> list[Line]:
    """Return F1 against the number of training documents, categories of one size averaged."""
    lines = []
    for colour, method in enumerate(figure.methods):
        by_size: dict[int, list[float]] = defaultdict(list)
        for result in found.of(figure.parts[0], method).values():
            sizes = [size for size in result["training"] if size]
            for size, f1 in zip(sizes, look_up(result, f"{figure.measure}.per category"), strict=True):
                by_size[size].append(f1)
        points = [(math.log10(size), float(np.mean(f1))) for size, f1 in sorted(by_size.items())]
        if points:
            lines.append(Line(method, points, colour))
    return lines


def svg(
    lines: Sequence[Line], x_ticks: Sequence[tuple[float, str]], x_title: str, y_title: str, log_y: bool
) -> str:
    """Draw lines; the paper's are broken."""
    height = HEIGHT + ROW * math.ceil(len(lines) / 2)
    if not lines:
        return _document(WIDTH, 60, [_text(WIDTH / 2, 34, "not run", "middle")])
    low, high, y_ticks = _scale([y for line in lines for piece in seen(line.points) for _, y in piece], log_y)
    xs = [x for line in lines for x, _ in line.points] + [x for x, _ in x_ticks]
    first, last = min(xs), max(xs)

    def place(x: float, y: float) -> tuple[float, float]:
        at = math.log10(max(y, LEAST)) if log_y else y
        across = (x - first) / (last - first) if last > first else 0.5
        up = (at - low) / (high - low)
        return (
            round(LEFT + 14 + across * (WIDTH - LEFT - RIGHT - 28), 1),
            round(HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM), 1),
        )

    drawn = []
    for value, name in y_ticks:
        y = place(first, value)[1]
        drawn += [
            f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="#ccc"/>',
            _text(LEFT - 7, y + 4, name, "end"),
        ]
    for x, name in x_ticks:
        at = place(x, y_ticks[0][0])[0]
        drawn.append(_text(at, HEIGHT - BOTTOM + 18, name, "middle"))
    drawn.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_title, "middle"))
    drawn.append(
        f'<text transform="translate(14 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_title)}</text>"
    )
    for number, line in enumerate(lines):
        for piece in seen(line.points):
            drawn += _line(line, [place(*point) for point in piece])
        x, y = LEFT + (number % 2) * (WIDTH - LEFT) / 2, HEIGHT + ROW * (number // 2) + 4
        drawn += _line(line, [(x, y), (x + 30, y)])
        drawn.append(_text(x + 37, y + 4, line.name, "start"))
    return _document(WIDTH, height, drawn)


def listing_svg(item: Listing, found: Found) -> str:
    """Draw what all methods but the first add to it, entry by entry; the paper's are hollow."""
    part = found.run.parts[0].name
    first, *others = (found.figures(part, method, item.measure) for method in item.methods)
    # Method, whether printed, and what it adds for each entry.
    gains = [(m, True, [row[m + 1] for row in item.printed.values()]) for m in range(len(others))]
    for m, ours in enumerate(others):
        if first and ours:
            gains.append((m, False, [item.scale * (b - a) for a, b in zip(first, ours, strict=True)]))
    low, high, ticks = _scale([figure for _, _, figures in gains for figure in figures], False)
    bottom = TOP + ROW * len(item.printed)

    def across(figure: float) -> float:
        return round(WORDS + (figure - low) / (high - low) * (WIDTH - WORDS - 2 * RIGHT), 1)

    drawn = [f'<path d="M{across(x)} {TOP}V{bottom}" stroke="#ccc"/>' for x, _ in ticks]
    drawn += [_text(across(x), bottom + 16, name, "middle") for x, name in ticks]
    drawn.append(_text((WORDS + WIDTH) / 2, bottom + 36, item.x_title, "middle"))
    heights = [TOP + ROW * (k + 0.5) for k in range(len(item.printed))]
    drawn += [_text(WORDS - 8, y + 4, word, "end") for y, word in zip(heights, item.printed, strict=True)]
    for number, (m, printed, figures) in enumerate(gains):
        drawn += [_mark(across(figure), y, m, printed) for y, figure in zip(heights, figures, strict=True)]
        x, y = WORDS + (number % 2) * (WIDTH - WORDS) / 2, bottom + 56 + ROW * (number // 2)
        name = f"{item.methods[m + 1]}{', paper' if printed else ''}"
        drawn += [_mark(x, y, m, printed), _text(x + 10, y + 4, name, "start")]
    return _document(WIDTH, bottom + 64 + ROW * math.ceil(len(gains) / 2), drawn)


def plane_svg(result: dict[str, Any]) -> str:
    """Draw the points of a plane: the sign of a point is its class, its colour its module's part."""
    side = 340

    def place(point: Sequence[float]) -> tuple[float, float]:
        return round(side / 2 + 45 * point[0], 1), round(side / 2 - 45 * point[1], 1)

    drawn = []
    for x0, y0, size in result["accepted"]:
        x, y = place((x0, y0))
        step = 45 * size
        drawn.append(
            f'<rect x="{x}" y="{y - step:.1f}" width="{step:.1f}" height="{step:.1f}" fill="#e4eef8"/>'
        )
    for point, positive, part in zip(result["points"], result["positive"], result["part"], strict=True):
        x, y = place(point)
        colour = COLOURS[part] if positive else COLOURS[7]
        if positive:
            drawn.append(f'<rect x="{x - 3}" y="{y - 3}" width="6" height="6" fill="{colour}"/>')
        else:
            drawn.append(f'<circle cx="{x}" cy="{y}" r="3" fill="none" stroke="{colour}"/>')
    (x1, y1), (x2, y2) = place((-3.6, 3.6)), place((3.6, -3.6))
    drawn.append(f'<path d="M{x1} {y1}L{x2} {y2}" stroke="#333" stroke-dasharray="6 4"/>')
    return _document(side, side, drawn)


def _line(line: Line, places: list[tuple[float, float]]) -> list[str]:
    colour = COLOURS[line.colour % len(COLOURS)]
    dash = ' stroke-dasharray="5 4"' if line.printed else ""
    # The paper's points have no marks, but for one that stands alone, which would not be seen.
    marks = [
        _mark(x, y, line.colour, line.printed) for x, y in places if not line.printed or len(places) == 1
    ]
    return [f'<path d="{path(places)}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>', *marks]


def _mark(x: float, y: float, number: int, printed: bool) -> str:
    """Draw a point; the paper's are hollow."""
    colour = COLOURS[number % len(COLOURS)]
    inside = "#fff" if printed else colour
    return f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{inside}" stroke="{colour}"/>'


def _scale(figures: list[float], log_y: bool) -> tuple[float, float, list[tuple[float, str]]]:
    """Return the ends of the axis and its ticks; of a logarithmic one the ends are logarithms."""
    if log_y:
        first = math.floor(math.log10(max(min(figures), LEAST)))
        last = max(first + 1, math.ceil(math.log10(max(*figures, LEAST))))
        return first, last, [(10.0**k, f"{10.0**k:g}") for k in range(first, last + 1)]
    span = max(figures) - min(figures) or abs(max(figures)) or 1.0
    step = 10.0 ** math.floor(math.log10(span / 2))
    step *= 5 if span / step > 20 else 2 if span / step > 8 else 1
    low, high = math.floor(min(figures) / step) * step, math.ceil(max(figures) / step) * step
    high = max(high, low + step)
    return (
        low,
        high,
        [(low + k * step, f"{low + k * step:.10g}") for k in range(round((high - low) / step) + 1)],
    )


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def _document(width: float, height: float, drawn: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="system-ui, sans-serif" font-size="12" fill="#222">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )
