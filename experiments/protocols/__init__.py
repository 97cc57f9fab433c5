"""How a cell is evaluated: one module for each protocol, one pure function from a cell to its measures."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from experiments.engine.declare import Cell

__all__ = ["PROTOCOLS", "evaluate", "version"]

#: Protocol -> module, function, and the version of what it computes. Raise the version when a protocol, or
#: a method that it uses, is meant to give other figures: its results are then run again.
PROTOCOLS = {
    "f1": ("f1", "classify", 1),
    "accuracy": ("accuracy", "classify", 1),
    "similarity": ("indexing", "similarity", 1),
    "clustering": ("indexing", "clustering", 1),
    "clustering of unit length": ("indexing", "clustering_of_unit_length", 1),
    "neighbours": ("indexing", "neighbours", 1),
    "nearest": ("embedding", "nearest", 1),
    "few labels": ("embedding", "few_labels", 1),
    "modules": ("modular", "modules", 1),
    "plane": ("modular", "plane", 1),
    "sizes": ("counting", "sizes", 1),
    "keywords": ("counting", "keywords", 1),
    "pool": ("pool", "classify", 1),
    "trial": ("pool", "trial", 1),
    "labels": ("labels", "classify", 1),
    "choice": ("labels", "choose", 1),
    "strong": ("texts.strong", "classify", 1),
    "arrangements": ("arrangements", "compare", 1),
    "embedded": ("texts.embedded", "classify", 1),
}


def version(protocol: str) -> int:
    """Return the version of what a protocol computes."""
    return PROTOCOLS[protocol][2]


def evaluate(cell: Cell) -> dict[str, Any]:
    """Evaluate a cell."""
    module, function, _ = PROTOCOLS[cell.protocol]
    run: Callable[[Cell], dict[str, Any]] = getattr(
        import_module(f"experiments.protocols.{module}"), function
    )
    return run(cell)
