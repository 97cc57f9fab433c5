"""Facts of the data: how many documents a category or a keyword has."""

import re
from typing import Any

import numpy as np

from experiments.data import data
from experiments.engine.declare import Cell

#: So parted, and in the bodies alone, about as many documents hold a keyword as the paper counts.
WORD = re.compile(r"[\w'-]+")


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
    r"""Return the documents whose body holds each keyword; "country's" and "bank-led" are words of their own.

    Examples
    --------
    >>> texts = ["Trade news\nA bank-led deal", "Trade\nThe bank", "A bank without a title"]
    >>> [rows.tolist() for rows in keyword_rows(texts, ["bank", "trade"])]
    [[1, 2], []]
    """
    found: dict[str, list[int]] = {word: [] for word in words}
    for number, text in enumerate(texts):
        title, _, body = text.partition("\n")
        for word in found.keys() & set(WORD.findall((body or title).lower())):
            found[word].append(number)
    return [np.array(rows, dtype=np.intp) for rows in found.values()]
