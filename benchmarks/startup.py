"""How long the command takes to show its help, and the package to import."""

import subprocess
import sys

from benchmarks.measure import publish, side_by_side, table


def main() -> None:
    python = sys.executable
    commands = {
        "textensor --help": [python, "-m", "textensor", "--help"],
        "textensor datasets --help": [python, "-m", "textensor", "datasets", "--help"],
        "import textensor": [python, "-c", "import textensor"],
        "python alone": [python, "-c", ""],
        "import sklearn.svm": [python, "-c", "import sklearn.svm"],
    }
    seconds = side_by_side(
        {
            name: lambda c=command: subprocess.run(c, check=True, stdout=subprocess.DEVNULL)
            for name, command in commands.items()
        },
        rounds=7,
    )
    publish("startup", "Start-up", table(["command", "seconds"], [[k, v] for k, v in seconds.items()]))
