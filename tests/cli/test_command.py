import json
import os
import subprocess
import sys

import pytest

import textensor


def run(*arguments, **environment):
    """Run the command in a process of its own, as a shell would."""
    return subprocess.run(
        [sys.executable, "-m", "textensor", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )


@pytest.fixture
def nowhere(tmp_path):
    """An environment in which no corpus is here and none can be fetched."""
    proxy = "http://127.0.0.1:9"
    return {
        "TEXTENSOR_DATA": str(tmp_path),
        "TEXTENSOR_CACHE": str(tmp_path / "cache"),
        "SCIKIT_LEARN_DATA": str(tmp_path / "sklearn"),
        "https_proxy": proxy,
        "http_proxy": proxy,
    }


def test_version_and_help():
    assert run("--version").stdout == f"textensor {textensor.__version__}\n"
    assert "datasets" in run("--help").stdout
    assert "List the corpora" in run("--help").stdout
    assert "Example: textensor datasets" in run("datasets", "--help").stdout
    assert "Example: textensor datasets show" in run("datasets", "show", "--help").stdout


@pytest.mark.parametrize("code", ["import textensor", "import textensor.cli"])
def test_nothing_heavy_is_imported_for_help(code):
    code += "; import sys; print(sorted({'numba', 'scipy', 'sklearn', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


def test_the_table_of_datasets(nowhere):
    done = run("datasets", **nowhere)
    assert done.returncode == 0
    header, *rows = done.stdout.splitlines()
    assert header.split()[:4] == ["name", "documents", "labels", "here"]
    here = {row.split()[0]: " yes " in row for row in rows}
    assert here["docstrings"]
    assert not here["20newsgroups"]
    listed = json.loads(run("datasets", "--json", **nowhere).stdout)
    assert {row["name"]: row["here"] for row in listed} == here


def test_show_docstrings():
    done = run("datasets", "show", "docstrings")
    assert done.returncode == 0, done.stderr
    assert "content hash" in done.stdout
    assert "scipy.stats" in done.stdout
    shown = json.loads(run("datasets", "show", "docstrings", "--json").stdout)
    assert sum(shown["labels"].values()) == shown["documents"] > 1000


def test_a_terminal_that_cannot_show_a_character_does_not_stop_the_command():
    done = run("datasets", "show", "docstrings", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "scipy.stats" in done.stdout


def test_a_reader_that_leaves_early_is_no_error():
    command = f"{sys.executable} -m textensor datasets show docstrings | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr


def test_get_what_is_here():
    assert "nothing to get" in run("datasets", "get", "docstrings").stdout
