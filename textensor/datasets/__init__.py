"""Corpora with one shape of result, and readers for your own documents.

>>> from textensor.datasets import catalogue
>>> catalogue()[0].name
'docstrings'
"""

from textensor.datasets.corpus import Corpus
from textensor.datasets.documents import (
    Document,
    DocumentError,
    Documents,
    TextsAndLabels,
    read_documents,
)
from textensor.datasets.registry import DatasetInfo, catalogue, get, load
from textensor.datasets.synthetic import make_documents

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
