"""The claims of all papers in one table: ``python -m experiments.engine.summary results README.md``."""

import sys
from collections import Counter
from pathlib import Path

from experiments import COMPARISONS, PAPERS, experiment
from experiments.engine.folder import TITLE, results_of
from experiments.engine.tables import Drawn, markdown
from experiments.engine.verdicts import RULE, without_limits
from textensor.base.disk import replace_file

#: Between these lines of a Markdown file the table is put.
BEGIN, END = "<!-- claims -->", "<!-- end of claims -->"
WORDS = ("holds", "holds in part", "does not hold", "not run")


def summary_table(folder: Path, before: str = "results/") -> str:
    """Return how many claims of each paper hold, as Markdown; papers without results say so.

    ``before`` is what links to the papers' pages begin with.
    """
    rows = []
    for name in PAPERS:
        result = results_of(folder, name)
        if result is None:
            rows.append([name, "", "", "", "", "not run"])
            continue
        words = Counter(without_limits(v["verdict"]) for v in result["verdicts"])
        run = f"{result['facts']['run']}, {result['facts']['date']}"
        rows.append([f"[{name}]({before}{name}/README.md)", *(str(words[word]) for word in WORDS), run])
    return markdown(Drawn("", ["paper", "claims that hold", "in part", "do not", "not run", "run"], rows, []))


def write_summary(folder: Path) -> None:
    """Write the table, and which comparisons were run, to the folder of results."""
    found = {name: results_of(folder, name) for name in COMPARISONS}
    compared = [
        f"- [{name}]({name}/README.md): {experiment(name).title} "
        f"({run['facts']['run']}, {run['facts']['date']})"
        for name, run in found.items()
        if run is not None
    ]
    text = f"# {TITLE}\n\n{summary_table(folder, before='')}\n\n{RULE}\n\n"
    text += "\n".join(["Our own comparisons:", "", *compared, "", ""] if compared else [])
    text += "[index.html](index.html) holds all tables and figures.\n"
    replace_file(folder / "README.md", [text.encode()])


def put_into(text: str, table: str) -> str:
    r"""Return a Markdown text with the table between its marks.

    Examples
    --------
    >>> print(put_into(f"a\n{BEGIN}\nold\n{END}\nb", "new"))
    a
    <!-- claims -->
    new
    <!-- end of claims -->
    b
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"There is no place for the table: write the lines {BEGIN} and {END}.")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main() -> None:
    """Put the table of a folder of results into a Markdown file."""
    folder, path = Path(sys.argv[1]), Path(sys.argv[2])
    text = put_into(path.read_text(encoding="utf-8"), summary_table(folder))
    replace_file(path, [text.encode()])


if __name__ == "__main__":
    main()
