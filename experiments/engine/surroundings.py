"""On what a result was made: the day, the machine, the versions."""

import os
import platform
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from pathlib import Path

from textensor.base.store import versions


def surroundings() -> dict[str, str]:
    """Return the date, the machine and the versions of Python and of the packages."""
    machine = f"{_processor()}, {os.cpu_count()} cores"
    return {"date": date.today().isoformat(), "machine": machine, **versions()}


def together(all_of_them: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return surroundings as one: of each entry the values that there are.

    Examples
    --------
    >>> together([{"numpy": "2.4.6"}, {"numpy": "2.5.0"}, {"numpy": "2.4.6"}])
    {'numpy': '2.4.6, 2.5.0'}
    """
    entries: dict[str, set[str]] = {}
    for one in all_of_them:
        for name, value in one.items():
            entries.setdefault(name, set()).add(value)
    return {name: ", ".join(sorted(found)) for name, found in entries.items()}


@cache
def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")), platform.machine())
