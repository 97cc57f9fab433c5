"""What a file says of its model, shortened for people."""

from typing import Any

import numpy as np

from textensor.base.disk import DamageError
from textensor.files.container import checked_number
from textensor.files.writing import MAX_DEPTH


def summary(node: Any, arrays: list[dict[str, Any]]) -> Any:
    """Return a node with arrays and vocabularies replaced by what they are."""
    if isinstance(node, list):
        return [summary(part, arrays) for part in node]
    if not isinstance(node, dict):
        return node
    if "class" in node:
        parts = {key: _entries(node.get(key), arrays) for key in ("parameters", "state")}
        return {"class": str(node["class"]), **parts}
    if "record" in node:
        return _entries(node.get("fields"), arrays)
    if "array" in node:
        return _array(node["array"], arrays)
    if "vocabulary" in node and isinstance(node["vocabulary"], list):
        return f"{len(node['vocabulary'])} terms"
    if "sparse" in node and isinstance(node.get("shape"), list):
        return f"sparse {' x '.join(map(str, node['shape']))}"
    for key in ("strings", "tuple", "set", "frozenset", "dict", "dtype", "float"):
        if key in node:
            return summary(node[key], arrays)
    raise DamageError("header.json holds what is of no known kind")


def _entries(node: Any, arrays: list[dict[str, Any]]) -> Any:
    return {k: summary(value, arrays) for k, value in node.items()} if isinstance(node, dict) else None


def _array(number: Any, arrays: list[dict[str, Any]]) -> str:
    if type(number) is not int or not 0 <= number < len(arrays):
        raise DamageError("header.json names an array that is not there")
    return f"{np.dtype(arrays[number]['dtype']).name} {' x '.join(map(str, arrays[number]['shape']))}"


def plain(value: Any, depth: int = 0) -> Any:
    """Return metadata as JSON has it, or say what is none."""
    if depth > MAX_DEPTH:
        raise DamageError("its metadata is nested too deeply")
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a number of numpy's
        value = value.item()
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        return checked_number(value)
    if isinstance(value, float) and abs(value) < float("inf"):
        return float(value)
    if isinstance(value, list | tuple):
        return [plain(part, depth + 1) for part in value]
    if isinstance(value, dict) and all(type(key) is str for key in value):
        return {key: plain(part, depth + 1) for key, part in value.items()}
    raise DamageError(f"its metadata holds {value!r:.80}, which is not JSON")
