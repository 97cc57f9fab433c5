"""Standard streams that are closed, and readers that leave: a sentence or silence, never a traceback."""

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
