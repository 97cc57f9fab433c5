"""Where commands write: refused before the work if it cannot be, and as private as what was there."""

import errno
import os
from pathlib import Path

import pytest

from tests.cli.conftest import one_sentence
from textensor.base import disk


def writing(what, mail, model, folder):
    """Return a command that writes a file, or a folder."""
    fields, kind = ["--text", "body"], ["--label", "kind"]
    return {
        "fit": ["fit", mail, *fields, *kind, "-m", "svm", "-o", model],
        "predict": ["predict", model, mail, *fields, "-o", folder / "labelled.csv"],
        "evaluate": ["evaluate", model, mail, *fields, *kind, "--report", folder / "out.html"],
        "compare": ["compare", mail, *fields, *kind, "--train", "50%", "--report", folder / "out.html"],
        "index": ["index", mail, *fields, "-o", folder / "my.index"],
        "cluster": ["cluster", mail, *fields, "-k", "2", "-o", folder / "labelled.csv"],
    }[what]


WRITING = ["fit", "predict", "evaluate", "compare", "index", "cluster"]


def asked(what, place):
    """Return a command whose data and model are not there: the place is looked at first."""
    return {
        "fit": ["fit", "no.csv", "-m", "svm", "-o", place],
        "predict": ["predict", "no.model", "no.csv", "-o", place],
        "evaluate": ["evaluate", "no.model", "no.csv", "--report", place],
        "compare": ["compare", "no.csv", "--report", place],
        "index": ["index", "no.csv", "-o", place],
        "cluster": ["cluster", "no.csv", "-k", "2", "-o", place],
    }[what]


@pytest.mark.parametrize("what", WRITING)
@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_a_folder_that_cannot_be_written(what, code, textensor, tmp_path, monkeypatch):
    def refused(**options):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(disk.tempfile, "TemporaryFile", refused)
    done = textensor(*asked(what, tmp_path / "new"))
    one_sentence(done, f"because its folder cannot ({os.strerror(code)}): choose another place.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", [what for what in WRITING if what != "index"])
def test_what_is_replaced_stays_private(what, textensor, mail, model, tmp_path):
    command = writing(what, mail, model, tmp_path)
    place = Path(command[-1])
    if not place.exists():
        place.write_text("<!doctype html>" if what in ("evaluate", "compare") else "older")
    place.chmod(0o600)
    before = place.read_bytes()
    assert textensor(*command).code == 0
    assert place.read_bytes() != before or what == "fit"
    assert place.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("older", ["", "<!DocType HTML><p>older"])
def test_a_report_replaces_a_page(older, textensor, mail, model, tmp_path):
    place = tmp_path / "out"
    place.write_text(older)
    done = textensor("evaluate", model, mail, "--text", "body", "--label", "kind", "--report", place)
    assert done.code == 0, done.err
    assert "<html" in place.read_text(encoding="utf-8")
