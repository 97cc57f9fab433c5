"""Corpora with one shape of result, and readers for your own documents.

>>> from textensor.datasets import catalogue
>>> catalogue()[0].name
'docstrings'
"""

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
