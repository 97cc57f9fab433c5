"""Pages: tables, figures and verdicts as Markdown and SVG, and those of all experiments as one HTML page."""

import base64
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from experiments import NAMES
from experiments.bar import bar_tables
from experiments.engine.declare import SEED, Bar, ByName, Experiment, Figure, Item, Listing, Picture, Table
from experiments.engine.figures import category_lines, lines_of, listing_svg, not_drawn, plane_svg, svg
from experiments.engine.folder import RESULTS
from experiments.engine.stats import Found, collect
from experiments.engine.store import CellStore, Kept
from experiments.engine.surroundings import surroundings, together
from experiments.engine.tables import Drawn, by_name_table, listing_table, markdown, value_tables
from experiments.engine.verdicts import MARKS, RULE, Verdict, judge
from experiments.protocols import version
from textensor.base.disk import replace_file
from textensor.report.pages import write_template

TEMPLATE = Path(__file__).parent / "templates" / "experiments.html.j2"


class Section(NamedTuple):
    """A table or figure as it is shown: its tables and its drawing, if it has one."""

    item: Item
    tables: list[Drawn]
    drawing: str
    remarks: list[str]

    @property
    def encoded(self) -> str:
        """The drawing as the address of an image has it."""
        return base64.b64encode(self.drawing.encode()).decode()


class Written(NamedTuple):
    """What was made of an experiment, and the folder it was written to."""

    experiment: Experiment
    sections: list[Section]
    verdicts: list[Verdict]
    facts: dict[str, str]
    place: Path


def write_experiment(
    of: Experiment, full: bool, store: CellStore, place: Path, facts: dict[str, str]
) -> Written:
    """Write an experiment's Markdown, SVG and JSON files, and pack the results of a full run beside them."""
    place.mkdir(parents=True, exist_ok=True)
    found = {run.name: collect(run, full, store) for run in of.runs}
    results = [one for run in found.values() for one in _all(run)]
    wanted = [(run.name, cell) for run in of.runs for cell in run.cells(full)]
    n_found = sum(cell.split in found[name].of(cell.part, cell.method) for name, cell in wanted)
    minutes = sum(result["seconds in all"] for _, result in results) / 60
    protocols = sorted({run.protocol for run in of.runs})
    facts = {
        "run": "full" if full else "quick",
        **together([result["made"] for _, result in results] or [surroundings()]),
        "seed": str(SEED),
        **facts,
        "protocols": ", ".join(f"{name} (version {version(name)})" for name in protocols),
        "cells": f"{n_found} of {len(wanted)} run",
        "all cells took": f"{minutes:.1f} minutes of one core",
        "cells with warnings": _warned(results),
    }
    sections = [_section(of, item, found) for item in of.items]
    verdicts = [judge(c, found[c.run], found[c.other_run] if c.other_run else None) for c in of.claims]
    written = Written(of, sections, verdicts, facts, place)
    for section in sections:
        if section.drawing:
            replace_file(place / f"{section.item.name}.svg", [section.drawing.encode()])
    replace_file(place / "README.md", [_readme(written).encode()])
    if full:
        store.pack(of)
    said = [{"claim": v.claim.text, "verdict": v.word, "why": v.why} for v in verdicts]
    noted = {"experiment": of.name, "facts": facts, "shown": n_found, "verdicts": said}
    replace_file(place / RESULTS, [json.dumps(noted, indent=1).encode() + b"\n"])
    return written


def write_page(path: Path, written: list[Written]) -> None:
    """Write one HTML page that holds everything and loads nothing; what it has of other experiments stays."""
    from markupsafe import Markup

    # The list that follows the claims begins with how they were judged.
    new = {one.experiment.name: one for one in written}
    for name, one in new.items():
        rules = (RULE, MARKS) if one.verdicts else (MARKS,)
        new[name] = one._replace(
            experiment=replace(one.experiment, choices=(*rules, *one.experiment.choices))
        )
    old = {name: Markup(text) for name, text in _earlier(path).items()}  # noqa: S704 (our own page)
    names = [name for name in NAMES if name in new or name in old]
    write_template(path, TEMPLATE, names=names, new=new, old=old)


