"""Ctrl-C at every moment of the writer, also while it cleans up: nothing is left unfinished."""

import os
import shutil

import numpy as np
import pytest

from tests.faults import Interrupt, full
from textensor.base import disk
from textensor.base.store import Store


def write_file(place):
    disk.replace_file(place / "a", [b"new"])


def write_folder(place):
    with disk.whole_folder(place / "b", replace=True) as partial:
        disk.write_new(partial / "c", [b"new"])


def write_new_folder(place):
    with disk.whole_folder(place / "d") as partial:
        disk.write_new(partial / "c", [b"new"])


def keep(place):
    Store(place).keep("kept", scores=np.ones(3))


def state(place):
    """Return all there is, with the content of files."""
    return {
        str(path.relative_to(place)): path.read_bytes() if path.is_file() else None
        for path in place.rglob("*")
    }


@pytest.fixture
def attempt(tmp_path, monkeypatch):
    """Write with an interrupt at a moment; return the number of moments, how it ended and what is left."""
    place = tmp_path / "place"

    def run(write, at=None):
        shutil.rmtree(place, ignore_errors=True)
        (place / "b").mkdir(parents=True)
        (place / "a").write_bytes(b"old")
        (place / "b" / "c").write_bytes(b"old")
        monkeypatch.setattr(disk, "_swept", {})
        interrupt, ended = Interrupt(at), None
        try:
            with interrupt:
                write(place)
        except (OSError, KeyboardInterrupt, ValueError) as error:
            ended = type(error)
        return interrupt.count, ended, state(place)

    return run


@pytest.mark.parametrize("write", [write_file, write_folder, write_new_folder, keep])
@pytest.mark.parametrize("fails", [False, True])
def test_an_interrupt_at_every_moment_leaves_the_old_or_the_new(write, fails, attempt, monkeypatch):
    if fails:
        monkeypatch.setattr(os, "fsync", lambda _: full())
    old = {"a": b"old", "b": None, "b/c": b"old"}
    n_moments, ended, new = attempt(write)
    assert n_moments > 50
    assert (ended, new == old) == ((OSError, True) if fails else (None, False))
    for at in range(1, n_moments + 1):
        _, ended, left = attempt(write, at)
        assert left in (old, new), at
        assert ended or left == new  # Python ignores an interrupt within a finalizer
