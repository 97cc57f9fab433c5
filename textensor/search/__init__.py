"""Find the documents that are most like a text, or a vector: exact cosine search over projected documents."""

from textensor.search.index import DocumentIndex

__all__ = ["DocumentIndex"]
