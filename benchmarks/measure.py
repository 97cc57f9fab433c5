"""Time contenders side by side and write down what came out, with the machine it came from."""

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("textensor", "numpy", "scipy", "scikit-learn", "numba")


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
    widths = [max(len(row[k]) for row in [header, *cells]) for k in range(len(header))]
    lines = [header, ["-" * width for width in widths], *cells]
    return "\n".join(
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |" for line in lines
    )


def machine() -> str:
    """Say where and when figures were measured."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{date.today().isoformat()}, {processor()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {versions}"
    )


def processor() -> str:
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")), platform.machine())


def publish(name: str, title: str, body: str) -> None:
    """Print the result of a benchmark and keep it in a file."""
    publish_as(name, title, body, f"make bench` (`python -m benchmarks {name.split('-')[0]}")


def publish_as(name: str, title: str, body: str, command: str) -> None:
    """Print a result and keep it in a file, with the command that made it."""
    end = ")" if "(" in command else ""
    text = f"# {title}\n\n{body}\n\n`{command}`{end}; {machine()}.\n"
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
