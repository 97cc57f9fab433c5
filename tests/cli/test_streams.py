"""Standard streams that are closed, and readers that leave: a sentence or silence, never a traceback."""

import re
import shutil
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import shell

CLOSED = "textensor: Standard output could not be written (Bad file descriptor).\n"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("predict mail.model - --text body", "textensor: standard input: the file is empty"),
        ("fit - -m svm -o new.model", "textensor: standard input: the file is empty"),
        ("explain mail.model -", "The text has no known words"),
        ("search no.index -", "textensor: "),
    ],
)
def test_closed_input_is_empty(command, told, model, tmp_path):
    before = sorted(tmp_path.iterdir())
    done = shell(f"textensor {command} <&-", tmp_path)
    assert done.err.startswith(told)
    assert "Traceback" not in done.err
    assert done.code == (0 if command.startswith("explain") else 1)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    ["predict mail.model mail.csv --text body", "show mail.model", "show mail.model --json", "--version"],
)
def test_closed_output_cannot_be_written(command, model, mail, tmp_path):
    done = shell(f"textensor {command} >&-", tmp_path)
    assert (done.code, done.err) == (1, CLOSED)


def test_closed_output_is_not_the_file_that_is_written(model, mail, tmp_path):
    whole = shell("textensor predict mail.model mail.csv --text body", tmp_path).out
    done = shell("textensor predict mail.model mail.csv --text body -o new.csv >&-", tmp_path)
    assert done.code == 0, done.err
    assert (tmp_path / "new.csv").read_text() == whole


@pytest.mark.parametrize("streams", ["2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_no_file(streams, model, mail, tmp_path):
    before = model.read_bytes()
    done = shell(f"textensor predict mail.model mail.csv --text body -o new.csv {streams}", tmp_path)
    assert done.code == 0
    assert model.read_bytes() == before
    assert len((tmp_path / "new.csv").read_text().splitlines()) == 25
    assert shell(f"textensor predict nothing mail.csv -o other.csv {streams}", tmp_path).code == 1


@pytest.mark.parametrize("command", ["show mail.model --json", "methods", "evaluate mail.model mail.csv"])
def test_a_reader_that_takes_one_line(command, model, mail, tmp_path):
    done = shell(f"textensor {command} | head -1; exit 0", tmp_path)
    assert len(done.out.splitlines()) == 1
    assert "Traceback" not in done.err
    assert "Error" not in done.err


def test_input_that_is_not_text(model, tmp_path):
    done = shell("printf 'wheat \\xff\\xfe maize' | textensor explain mail.model -", tmp_path)
    assert done.code == 0, done.err
    assert done.out.startswith("grain")


#: The commands that write something new.
WRITING = {
    "fit": "fit mail.csv --text body --label kind -o new.model",
    "predict": "predict mail.model mail.csv --text body -o new.csv",
    "compare": "compare mail.csv --text body --label kind --methods svm --train 50% --report new.html",
    "evaluate": "evaluate mail.model mail.csv --text body --label kind --report new.html",
    "index": "index mail.csv --text body -o new.index",
    "cluster": "cluster mail.csv --text body -k 2 -o new.csv",
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(("name", "streams"), [("fit", "2> >(exit)"), *product(WRITING, ["2>/dev/full"])])
def test_messages_that_cannot_be_written_lose_nothing(name, streams, model, mail, tmp_path):
    def run(more):
        before = set(tmp_path.iterdir())
        done = shell(f"textensor {WRITING[name]} {more}", tmp_path)
        (new,) = set(tmp_path.iterdir()) - before
        files = sorted(path for path in [new, *new.rglob("*")] if path.is_file())
        found = [path.read_bytes() for path in files]
        shutil.rmtree(new) if new.is_dir() else new.unlink()
        out = re.sub(r"[\d.]+", "", done.out)  # a comparison prints how long it took
        return done.code, out, found if name in ("predict", "cluster", "index") else len(found)

    found = run(streams)
    assert found == run("2>/dev/null")
    assert found[0] == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(("command", "code"), [("show nothing", 1), ("fit --wrong", 2)])
def test_errors_that_cannot_be_written_keep_their_code(command, code, tmp_path):
    assert shell(f"textensor {command} 2>/dev/full", tmp_path).code == code
