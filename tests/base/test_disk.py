"""Files and folders that are there whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from textensor.base import disk
from textensor.base.disk import replace_file, whole_folder


def names(folder):
    return [path.name for path in folder.iterdir()]


def stop_at(error):
    yield b"new"
    raise error


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path, error):
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(type(error)):
        replace_file(path, stop_at(error))
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_a_folder_appears_when_it_is_complete(tmp_path):
    with whole_folder(tmp_path / "deep" / "a") as partial:
        (partial / "b").touch()
        assert not (tmp_path / "deep" / "a").exists()
    assert names(tmp_path / "deep") == ["a"]
    assert names(tmp_path / "deep" / "a") == ["b"]


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
def test_a_folder_that_fails_half_way_leaves_the_old_one(tmp_path, error, replace):
    path = tmp_path / "a"
    path.mkdir()
    (path / "old").touch()
    with pytest.raises(type(error)), whole_folder(path, replace=replace) as partial:
        (partial / "new").touch()
        raise error
    assert names(path) == ["old"]
    assert names(tmp_path) == ["a"]


def test_a_folder_that_is_there_stays_unless_it_is_to_be_replaced(tmp_path):
    path = tmp_path / "a"
    path.mkdir(mode=0o700)
    (path / "old").touch()
    with pytest.raises(OSError, match="not empty"), whole_folder(path) as partial:
        (partial / "new").touch()
    assert names(path) == ["old"]
    with whole_folder(path, replace=True) as partial:
        (partial / "new").touch()
    assert names(path) == ["new"]
    assert path.stat().st_mode & 0o777 == 0o700
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path, seen = tmp_path / "a", []

    def pieces():
        (partial,) = tmp_path.glob(".*.partial")
        seen.append(partial.stat().st_mode & 0o777)
        yield b"new"

    path.write_text("old")
    path.chmod(mode)
    replace_file(path, pieces())
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == mode
    assert seen == [mode]  # never readable by more than the old one


def test_a_new_file_has_the_mode_that_the_system_gives(tmp_path):
    (tmp_path / "a").touch()
    replace_file(tmp_path / "b", [b"new"])
    assert (tmp_path / "b").stat().st_mode == (tmp_path / "a").stat().st_mode


#: Starts to write a file and a folder, and is killed.
KILLED = """
import os, pathlib, signal, sys
from textensor.base.disk import replace_file, whole_folder

def pieces():
    yield b"new"
    os.kill(os.getpid(), signal.SIGKILL)

folder = pathlib.Path(sys.argv[1])
with whole_folder(folder / "deep") as partial:
    (partial / "a").write_text("new")
    replace_file(folder / "a", pieces())
"""


@pytest.mark.skipif(disk.fcntl is None, reason="needs locks")
def test_what_a_dead_process_left_is_removed(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=environment, check=False)
    assert done.returncode == -9
    left = sorted(tmp_path.glob(".*.partial"))
    assert len(left) == 2
    replace_file(tmp_path / "b", [b"new"])
    assert sorted(tmp_path.glob(".*.partial")) == left  # for an hour: a slow disk is no death
    monkeypatch.setattr(disk, "STALE", -1.0)
    replace_file(tmp_path / "b", [b"new"])
    assert sorted(names(tmp_path)) == ["a", "b"]
    assert (tmp_path / "a").read_text() == "old"


@pytest.mark.skipif(disk.fcntl is None, reason="needs locks")
def test_what_is_being_written_is_not_swept(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "STALE", -1.0)

    def pieces():
        yield b"one "
        replace_file(tmp_path / "b", [b"another"])
        yield b"whole"

    (tmp_path / ".mine.partial").touch()
    (tmp_path / ".0123456789abcdef.partial").symlink_to("a")
    with whole_folder(tmp_path / "deep") as partial:
        replace_file(tmp_path / "a", pieces())
        (partial / "c").touch()
    assert (tmp_path / "a").read_text() == "one whole"
    assert sorted(names(tmp_path)) == [".0123456789abcdef.partial", ".mine.partial", "a", "b", "deep"]
    assert names(tmp_path / "deep") == ["c"]


def test_a_place_that_can_be_written_stays_empty(tmp_path):
    disk.check_writable(tmp_path)
    assert names(tmp_path) == []
    with pytest.raises(OSError, match="directory"):
        disk.check_writable(tmp_path / "nothing")


def sparse(path, n_bytes):
    """Make a file longer without writing to it."""
    os.truncate(path, n_bytes)
    if 512 * getattr(path.stat(), "st_blocks", 0) * disk.HOLES_FACTOR > n_bytes:
        pytest.skip("this file system does not make holes, or does not say so")
    return path


def test_a_file_of_holes_is_not_opened(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(b"head")
    with disk.open_regular(sparse(path, disk.HOLES)) as file:
        assert file.read(4) == b"head"
    sparse(path, 8 * 10**9)
    with pytest.raises(disk.DamageError, match=r"^long has 8,000,000,000 bytes, but only .* on the disk$"):
        disk.open_regular(path).__enter__()


def test_a_long_file_that_is_there_is_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "HOLES", 1000)
    path = tmp_path / "long"
    path.write_bytes(b"x" * 10**6)
    with disk.open_regular(path) as file:
        assert len(file.read()) == 10**6


def test_a_system_that_does_not_say_what_a_file_takes_is_believed(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(b"head")
    found = sparse(path, 8 * 10**9).stat()
    with path.open("rb") as file:
        disk._check_regular("long", os.stat_result([*found], {"st_blocks": 0}), file.fileno())
        assert file.read(4) == b"head"
