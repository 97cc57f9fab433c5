"""Run papers and write what came out: JSON, Markdown, SVG, one page of HTML."""

import json
import math
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from experiments import NAMES, paper, select
from experiments.cells import Kept, Progress, evaluate_all, key
from experiments.declare import SEED, Cell, Counts, Figure, Item, Listing, Paper, Picture, Table
from experiments.figures import category_lines, lines_of, listing_svg, not_drawn, plane_svg, svg
from experiments.folder import (
    cells_of_full_pages,
    check_folder,
    check_full_pages,
    check_pages,
    results_of,
    seconds_before,
)
from experiments.packed import pack, unpack
from experiments.protocols import version
from experiments.stats import Found, collect
from experiments.summary import write_summary
from experiments.surroundings import surroundings, together
from experiments.tables import Drawn, counts_table, listing_table, markdown, value_tables
from experiments.verdicts import MARKS, RULE, Verdict, judge
from textensor.base.disk import replace_file

__all__ = ["Section", "Written", "reproduce"]

#: Where pages of a quick run go that would replace those of a full one.
QUICK = "quick"
#: Left out of the JSON of a paper: long, or shown as one for all.
NOT_WRITTEN = ("wrong", "points", "accepted", "part", "made")


class Section(NamedTuple):
    """A table or figure as it is shown: its tables and its drawing, if it has one."""

    item: Item
    tables: list[Drawn]
    drawing: str
    remarks: list[str]

    @property
    def title(self) -> str:
        """Its number and what it shows: "Table 3: ..."."""
        kind, number = re.match(r"([a-z]+)(\d+)", self.item.name).groups()  # type: ignore[union-attr]
        return f"{kind.capitalize()} {number}: {self.item.title}"


class Written(NamedTuple):
    """What was made of a paper, and the folder it was written to."""

    paper: Paper
    sections: list[Section]
    verdicts: list[Verdict]
    facts: dict[str, str]
    place: Path


def reproduce(
    names: list[str],
    output: str | Path,
    *,
    full: bool = False,
    run: bool = True,
    n_jobs: int = 2,
    progress: Progress | None = None,
) -> list[Written]:
    """Run tables and figures of the papers, and write them to a folder.

    Parameters
    ----------
    names : list of str
        ``"all"``, a paper such as ``"stm-text"``, or one of its tables or figures: ``"stm-text/table3"``.
    output : path
        The folder. Results of cells are kept in its folder ``.cells``: what is there is not run again.
    full : bool, default=False
        The papers' numbers of splits; else very few. Where the folder has pages of a full run of one of the
        papers, those of a quick one go to its folder ``quick``.
    run : bool, default=True
        Whether to run what is missing; else tables and figures are written from what is kept, and from what
        is packed beside the pages of a full run, which a run after it need not do again.
    n_jobs : int, default=2
        Processes; figures do not depend on it, seconds are measured with one.
    progress : callable, optional
        Told after each cell: how many are done, of how many, the seconds left or None, and the cell.

    Returns
    -------
    list of Written
    """
    from experiments.page import write_page

    folder = Path(output)
    chosen = select(names)
    papers = {name: paper(name) for name in chosen}
    check_folder(folder, papers)
    if not run:
        for of in papers.values():
            unpack(of, folder)
    cells = {name: _cells(papers[name], items, full) if run else [] for name, items in chosen.items()}
    shown = {name: cells_of_full_pages(folder, name) for name in papers}
    if full:
        for name, of in papers.items():
            check_full_pages(of, folder, cells[name], shown[name])
    # Pages of a full run stay: those of a quick one go beside them.
    pages = folder / QUICK if not full and any(shown.values()) else folder
    check_pages(pages, papers)
    for name in NAMES:  # the summary reads those of the other papers, too
        results_of(pages, name)
    start = time.perf_counter()
    before = seconds_before(folder, papers)
    absent = evaluate_all(list(chain(*cells.values())), folder / ".cells", n_jobs, progress, before)
    facts = {"this call took": f"{(time.perf_counter() - start) / 60:.1f} minutes"} if run else {}
    if absent and full:  # what is not at hand leaves the pages of those who had it
        for name, of in papers.items():
            check_full_pages(of, folder, (), shown[name])
    if absent:
        facts["not at hand, so not run"] = "; ".join(f"{name} ({why})" for name, why in absent.items())
    # All that was ever run of a paper is shown, so that one table run anew leaves the others in place.
    written = [_write(of, full, folder / ".cells", pages / of.name, facts) for of in papers.values()]
    write_page(pages / "index.html", written)
    write_summary(pages)
    return written


def _cells(of: Paper, items: list[str], full: bool) -> list[Cell]:
    runs = dict.fromkeys(of.item(item).run for item in items)
    return [cell for name in runs for cell in of.run(name).cells(full)]


def _write(of: Paper, full: bool, cells: Path, place: Path, facts: dict[str, str]) -> Written:
    """Write a paper's JSON, Markdown and SVG files."""
    place.mkdir(parents=True, exist_ok=True)
    found = {run.name: collect(run, full, cells) for run in of.runs}
    seconds = sum(result["seconds in all"] for run in found.values() for _, result in _all(run))
    wanted = [(run.name, cell) for run in of.runs for cell in run.cells(full)]
    n_found = sum(cell.split in found[name].of(cell.part, cell.method) for name, cell in wanted)
    protocols = sorted({run.protocol for run in of.runs})
    made = [result["made"] for run in found.values() for _, result in _all(run)]
    facts = {
        "run": "full" if full else "quick",
        **together(made or [surroundings()]),
        "seed": str(SEED),
        **facts,
        "protocols": ", ".join(f"{name} (version {version(name)})" for name in protocols),
        "cells": f"{n_found} of {len(wanted)} run",
        "all cells took": f"{seconds / 60:.1f} minutes of one core",
        "cells with warnings, which results.json has": _warned(found.values()),
    }
    if of.warned and any(result["warnings"] for run in found.values() for _, result in _all(run)):
        facts["about the warnings"] = of.warned
    sections = [_section(of, item, found[item.run]) for item in of.items]
    verdicts = [judge(c, found[c.run], found[c.other_run] if c.other_run else None) for c in of.claims]
    written = Written(of, sections, verdicts, facts, place)
    for section in sections:
        if section.drawing:
            replace_file(place / f"{section.item.name}.svg", [section.drawing.encode()])
    replace_file(place / "README.md", [_readme(written).encode()])
    if full:
        pack(of, place.parent)
    replace_file(place / "results.json", [_json(written, found, full).encode()])
    return written


