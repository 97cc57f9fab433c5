"""What is said of a run in reports, so that it can be run again."""

import shlex
import sys
from pathlib import Path
from typing import Any

from textensor.report import Run
from textensor.workbench.texts import fingerprint

#: The two protocols of F1 as tables name them.
PROTOCOLS = {"argmax": "arg max", "assignment": "assignment"}


def this_run(data: str, texts: list[str], labels: list[Any], **options: Any) -> Run:
    """Return the command that was typed and the data that it read."""
    return Run(
        command=shlex.join(["textensor", *sys.argv[1:]]),
        data=Path(data).name if data != "-" else "standard input",
        sha256=fingerprint(texts, labels),
        **options,
    )