def _earlier(path: Path) -> dict[str, str]:
    """Return what the page has of each experiment, nothing if there is no page yet."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    pattern = r"<!-- experiment ([a-z-]+) -->\s*(.*?)\s*<!-- end of experiment \1 -->"
    return dict(re.findall(pattern, text, re.DOTALL))


def _all(found: Found) -> Iterator[tuple[str, Kept]]:
    """Yield the method and the result of each cell of a run that is there."""
    for (_, method), splits in found.results.items():
        for result in splits.values():
            yield method, result


def _warned(results: list[tuple[str, Kept]]) -> str:
    """Return how many results came with warnings, of what kinds and of which methods."""
    kinds: dict[str, Counter[str]] = {}
    for method, result in results:
        for kind in {said.split(":")[0] for said in result["warnings"]}:
            kinds.setdefault(kind, Counter())[method] += 1
    n_warned = sum(bool(result["warnings"]) for _, result in results)
    said = [
        f"{kind}, {method}: {n}" for kind, of in sorted(kinds.items()) for method, n in sorted(of.items())
    ]
    return f"{n_warned} of {len(results)}" + (f" ({'; '.join(said)})" if said else "")


def _section(of: Experiment, item: Item, every: Mapping[str, Found]) -> Section:
    """Draw a table or figure from the results of all runs that are there."""
    found = every[item.run]
    remarks = [text for text in (item.note, of.tried.get(item.name, "")) if text]
    tables: list[Drawn] = []
    drawing = ""
    if isinstance(item, Table):
        tables = value_tables(item, found)
        far = [row for table in tables for row in table.far]
        if far:
            remarks.append("More than two standard deviations from the paper: " + "; ".join(far) + ".")
        remarks += [
            f"{name}: {m.beyond}." for name, m in found.run.methods.items() if m.beyond and item.measures
        ]
    elif isinstance(item, Listing):
        tables, drawing = [listing_table(item, found)], listing_svg(item, found)
    elif isinstance(item, ByName):
        tables = [by_name_table(item, found)]
    elif isinstance(item, Bar):
        tables = bar_tables(item, every)
    elif isinstance(item, Picture):
        drawing = next((plane_svg(result) for _, result in _all(found)), "")
    elif isinstance(item, Figure):
        drawing, missing = _drawing(item, found)
        remarks += [missing] if missing else []
    return Section(item, tables, drawing, remarks)


def _drawing(item: Figure, found: Found) -> tuple[str, str]:
    """Return a figure's drawing, and where its lines are interrupted."""
    if item.by_category:
        ticks = [(math.log10(size), str(size)) for size in (1, 10, 100, 1000)]
        return svg(category_lines(item, found), ticks, item.x_title, item.y_title, False), ""
    lines, parts = lines_of(item, found)
    ticks = [(float(x), name) for x, name in enumerate(parts)]
    return svg(lines, ticks, item.x_title, item.y_title, item.log_y), not_drawn(lines, parts)


def _readme(written: Written) -> str:
    of = written.experiment
    lines = [f"# {of.title}", "", f"`python -m experiments {of.name} --{written.facts['run']}`", ""]
    if of.claims:
        lines += ["## Claims", "", RULE, "", MARKS, "", "| claim | verdict | why |", "| --- | --- | --- |"]
        lines += [
            f"| {v.claim.text}{' (' + v.claim.note + ')' if v.claim.note else ''} | **{v.word}** | {v.why} |"
            for v in written.verdicts
        ]
        lines.append("")
    for title, said in (
        ("How it was run", of.choices if of.claims else (*of.choices, MARKS)),
        ("What is missing", of.missing),
        ("Errata", of.errata),
    ):
        if said:
            lines += [f"## {title}", "", *(f"- {text}" for text in said), ""]
    for section in written.sections:
        lines += [f"## {section.item.heading}", ""]
        for table in section.tables:
            lines += [*([f"*{table.caption}.*", ""] if table.caption else []), markdown(table), ""]
        if section.drawing:
            lines += [f"![{section.item.title}]({section.item.name}.svg)", ""]
        lines += [f"{text}\n" for text in section.remarks]
    lines += ["## Where and when", "", *(f"- {name}: {value}" for name, value in written.facts.items())]
    return "\n".join(lines) + "\n"
