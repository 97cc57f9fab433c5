"""What a page shows of an evaluation or a comparison: the part of it that people can take in."""

import math
from typing import Any, NamedTuple

import numpy as np

from textensor.report.data import Cell, Comparison, Curve, Evaluation, Figure, LabelFigures
from textensor.report.plots import CoveragePlot, CurvePlot, LinePlot, coverage_plot, curve_plot, line_plot

PROTOCOLS = {
    "argmax": "one label per document (arg max)",
    "assignment": "every yes-or-no decision (assignment)",
}
#: Labels of a confusion matrix, lines of the list beside it, precision-recall curves, labels with terms.
N_CONFUSED, N_PAIRS, N_CURVES, N_TOLD = 24, 12, 60, 200


class ConfusionView(NamedTuple):
    """A matrix of labels that are confused most, and the commonest confusions.

    ``rows`` are (place, label, cells), a cell (count, shade from 0 to 9); ``columns`` their places and
    labels; ``pairs`` are (count, missed, assigned), None standing for nothing.
    """

    columns: list[tuple[str, Any]]
    rows: list[tuple[str, Any, list[tuple[int, int]]]]
    pairs: list[tuple[int, Any, Any]]
    n_left_out: int


def confusion_view(evaluation: Evaluation) -> ConfusionView:
    """Choose what is confused most, in the order of the labels."""
    n = len(evaluation.labels)
    names = [*(figures.label for figures in evaluation.labels), None]
    entries = evaluation.confusion.tocoo()
    off = entries.row != entries.col
    rows, columns, counts = entries.row[off], entries.col[off], entries.data[off]
    order = np.lexsort((columns, rows, -counts))[:N_PAIRS]
    pairs = [(int(counts[k]), names[rows[k]], names[columns[k]]) for k in order]
    errors = np.bincount(rows, counts, n + 1) + np.bincount(columns, counts, n + 1)
    kept = np.sort(np.argsort(-errors[:n], kind="stable")[:N_CONFUSED])
    which = [*kept, *([n] if errors[n] else [])]
    shown = evaluation.confusion[which][:, which].toarray()
    places = ["–" if k == n else str(number) for number, k in enumerate(which, start=1)]
    labels = [names[k] for k in which]
    return ConfusionView(
        list(zip(places, labels, strict=True)),
        [
            (place, label, [(int(count), _shade(count, total)) for count in row])
            for place, label, row, total in zip(places, labels, shown, shown.sum(axis=1), strict=True)
        ],
        pairs,
        n - len(kept),
    )


def _shade(count: int, total: int) -> int:
    """Return 0 for nothing, else 1 to 9 by the share of the row."""
    return 0 if count == 0 else min(9, 1 + int(9 * count / total))


def drawn_curves(evaluation: Evaluation) -> list[tuple[Curve, LabelFigures, CurvePlot]]:
    """Return the curves of the commonest labels, in the order of the labels."""
    figures = {one.label: one for one in evaluation.labels}
    commonest = sorted(evaluation.curves, key=lambda curve: -figures[curve.label].n_true)[:N_CURVES]
    shown = {curve.label for curve in commonest}
    return [
        (curve, figures[curve.label], curve_plot(curve))
        for curve in evaluation.curves
        if curve.label in shown
    ]


def automation_plot(evaluation: Evaluation) -> CoveragePlot | None:
    """Return the plot of right labels over automated documents."""
    return evaluation.coverage and coverage_plot(evaluation.coverage)


def size_plot(evaluation: Evaluation) -> LinePlot | None:
    """Return the plot of F1 against training size."""
    if not evaluation.sizes:
        return None
    points = sorted(evaluation.sizes, key=lambda point: point.n_documents)
    return line_plot(
        [(point.n_documents, f"{point.n_documents:,}") for point in points],
        [("micro-F1", [p.micro for p in points]), ("macro-F1", [p.macro for p in points])],
    )


class Table(NamedTuple):
    """One measure: a plot, and for each method (mean, std, mark, best) at each size, or None."""

    measure: str
    plot: LinePlot
    rows: list[tuple[str, list[tuple[float, float, str, bool] | None]]]


def comparison_tables(comparison: Comparison) -> list[tuple[str, list[Table]]]:
    """Return the tables of both measures for each protocol."""
    protocols = dict.fromkeys(cell.protocol for cell in comparison.cells)
    return [
        (PROTOCOLS[protocol], [_table(comparison, protocol, measure) for measure in ("micro", "macro")])
        for protocol in protocols
    ]


def _table(comparison: Comparison, protocol: str, measure: str) -> Table:
    cells = {(cell.method, cell.size): cell for cell in comparison.cells if cell.protocol == protocol}
    found = {
        method: [_entry(cells.get((method, size)), measure) for size in comparison.sizes]
        for method in comparison.methods
    }
    best = [
        max(entry[0] for entry in column if entry is not None) if any(column) else math.nan
        for column in zip(*found.values(), strict=True)
    ]
    rows = [
        (method, [e and (*e, round(e[0], 3) == round(b, 3)) for e, b in zip(row, best, strict=True)])
        for method, row in found.items()
    ]
    return Table(f"{measure}-F1", _comparison_plot(comparison, found), rows)


_Entry = tuple[float, float, str]


def _entry(cell: Cell | None, measure: str) -> _Entry | None:
    mean, spread, mark = measure, f"{measure}_std", f"{measure}_mark"
    return cell and (getattr(cell, mean), getattr(cell, spread), getattr(cell, mark))


def _comparison_plot(comparison: Comparison, found: dict[str, list[_Entry | None]]) -> LinePlot:
    sizes = [(comparison.n_train[size], size) for size in comparison.sizes]
    order = sorted(range(len(sizes)), key=lambda k: sizes[k][0])

    def figure(entry: _Entry | None) -> Figure | None:
        return entry and Figure(entry[0], max(0.0, entry[0] - entry[1]), min(1.0, entry[0] + entry[1]))

    return line_plot(
        [sizes[k] for k in order],
        [(method, [figure(row[k]) for k in order]) for method, row in found.items()],
    )
