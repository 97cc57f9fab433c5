"""The commands through a real shell: pipes, redirections, signals, limits."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
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


def on_a_terminal(arguments, folder):
    """Run a command whose standard output and error are a terminal; return its code and what is seen."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    command = [sys.executable, "-m", "textensor", *arguments]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        seen = b""
        with contextlib.suppress(OSError):  # how a terminal ends that nobody writes to any more
            while piece := os.read(ours, 1 << 16):
                seen += piece
    os.close(ours)
    return running.returncode, seen.decode()


@pytest.mark.parametrize(
    ("command", "last"),
    [
        (["predict", "mail.model", "mail.csv"], ",sea,sea,0."),
        (["predict", "mail.model", "mail.csv", "--json"], '"label": "sea", '),
        (["cluster", "mail.csv", "--text", "body", "-k", "2"], " again,sea,"),
        (["explain", "mail.model", "wheat"], "(threshold)"),
        (["evaluate", "mail.model", "mail.csv"], "evaluate on other documents."),
    ],
)
def test_a_terminal_shows_what_a_pipe_gets(command, last, model, mail, tmp_path):
    code, seen = on_a_terminal(command, tmp_path)
    assert code == 0, seen
    assert last in seen.splitlines()[-1]


def test_a_reader_that_leaves_early(model, tmp_path):
    (tmp_path / "long.csv").write_text("body\n" + "wheat and maize\n" * 60_000)
    done = shell(
        "textensor predict mail.model long.csv --text body | head -1; exit ${PIPESTATUS[1]}", tmp_path
    )
    assert done.out == "body,label,score,unsure\n"
    assert done.err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        "predict mail.model mail.csv --text body",
        "predict mail.model long.csv --text body",
        "show mail.model",
        "show mail.model --json",
        "methods",
        "--version",
    ],
)
def test_a_full_disk_behind_a_redirection(command, model, mail, tmp_path):
    (tmp_path / "long.csv").write_text("body\n" + "wheat and maize\n" * 20_000)
    done = shell(f"textensor {command} > /dev/full", tmp_path)
    assert done.code == 1
    assert done.err == "textensor: Standard output could not be written (No space left on device).\n"


def test_a_file_that_may_not_grow(mail, tmp_path):
    done = shell("ulimit -f 2; textensor fit mail.csv --text body --label kind -m svm -o new.model", tmp_path)
    assert done.code == 1
    assert "new.model was not written (File too large)" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mail.csv"]


PREDICT = ["predict", "mail.model", "-", "--text", "body", "-o", "o.csv"]
TOLD = "textensor: interrupted; no file is left half-written.\n"


def listen():
    """Let a child hear signals, even if the tests run in the background of a shell, or under nohup."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def interrupted(command, folder, ready, number=signal.SIGINT):
    """Start a command that reads rows from us, send a signal when it is ready, and return what it said."""
    with subprocess.Popen(
        [sys.executable, *command],
        bufsize=0,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=listen,
    ) as process:

        def send():
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(b"body\n")
                for _ in range(400):
                    process.stdin.write(b"wheat and maize\n" * 100)

        # By a thread: a command that does not read on, as it is busy, would make us wait.
        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        limit = time.monotonic() + 300
        while not ready() and time.monotonic() < limit:
            time.sleep(0.05)
        assert ready()
        process.send_signal(number)
        told = process.stderr.read().decode()
        code = process.wait(300)
        sender.join(300)
        return code, told


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (signal.SIGINT, TOLD),
        (signal.SIGTERM, TOLD.replace("interrupted", "terminated")),
        (signal.SIGHUP, TOLD.replace("interrupted", "terminated")),
    ],
)
def test_a_signal_leaves_nothing(number, told, model, mail, tmp_path):
    before = sorted(tmp_path.iterdir())
    found = interrupted(
        ["-m", "textensor", *PREDICT], tmp_path, lambda: sorted(tmp_path.iterdir()) != before, number
    )
    assert found == (128 + number, told)
    assert sorted(tmp_path.iterdir()) == before


#: A command that meets code which swallows what is raised in it, as callbacks from C, finalizers and weak
#: references do.
DEAF = """
import sys, time, ctypes, pathlib
from textensor import cli
from textensor.workbench.categorizer import TextCategorizer

@ctypes.CFUNCTYPE(None)
def called_from_c():
    pathlib.Path("deaf").touch()
    time.sleep(300)

decide = TextCategorizer.decide
TextCategorizer.decide = lambda self, scores: (called_from_c(), decide(self, scores))[1]
sys.argv = ["textensor", *sys.argv[1:]]
cli.main()
"""


def test_an_interruption_that_is_swallowed_is_said_again(model, mail, tmp_path):
    before = sorted(tmp_path.iterdir())
    deaf = tmp_path / "deaf"
    code, told = interrupted(["-c", DEAF, *PREDICT, "--n-jobs", "1"], tmp_path, deaf.exists)
    assert code == 130  # the first one was swallowed: without a second the command would run on to its end
    assert told.endswith(TOLD)
    deaf.unlink()
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
