"""The ratios of this tree beside those of another commit: ``python -m benchmarks --against COMMIT``.

Each benchmark runs in both trees in turn, as processes of their own. Every figure becomes our time as a
part of the peer's, so that less is better. A table without a peer keeps its seconds.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.measure import publish_as, table

ROOT = Path(__file__).parents[1]
RATIO, TIME, RATE = r"times as fast|to ", r".*(seconds|\bms|, s)$", r".* a second$"
#: A row that names one of these is what the times of its table are divided by, if the table has no ratios.
PEERS = r"sklearn|NearestNeighbors|TfidfVectorizer|LinearSVC|RBFSampler"
#: Seconds that stand in a sentence.
SENTENCE = r"([A-Z][^.:\n]*): ([\d.]+) s\."
#: What a process runs, in any tree. With fewer turns in a run there is time for more rounds. Processor
#: seconds, those of its own processes included, say more than elapsed ones on a busy machine.
START = "import resource as r, time, benchmarks.measure as m, benchmarks.__main__ as b"
TURNS = "f = m.side_by_side; m.side_by_side = lambda runs, rounds=0: f(runs, {})"
CPU = "time.perf_counter = lambda: sum(sum(r.getrusage(w)[:2]) for w in (r.RUSAGE_SELF, r.RUSAGE_CHILDREN))"
#: Compiles the kernels, so that no round pays for it.
WARM = "from benchmarks.compilation import compile_all; compile_all()"


def ratios(text: str) -> dict[str, float]:
    """Return the relative times in the output of a benchmark, by row."""
    found = {what: float(seconds) for what, seconds in re.findall(SENTENCE, text)}
    heading = ""
    for block in re.split(r"\n\s*\n", text):
        if block.startswith("#"):
            heading = block[3:].split(":")[0] + ": " if block.startswith("## ") else ""
        elif block.startswith("|"):
            found |= {heading + row: value for row, value in _of_table(block).items()}
    return found


def _of_table(block: str) -> dict[str, float]:
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines()]
    kinds = [[c for c, word in enumerate(head) if re.match(kind, word)] for kind in (RATIO, TIME, RATE)]
    measured = next((columns for columns in kinds if columns), [])
    if measured and measured is kinds[0]:
        measured = sorted([*measured, *(c for c in kinds[1] if head[c] == "CPU seconds")])
    found = {}
    for c in measured:
        before = min(min(columns) for columns in kinds if columns)
        peers = [row for row in rows if re.search(PEERS, " ".join(row[:before])) and _number(row[c])]
        peer = _number(peers[0][c]) if peers and c not in kinds[0] else 1.0
        column = head[c - 1] if head[c].startswith("times") else head[c]
        named = f" ({column})" if len(measured) > 1 and not column.startswith("to ") else ""
        for row in rows:
            if figure := _number(row[c]):
                less_is_better = c in kinds[1] or head[c].startswith("to ")
                found[", ".join(row[:before]) + named] = figure / peer if less_is_better else peer / figure
    return found


def _number(cell: str) -> float:
    """Return the number in a cell, 0 if there is none."""
    try:
        return float(cell.replace(",", ""))
    except ValueError:
        return 0.0


def compared(then: Sequence[dict[str, float]], now: Sequence[dict[str, float]]) -> list[list[object]]:
    """Return a line for each row: both medians, their quotient, the spread between rounds, and a mark.

    The spread is (greatest - least) / median, of the tree that has more of it. A row is marked if the
    medians differ by more. Rows of the peer itself, which are always 1, are left out.
    """
    lines: list[list[object]] = []
    for row in now[0]:
        runs = [[found[row] for found in tree if row in found] for tree in (then, now)]
        if not runs[0] or {*runs[0], *runs[1]} == {1.0}:
            continue
        a, b = (statistics.median(values) for values in runs)
        spread = max((max(values) - min(values)) / statistics.median(values) for values in runs)
        mark = "" if 1 / (1 + spread) <= b / a <= 1 + spread else "slower" if b > a else "faster"
        lines.append([row, a, b, b / a, f"{spread:.0%}", mark])
    return lines


def _runner(folder: Path, keep: Path | None, code: str) -> Callable[[Path, str, str, int], str]:
    """Return a function that runs a benchmark in a tree; outputs that were kept are not made again."""

    def python(tree: Path, cache: Path, code: str, *arguments: str) -> str:
        own = {"PYTHONPATH": str(tree), "NUMBA_CACHE_DIR": str(cache)}
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=tree,
            env={**os.environ, **own, "BENCHMARK_RESULTS": str(folder / "results")},
            stdout=subprocess.PIPE,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{' '.join(arguments) or 'Compiling'} failed in {tree}.")
        return done.stdout

    def run(tree: Path, side: str, name: str, turn: int) -> str:
        kept = (keep or folder) / f"{name}-{side}-{turn}.md"
        if not kept.exists():
            cache = folder / f"numba-{side}"
            if not cache.exists():
                python(tree, cache, WARM)
            kept.write_text(python(tree, cache, code, name), encoding="utf-8")
        return kept.read_text(encoding="utf-8")

    return run


def against(
    commit: str, names: Sequence[str], rounds: int, turns: int | None, cpu: bool, keep: Path | None
) -> None:
    """Run benchmarks at a commit and here, in turn, and publish one table."""
    git = ["git", "-C", str(ROOT)]
    lines: list[list[object]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        then = folder / "then"
        (folder / "results").mkdir()
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
        if subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(then), commit]).returncode:
            sys.exit(f"Commit {commit!r} could not be checked out.")
        try:
            steps = [START, *([TURNS.format(turns)] if turns else []), *([CPU] if cpu else []), "b.main()"]
            run = _runner(folder, keep, "; ".join(steps))
            for name in names:
                found: dict[str, list[dict[str, float]]] = {"then": [], "now": []}
                for turn in range(rounds):
                    for side, tree in (("then", then), ("now", ROOT)):
                        found[side].append(ratios(run(tree, side, name, turn)))
                lines += [[name, *line] for line in compared(found["then"], found["now"])]
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(then)])
    head = ["benchmark", "row", f"at {commit}", "now", "now / then", "spread", "beyond the spread"]
    note = (
        f"Our {'processor ' * cpu}time as a part of the peer's, less is better; medians of {rounds} rounds, "
        "both trees in turn. The spread is (greatest - least) / median over the rounds, of the tree that has "
        "more of it. Rows of peers show the noise. If a table has no ratios, its times are divided by those "
        "of scikit-learn's row; if it has no such row either, they are as printed."
    )
    options = f" --rounds {rounds}" + (f" --turns {turns}" if turns else "") + (" --cpu" if cpu else "")
    command = f"python -m benchmarks --against {commit}{options} {' '.join(names)}"
    publish_as(
        f"against-{commit}", f"Benchmarks beside commit {commit}", f"{note}\n\n{table(head, lines)}", command
    )
