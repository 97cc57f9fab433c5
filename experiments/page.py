"""One HTML page that holds the tables, figures and verdicts of all papers, and loads nothing."""

import base64
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from experiments import NAMES
from experiments.verdicts import MARKS, RULE
from textensor.report.pages import write_template

if TYPE_CHECKING:
    from experiments.reproduce import Written

__all__ = ["write_page"]


def write_page(path: Path, written: "list[Written]") -> None:
    """Write the page, whole or not at all; what an earlier one has of other papers stays."""
    from markupsafe import Markup

    # The list that follows the claims begins with how they were judged.
    new = {
        one.paper.name: one._replace(paper=replace(one.paper, choices=(RULE, MARKS, *one.paper.choices)))
        for one in written
    }
    old = {name: Markup(text) for name, text in _earlier(path).items()}  # noqa: S704 (our own page)
    names = [name for name in NAMES if name in new or name in old]
    drawings = {
        f"{one.paper.name}/{section.item.name}": base64.b64encode(section.drawing.encode()).decode()
        for one in written
        for section in one.sections
        if section.drawing
    }
    write_template(path, "papers.html.j2", images=True, names=names, new=new, old=old, drawings=drawings)


def _earlier(path: Path) -> dict[str, str]:
    """Return what the page has of each paper, nothing if there is no page yet."""
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8", errors="replace")
    return dict(re.findall(r"<!-- paper ([a-z-]+) -->\s*(.*?)\s*<!-- end of paper \1 -->", text, re.DOTALL))
