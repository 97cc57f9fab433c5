"""What the tables share: the three ways to index, each with the time it takes."""

from typing import Any

from textensor.papers.protocols import indexing
from textensor.papers.protocols.indexing import COLUMNS, lsi, nearest_class, unit

__all__ = ["COLUMNS", "lsi", "nearest_class", "tensor_lsi", "unit"]


def tensor_lsi(X: Any, k: int, columns: int = COLUMNS) -> tuple[Any, float]:
    """Fit TensorLSI with k components on two cores; return it and the seconds."""
    return indexing.tensor_lsi(X, k, columns, n_jobs=2)
