"""For every class in model files: changing any one thing that it keeps is refused or does no harm.

The cases come from the declarations, so that a new class is covered as soon as the zoo has one of it. Run
with ``NUMBA_BOUNDSCHECK=1`` (``make test-bounds``), an index out of range in a kernel fails here, too.
"""

import copy
import random
import tracemalloc
from functools import cache

import pytest

from tests.files.writing import write_file
from tests.files.zoo import NAMES, ZOO, fitted
from tests.fuzz.asking import ask
from tests.fuzz.mutate import CHANGES, get, places
from tests.fuzz.run import ALLOWANCE, TIMES
from tests.fuzz.subjects import given
from textensor.files import ModelFileError, load, save
from textensor.files.container import read_file
from textensor.files.known import declared
from textensor.files.reading import Reader

SCALARS = [None, True, 0, -1, 2, 2**31, 2**62, 1e300, "", "x", [], {"tuple": []}, {"float": "nan"}]


@cache
def contents(name, place):
    """Return the header and the arrays of a model of the zoo."""
    path = place / f"{name}.model"
    if not path.exists():
        save(fitted(name), path)
    header, arrays, _ = read_file(path)
    return {key: header[key] for key in ("versions", "metadata", "model")}, arrays


def kind_of(node):
    return (node.get("class") or node.get("record")) if isinstance(node, dict) else None


@pytest.fixture(scope="module")
def smallest(tmp_path_factory):
    """Return for each class and record the smallest model that holds it, and where."""
    place = tmp_path_factory.mktemp("zoo")
    found = {}
    for name in ZOO:
        header, arrays = contents(name, place)
        size = sum(array.nbytes for array in arrays)
        for at in places(header["model"]):
            kind = kind_of(get(header["model"], at))
            if kind and (kind not in found or found[kind][0] > size):
                found[kind] = size, header, arrays, at, name
    return found


RECORDS = [
    *("Bounds", "Decomposition", "Documents", "EmbeddingMark", "Labels", "Layout", "NaiveBayes", "Subspaces"),
    "_CalibratedClassifier",
]


def test_the_cases_are_all_classes_and_all_records(smallest):
    assert sorted(smallest) == sorted([*NAMES, *RECORDS])
    assert all(declared(type(fitted(one[-1]))) for one in smallest.values())


def own_arrays(node):
    """Yield the numbers of the arrays in a value; those of another object are a case of their own."""
    if isinstance(node, dict) and type(node.get("array")) is int:
        yield node["array"]
    elif not kind_of(node):
        parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        for part in parts:
            yield from own_arrays(part)


def changed(node, arrays):
    """Yield what a value is changed to: a node and all arrays, one change each."""
    for number in own_arrays(node):
        for name, change in CHANGES.items():
            if name != "swapped":
                rng = random.Random(name)
                yield node, [*arrays[:number], change(arrays[number], rng, arrays), *arrays[number + 1 :]]
    for value in SCALARS:
        yield value, arrays
    if isinstance(node, int | float) and not isinstance(node, bool):
        yield from ((value, arrays) for value in (node + 1, node - 1, -node, node * 2))
    inner = [] if kind_of(node) else [at for at in places(node) if at and type(get(node, at)) is int]
    for at in inner[:8]:
        for value in (0, -1, get(node, at) + 1, 2**40):
            other = copy.deepcopy(node)
            get(other, at[:-1])[at[-1]] = value
            yield other, arrays


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [*NAMES, *RECORDS])
def test_any_one_change_is_refused_or_harmless(kind, smallest, tmp_path):
    _, header, arrays, at, name = smallest[kind]
    node = get(header["model"], at)
    path = tmp_path / "changed.model"
    n_refused = n_tried = 0
    for part in ("parameters", "state", "fields"):
        for key in node.get(part) or ():
            for value, numbers in changed(node[part][key], arrays):
                other = copy.deepcopy(header)
                get(other["model"], at)[part][key] = value
                path.unlink(missing_ok=True)  # a file system writes what takes the place of a file at once
                write_file(path, other, list(numbers))
                n_tried += 1
                tracemalloc.start()
                try:
                    model = load(path)
                except ModelFileError:
                    model = None
                    n_refused += 1
                finally:
                    taken = tracemalloc.get_traced_memory()[1]
                    tracemalloc.stop()
                assert taken < ALLOWANCE + TIMES * path.stat().st_size, (part, key)
                if model is not None:
                    ask(model, given(name))
    assert n_refused > n_tried / 4 or n_tried < 20


def test_a_reader_knows_no_other_kinds():
    assert set(Reader._KINDS) == {
        *("class", "record", "array", "strings", "sparse", "vocabulary"),
        *("dict", "tuple", "set", "frozenset", "dtype", "float"),
    }
