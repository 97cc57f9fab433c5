"""How the bad things of the table are made; each function returns one that is given the folder."""

import io
import os
import zipfile

import numpy as np

from tests.cli.conftest import run_quietly
from textensor.files import save


def nothing(place):
    """Make nothing: a file is not there, or the options are wrong."""


def file(name, content):
    content = content.encode() if isinstance(content, str) else content
    return lambda place: (place / name).write_bytes(content)


def zipped(name, content):
    """Return the bytes of an archive with one file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, content)
    return made.getvalue()


def folder(name):
    return lambda place: (place / name).mkdir()


def link(name, target):
    return lambda place: (place / name).symlink_to(target)


def pipe(name):
    return lambda place: os.mkfifo(place / name)


def gone(name):
    return lambda place: (place / name).unlink()


def changed(name, change):
    return lambda place: (place / name).write_bytes(change((place / name).read_bytes()))


def in_turn(*makers):
    return lambda place: [make(place) for make in makers]


def model_of(fitted):
    return lambda place: save(fitted(), place / "bad.model")


def newer_model(place):
    with zipfile.ZipFile(place / "bad.model", "w") as archive:
        info = zipfile.ZipInfo("header.json", (1980, 1, 1, 0, 0, 0))
        archive.writestr(info, '{"format":"textensor-model-99","arrays":[]}')


def model_cut_short(place):
    (place / "bad.model").write_bytes((place / "mail.model").read_bytes()[:-100])


def checkpoint(method, spoil):
    """Fit with a checkpoint, then spoil each file of it."""

    def make(place):
        assert run_quietly(f"fit good.csv -m {method} --checkpoint kept -o old.model") == 0
        for path in (place / "kept").iterdir():
            spoil(path)

    return make


def with_array(name, change):
    """Change an array of a checkpoint, if it has one of that name."""

    def spoil(path):
        with np.load(path) as kept:
            arrays = dict(kept)
        if name in arrays:
            np.savez(path, **{**arrays, name: change(arrays[name])})

    return spoil


def first_is(value):
    def change(array):
        array.flat[0] = value
        return array

    return change
