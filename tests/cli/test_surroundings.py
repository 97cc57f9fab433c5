"""The command without a home and a language, and the library over many rounds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Prints how much memory 180 rounds take, after the first 20.
ROUNDS = """
import gc, sys
from textensor import TextCategorizer

def memory():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * 4096

for k in range(200):
    TextCategorizer.load(sys.argv[1]).predict(["wheat and money"])
    if k == 20:
        before = memory()
print(memory() - before)
"""


def run(*arguments, **environment):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={"PATH": os.defpath, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_home_and_no_language(model):
    assert "wheat é money" in run("-m", "textensor", "predict", model, "--text", "wheat é money", LANG="C")


def test_a_home_that_cannot_be_written(model, tmp_path):
    (tmp_path / "home").write_text("a file, in which nobody can make a folder")
    run("-m", "textensor", "predict", model, "--text", "wheat", HOME=str(tmp_path / "home"))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_two_hundred_rounds_leave_no_memory_behind(model):
    assert int(run("-c", ROUNDS, model)) < 20_000_000
