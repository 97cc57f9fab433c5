"""Run all benchmarks, or those named: ``python -m benchmarks vectorizer``."""

import importlib
import pkgutil
import sys

import benchmarks

NOT_BENCHMARKS = {"__main__", "measure"}


def main() -> None:
    modules = pkgutil.iter_modules(benchmarks.__path__)
    names = [m.name for m in modules if m.name not in NOT_BENCHMARKS and not m.ispkg]
    wanted = sys.argv[1:] or names
    for name in wanted:
        if name not in names:
            sys.exit(f"There is no benchmark {name!r}; there are {', '.join(names)}.")
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
