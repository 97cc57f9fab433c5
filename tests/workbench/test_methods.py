"""The room's public names, and what a line in the table of methods brings."""

import json
import subprocess
import sys

import pytest

import textensor
from tests.cli.conftest import runner
from tests.files.zoo import TEXTS, WORDS
from textensor import cli
from textensor.workbench import METHODS, Method, TextCategorizer, candidates, try_methods


def loaded(code):
    """Return the modules that a fresh Python has loaded after some code."""
    code += "; import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    return set(json.loads(done.stdout))


def test_names_load_what_they_need_and_no_more():
    assert not {"numpy", "sklearn"} & loaded("from textensor.workbench import METHODS")
    found = loaded("import textensor.workbench.answers.calibrate")
    assert "sklearn" not in found
    own = {name for name in found if name.startswith("textensor.") and name.count(".") > 1}
    answers = ("workbench.answers", "workbench.answers.calibrate", "workbench.answers.sigmoid")
    assert own <= {f"textensor.{name}" for name in ("base.arrays", "workbench.methods", *answers)}
    assert textensor.workbench.TextCategorizer is TextCategorizer is textensor.TextCategorizer
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = textensor.workbench.nothing


def test_one_line_makes_a_method_known(monkeypatch, capsys):
    mine = Method(
        "mine", "a line of mine", "textensor.classify.TensorLeastSquares", {"order": 1}, several=True
    )
    monkeypatch.setitem(METHODS, "mine", mine)
    assert candidates(["mine"], several=True) == [(mine, {}, "words")]
    assert TextCategorizer("mine").fit(TEXTS, WORDS).method_ == "mine"
    (result, *_) = try_methods(TEXTS, WORDS, ["mine"], [0.5], n_splits=1)
    assert result.method == "mine"
    with pytest.raises(ValueError, match=r"for several take svm.*, mine"):
        candidates(["lrwmmc"], several=True)
    assert "a line of mine" in runner(monkeypatch, capsys, cli.app)("methods").out
