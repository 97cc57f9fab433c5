"""The fuzzer finds what it is to find: a fuzzer that sees nothing would always be content."""

import ctypes
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz import run
from tests.fuzz.consistent import resize
from tests.fuzz.run import Fuzzer, Outcome, forked

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def too_long():
    while True:
        time.sleep(1)


def test_a_crash_a_hang_and_a_traceback_are_told_apart(monkeypatch):
    monkeypatch.setattr(run, "SECONDS", 0.5)
    assert forked(lambda: "refused")[0] == "refused"
    assert forked(lambda: ctypes.string_at(0))[:2] == ("crash", "signal 11")
    assert forked(too_long)[0] == "hang"
    assert forked(lambda: (signal.setitimer(signal.ITIMER_REAL, 0), too_long()))[0] == "hang"
    kind, said, _ = forked(lambda: {}["missing"])
    assert kind == "KeyError"
    assert "test_fuzz.py" in said


def test_memory_is_measured_and_limited():
    assert 9e7 < forked(lambda: str(np.ones(10**8, dtype=np.uint8).sum()))[2] < 2e8
    assert forked(lambda: str(np.ones(10**11).sum()))[0] == "MemoryError"


def test_a_mutant_depends_on_the_seed_and_its_number_alone(tmp_path):
    fuzzers = [Fuzzer(7), Fuzzer(7)]
    for number in (0, 3, 5):
        for k, fuzzer in enumerate(fuzzers):
            fuzzer.write(number, tmp_path / f"{k}-{number}")
        one, other = (tmp_path / f"{k}-{number}" for k in range(2))
        assert one.is_dir() or one.read_bytes() == other.read_bytes()
    for fuzzer in fuzzers:
        fuzzer.close()


def test_a_worker_that_dies_is_no_success(monkeypatch):
    fuzzer = Fuzzer(7)
    monkeypatch.setattr(fuzzer, "run", {0: Outcome(0, "lsi", "refused", "", 1, 0.0)}.__getitem__)
    outcomes = fuzzer.each([0, 1], workers=1)
    assert next(outcomes).number == 0
    with pytest.raises(RuntimeError, match="not all mutants were run"):
        next(outcomes)
    fuzzer.close()


def test_a_size_is_changed_everywhere():
    for seed in range(300):
        tree = {"a": 3, "names": ["x", "y", "z"], "inner": [{"array": 0}, 3, [1, 2]]}
        arrays = [np.array([2, 0, 1]), np.zeros((4, 3)), np.array([0, 1, 1, 2])]
        resize({"model": tree}, arrays, random.Random(seed))
        new = tree["a"]
        if new != 3 and len(tree["names"]) == new:
            assert len(set(tree["names"])) == new
            assert arrays[1].shape[1] == new
            assert sorted(arrays[0].tolist()) == list(range(new))


def test_the_command_goes_on_where_it_stopped(tmp_path):
    log = tmp_path / "fuzz.jsonl"
    for mutants in (2, 4):
        arguments = ["--mutants", str(mutants), "--log", str(log), "--seed", "3", "--workers", "1"]
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz", *arguments],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"# {mutants} mutants" in done.stdout
        assert len(log.read_text().splitlines()) == mutants
