"""Model files of any contents, with all sums right: what tests of readers write."""

from pathlib import Path
from typing import Any

from textensor.base.disk import replace_file
from textensor.files.container import pack


def write_file(path: Path, header: dict[str, Any], arrays: list[Any]) -> None:
    """Write a file, whole or not at all."""
    replace_file(path, pack(header, arrays).pieces)
