"""The demonstration runs the commands, here on a corpus that takes seconds."""

import re

import numpy as np
import pytest

from tests.files.zoo import TEXTS, WORDS
from textensor import cli, datasets, demo


@pytest.fixture
def small(monkeypatch, tmp_path):
    names, y = np.unique(WORDS, return_inverse=True)
    texts = [f"{text} {k}x" for k in range(4) for text in TEXTS]
    corpus = datasets.Corpus(texts, None, np.tile(y, 4), None, names.tolist(), "Made up.")
    monkeypatch.setattr(datasets, "load", lambda name: corpus)
    monkeypatch.chdir(tmp_path)
    return tmp_path / demo.FOLDER


def test_the_demonstration(small, capsys, monkeypatch):
    monkeypatch.setattr(demo.sys, "argv", ["demo"])
    with pytest.raises(SystemExit) as left:
        cli.main(demo.demonstrate)
    out = capsys.readouterr().out
    assert left.value.code == 0
    assert re.findall(r"^\$ textensor (\w+)", out, flags=re.MULTILINE) == [
        "compare",
        "fit",
        *["explain"] * 3,
    ]
    assert out.count("(intercept)") == 3
    assert f"The report: {small / 'comparison.html'}" in out
    assert "textensor compare docstrings" in (small / "comparison.html").read_text(encoding="utf-8")
    assert (small / "docstrings.model").is_file()


def test_a_step_that_fails_ends_it(small, capsys, monkeypatch):
    monkeypatch.setattr(demo.sys, "argv", ["demo"])
    monkeypatch.setattr(demo, "COMPARE", ["--methods", "magic"])
    with pytest.raises(SystemExit) as left:
        cli.main(demo.demonstrate)
    told = capsys.readouterr()
    assert left.value.code == 2
    assert "no method 'magic'" in told.err
    assert "textensor fit" not in told.out
