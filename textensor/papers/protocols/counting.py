"""Facts of the data: how many documents a category or a keyword has."""

from typing import Any

import numpy as np

from textensor.papers.data import data
from textensor.papers.declare import Cell
from textensor.space import TermVectorizer

__all__ = ["keyword_rows", "keywords", "sizes"]


def sizes(cell: Cell) -> dict[str, Any]:
    """Count the documents of each label: in training and test, or in all where there is no such split."""
    found = data(cell.data)
    parts = [np.ones(len(found.y), dtype=bool)] if found.train is None else [found.train, ~found.train]
    counts = np.array([np.bincount(found.y[part], minlength=len(found.labels)) for part in parts])
    return {"counts": {name: counts[:, k].tolist() for k, name in enumerate(found.labels)}}


def keywords(cell: Cell) -> dict[str, Any]:
    """Count the documents that hold each keyword."""
    words = cell.settings["keywords"]
    return {
        "counts": {
            word: [len(where)]
            for word, where in zip(words, keyword_rows(data(cell.data).texts, words), strict=True)
        }
    }


def keyword_rows(texts: Any, words: list[str]) -> list[Any]:
    """Return the documents that hold each keyword; some are stop words, so all words are looked at."""
    counts = TermVectorizer(weighting="tf", norm=None, vocabulary=list(words)).fit_transform(texts)
    return [np.flatnonzero(counts[:, [column]].toarray().ravel()) for column in range(len(words))]
