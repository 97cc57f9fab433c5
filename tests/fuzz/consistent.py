"""Lies that agree with each other: a size is changed wherever a file says it."""

import copy

import numpy as np

from tests.fuzz.mutate import get, places

#: Longer lists and arrays are left as they are.
MOST = 10**5


def resize(header, arrays, rng):
    """Change a size in the shapes of all arrays, the lengths of all lists and all equal numbers."""
    tree = header["model"]
    every = [(at, get(tree, at)) for at in places(tree) if at]
    known = {length for array in arrays for length in array.shape if length > 0}
    known |= {len(value) for _, value in every if type(value) is list and len(value) > 1}
    known |= {value for _, value in every if type(value) is int and value > 1}
    if not known:
        return
    old = rng.choice(sorted(known))
    new = max(rng.choice([old - 1, old + 1, old + 1, 2 * old, old - 2, 0, 1, 2, 3, 64]), 0)
    arrays[:] = [_resized(array, old, new, rng) for array in arrays]
    for at, value in every:
        if type(value) is int and value == old and at[-1] != "array":
            get(tree, at[:-1])[at[-1]] = new
    for value in [value for _, value in every if type(value) is list and len(value) == old > 1]:
        value[:] = _entries(value, new)


def _resized(array, old, new, rng):
    """Return an array with another length wherever it has the old one; permutations stay permutations."""
    if max(new, 1) * array.size > MOST * old:
        return array
    whole = array.ndim == 1 and array.dtype.kind == "i"
    if whole and len(array) == old and np.array_equal(np.sort(array), np.arange(old)):
        return np.array(rng.sample(range(new), new), dtype=array.dtype)
    if whole and len(array) == old + 1:  # where rows begin
        return np.maximum.accumulate(np.resize(array, new + 1))
    found = array
    for axis, length in enumerate(array.shape):
        if length == old:
            found = np.take(found, np.arange(new) % old, axis=axis)
    return np.minimum(found, max(new - 1, 0)) if whole and array.max(initial=0) == old - 1 else found


def _entries(entries, new):
    """Return a list of another length; strings stay different from each other."""
    if new > MOST:
        return entries
    more = [copy.deepcopy(entries[k % len(entries)]) for k in range(len(entries), new)]
    return entries[:new] + [f"{one}{k}" if type(one) is str else one for k, one in enumerate(more)]
