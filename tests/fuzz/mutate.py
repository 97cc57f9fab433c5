"""Mutations of what a model file says: its tree of JSON and its arrays."""

import copy
import random
import string

import numpy as np

from tests.files.zoo import NAMES

#: 2 ** 61 - 1: whole numbers that differ by a multiple of it have one hash.
PRIME = (1 << 61) - 1
PATTERNS = [
    r"(?x)(?:\w+) +!",
    r"(?x:(?:\w+) +)!",
    "(?x)(?:a+) # [\n +!",
    r"(a+)+$",
    r"(a|a)*$",
    r"(?:a|aa)+!",
    r"(?=(a+))\1+!",
    r"\w*\w*\w*\w*!",
    r"((a{1,9}){1,9}){1,9}!",
    r"\w",
    r"(?s).",
    "a" * 300,
    "(" * 90 + ")" * 90,
    "[",
    "(?i)[a-z]+",
    r"(\w+) (\w+)",
]
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
    257,
    2**26,
    2**31,
    2**53,
    2**62,
    -(2**63),
    PRIME,
    10**40,
    10**400,
    0.5,
    -0.0,
    -1e300,
    1e300,
    5e-324,
    "",
    "x",
    "tf",
    "tfidf",
    "l1",
    "char",
    "char_wb",
    "filename",
    "precomputed",
    "linear",
    "passthrough",
    "balanced",
    "float16",
    "../../x",
    "os.system",
    "\x1b[31m\n\x00",
    "\ud800",
    "<script>alert(1)</script>",
    [],
    {},
    [[]],
    [None],
    {"array": 0},
    {"array": -1},
    {"array": 10**9},
    {"tuple": []},
    {"tuple": [-1, 2]},
    {"tuple": [2**29, 2**29]},
    {"tuple": [2**40, 2**40]},
    {"tuple": [1, 10**9]},
    {"set": [1, 1]},
    {"set": ["the", "and"]},
    {"set": [k * PRIME for k in range(60_000)]},
    {"dict": [[k * PRIME, 1] for k in range(60_000)]},
    {"float": "nan"},
    {"float": "inf"},
    {"float": "1"},
    {"dict": []},
    {"dict": [["a", 1], ["a", 2]]},
    {"dict": [[0, 1.0], [1, 2.0]]},
    {"vocabulary": []},
    {"vocabulary": ["a", "a"]},
    {"vocabulary": ["wheat", "bank"]},
    {"strings": [], "width": 1},
    {"strings": ["a", "b", "c"], "width": 1},
    {"strings": ["a", "b", "c"], "width": None},
    {"strings": ["a"], "width": 2**26},
    {"strings": ["a"], "width": 10**12},
    {"strings": ["a", 1], "width": None},
    {"dict": [["transform", "pandas"]]},
    {"dtype": "|O", "type": True},
    {"dtype": "<f8", "type": True},
    {"dtype": "<f2", "type": False},
    {"sparse": ["csr", "matrix"], "shape": [1, 1], "arrays": [{"array": 0}, {"array": 1}, {"array": 2}]},
    {"class": "os.system", "parameters": {}, "state": {}},
    {"class": "builtins.eval", "parameters": {}, "state": None},
    *PATTERNS,
    *({"class": name, "parameters": {}, "state": state} for name in NAMES for state in (None, {})),
]
NUMBERS = [-1, 0, 1, 2, 5, 100, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63)]
FLOATS = [np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-320, -0.0, 0.5]
DTYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u4", "u8", "b1"]


def places(tree):
    """Return the path of every value in a tree of JSON; the whole tree comes first."""
    found = [((), tree)]
    for at, node in found:  # grows meanwhile
        parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        found += [((*at, key), part) for key, part in parts]
    return [at for at, _ in found]


def get(tree, at):
    """Return the value at a path."""
    for key in at:
        tree = tree[key]
    return tree


def mutate(header, arrays, rng: random.Random, others=()):
    """Change one to four things; ``others`` are headers and arrays of further files to take parts from."""
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
        action = rng.random()
        if arrays and action < 0.4:
            mutate_array(arrays, rng)
        elif others and action > 0.95:
            transplant(header, arrays, rng, *rng.choice(others))
        else:
            mutate_tree(header["metadata"] if action > 0.87 else header["model"], rng)


def mutate_tree(tree, rng):
    """Change one thing in a tree of JSON."""
    every = [at for at in places(tree) if at]
    if not every:
        return
    at = rng.choice(every)
    parent, key = get(tree, at[:-1]), at[-1]
    action = rng.randrange(8)
    if action == 0:
        del parent[key]
    elif action == 1:
        _add(parent, key, rng)
    elif action == 2:
        siblings = [other[-1] for other in every if other[:-1] == at[:-1]]
        other = rng.choice(siblings)
        parent[key], parent[other] = parent[other], parent[key]
    else:
        parent[key] = _other(parent[key], tree, every, rng)


def _add(parent, key, rng):
    """Repeat an entry of a list, or give an object one more key."""
    if isinstance(parent, list):
        parent[key:key] = [copy.deepcopy(parent[key])] * rng.choice([1, 1, 2, 100])
    else:
        name = rng.choice([f"{key}_", f"_{key}", "n_jobs", "__class__", "transform"])
        parent[name] = copy.deepcopy(parent[key])


