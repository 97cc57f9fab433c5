"""Small files that ask for much: refused or harmless, within seconds and little memory."""

import json
import random

import numpy as np
import pytest

from tests.files.damage import refused, saved
from tests.files.test_contents import rewrite, set_state
from tests.files.zoo import given
from tests.fuzz.asking import ask, command
from tests.fuzz.mutate import PATTERNS, PRIME
from tests.fuzz.run import ALLOWANCE, TIMES, forked
from textensor.files import ModelFileError, container, load, save
from textensor.search import DocumentIndex
from textensor.space import TermVectorizer


def raw(path, text, arrays=()):
    """Write a file whose header is any text, with all sums right."""
    members = [container.Member("header.json", len(text), container._crc([text]))]
    path.write_bytes(members[0].before() + text + container._directory(members))


def header_of(what):
    """Return a header that is well-formed but for one long value."""
    rest = {"format": container.FORMAT, "versions": {}, "metadata": {}, "arrays": []}
    return json.dumps(rest)[:-1].encode() + b', "model": ' + what + b"}"


def many_lists(path):
    raw(path, header_of(b"[" + b"[]," * (20 << 20) + b"[]]"))


def many_objects(path):
    raw(path, header_of(b"[" + b'{"":{}},' * (4 << 20) + b"{}]"))


def short_terms(path):
    saved(path, "counts")
    text = json.dumps([f"{k:x}" for k in range(1 << 22)], separators=(",", ":")).encode()
    raw(path, header_of(b'{"class": "sklearn", "parameters": {}, "state": {"vocabulary": ' + text + b"}}"))


def wide_strings(path):
    saved(path, "srda")
    strings = {"strings": ["a"], "width": 1 << 23}
    rewrite(path, set_state("classes_", {"tuple": [strings] * 100}))


def colliding(kind):
    def make(path):
        saved(path, "terms")
        values = [k * PRIME for k in range(60_000)]
        node = {"set": values} if kind == "set" else {"dict": [[value, 1] for value in values]}
        rewrite(path, lambda model, arrays: model["parameters"].update(stop_words=node))

    return make


def colliding_below_64_bits(path):
    saved(path, "terms")
    values = [k * PRIME % (1 << 64) for k in range(60_000)]
    rewrite(path, lambda model, arrays: model["parameters"].update(stop_words={"set": values}))


def wide_grid(width):
    """Make a grid of 2 ** 29 x 2 ** 29 cells whose factors have no or one column."""

    def change(model, arrays):
        model["state"]["arrangement_"]["state"]["shape_"] = {"tuple": [1 << 29, 1 << 29]}
        solved = model["state"]["_solved"]["fields"]
        for mode in range(2):
            arrays[solved["factors"][mode]["array"]] = np.zeros((1 << 29, 0))
            arrays[solved["eigenvalues"][mode]["array"]] = np.zeros(0)

    def make(path):
        saved(path, "hosvd")
        rewrite(path, change)

    return make


def short_modes(n_modes, rank):
    """Make factors whose product is far larger than they are."""

    def change(model, arrays):
        placed, solved = model["state"]["arrangement_"], model["state"]["_solved"]["fields"]
        order = arrays[placed["state"]["permutation_"]["array"]]
        placed["state"]["shape_"] = {"tuple": [rank] * n_modes}
        placed["state"]["permutation_"] = {"array": 0}
        solved["factors"] = [{"array": 1 + i} for i in range(n_modes)]
        solved["eigenvalues"] = [{"array": 1 + n_modes + i} for i in range(n_modes)]
        eyes, ones = [np.eye(rank) for _ in range(n_modes)], [np.ones(rank) for _ in range(n_modes)]
        arrays[:] = [order, *eyes, *ones]

    def make(path):
        saved(path, "hosvd")
        rewrite(path, change)

    return make


HOSTILE = {
    "a header of empty lists": (many_lists, "hosvd"),
    "a header of small objects": (many_objects, "hosvd"),
    "four million short terms": (short_terms, "counts"),
    "wide strings, many of them": (wide_strings, "srda"),
    "numbers of one hash in a set": (colliding("set"), "terms"),
    "numbers of one hash in a dict": (colliding("dict"), "terms"),
    "numbers of 64 bits in a set": (colliding_below_64_bits, "terms"),
    "a grid of 2 ** 58 cells": (wide_grid(0), "hosvd"),
    "five short modes": (short_modes(5, 20), "hosvd"),
    "fifteen modes of two": (short_modes(15, 2), "hosvd"),
    "three modes of a hundred": (short_modes(3, 100), "hosvd"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_small_file_takes_little(name, path):
    make, model = HOSTILE[name]
    make(path)

    def loaded():
        command("show", path)
        try:
            ask(load(path), given(model))
        except ModelFileError:
            return "refused"
        return "harmless"

    kind, said, taken = forked(loaded)
    assert kind in ("refused", "harmless"), said
    assert taken < ALLOWANCE + TIMES * path.stat().st_size


def test_a_small_index_of_many_dimensions_takes_little(tmp_path):
    for width in (4, 8192):
        index = DocumentIndex()
        index.add(np.eye(1, width))
        index.save(tmp_path / str(width))
    DocumentIndex.load(tmp_path / "4").search(np.ones((1, 4)), k=1)  # compiles

    def searched():
        DocumentIndex.load(tmp_path / "8192").search(np.ones((1, 8192)), k=1)
        return "harmless"

    kind, said, taken = forked(searched)
    assert kind == "harmless", said
    assert taken < ALLOWANCE


@pytest.mark.parametrize("pattern", PATTERNS[:9])
def test_expressions_that_may_stall_are_refused(pattern, path):
    saved(path, "terms")
    rewrite(path, lambda model, arrays: model["parameters"].update(token_pattern=pattern))
    refused(path, "simple kind")


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?u)\b\w\w+\b",
        r"\w+",
        r"(?u)\b\w+\b",
        r"\S+",
        r"[a-zA-Z]+",
        r"\b[a-zA-Z]{3,}\b",
        r"[^\W\d_]+",
        r"[\w'-]+",
        r"[а-яё]+",
        r"(?u)\b[^\W\d]\w+(?:'\w+)?\b",
        r"[A-Za-z][a-z]+(?:-\w+)?",
    ],
)
def test_expressions_that_people_use_are_kept(pattern, path):
    texts = ["Don't stop the well-known ships", "кошка и собака don't 12 ships", "x" * 20_000 + "1"]
    model = TermVectorizer(token_pattern=pattern).fit(texts)
    save(model, path)
    assert (load(path).transform(texts) != model.transform(texts)).nnz == 0


def test_a_large_honest_vocabulary_is_kept(path):
    rng = random.Random(0)
    terms = {"".join(rng.choices("abcdefghij", k=7)) for _ in range(200_000)}
    model = TermVectorizer(vocabulary=sorted(terms)).fit(["abc abd"])
    save(model, path)
    assert load(path).vocabulary_ == model.vocabulary_
