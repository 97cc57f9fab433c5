"""Corpora with one shape of result, and readers for your own documents.

>>> from textensor.datasets import catalogue
>>> catalogue()[0].name
'docstrings'
"""

from typing import TYPE_CHECKING

from textensor.base import later

if TYPE_CHECKING:
    from textensor.datasets.corpora.synthetic import make_documents
    from textensor.datasets.corpus import Corpus
    from textensor.datasets.places import DatasetInfo
    from textensor.datasets.readers.documents import Document, Documents, TextsAndLabels, read_documents
    from textensor.datasets.readers.errors import DocumentError
    from textensor.datasets.registry import catalogue, get, load

__all__ = [
    "Corpus",
    "DatasetInfo",
    "Document",
    "DocumentError",
    "Documents",
    "TextsAndLabels",
    "catalogue",
    "get",
    "load",
    "make_documents",
    "read_documents",
]

#: What is imported when it is first used, and from where.
_LATER = {
    "Corpus": "corpus",
    "DatasetInfo": "places",
    "Document": "readers.documents",
    "DocumentError": "readers.errors",
    "Documents": "readers.documents",
    "TextsAndLabels": "readers.documents",
    "catalogue": "registry",
    "get": "registry",
    "load": "registry",
    "make_documents": "corpora.synthetic",
    "read_documents": "readers.documents",
}
__getattr__ = later(__name__, _LATER)
