"""From raw text to labels: the methods by name, the choice among them, and their reasons.

- Learn and predict: :class:`TextCategorizer`
- The methods: :data:`METHODS`, each a :class:`Method`; :func:`method_named`, :func:`candidates`
- Methods side by side on the same splits: :func:`try_methods`
- What is odd about documents and labels: :func:`check_documents`, :func:`are_ids`
- Tables that rename labels: :func:`write_renames`, :func:`read_renames`, :func:`rename_labels`
- How good a categorizer is on documents with labels: :func:`evaluate_documents`
- Texts without labels: :func:`index_texts`, :func:`search_texts`, :func:`cluster_texts`
- Notes on the documents, such as empty ones: :class:`DocumentsWarning`

Only the names of the methods are loaded at once, so that the command's help is instant.
"""

import importlib
from typing import Any

from textensor.workbench.methods import METHODS, Method, candidates, method_named

_LATER = {
    "DocumentsWarning": "texts",
    "TextCategorizer": "categorizer",
    "are_ids": "check.columns",
    "check_documents": "check.documents",
    "cluster_texts": "clusters",
    "evaluate_documents": "evaluation",
    "index_texts": "text_index",
    "read_renames": "check.renames",
    "rename_labels": "check.renames",
    "search_texts": "text_index",
    "try_methods": "trials",
    "write_renames": "check.renames",
}

__all__ = ["METHODS", "Method", "candidates", "method_named", *_LATER]


def __getattr__(name: str) -> Any:
    """Import what loads numpy on first use."""
    if name in _LATER:
        return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
