"""How a cell is evaluated: one module for each protocol, one pure function from a cell to its measures."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from textensor.papers.declare import Cell

__all__ = ["evaluate", "module_of"]

#: Protocol -> module and function.
PROTOCOLS = {
    "f1": ("f1", "classify"),
    "accuracy": ("accuracy", "classify"),
    "similarity": ("indexing", "similarity"),
    "clustering": ("indexing", "clustering"),
    "clustering of unit length": ("spherical", "clustering"),
    "neighbours": ("indexing", "neighbours"),
    "nearest": ("embedding", "nearest"),
    "few labels": ("embedding", "few_labels"),
    "modules": ("modular", "modules"),
    "plane": ("modular", "plane"),
    "sizes": ("counting", "sizes"),
    "keywords": ("counting", "keywords"),
}


def module_of(protocol: str) -> str:
    """Return the name of the module that a protocol is in."""
    return PROTOCOLS[protocol][0]


def evaluate(cell: Cell) -> dict[str, Any]:
    """Evaluate a cell."""
    module, function = PROTOCOLS[cell.protocol]
    run: Callable[[Cell], dict[str, Any]] = getattr(
        import_module(f"textensor.papers.protocols.{module}"), function
    )
    return run(cell)
