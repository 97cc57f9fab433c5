"""A file is written as a whole or not at all, and only in the place of another."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.files.damage import refused, saved
from tests.files.zoo import fitted
from textensor.base import disk
from textensor.files import ModelFileError, container, save


@pytest.mark.parametrize("step", ["open", "write", "fsync", "replace", "full"])
def test_an_interruption_leaves_the_old_file_and_no_other(step, path, monkeypatch):
    content = saved(path)
    error = OSError(28, "No space left on device") if step == "full" else KeyboardInterrupt()

    class Full(io.FileIO):
        def write(self, piece):
            super().write(bytes(piece)[:10])
            raise error

    def fail(*args, **options):
        raise error

    with monkeypatch.context() as patch:
        if step == "fsync":
            patch.setattr(os, "fsync", fail)
        elif step == "replace":
            patch.setattr(Path, "replace", fail)
        else:
            opened = fail if step == "open" else lambda path, mode, opener: Full(path, mode)
            patch.setattr(disk, "open", opened, raising=False)
        with pytest.raises(type(error)) as caught:
            save(fitted("kda"), path)
    if step == "full":
        assert str(caught.value) == (
            f"{path} was not written (No space left on device); what was there before is as it was."
        )
    assert [found.name for found in path.parent.iterdir()] == ["my.model"]
    assert path.read_bytes() == content


def test_a_killed_writer_leaves_the_old_file(path):
    content = saved(path)
    code = (
        "import os, signal, sys\n"
        "from textensor.files import save\n"
        "from textensor.reduce import CentroidProjection\n"
        "os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)\n"
        "save(CentroidProjection().fit([[1.0, 0.0], [0.0, 2.0]], [0, 1]), sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=False)
    assert done.returncode == -9
    assert path.read_bytes() == content


def test_nothing_but_a_model_is_replaced(path):
    saved(path)
    link = path.with_name("link.model")
    link.symlink_to(path)
    folder = path.with_name("folder.model")
    folder.mkdir()
    text = path.with_name("data.csv")
    text.write_text("label,text\n")
    for place in (link, folder, text):
        with pytest.raises(
            FileExistsError, match=r"is not replaced \(.*\): remove it or choose another place"
        ):
            save(fitted("srda"), place)
    assert text.read_text() == "label,text\n"
    assert link.is_symlink()
    save(fitted("kda"), path)
    path.with_name("empty.model").touch()
    save(fitted("kda"), path.with_name("empty.model"))


def test_links_folders_and_pipes_are_not_read(path):
    saved(path)
    link = path.with_name("link.model")
    link.symlink_to(path)
    refused(link, "link.model is a link")
    refused(path.parent, "is not a regular file")
    pipe = path.with_name("pipe.model")
    os.mkfifo(pipe)
    refused(pipe, "is not a regular file")


def test_new_files_have_usual_permissions_and_folders_are_made(tmp_path):
    place = tmp_path / "deep" / "er" / "my.model"
    mask = os.umask(0o022)
    try:
        save(fitted("srda"), str(place))
    finally:
        os.umask(mask)
    assert place.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(("limit", "value"), [("MAX_HEADER", 100), ("MAX_BYTES", 5000), ("MAX_MEMBERS", 2)])
def test_a_model_over_the_cap_is_neither_saved_nor_loaded(limit, value, path, monkeypatch):
    content = saved(path, "pipe-stm")
    monkeypatch.setattr(container, limit, value)
    with pytest.raises(ModelFileError, match=r"This Pipeline cannot be saved: its? (terms|takes)"):
        save(fitted("pipe-stm"), path)
    assert path.read_bytes() == content
    refused(path, "larger than|no list of arrays")
