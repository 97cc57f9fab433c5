"""Reducers that are a graph over documents, and the graph rules that they take."""

from textensor.reduce.graph.graphs import (
    class_scatter,
    knn_graph,
    nearest_graph,
    neighbours_once,
    regions,
    relevance_graph,
    unit_graph,
)

__all__ = [
    "class_scatter",
    "knn_graph",
    "nearest_graph",
    "neighbours_once",
    "regions",
    "relevance_graph",
    "unit_graph",
]
