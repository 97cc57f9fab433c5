"""Run commands within the process of the tests: quick, with all that a shell would see."""

import contextlib
import csv
import io
import os
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from tests.files.zoo import SEVERAL, TEXTS, WORDS
from textensor import cli


class Done(NamedTuple):
    code: int
    out: str
    err: str


def shell(command, folder):
    """Run a line in bash, `textensor` being the command."""
    line = command.replace("textensor ", f"{shlex.quote(sys.executable)} -m textensor ")
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": root},
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def textensor(monkeypatch, capsys):
    """Run a command and return its exit code, standard output and standard error."""

    return runner(monkeypatch, capsys, cli.app)


def runner(monkeypatch, capsys, app):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["textensor", *map(str, arguments)])
        code = 0
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            try:
                cli.main(app)
            except SystemExit as left:
                code = left.code or 0
        return Done(code, *capsys.readouterr())

    return run


def run_quietly(line):
    """Run a command and return its exit code."""
    nowhere = io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["textensor", *shlex.split(line)]),
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        pytest.raises(SystemExit) as left,
    ):
        cli.main()
    return left.value.code or 0


def one_sentence(done, message, code=1):
    """Whether a command failed as it should."""
    assert done.code == code
    assert done.out == ""
    told = [line for line in done.err.splitlines() if line.startswith("textensor: ")]
    assert len(told) == 1
    assert message in told[0]
    assert "Traceback" not in done.err


def write_csv(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def write_mail(folder):
    rows = [
        (k, text, label if k != 3 else "") for k, (text, label) in enumerate(zip(TEXTS, WORDS, strict=True))
    ]
    again = [(k + 12, f"{text} again", label) for k, text, label in rows]
    return write_csv(folder / "mail.csv", ["id", "body", "kind"], [*rows, *again])


@pytest.fixture
def mail(tmp_path):
    """Twelve documents of three labels, each twice, two of them without a label."""
    return write_mail(tmp_path)


@pytest.fixture
def tagged(tmp_path):
    """Documents with several labels."""
    rows = [(text, "|".join(labels)) for text, labels in zip(TEXTS, SEVERAL, strict=True)]
    return write_csv(tmp_path / "tagged.csv", ["text", "label"], rows)


@pytest.fixture(scope="session")
def model_of_mail(tmp_path_factory):
    """The bytes of the model of that mail, which is fitted once for all tests."""
    folder = tmp_path_factory.mktemp("mail")
    mail, path = write_mail(folder), folder / "mail.model"
    assert run_quietly(f"fit '{mail}' --text body --label kind -m svm -o '{path}'") == 0
    return path.read_bytes()


@pytest.fixture
def model(tmp_path, mail, model_of_mail):
    """The model of that mail."""
    path = tmp_path / "mail.model"
    path.write_bytes(model_of_mail)
    return path
