"""Time contenders side by side and write down what came out, with the machine it came from."""

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from experiments.engine.surroundings import surroundings
from experiments.engine.tables import Drawn, markdown
from textensor.base.disk import replace_file

#: Another folder keeps a comparison of two trees from overwriting the committed results.
RESULTS = Path(os.environ.get("BENCHMARK_RESULTS", Path(__file__).parent / "results"))


def side_by_side(contenders: dict[str, Callable[[], object]], rounds: int = 5) -> dict[str, float]:
    """Return the median seconds of each contender.

    Every round runs all of them, one after the other, so that a busy moment of the machine hits
    them alike. One round before the first is not counted: it compiles and warms caches.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            if turn:
                seconds[name].append(time.perf_counter() - start)
            sys.stderr.write(f"\r{turn}/{rounds} {name:<60.60}")
    sys.stderr.write("\r" + " " * 70 + "\r")
    return {name: statistics.median(values) for name, values in seconds.items()}


def table(header: list[str], rows: list[list[object]]) -> str:
    """Return a Markdown table; floats get three significant digits."""
    cells = [[f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    return markdown(Drawn("", header, cells, []))


def machine() -> str:
    """Say where and when figures were measured."""
    made = surroundings()
    return f"{made.pop('date')}, {made.pop('machine')}, " + ", ".join(f"{k} {v}" for k, v in made.items())


def publish(name: str, title: str, body: str) -> None:
    """Print the result of a benchmark and keep it in a file."""
    publish_as(name, title, body, f"make bench` (`python -m benchmarks {name.split('-')[0]}")


def publish_as(name: str, title: str, body: str, command: str) -> None:
    """Print a result and keep it in a file, with the command that made it."""
    end = ")" if "(" in command else ""
    text = f"# {title}\n\n{body}\n\n`{command}`{end}; {machine()}.\n"
    print(text)
    RESULTS.mkdir(exist_ok=True)
    replace_file(RESULTS / f"{name}.md", [text.encode()])
