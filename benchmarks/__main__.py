"""Run all benchmarks, or those named: ``python -m benchmarks vectorizer``."""

import argparse
import importlib
import pkgutil
import sys
from pathlib import Path

import benchmarks
from benchmarks.against import against

NOT_BENCHMARKS = {"__main__", "against", "measure"}


def main() -> None:
    modules = pkgutil.iter_modules(benchmarks.__path__)
    names = [m.name for m in modules if m.name not in NOT_BENCHMARKS and not m.ispkg]
    parser = argparse.ArgumentParser(
        "python -m benchmarks", description="Measure speed and memory beside peers."
    )
    parser.add_argument("names", nargs="*", help=f"Benchmarks to run; all by default: {', '.join(names)}.")
    other = parser.add_argument_group("comparison with another commit")
    other.add_argument("--against", metavar="COMMIT", help="Commit to run in turn with this tree.")
    other.add_argument("--rounds", type=int, default=3, help="Runs in each tree, at least 2 (default: 3).")
    other.add_argument(
        "--turns", type=int, help="Turns of each contender in a run, instead of the benchmark's own."
    )
    other.add_argument("--cpu", action="store_true", help="Processor seconds instead of elapsed ones.")
    other.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="Folder for outputs; those in it are reused."
    )
    options = parser.parse_args()
    for name in options.names:
        if name not in names:
            sys.exit(f"There is no benchmark {name!r}; there are {', '.join(names)}.")
    if options.rounds < 2:
        sys.exit("--rounds must be at least 2: one round has no spread.")
    wanted = options.names or names
    if options.against:
        against(options.against, wanted, options.rounds, options.turns, options.cpu, options.keep)
        return
    for name in wanted:
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
