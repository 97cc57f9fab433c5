"""One HTML page that holds the tables, figures and verdicts of all papers, and loads nothing."""

import base64
from pathlib import Path
from typing import TYPE_CHECKING

from textensor.report.pages import write_template

if TYPE_CHECKING:
    from textensor.papers.reproduce import Written

__all__ = ["write_page"]


def write_page(path: Path, written: "list[Written]") -> None:
    """Write the page, whole or not at all."""
    drawings = {
        f"{one.paper.name}/{section.item.name}": base64.b64encode(section.drawing.encode()).decode()
        for one in written
        for section in one.sections
        if section.drawing
    }
    write_template(path, "papers.html.j2", written=written, drawings=drawings)
