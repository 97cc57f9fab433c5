"""Collections of labels, one for each document: tuples, lists or sets of names."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Rows

COLLECTIONS = (tuple, list, set, frozenset)
#: The types of pandas.NA and pandas.NaT, which are not imported for this.
_PANDAS_MISSING = frozenset(["NAType", "NaTType"])


def is_missing(value: Any) -> bool:
    """Return whether a value stands for none: None, NaN, NaT, pandas.NA or a masked entry of numpy.

    Examples
    --------
    >>> is_missing(float("nan")), is_missing(np.datetime64("NaT")), is_missing(""), is_missing(0)
    (True, True, False, False)
    """
    if isinstance(value, str):
        return False
    if value is None or value is np.ma.masked or type(value).__name__ in _PANDAS_MISSING:
        return True
    return isinstance(value, float | np.inexact | np.datetime64 | np.timedelta64) and bool(value != value)


def indicator_of(rows: Rows, columns: Rows, n_documents: int, n_names: int) -> sp.csr_array:
    """Return documents x labels with True in these cells."""
    ones = np.ones(len(rows), dtype=bool)
    return sp.csr_array((ones, (rows, columns)), shape=(n_documents, n_names))


def read_sets(sets: list[tuple[Any, ...]]) -> tuple[npt.NDArray[Any], sp.csr_array]:
    """Return the names that occur, and the indicator of them."""
    found = {name for one in sets for name in one}
    known = sorted(found, key=lambda name: (type(name).__name__, name))
    if len(set(map(str, known))) < len(known):
        raise ValueError("A number and a string are the same label, such as 1 and '1': give one type.")
    column = {name: k for k, name in enumerate(known)}
    pairs = [(d, column[name]) for d, one in enumerate(sets) for name in one]
    rows, columns = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return np.array(known), indicator_of(rows, columns, len(sets), len(known))


def are_collections(y: Any) -> bool:
    """Return whether y is a collection of labels for each document; lists of numbers are an indicator."""
    if isinstance(y, list | tuple) or (isinstance(y, np.ndarray) and y.dtype == object and y.ndim == 1):
        kept = (one for one in y if isinstance(one, COLLECTIONS))
        return any(
            isinstance(one, set | frozenset) or any(isinstance(name, str) for name in one) for one in kept
        )
    return False


def names_in(one: Any, several: bool) -> tuple[Any, ...]:
    """Return the labels of a document, each once; only collections are taken where others are collections.

    A missing value is no label. Numbers beside missing values are floats in pandas and numpy: a whole one is
    taken for the whole number.
    """
    if isinstance(one, COLLECTIONS):
        found = tuple(dict.fromkeys(_plain(name) for name in one if not is_missing(name)))
    else:
        found = () if is_missing(one) or (isinstance(one, str) and one == "") else (_plain(one),)
        if several and found:
            raise ValueError(f"The label {one!r:.80} stands alone where others are in lists: give lists.")
    for name in found:
        if not isinstance(name, str | int) or isinstance(name, bool) or name == "":
            raise ValueError(f"A label is a string or a whole number, not {name!r:.80}.")
        if isinstance(name, str) and name.endswith("\0"):  # numpy would drop it
            raise ValueError(f"The label {name!r:.80} ends in a NUL character: remove it.")
    return found


def _plain(name: Any) -> Any:
    """Return a label as a value of Python."""
    name = name.item() if isinstance(name, np.generic) else name
    return int(name) if isinstance(name, float) and name.is_integer() else name
