"""Write the tables and the plot of what was run: ``python -m benchmarks.modular.report``."""

import json
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

from benchmarks.measure import RESULTS, publish_as, table
from benchmarks.modular import plan
from benchmarks.modular.choose import CHOICE
from benchmarks.modular.machines import methods
from benchmarks.modular.run import RCV1, REUTERS, STAND_IN
from textensor.evaluate import macro_sign_test, macro_t_test

matplotlib.use("svg")
from matplotlib import pyplot as plt

COMMAND = "make bench-minmax` (`python -m benchmarks.modular.choose`, `.run` and `.report"
PLOT = RESULTS / "minmax-modules.svg"
CHOSEN = "M3, chosen, thresholds averaged"
#: Rows of the main table that stand in the table of labels too.
PER_LABEL = (
    "SVM, C = 1",
    "SVM, balanced costs",
    "SVM, thresholds averaged",
    "LibMultiLabel thresholding",
    CHOSEN,
)
#: What LibMultiLabel 0.10.0 reached elsewhere on the same split, for where it is not installed.
ANCHORS = {
    "LibMultiLabel one-vs-rest": ".8593/.3973",
    "LibMultiLabel thresholding": ".8882/.6479",
    "LibMultiLabel cost-sensitive": ".8753/.4477",
}


def ratio(a: Any, b: Any) -> Any:
    """Return a / b, and 0 for 0/0."""
    return np.where(np.asarray(b) > 0, a / np.maximum(b, 1), 0.0)


def figures(counts: list[list[int]]) -> np.ndarray:
    """Return P, R and F1 of each label, then of all decisions (micro), then the labels' means (macro)."""
    hits, wrong, missed = (np.append(part, sum(part)) for part in counts)
    per_label = np.array(
        [ratio(hits, hits + wrong), ratio(hits, hits + missed), ratio(2 * hits, 2 * hits + wrong + missed)]
    )
    return np.column_stack([per_label, per_label[:, :-1].mean(axis=1)])


def main() -> None:
    reuters, stand_in = (json.loads(path.read_text()) for path in (REUTERS, STAND_IN))
    plot(reuters["rows"], stand_in["rows"])
    body = [
        "P, R and F1 in percent of assignments, 0/0 = 0; macro is the mean over labels. What is compared, "
        "and how settings were chosen before test documents were looked at: `benchmarks/modular/plan.py`.",
        choice(),
        "## Reuters-90, ModApte: 7,770 training and 3,019 test documents, 90 labels",
        main_table(reuters["rows"]),
        significance(reuters["rows"]),
        f"### Modules and overlap, C = {plan.C:g}, no thresholds",
        modules_table(reuters["rows"]),
        f"![F1 against modules]({PLOT.name})",
        "## RCV1-v2, top four labels (Tables 2 and 3)",
        rcv1(),
        f"## Synthetic stand-in for RCV1: 23,149 training, 10,000 test documents, C = {plan.PAPER_C:g}",
        modules_table(stand_in["rows"]),
        labels_of(stand_in, best_rows(stand_in["rows"])),
        "## Yomiuri News (Table 1)",
        "Not public, so not run; Reuters-90 stands in for it.",
        "## Reuters-90, label by label",
        labels_of(reuters, [name for name in PER_LABEL if name in reuters["rows"]]),
    ]
    publish_as("minmax-accuracy", "Min-max modular SVM: accuracy", "\n\n".join(body), COMMAND)


def choice() -> str:
    found = json.loads(CHOICE.read_text())
    rows: list[list[object]] = [
        [" + ".join(names), f"{100 * micro:.2f}", f"{100 * macro:.2f}"]
        for names, micro, macro in sorted(found["figures"], key=lambda row: -row[1] - row[2])
    ]
    note = f"Chosen: **{' + '.join(found['chosen'])}** (+ is the mean of two machines' scores)."
    header = ["machine, thresholds averaged", "micro-F1", "macro-F1"]
    return "## The choice, by cross-validation on the training part\n\n" + note + "\n\n" + table(header, rows)


def percent(values: Any) -> list[object]:
    return [f"{100 * value:.2f}" for value in values]


def main_table(rows: dict[str, list[list[int]]]) -> str:
    lines: list[list[object]] = []
    for name in methods(json.loads(CHOICE.read_text())["chosen"]):
        if name in rows:
            found = figures(rows[name])
            lines.append([name, *percent(found[:, -2]), *percent(found[:, -1])])
        elif name in ANCHORS:
            lines.append([name, f"not run here (elsewhere {ANCHORS[name]})", *[""] * 5])
    return table(["method", "micro P", "R", "F1", "macro P", "R", "F1"], lines)


