"""Bounds checks, as `make test-bounds` turns them on: a kernel that reads past an array raises."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: A kernel of ours that reads where it is told to, called within the array and past its end.
OVERRUN = """
import numpy as np
from textensor.base.compiled import kernel

@kernel
def entry(values, k):
    return values[k]

assert entry(np.arange(3), 2) == 2
try:
    entry(np.arange(3), 3)
except IndexError:
    print("raised")
"""


def run(folder, **environment):
    script = folder / "overrun.py"
    script.write_text(OVERRUN)
    places = {"PYTHONPATH": str(Path(__file__).parents[2]), "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, script],
        env={**os.environ, **places, **environment},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.strip()


def test_an_overrun_raises_with_bounds_checks(tmp_path):
    assert run(tmp_path, NUMBA_BOUNDSCHECK="1") == "raised"


@pytest.mark.skipif(os.environ.get("NUMBA_BOUNDSCHECK") != "1", reason="runs in make test-bounds")
def test_this_run_has_bounds_checks(tmp_path):
    assert run(tmp_path) == "raised"
