"""``python -m tests.fuzz``: run mutants, go on where an earlier run stopped, and say what came out.

Kernels are compiled with bounds checks, in a cache of their own.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

os.environ["NUMBA_BOUNDSCHECK"] = "1"  # read when numba is imported
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(".cache/numba-bounds").absolute()))
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # threads do not survive a fork

from tests.fuzz.run import ALLOWANCE, LIMIT, SECONDS, TIMES, Fuzzer, Outcome


def main() -> int:
    """Run the mutants that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--mutants", type=int, default=1000, help="Number of mutants.")
    parser.add_argument("--seed", type=int, default=0, help="Random seed.")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="Number of processes.")
    parser.add_argument("--only", type=int, help="Number of one mutant to run and describe.")
    parser.add_argument("--keep", type=Path, help="Path to write that mutant to.")
    parser.add_argument("--log", type=Path, default=Path(".cache/fuzz.jsonl"), help="File of outcomes.")
    parser.add_argument("--result", type=Path, help="Markdown file for the summary.")
    options = parser.parse_args()
    os.fsync = lambda _: None  # mutants need not survive a loss of power
    fuzzer = Fuzzer(options.seed)
    try:
        if options.only is not None and options.keep:
            print(fuzzer.write(options.only, options.keep))
            return 0
        fuzzer.warm()
        if options.only is not None:
            print(fuzzer.run(options.only))
            return 0
        outcomes = _run(fuzzer, options)
    finally:
        fuzzer.close()
    text = summary(outcomes, options.seed)
    print(text)
    if options.result:
        options.result.write_text(text + "\n")
    return int(any(outcome.is_fault for outcome in outcomes))


def _run(fuzzer: Fuzzer, options: argparse.Namespace) -> list[Outcome]:
    """Run those mutants that the log does not have yet."""
    options.log.parent.mkdir(parents=True, exist_ok=True)
    lines = options.log.read_text().splitlines() if options.log.exists() else []
    known = [(seed, Outcome(*rest)) for seed, *rest in map(json.loads, lines)]
    outcomes = [one for seed, one in known if seed == options.seed and one.number < options.mutants]
    done = {one.number for one in outcomes}
    left = [number for number in range(options.mutants) if number not in done]
    start, faults = time.monotonic(), 0
    with options.log.open("a") as log:
        for count, outcome in enumerate(fuzzer.each(left, options.workers), start=1):
            log.write(json.dumps([options.seed, *outcome]) + "\n")
            outcomes.append(outcome)
            faults += outcome.is_fault
            if outcome.is_fault or count % 1000 == 0:
                log.flush()
                rate = count / (time.monotonic() - start)
                print(f"{count} of {len(left)}, {rate:.0f} a second, {faults} faults", file=sys.stderr)
            if outcome.is_fault:
                print(f"  {outcome}", file=sys.stderr)
    return outcomes


def summary(outcomes: list[Outcome], seed: int) -> str:
    """Return a table of outcomes in Markdown."""
    counts = Counter(outcome.kind for outcome in outcomes)
    largest = max(outcomes, key=lambda one: one.megabytes - TIMES * one.size / 1e6)
    rows = [f"| {kind} | {count:,} |" for kind, count in counts.most_common()]
    lines = [
        f"# {len(outcomes):,} mutants of model files and index folders (seed {seed})",
        "",
        f"Limits for each: {SECONDS} s, {LIMIT >> 30} GiB, kernels with bounds checks. A file may take "
        f"{ALLOWANCE // 10**6} MB and {TIMES} times its size.",
        "",
        "| outcome | mutants |",
        "| --- | --- |",
        *rows,
        "",
        f"Most memory beyond {TIMES} times the size of the file: {largest.megabytes:.0f} MB for "
        f"{largest.size:,} bytes (mutant {largest.number}, {largest.subject}).",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
