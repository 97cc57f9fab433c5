"""Files that are well-formed and well-summed, with contents that no model has."""

import copy

import numpy as np

from tests.files.zoo import NAMES

VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    7,
    1000,
    2**31,
    2**62,
    -(2**63),
    10**400,
    0.5,
    -1e300,
    1e300,
    5e-324,
    "",
    "x",
    "tf",
    "tfidf",
    "precomputed",
    "linear",
    "../../x",
    "os.system",
    [],
    {},
    [[]],
    {"array": 0},
    {"array": -1},
    {"array": 10**9},
    {"tuple": []},
    {"tuple": [-1, 2]},
    {"tuple": [2**40, 2**40]},
    {"set": [1, 1]},
    {"float": "nan"},
    {"float": "1"},
    {"dict": [["a", 1], ["a", 2]]},
    {"vocabulary": ["a", "a"]},
    {"vocabulary": ["wheat", "bank"]},
    {"strings": ["a", "b", "c"], "width": 1},
    {"strings": ["a"], "width": 10**12},
    {"strings": ["a", 1], "width": None},
    {"dtype": "|O", "type": True},
    {"dtype": "<f8", "type": True},
    {"sparse": ["csr", "matrix"], "shape": [1, 1], "arrays": [{"array": 0}, {"array": 1}, {"array": 2}]},
    {"class": "os.system", "parameters": {}, "state": {}},
    {"class": "builtins.eval", "parameters": {}, "state": None},
    {"class": "textensor.learn.Hinge", "parameters": {}, "state": {}},
    {"class": "textensor.space.Arrangement", "parameters": {}, "state": None},
]


def places(node, at=()):
    """Yield the path of every value in a tree of JSON."""
    yield at
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in parts:
        yield from places(part, (*at, key))


def _get(tree, at):
    for key in at:
        tree = tree[key]
    return tree


def mutate_tree(header, rng):
    """Change one thing in the tree of a header."""
    tree = header["model"]
    every = [at for at in places(tree) if at]
    at = every[rng.integers(len(every))]
    parent, key = _get(tree, at[:-1]), at[-1]
    action = rng.integers(7)
    if action <= 1:
        parent[key] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])
    elif action == 2:
        del parent[key]
    elif action == 3:  # one part in the place of another
        parent[key] = copy.deepcopy(_get(tree, every[rng.integers(len(every))]))
    elif action == 4 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif action == 4:
        parent[f"{key}_"] = parent.pop(key)
    elif action == 5 and isinstance(parent[key], int | float) and not isinstance(parent[key], bool):
        parent[key] = parent[key] * int(rng.integers(-2, 3)) + int(rng.integers(-1, 2))
    elif action == 5 and isinstance(parent[key], str):
        names = [*NAMES, parent[key] + "x", parent[key][:-1], parent[key].upper()]
        parent[key] = names[rng.integers(len(names))]
    else:
        other = every[rng.integers(len(every))]
        if other[:-1] == at[:-1]:
            parent[key], parent[other[-1]] = parent[other[-1]], parent[key]
        else:
            parent[key] = {"tuple": [parent[key]]}


NUMBERS = [-1, 0, 1, 2, 5, 100, 2**31 - 1, -(2**31), 2**62, np.nan, np.inf, -np.inf, 1e300, 1e-320]


def _with_number(array, rng):
    array = array.copy()
    if array.size:
        value = NUMBERS[rng.integers(len(NUMBERS))]
        with np.errstate(all="ignore"):
            array.reshape(-1)[rng.integers(array.size)] = np.array(value).astype(array.dtype)
    return array


def mutate_arrays(arrays, rng):
    """Change one of the arrays."""
    if not arrays:
        return
    i = rng.integers(len(arrays))
    array = arrays[i]
    action = rng.integers(8)
    with np.errstate(all="ignore"):
        changed = [
            lambda: _with_number(array, rng),
            lambda: _with_number(array, rng),
            lambda: array[:-1] if array.ndim else array,
            lambda: np.concatenate([array, array[-1:]]) if array.ndim else array,
            lambda: array.T if array.ndim > 1 else array[::-1] if array.ndim else array,
            lambda: array.astype(["f4", "f8", "i4", "i8", "u1", "b1", "f2", "u8"][rng.integers(8)]),
            lambda: array.reshape(-1) if rng.integers(2) else array[None],
            lambda: arrays[rng.integers(len(arrays))],
        ][action]()
    arrays[i] = np.ascontiguousarray(changed)
