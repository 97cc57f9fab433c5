"""What the command says of errors that are not its own: no numbers of errors, no advice for programmers."""

import errno
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import one_sentence
from textensor import cli
from textensor.cli.workers import on_workers
from textensor.parallel import WorkersError

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "a.csv"), "a.csv cannot be used (Permission"),
        (OSError(errno.EIO, "Input/output error"), "The system refused a request (Input/output error)."),
        (OSError("a sentence"), "a sentence"),
        (MemoryError(), "There is not enough memory"),
        (ValueError(), "ValueError"),
    ],
)
def test_errors_of_the_system_are_sentences(error, told, capsys):
    def command():
        raise error

    with pytest.raises(SystemExit) as left:
        cli.main(command)
    assert left.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith(f"textensor: {told}")
    assert "Errno" not in said


@pytest.mark.parametrize("error", [ValueError("there is an open handle"), OSError(errno.EBADF, "Bad file")])
def test_an_error_that_comes_of_an_interrupt_is_the_interrupt(error, capsys):
    def command():
        try:
            raise KeyboardInterrupt
        finally:
            raise error

    with pytest.raises(SystemExit) as left:
        cli.main(command)
    assert left.value.code == 130
    assert capsys.readouterr().err == "textensor: interrupted; no file is left half-written.\n"


#: Commands that read texts alone, in data with no such column, and in a folder with no label.
READERS = {
    "predict": ["predict", "mail.model", "DATA", "--text", "nothing"],
    "index": ["index", "DATA", "--text", "nothing", "-o", "new.index"],
    "cluster": ["cluster", "DATA", "--text", "nothing", "-k", "2"],
}


@pytest.mark.parametrize("command", READERS)
def test_hints_name_options_that_the_command_has(command, textensor, model, mail, monkeypatch):
    monkeypatch.chdir(mail.parent)
    done = textensor(*(mail if part == "DATA" else part for part in READERS[command]))
    one_sentence(done, '"id", "body", "kind"; name yours with --text.')
    hinted = set(re.findall(r"--[a-z-]+", done.err))
    assert hinted <= set(re.findall(r"--[a-z-]+", textensor(command, "--help").out))


def test_a_folder_without_labels(textensor, model, tmp_path):
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "a.txt").write_text("wheat")
    said = "all documents lie outside folders; put each into a folder named after its label."
    one_sentence(textensor("evaluate", model, tmp_path / "flat"), said)
    one_sentence(textensor("fit", tmp_path / "flat", "-o", tmp_path / "new.model"), said)


def test_columns_of_json_lines_that_differ(textensor, model, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"body": "wheat rose"}\n{"body": "a bank lent", "more": 1}\n')
    for command in (
        ["predict", model, path, "--format", "csv"],
        ["cluster", path, "--text", "body", "-k", 2],
    ):
        done = textensor(*command, "-o", tmp_path / "new.csv")
        assert done.code == 1
        assert done.err.endswith(
            "Line 2 has a column 'more' that the first document does not have: "
            "write JSON lines with --json.\n"
        )


def test_numbers_agree_with_what_they_count(textensor, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\nwheat rose,grain\n")
    one_sentence(textensor("cluster", path, "-k", 2), "There is 1 document for 2 clusters: ask for fewer")
    path.write_text("text,label\nwheat rose,grain\na bank lent,money\n")
    one_sentence(textensor("cluster", path, "-k", 5), "There are 2 documents for 5 clusters")
    done = textensor("fit", path, "-m", "svm", "-o", tmp_path / "my.model")
    assert "on 2 held-out folds" in done.err
    assert "on 2 held-out folds" in done.out
    searched = textensor("fit", path, "-m", "svm,tls", "-o", tmp_path / "my.model")
    assert "1 of 2 folds" in searched.err
    assert "3" not in re.findall(r"(\d) (?:held-out )?folds", searched.err + searched.out)


def test_a_cluster_that_fails_is_one_sentence():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
    ) as cluster:
        address = cluster.scheduler_address
        with pytest.raises(OSError, match="Workers keep dying"), on_workers(address):
            raise WorkersError("Workers keep dying.")
        with pytest.raises(OSError, match=r"The Dask cluster failed \(lost\)"), on_workers(address):
            raise distributed.comm.core.CommClosedError("lost")
        with pytest.raises(KeyError), on_workers(address):
            raise KeyError("ours")


#: Writes a report with templates from a package that is a zip file.
ZIPPED = """
from pathlib import Path
from textensor.report.pages import write_template, _TEMPLATES
assert ".zip" in str(_TEMPLATES)
Path("mine.j2").write_text("{% include 'style.css' %}")
write_template("out.html", Path("mine.j2").absolute())
"""


def test_a_report_from_a_zipped_package(tmp_path):
    pytest.importorskip("jinja2")
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as package:
        for path in (ROOT / "textensor").rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                package.write(path, path.relative_to(ROOT))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "package.zip")}
    subprocess.run([sys.executable, "-c", ZIPPED], cwd=tmp_path, env=environment, check=True)
    assert ".terms {" in (tmp_path / "out.html").read_text(encoding="utf-8")