def _all(found: Found) -> Iterator[tuple[str, Kept]]:
    """Yield the method and the result of each cell of a run that is there."""
    for (_, method), splits in found.results.items():
        for result in splits.values():
            yield method, result


def _warned(found: Iterable[Found]) -> str:
    """Return how many results came with warnings, of what kinds and of which methods."""
    results = [one for run in found for one in _all(run)]
    kinds: dict[str, Counter[str]] = {}
    for method, result in results:
        for kind in {said.split(":")[0] for said in result["warnings"]}:
            kinds.setdefault(kind, Counter())[method] += 1
    n_warned = sum(bool(result["warnings"]) for _, result in results)
    said = [
        f"{kind}, {method}: {n}" for kind, of in sorted(kinds.items()) for method, n in sorted(of.items())
    ]
    return f"{n_warned} of {len(results)}" + (f" ({'; '.join(said)})" if said else "")


def _section(of: Paper, item: Item, found: Found) -> Section:
    """Draw a table or figure from the results that are there."""
    remarks = [text for text in (item.note, of.tried.get(item.name, "")) if text]
    if isinstance(item, Table):
        tables = value_tables(item, found)
        far = [row for table in tables for row in table.far]
        if far:
            remarks.append("More than two standard deviations from the paper: " + "; ".join(far) + ".")
        remarks += [
            f"{name}: {m.beyond}." for name, m in found.run.methods.items() if m.beyond and item.measures
        ]
        return Section(item, tables, "", remarks)
    if isinstance(item, Listing):
        return Section(item, [listing_table(item, found)], listing_svg(item, found), remarks)
    if isinstance(item, Counts):
        return Section(item, [counts_table(item, found)], "", remarks)
    if isinstance(item, Picture):
        result = next((r for of_cell in found.results.values() for r in of_cell.values()), None)
        return Section(item, [], "" if result is None else plane_svg(result), remarks)
    drawing, missing = _drawing(item, found)
    return Section(item, [], drawing, [*remarks, missing] if missing else remarks)


def _drawing(item: Figure, found: Found) -> tuple[str, str]:
    """Return a figure's drawing, and where its lines are interrupted."""
    if item.by_category:
        ticks = [(math.log10(size), str(size)) for size in (1, 10, 100, 1000)]
        return svg(category_lines(item, found), ticks, item.x_title, item.y_title, False), ""
    lines, parts = lines_of(item, found)
    ticks = [(float(x), name) for x, name in enumerate(parts)]
    return svg(lines, ticks, item.x_title, item.y_title, item.log_y), not_drawn(lines, parts)


def _readme(written: Written) -> str:
    of = written.paper
    lines = [f"# {of.title}", "", f"`python -m experiments {of.name} --{written.facts['run']}`", ""]
    if of.claims:
        lines += ["## Claims", "", RULE, "", MARKS, "", "| claim | verdict | why |", "| --- | --- | --- |"]
        lines += [
            f"| {v.claim.text}{' (' + v.claim.note + ')' if v.claim.note else ''} | **{v.word}** | {v.why} |"
            for v in written.verdicts
        ]
        lines.append("")
    for title, said in (
        ("How it was run", of.choices),
        ("What is missing", of.missing),
        ("Errata", of.errata),
    ):
        if said:
            lines += [f"## {title}", "", *(f"- {text}" for text in said), ""]
    for section in written.sections:
        lines += [f"## {section.title}", ""]
        for table in section.tables:
            lines += [*([f"*{table.caption}.*", ""] if table.caption else []), markdown(table), ""]
        if section.drawing:
            lines += [f"![{section.item.title}]({section.item.name}.svg)", ""]
        lines += [f"{text}\n" for text in section.remarks]
    lines += ["## Where and when", "", *(f"- {name}: {value}" for name, value in written.facts.items())]
    return "\n".join(lines) + "\n"


def _json(written: Written, found: Mapping[str, Found], full: bool) -> str:
    """Return every split of every cell, with the hash of what made it."""
    cells = [
        {
            "run": run.run.name,
            "part": cell.part,
            "method": cell.method,
            "key": key(cell),
            **_short(run.of(cell.part, cell.method)[cell.split]),
        }
        for run in found.values()
        for cell in run.run.cells(full)
        if cell.split in run.of(cell.part, cell.method)
    ]
    verdicts = [{"claim": v.claim.text, "verdict": v.word, "why": v.why} for v in written.verdicts]
    body: dict[str, Any] = {"paper": written.paper.name, "facts": written.facts, "verdicts": verdicts}
    rows = ",\n".join(json.dumps(cell) for cell in cells)
    return json.dumps(body, indent=1)[:-2] + f',\n "cells": [\n{rows}\n]\n}}\n'


def _short(value: Any) -> Any:
    """Leave out what is long, and cut figures to six digits."""
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items() if name not in NOT_WRITTEN}
    if isinstance(value, list):
        return [_short(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