def significance(rows: dict[str, list[list[int]]]) -> str:
    """Compare the chosen machine with every other row by the F1 of labels (Yang and Liu's S and T tests)."""
    ours = figures(rows[CHOSEN])[2, :-2]
    lines: list[list[object]] = []
    for name, counts in rows.items():
        if "|" not in name and not name.startswith(CHOSEN):
            theirs = figures(counts)[2, :-2]
            tests = [test(ours, theirs) for test in (macro_sign_test, macro_t_test)]
            cells = [f"{test.mark} ({test.p_value:.2g})" for test in tests]
            lines.append([name, int((ours > theirs).sum()), int((ours < theirs).sum()), *cells])
    header = [
        "the chosen machine, thresholds averaged, against",
        "labels better",
        "worse",
        "S-test",
        "T-test",
    ]
    return table(header, lines)


def modules_table(rows: dict[str, list[list[int]]]) -> str:
    lines: list[list[object]] = []
    for name, counts in rows.items():
        if "|" in name:
            kind, modules, overlap = name.split("|")
            found = figures(counts)
            cells = [*percent(found[:, -2]), *percent(found[:, -1])]
            lines.append([kind, int(modules), f"{100 * float(overlap):.0f}%", *cells])
    lines.sort(key=lambda line: (line[0] != "SVM", str(line[0]), str(line[2]).zfill(3), line[1]))
    header = ["decomposition", "modules", "overlap", "micro P", "R", "F1", "macro P", "R", "F1"]
    return table(header, lines)


def best_rows(rows: dict[str, list[list[int]]]) -> list[str]:
    """Return the SVM and each decomposition's row of the best macro-F1, as the paper's Table 3 does."""
    kinds: dict[str, list[str]] = {}
    for name in rows:
        kinds.setdefault(name.split("|")[0], []).append(name)
    return [max(names, key=lambda name: figures(rows[name])[2, -1]) for names in kinds.values()]


def labels_of(run: dict[str, Any], names: list[str]) -> str:
    found = [figures(run["rows"][name]) for name in names]
    n_positive = np.add(*np.array(run["rows"][names[0]])[[0, 2]])
    lines: list[list[object]] = [
        [label, int(n_positive[q]), *(" / ".join(map(str, percent(f[:, q]))) for f in found)]
        for q, label in enumerate(run["labels"])
    ]
    shown = [name.replace("|", " ") for name in names]
    return "P / R / F1\n\n" + table(["label", "test documents", *shown], lines)


def rcv1() -> str:
    if not RCV1.exists():
        return "Not run here: RCV1 is not at hand (`textensor datasets get rcv1` where there is a network)."
    run = json.loads(RCV1.read_text())
    return modules_table(run["rows"]) + "\n\n" + labels_of(run, best_rows(run["rows"]))


def plot(*runs: dict[str, list[list[int]]]) -> None:
    """Draw F1 against the number of modules, a line for each decomposition and overlap."""
    plt.rcParams.update({"svg.hashsalt": "textensor", "font.size": 9})
    figure, axes = plt.subplots(len(runs), 2, figsize=(9, 6.4), sharex=True, layout="constrained")
    titles = ("Reuters-90", "synthetic stand-in, 4 labels")
    for row, (rows, title) in enumerate(zip(runs, titles, strict=True)):
        for column, (average, place) in enumerate((("micro-F1", -2), ("macro-F1", -1))):
            draw(axes[row, column], rows, place)
            axes[row, column].set_title(f"{title}: {average}")
    for axis in axes[-1]:
        axis.set_xlabel("modules of a label")
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(PLOT, metadata={"Date": None})
    tidy = "\n".join(line.rstrip() for line in Path(PLOT).read_text().splitlines())
    Path(PLOT).write_text(tidy + "\n")


def draw(axis: Any, rows: dict[str, list[list[int]]], place: int) -> None:
    lines: dict[tuple[str, str], dict[int, float]] = {}
    for name, counts in rows.items():
        if "|" in name:
            kind, modules, overlap = name.split("|")
            lines.setdefault((kind, overlap), {})[int(modules)] = 100 * float(figures(counts)[2, place])
    svm = lines.pop(("SVM", "0"))[1]
    axis.axhline(svm, color="0.5", linestyle="--", linewidth=1, label="SVM (one module)")
    for (kind, overlap), points in lines.items():
        label = f"{kind}, overlap {100 * float(overlap):.0f}%" if kind == "hyperplane" else kind
        style = "-" if kind == "hyperplane" else ":"
        axis.plot(list(points), list(points.values()), style, marker="o", markersize=3.5, label=label)
    axis.grid(alpha=0.25)
    axis.set_xticks([1, *plan.COUNTS])


if __name__ == "__main__":
    main()
