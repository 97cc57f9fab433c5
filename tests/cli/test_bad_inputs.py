"""Everything that can be wrong with what a command is given: one sentence, a code, and nothing is lost."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.bad_inputs import BAD_INPUTS, GOOD
from tests.cli.conftest import run_quietly


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """The folder that each command gets a copy of."""
    place = tmp_path_factory.mktemp("start")
    (place / "good.csv").write_text(GOOD)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert run_quietly("fit good.csv -m svm -o mail.model") == 0
        assert run_quietly("index good.csv --dimensions 5 -o mail.index") == 0
        assert run_quietly("search mail.index wheat --verify") == 0
    shutil.copy(place / "mail.model", place / "old.model")
    (place / "old.csv").write_text("older\n")
    (place / "old.html").write_text("<!doctype html>older\n")
    return place


def everything(place):
    """Return all that a folder holds: the kind of each entry, and what is in it."""
    found = {}
    for path in sorted(place.rglob("*")):
        content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(place))] = path.lstat().st_mode, content
    return found


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No corpus is here, and none can be fetched."""
    for name in ("TEXTENSOR_DATA", "TEXTENSOR_CACHE", "SCIKIT_LEARN_DATA"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("https_proxy", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("bad", BAD_INPUTS, ids=[bad.name for bad in BAD_INPUTS])
@pytest.mark.usefixtures("nowhere")
def test_bad_inputs(bad, start, textensor, tmp_path, monkeypatch):
    for ending, library in {"parquet": "pyarrow", "xlsx": "openpyxl"}.items():
        if ending in bad.command:
            pytest.importorskip(library)
    if "/proc/" in bad.command and not Path("/proc/self").is_dir():
        pytest.skip("needs a folder that nobody can write to")
    place = tmp_path / "place"
    shutil.copytree(start, place)
    monkeypatch.chdir(place)
    bad.make(place)
    before = everything(place)
    done = textensor(*shlex.split(bad.command))
    assert done.code == bad.code, done.err
    assert done.out == ""
    told = [line for line in done.err.splitlines() if re.match("textensor: (?!warning: )", line)]
    assert len(told) == 1, done.err
    sentence = re.escape(f"textensor: {bad.sentence}").replace(re.escape("..."), ".*")
    assert re.fullmatch(sentence, told[0]), told[0]
    assert "Traceback" not in done.err
    assert everything(place) == before


def test_each_row_has_a_name_of_its_own():
    assert len({bad.name for bad in BAD_INPUTS}) == len(BAD_INPUTS) > 40
