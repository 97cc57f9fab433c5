"""Find the documents that are most like a text, or a vector: exact cosine search over projected documents."""

from typing import TYPE_CHECKING

from textensor.base import later

if TYPE_CHECKING:
    from textensor.search.index import DocumentIndex

__all__ = ["DocumentIndex"]

#: What is imported when it is first used, and from where.
_LATER = {
    "DocumentIndex": "index",
}
__getattr__ = later(__name__, _LATER)
