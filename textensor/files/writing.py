"""From Python to data: a tree of JSON and a list of arrays.

Strings, finite numbers, truth values, None and lists stand for themselves. Everything else is an object of
JSON that says what it is: ``{"array": 3}``, ``{"tuple": [...]}``, ``{"class": "textensor.reduce.SRDA", ..}``;
classes come from a closed table.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from textensor.base.disk import DamageError
from textensor.base.kept import require
from textensor.files.container import DTYPES, checked_number
from textensor.files.known import Declaration, declared, name_of

#: Pipelines in pipelines end somewhere.
MAX_DEPTH = 40
#: Numbers among the keys of a dict, or in a set.
MAX_NUMBERS = 20_000

Node = Any
Where = tuple[str, ...]


class Writer:
    """Turns values into nodes, and collects their arrays."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray[Any, Any]] = []
        self.where: Where = ()  # what is being encoded, for what went wrong

    def encode(self, value: Any, where: Where = ()) -> Node:
        """Return a value as a node, or say why it is none."""
        self.where = where
        if len(where) > MAX_DEPTH:
            raise DamageError("it is nested too deeply")
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int:
            return checked_number(value)
        if isinstance(value, float):
            return float(value) if abs(value) < float("inf") else {"float": str(float(value))}
        for kind, encode in self._KINDS:
            if isinstance(value, kind):
                return encode(self, value, where)
        return self._object(value, where)

    def _each(self, values: Any, where: Where) -> list[Node]:
        return [self.encode(value, (*where, str(i))) for i, value in enumerate(values)]

    def _tuple(self, value: tuple[Any, ...], where: Where) -> Node:
        return {"tuple": self._each(value, where)} if type(value) is tuple else self._object(value, where)

    def _dict(self, value: dict[Any, Any], where: Where) -> Node:
        terms = sorted(value, key=value.__getitem__) if _is_vocabulary(value) else None
        if terms:
            return {"vocabulary": terms}
        check_numbers(value)
        return {"dict": [self._each(pair, (*where, str(pair[0])[:40])) for pair in value.items()]}

    def _set(self, value: Any, where: Where) -> Node:
        check_numbers(value)
        try:
            return {type(value).__name__: self._each(sorted(value), where)}
        except TypeError as error:
            raise DamageError("a set of things that have no order cannot be stored") from error

    def _array(self, value: np.ndarray[Any, Any], _: Where) -> Node:
        little = value.dtype.newbyteorder("<")
        if little.str in DTYPES and type(value) in (np.ndarray, np.memmap):
            self.arrays.append(np.asarray(value, dtype=little))
            return {"array": len(self.arrays) - 1}
        strings = value.tolist()
        if value.ndim != 1 or not all(type(text) is str for text in strings):
            raise DamageError(f"an array of {value.dtype} cannot be stored as data")
        return {"strings": strings, "width": None if value.dtype == object else value.dtype.itemsize // 4}

    def _sparse(self, value: Any, where: Where) -> Node:
        kind = "matrix" if isinstance(value, sp.spmatrix) else "array"
        if value.format not in ("csr", "csc"):
            raise DamageError(f"a sparse matrix is stored as CSR or CSC, not {value.format}")
        arrays = [self._array(a, where) for a in (value.data, value.indices, value.indptr)]
        return {"sparse": [value.format, kind], "shape": list(value.shape), "arrays": arrays}

    def _type(self, value: Any, _: Where) -> Node:
        dtype = np.dtype(value) if isinstance(value, np.dtype) or issubclass(value, np.generic) else None
        if dtype is None or dtype.str not in DTYPES:
            raise DamageError(f"{value!r:.80} cannot be stored as data")
        return {"dtype": dtype.str, "type": isinstance(value, type)}

    _KINDS: tuple[tuple[Any, Callable[..., Node]], ...] = (
        (list, lambda self, value, where: self._each(value, where)),
        (tuple, _tuple),
        (dict, _dict),
        ((set, frozenset), _set),
        (np.ndarray, _array),
        ((np.dtype, type), _type),
        ((sp.spmatrix, sp.sparray), _sparse),
    )

    def _object(self, value: Any, where: Where) -> Node:
        kind: Any = type(value)
        known = declared(kind)
        where = (*where, kind.__name__)
        if known is not None and known.record:
            fields = {key: self.encode(getattr(value, key), (*where, key)) for key in known.attributes}
            return {"record": kind.__name__, "fields": fields}
        name = name_of(kind)
        if name is None or known is None:
            self.where = where[:-1]
            what = "a function" if callable(value) else f"a {kind.__module__}.{kind.__name__}"
            raise DamageError(
                f"{what} cannot be stored as data, only numbers, texts and the estimators in "
                "docs/model-files.md"
            )
        parameters = self._parameters(value, name, known, where)
        return {"class": name, "parameters": parameters, "state": self._state(value, known, where)}

    def _parameters(self, value: Any, name: str, known: Declaration, where: Where) -> dict[str, Node]:
        defaults = inspect.signature(type(value)).parameters
        # What others add and retire in their next version is no concern of a file, unless it was set.
        ours = not name.startswith("sklearn.")
        forgotten = {"n_jobs": None} if "n_jobs" in defaults else {}  # a matter of the machine, not the model
        needed = {key for key, keep in known.parameters.items() if keep.how == "stored"}
        return {
            key: self.encode(parameter, (*where, key))
            for key, parameter in {**value.get_params(deep=False), **forgotten}.items()
            if key not in known.dropped
            and (ours or key in needed or not _same(defaults[key].default, parameter))
        }

    def _state(self, value: Any, known: Declaration, where: Where) -> dict[str, Node] | None:
        if not known.fitted(value):
            return None
        known.settle(value)
        held = {key: held for key, held in vars(value).items() if key not in known.dropped}
        for key in value.get_params(deep=False):
            held.pop(key, None)
        self.where = where
        for key in held.keys() - known.attributes.keys():
            raise DamageError(f"its attribute {key} is not known to model files")
        return {key: self.encode(held[key], (*where, key)) for key in sorted(held)}


def _same(default: Any, value: Any) -> bool:
    """Return whether a parameter is as it was born; what is hard to compare is not."""
    plain = type(default) is type(value) and isinstance(value, bool | int | float | str | tuple)
    return value is default or (plain and bool(value == default))


def check_numbers(keys: Iterable[Any]) -> None:
    """Refuse very many numbers as the keys of a dict or a set: their hashes can be made to collide."""
    n = sum(type(key) is not str for key in keys)
    require(n <= MAX_NUMBERS, f"it has {n:,} numbers as keys, and files keep {MAX_NUMBERS:,} at most")


def _is_vocabulary(value: dict[Any, Any]) -> bool:
    if not value or not all(type(key) is str for key in value):
        return False
    numbers = value.values()
    whole_numbers = all(type(n) is int or isinstance(n, np.integer) for n in numbers)
    return whole_numbers and set(numbers) == set(range(len(value)))
