"""Every step of every command that writes: it fails, is interrupted, or the process is killed there."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.faults import Steps, contents, full
from textensor import TextCategorizer
from textensor.classify.minmax import checkpoint

ROOT = Path(__file__).parents[2]
TEXT, LABEL, METHODS = (
    ["--text", "body"],
    ["--label", "kind"],
    ["--methods", "svm,srda-knn", "--train", "50%", "--splits", "1"],
)
#: Commands by name; each replaces something old, but for the index, which must not be there yet.
COMMANDS = {
    "fit": ["fit", "mail.csv", *TEXT, *LABEL, "-m", "svm", "--no-cross-validate", "-o", "old.model"],
    "predict": ["predict", "mail.model", "mail.csv", *TEXT, "-o", "old.csv"],
    "evaluate": ["evaluate", "mail.model", "mail.csv", *TEXT, *LABEL, "--report", "old.html"],
    "index": ["index", "mail.csv", *TEXT, "-o", "new.index"],
    "cluster": ["cluster", "mail.csv", *TEXT, "-k", "2", "-o", "old.csv"],
    "compare": ["compare", "mail.csv", *TEXT, *LABEL, *METHODS, "--report", "old.html"],
}
RESUMED = ["fit", "mail.csv", *TEXT, *LABEL, "-m", "minmax", "--set", "modules=[1, 2]"]
RESUMED += ["--no-cross-validate", "--checkpoint", "kept", "--n-jobs", "1", "-o", "old.model"]
RESUMED_COMPARE = [*COMMANDS["compare"], "--checkpoint", "kept"]
#: A fork has none of the threads of its parent: OpenMP would wait for them for ever.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
#: What the command says last, by its exit code; a partial file is nothing to tell of.
SAID = {
    1: r"textensor: (?!.*\.partial).* (?:was not|cannot be) written \(No space left on device\).*",
    130: r"textensor: interrupted; no file is left half-written\.",
    143: r"textensor: terminated; no file is left half-written\.",
}
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture
def start(tmp_path, mail, model):
    """A folder with data, a model, and something old in each place that is written to."""
    place = tmp_path / "start"
    place.mkdir()
    for path in (mail, model):
        shutil.copy(path, place)
    shutil.copy(model, place / "old.model")
    (place / "old.csv").write_text("older\n")
    (place / "old.html").write_text("<!doctype html>older\n")
    return place


@pytest.fixture
def attempt(start, textensor, monkeypatch):
    """Run a command in a copy of the start, with a fault; return its end, the steps and what is left."""

    def run(command, act=None, at=None):
        place = start.with_name("run")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(start, place)
        monkeypatch.chdir(place)
        with Steps(act, at).injected() as steps:
            done = textensor(*command)
        return done, steps.count, contents(place)

    return run


def interrupt():
    signal.raise_signal(signal.SIGINT)


def terminate():
    signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(("act", "code"), [(full, 1), (interrupt, 130), (terminate, 143)])
def test_a_fault_at_every_step_leaves_the_old_or_the_new(name, act, code, attempt, start, monkeypatch):
    monkeypatch.setattr(signal, "default_int_handler", signal.getsignal(signal.SIGINT))
    old, (done, n_steps, new) = contents(start), attempt(COMMANDS[name])
    assert done.code == 0, done.err
    assert n_steps >= 5  # a new file, a write, two syncs and a rename, at least
    assert new != old
    for at in range(1, n_steps + 1):
        done, _, left = attempt(COMMANDS[name], act, at)
        assert "Traceback" not in done.err
        assert left in (old, new)  # and no hidden file beside
        assert done.code == code or (done.code == 0 and left == new), (at, done.err)
        if done.code:
            assert re.fullmatch(SAID[code], done.err.splitlines()[-1])


def killed_at_every_step(mode, start, command):
    """Return what each run has left, killed at its first step, its second and so on; the last one is not."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", mode, str(start), *command],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **ONE_THREAD},
        check=True,
    )
    return json.loads(done.stdout)


@needs_fork
@pytest.mark.parametrize("name", COMMANDS)
def test_a_process_killed_at_every_step_leaves_the_old_or_the_new(name, attempt, start):
    old, (_, n_steps, new) = contents(start), attempt(COMMANDS[name])
    runs = killed_at_every_step("once", start, COMMANDS[name])
    assert [run["code"] for run in runs] == [None] * n_steps + [0]
    for run in runs:
        seen = {path: data for path, data in run["left"].items() if ".partial" not in path}
        assert seen in (old, new)
    assert runs[-1]["left"] == new


@needs_fork
def test_a_fit_that_was_killed_goes_on_to_the_same_bits(start):
    runs = killed_at_every_step("resume", start, RESUMED)
    assert len(runs) > 20
    scores = []
    for run in runs:
        path = start / "resumed.model"
        path.write_bytes(bytes.fromhex(run["left"]["old.model"]))
        scores.append(TextCategorizer.load(path).predict_scores(["wheat and maize", "the bank", "a ship"]))
    for one in scores:
        np.testing.assert_array_equal(one, scores[-1])


@needs_fork
def test_a_comparison_that_was_killed_goes_on_to_the_same_report(start):
    runs = killed_at_every_step("resume", start, RESUMED_COMPARE)
    assert len(runs) > 15
    expected = runs[-1]["left"]["old.html"]
    assert expected != contents(start)["old.html"]
    for run in runs:
        assert run["left"]["old.html"] == expected
        trials = [path for path in run["left"] if path.startswith("kept/scores-")]
        assert len(trials) == 2  # one of each method


@pytest.mark.parametrize("act", [full, interrupt])
def test_a_comparison_goes_on_after_a_fault_at_every_step(act, attempt, start, textensor, monkeypatch):
    monkeypatch.setattr(signal, "default_int_handler", signal.getsignal(signal.SIGINT))
    old, (done, n_steps, new) = contents(start), attempt(RESUMED_COMPARE)
    assert done.code == 0, done.err
    for at in range(1, n_steps + 1):
        done, _, left = attempt(RESUMED_COMPARE, act, at)
        assert not any(".partial" in path for path in left)
        assert left["old.html"] in (old["old.html"], new["old.html"])
        if done.code:
            assert textensor(*RESUMED_COMPARE).code == 0  # in the same folder, with what is kept
        assert contents(Path())["old.html"] == new["old.html"]


@pytest.mark.parametrize("act", [full, interrupt])
def test_a_fit_goes_on_after_a_fault_at_every_step(act, attempt, start, textensor, monkeypatch):
    monkeypatch.setattr(signal, "default_int_handler", signal.getsignal(signal.SIGINT))
    monkeypatch.setattr(checkpoint, "SECONDS", -1.0)  # every module is written as it is done
    done, n_steps, _ = attempt(RESUMED)
    assert done.code == 0, done.err
    texts = ["wheat and maize", "the bank", "a ship"]
    expected = TextCategorizer.load("old.model").predict_scores(texts)
    old = (start / "old.model").read_bytes()
    for at in range(1, n_steps + 1):
        done, _, left = attempt(RESUMED, act, at)
        assert not any(".partial" in path for path in left)
        if done.code:
            assert Path("old.model").read_bytes() == old or act is interrupt
            assert textensor(*RESUMED).code == 0  # in the same folder, with what is kept
        np.testing.assert_array_equal(TextCategorizer.load("old.model").predict_scores(texts), expected)
