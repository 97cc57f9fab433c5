"""From data back to Python: numbers, texts and objects of the closed table, all of them checked."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from textensor.base.checks import check_parameters, whole
from textensor.base.disk import DamageError, check_keys
from textensor.base.kept import ESTIMATORS, LARGEST, Keep, Sizes, anything, class_named, require, size
from textensor.files.container import DTYPES, Budget
from textensor.files.known import Declaration, class_of, declared
from textensor.files.writing import MAX_DEPTH, Node, Where, check_numbers
from textensor.space.matrix import check_indices

#: Bytes of memory for each term of a vocabulary, beside the term itself.
TERM_BYTES = 80
#: An array of strings may be wider than its longest, if it is no wider than this.
SPARE_WIDTH = 1000
#: What an object counts for, which takes time rather than memory.
OBJECT_BYTES = 4000

_SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": -float("inf")}
_SPARSE = {
    ("csr", "matrix"): sp.csr_matrix,
    ("csr", "array"): sp.csr_array,
    ("csc", "matrix"): sp.csc_matrix,
    ("csc", "array"): sp.csc_array,
}


class Reader:
    """Turns nodes back into values, each array used once; what is not as it should be is refused."""

    def __init__(self, arrays: list[np.ndarray[Any, Any]], budget: Budget) -> None:
        self._budget = budget
        self._arrays: list[np.ndarray[Any, Any] | None] = list(arrays)
        self._sizes: dict[int, Sizes] = {}  # of the objects that were made
        self._parts: tuple[type | str, ...] = ESTIMATORS  # what the object that is being made may hold
        self.where: Where = ()  # what is being decoded, for what is wrong with it

    def decode(self, node: Node, where: Where = ()) -> Any:
        """Return the value of a node."""
        self.where = where
        if node is None or type(node) in (bool, int, float, str):
            return node
        require(len(where) <= MAX_DEPTH, "it is nested too deeply")
        if type(node) is list:
            return self._each(node, where)
        kind = next((kind for kind in self._KINDS if kind in node), None)
        if kind is None:
            raise DamageError("it is of an unknown kind")
        return self._KINDS[kind](self, node, where)

    def finish(self) -> None:
        """Refuse arrays that nothing uses."""
        self.where = ()
        require(all(array is None for array in self._arrays), "it holds an array that nothing uses")

    def _each(self, node: Node, where: Where) -> list[Any]:
        require(type(node) is list, "it is not a list")
        return [self.decode(part, (*where, str(i))) for i, part in enumerate(node)]

    def _sequence(self, node: Node, where: Where) -> Any:
        (name,) = _exactly(node, next(iter(node)))
        kind: Any = {"tuple": tuple, "set": set, "frozenset": frozenset}[next(iter(node))]
        values = self._each(name, where)
        require(kind is tuple or all(type(value) in (str, int, float) for value in values), "it is not a set")
        if kind is not tuple:
            check_numbers(values)
        return kind(values)

    def _float(self, node: Node, _: Where) -> float:
        (name,) = _exactly(node, "float")
        require(type(name) is str and name in _SPECIAL, "it is not a number")
        return _SPECIAL[name]

    def _vocabulary(self, node: Node, _: Where) -> dict[str, int]:
        (terms,) = _exactly(node, "vocabulary")
        require(type(terms) is list and all(type(term) is str for term in terms), "it is not a vocabulary")
        self._budget.spend(TERM_BYTES * len(terms))
        found = dict(zip(terms, range(len(terms)), strict=True))
        require(len(found) == len(terms), "a term is there twice")
        return found

    def _dict(self, node: Node, where: Where) -> dict[Any, Any]:
        (pairs,) = _exactly(node, "dict")
        require(type(pairs) is list, "it is not a list of pairs")
        require(all(type(pair) is list and len(pair) == 2 for pair in pairs), "it is not a pair")
        check_numbers([key for key, _ in pairs])
        found = {}
        for pair in pairs:
            require(type(pair[0]) in (str, int, float, bool), "a key must be a string or a number")
            found[pair[0]] = self.decode(pair[1], (*where, str(pair[0])[:40]))
        require(len(found) == len(pairs), "a key is there twice")
        return found

    def _array(self, node: Node, _: Where) -> Any:
        (number,) = _exactly(node, "array")
        known = type(number) is int and 0 <= number < len(self._arrays)
        array = self._arrays[number] if known else None
        if array is None:
            raise DamageError("its array is missing, or used twice")
        self._arrays[number] = None
        return array

    def _strings(self, node: Node, _: Where) -> Any:
        strings, width = _exactly(node, "strings", "width")
        require(type(strings) is list and all(type(text) is str for text in strings), "it holds no strings")
        if width is None:
            found = np.empty(len(strings), dtype=object)
            found[:] = strings
            return found
        longest = max(map(len, strings), default=0)
        require(whole(longest, LARGEST).holds(width), "its strings are longer than it says")
        width = min(width, max(longest, SPARE_WIDTH))  # every row that is predicted is as wide
        self._budget.spend(4 * width * len(strings))
        return np.array(strings, dtype=f"<U{width}")

    def _sparse(self, node: Node, where: Where) -> Any:
        kind, shape, arrays = _exactly(node, "sparse", "shape", "arrays")
        make = next((_SPARSE[known] for known in _SPARSE if list(known) == kind), None)
        if make is None:
            raise DamageError("it is of no known sparse format")
        require(type(shape) is list and len(shape) == 2, "it has no shape")
        for length in shape:
            size("*", least=0).check(length, Sizes())
        require(type(arrays) is list and len(arrays) == 3, "it does not have three arrays")
        data, indices, indptr = (self.decode(array, where) for array in arrays)
        for array in (indices, indptr):
            require(isinstance(array, np.ndarray) and array.dtype.str in ("<i4", "<i8"), "it has no indices")
            require(array.ndim == 1 and array.min(initial=0) >= 0, "it has an index below 0")
        fits = isinstance(data, np.ndarray) and data.shape == indices.shape
        require(fits, "it does not have one value for each index")
        require(len(indptr) > 0 and indptr[-1] == len(indices), "it has values that are in no row")
        self._budget.spend(8 * max(shape))  # what a product with it takes
        try:
            found = make((data, indices, indptr), shape=tuple(shape))
            check_indices(found)
        except ValueError as error:
            raise DamageError(f"it is not a sparse matrix: {error}") from error
        return found

    def _dtype(self, node: Node, _: Where) -> Any:
        name, is_type = _exactly(node, "dtype", "type")
        require(np.dtype in self._parts, "it may not be a dtype")
        require(type(name) is str and name in DTYPES and type(is_type) is bool, "it is not a dtype")
        return np.dtype(name).type if is_type else np.dtype(name)

    def _object(self, node: Node, where: Where) -> Any:
        name, parameters, state = _exactly(node, "class", "parameters", "state")
        known = declared(class_of(name)) if type(name) is str else None
        if known is None or known.record:
            raise DamageError(f"{name!r:.80} is no class that this version can load")
        require(self._parts, "it may not hold an estimator")
        self._budget.spend(OBJECT_BYTES)
        where = (*where, known.kind.__name__)
        require(type(parameters) is dict, "it has no parameters")
        require(type(state) is dict or state is None, "it has no fitted attributes")
        sizes = Sizes(self._sizes)
        attributes = {} if state is None else self._attributes(state, known, sizes, where)
        model = self._estimator(parameters, known, where)
        vars(model).update(attributes)
        return model if state is None else self._checked(model, known, sizes, where)

    def _record(self, node: Node, where: Where) -> Any:
        name, fields = _exactly(node, "record", "fields")
        part = next((part for part in self._parts if _last_name(part) == name), None)
        known = declared(class_named(part) if isinstance(part, str) else part)
        if known is None or not known.record:
            raise DamageError(f"{name!r:.80} is not a part of this class")
        require(type(fields) is dict, "it has no fields")
        self._budget.spend(OBJECT_BYTES)
        where, sizes = (*where, name), Sizes(self._sizes)
        make = getattr(known.kind, "_restore", known.kind)
        model = make(**self._attributes(fields, known, sizes, where))
        return self._checked(model, known, sizes, where)

    def _checked(self, model: Any, known: Declaration, sizes: Sizes, where: Where) -> Any:
        """Return an object whose attributes fit each other, and remember its sizes."""
        self.where = where
        for key, keep in known.derived.items():
            keep.check(getattr(model, key), sizes)
        known.check(model)
        self._sizes[id(model)] = sizes
        return model

    def _estimator(self, parameters: dict[str, Node], known: Declaration, where: Where) -> Any:
        self.where = where
        signature = inspect.signature(known.kind).parameters
        for key in parameters.keys() - (signature.keys() - known.dropped):
            raise DamageError(f"it has no parameter {key!r:.80}")
        values = {}
        for key, node in parameters.items():
            keep = known.parameters.get(key, anything)
            values[key] = self._kept(keep, node, Sizes(self._sizes), (*where, key))
        self.where = where
        for key, keep in known.parameters.items():
            if key in parameters or keep.how == "absent":
                continue
            # A parameter that came after the file was written has its default.
            default = signature[key].default
            require(default is not inspect.Parameter.empty, f"its parameter {key} is missing")
            keep.check(default, Sizes(self._sizes))
        values.pop("n_jobs", None)  # a file does not decide how many threads or processes are started
        model = known.kind(**values)
        try:
            if hasattr(known.kind, "_parameters"):
                check_parameters(model)
            if hasattr(known.kind, "_parameter_constraints"):  # scikit-learn's own
                model._validate_params()
        except (ValueError, TypeError) as error:
            raise DamageError(str(error)) from error
        return model

    def _attributes(
        self, state: dict[str, Node], known: Declaration, sizes: Sizes, where: Where
    ) -> dict[str, Any]:
        self.where = where
        for key in state.keys() - known.attributes.keys():
            raise DamageError(f"it has no attribute {key!r:.80}")
        for key, keep in known.attributes.items():
            require(key in state or keep.how == "absent", f"its attribute {key} is missing")
        return {
            key: self._kept(keep, state[key], sizes, (*where, key))
            for key, keep in known.attributes.items()
            if key in state
        }

    def _kept(self, keep: Keep, node: Node, sizes: Sizes, where: Where) -> Any:
        """Return the value of a node that a rule holds for."""
        outer, self._parts = self._parts, keep.parts
        value = self.decode(node, where)
        self._parts, self.where = outer, where
        keep.check(value, sizes)
        return value

    _KINDS: dict[str, Callable[..., Any]] = {  # noqa: RUF012
        "class": _object,
        "record": _record,
        "array": _array,
        "strings": _strings,
        "sparse": _sparse,
        "vocabulary": _vocabulary,
        "dict": _dict,
        "tuple": _sequence,
        "set": _sequence,
        "frozenset": _sequence,
        "dtype": _dtype,
        "float": _float,
    }


def _exactly(node: dict[str, Node], *keys: str) -> list[Node]:
    check_keys(f"a {keys[0]}", node, set(keys))
    return [node[key] for key in keys]


def _last_name(part: type | str) -> str:
    return part.rpartition(".")[2] if isinstance(part, str) else part.__name__
