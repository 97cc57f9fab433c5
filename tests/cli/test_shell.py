"""The commands through a real shell: pipes, redirections, signals, limits."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import shell

ROOT = Path(__file__).parents[2]


def test_pipes(model, mail, tmp_path):
    done = shell("cat mail.csv | textensor predict mail.model - --text body | tail -1", tmp_path)
    assert done.code == 0, done.err
    assert re.fullmatch(r"23,.* again,sea,sea,0\.\d+,(true|false)\n", done.out)
    assert done.err == ""
    told = shell("echo 'wheat and maize' | textensor explain mail.model -", tmp_path)
    assert told.out.startswith("grain: score")


def test_a_reader_that_leaves_early(model, tmp_path):
    (tmp_path / "long.csv").write_text("body\n" + "wheat and maize\n" * 60_000)
    done = shell(
        "textensor predict mail.model long.csv --text body | head -1; exit ${PIPESTATUS[1]}", tmp_path
    )
    assert done.out == "body,label,score,unsure\n"
    assert done.err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_a_redirection(model, mail, tmp_path):
    done = shell("textensor predict mail.model mail.csv --text body > /dev/full", tmp_path)
    assert done.code == 1
    assert done.err == "textensor: [Errno 28] No space left on device\n"


def test_a_file_that_may_not_grow(mail, tmp_path):
    done = shell("ulimit -f 2; textensor fit mail.csv --text body --label kind -m svm -o new.model", tmp_path)
    assert done.code == 1
    assert "new.model was not written (File too large)" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mail.csv"]


def test_an_interruption_leaves_nothing(model, mail, tmp_path):
    before = sorted(tmp_path.iterdir())
    command = [
        sys.executable,
        "-m",
        "textensor",
        "predict",
        "mail.model",
        "-",
        "--text",
        "body",
        "-o",
        "o.csv",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment
    ) as process:
        process.stdin.write(b"body\n" + b"wheat and maize\n" * 40_000)
        process.stdin.flush()
        limit = time.monotonic() + 60
        while sorted(tmp_path.iterdir()) == before and time.monotonic() < limit:
            time.sleep(0.05)  # until it writes
        assert sorted(tmp_path.iterdir()) != before
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        told = process.stderr.read().decode()
        assert process.wait(60) != 0
    assert "Traceback" not in told
    assert sorted(tmp_path.iterdir()) == before


def test_help_of_a_command_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['textensor', 'fit', '--help']\n"
        "from textensor import cli\n"
        "try:\n    cli.main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'scipy', 'sklearn', 'numpy', 'jinja2'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stderr.strip() == "[]"
    assert "Example: textensor fit" in done.stdout