def _other(value, tree, every, rng):
    """Return a substitute for a value: hostile, near to it, from elsewhere in the tree, or wrapped."""
    action = rng.randrange(5)
    if action <= 1:
        return copy.deepcopy(rng.choice(VALUES))
    if action == 2:
        return _near(value, rng)
    if action == 3:
        return copy.deepcopy(get(tree, rng.choice(every)))
    if rng.random() < 0.5:
        return {rng.choice(["tuple", "set", "frozenset", "dict"]): [value]}
    for _ in range(rng.choice([1, 1, 2, 50, 200])):
        value = [value]
    return value


def _near(value, rng):
    """Return a value like another."""
    if isinstance(value, bool) or value is None:
        return rng.choice([True, False, None, 0, 1])
    if isinstance(value, int | float):
        return rng.choice([value + 1, value - 1, -value, value * 2, value * 10**6, value / 2, value * 1.0])
    if isinstance(value, str):
        names = [value + "x", value[:-1], value.upper(), value * 50, rng.choice(string.printable)]
        return rng.choice([*names, rng.choice(NAMES), rng.choice(PATTERNS)])
    if isinstance(value, list):
        return value[: rng.randrange(len(value) + 1)] if rng.random() < 0.5 else value[::-1]
    return [value]


def transplant(header, arrays, rng, donor, donated):
    """Put an estimator or a record of another model in the place of one here, with its arrays."""
    tree, other = header["model"], donor["model"]
    from_, to = (
        [at for at in places(one) if isinstance(get(one, at), dict) and kinds & get(one, at).keys()]
        for one, kinds in ((other, {"class", "record", "sparse"}), (tree, {"class", "record", "sparse"}))
    )
    to = [at for at in to if at]
    if not from_ or not to:
        return
    part = copy.deepcopy(get(other, rng.choice(from_)))
    for at in places(part):
        node = get(part, at)
        if isinstance(node, dict) and node.keys() == {"array"} and type(node["array"]) is int:
            arrays.append(donated[node["array"]])
            node["array"] = len(arrays) - 1
    at = rng.choice(to)
    get(tree, at[:-1])[at[-1]] = part
    drop_unused(header, arrays)


def drop_unused(header, arrays):
    """Leave out arrays that nothing uses, and number the others anew."""
    nodes = [get(header["model"], at) for at in places(header["model"])]
    used = [n for n in nodes if isinstance(n, dict) and n.keys() == {"array"} and type(n["array"]) is int]
    used = [node for node in used if 0 <= node["array"] < len(arrays)]
    kept = sorted({node["array"] for node in used})
    for node in used:
        node["array"] = kept.index(node["array"])
    arrays[:] = [arrays[number] for number in kept]


def mutate_array(arrays, rng):
    """Change one of the arrays."""
    number = rng.randrange(len(arrays))
    with np.errstate(all="ignore"):
        changed = CHANGES[rng.choice(list(CHANGES))](arrays[number], rng, arrays)
    arrays[number] = np.ascontiguousarray(changed) if changed.ndim < 2 else changed


def with_number(array, rng):
    """Return an array with one number changed to a hostile one."""
    array = array.copy()
    if array.size:
        value = rng.choice(
            NUMBERS + (FLOATS if array.dtype.kind == "f" else []) + [array.size, len(array.shape)]
        )
        with np.errstate(all="ignore"):
            array.reshape(-1)[rng.randrange(array.size)] = np.array(value).astype(array.dtype)
    return array


def _another(array, rng):
    """Return an array with one of its numbers in the place of another."""
    array = array.copy()
    if array.size:
        flat = array.reshape(-1)
        flat[rng.randrange(array.size)] = flat[rng.randrange(array.size)]
    return array


def _longer(array, rng):
    return np.concatenate([array, *([array[-1:]] * rng.choice([1, 1, 2, 1000]))]) if array.ndim else array


def _largest(dtype):
    return np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max if dtype.kind in "iu" else True


def _narrower(array, rng):
    del rng
    return array[..., :-1] if array.ndim else array


#: Every way to change an array; each gets the array, the random numbers and all arrays.
CHANGES = {
    "number": lambda a, rng, _: with_number(a, rng),
    "numbers": lambda a, rng, _: with_number(with_number(a, rng), rng),
    "another": lambda a, rng, _: _another(a, rng),
    "shorter": lambda a, rng, _: a[: -rng.choice([1, 1, 2, 1000])] if a.ndim else a,
    "longer": lambda a, rng, _: _longer(a, rng),
    "narrower": lambda a, rng, _: _narrower(a, rng),
    "empty": lambda a, rng, _: a[:0] if a.ndim else a,
    "no width": lambda a, rng, _: a[..., :0] if a.ndim else a,
    "turned": lambda a, rng, _: a.T if a.ndim > 1 else a[::-1] if a.ndim else a,
    "dtype": lambda a, rng, _: a.astype(rng.choice(DTYPES)),
    "flat": lambda a, rng, _: a.reshape(-1),
    "deeper": lambda a, rng, _: a[None] if a.ndim < 30 else a,
    "swapped": lambda a, rng, arrays: rng.choice(arrays),
    "sorted": lambda a, rng, _: np.sort(a, axis=None).reshape(a.shape),
    "constant": lambda a, rng, _: np.full_like(a, a.reshape(-1)[0]) if a.size else a,
    "all large": lambda a, rng, _: np.full_like(a, _largest(a.dtype)),
    "all small": lambda a, rng, _: np.full_like(a, 1e-200 if a.dtype == np.float64 else 0),
    "plus one": lambda a, rng, _: (a + 1).astype(a.dtype),
    "scalar": lambda a, rng, _: a.reshape(-1)[0].reshape(()) if a.size else a,
}
