"""The approximate neighbour search beside the exact one, on passages and whole documents of 20 Newsgroups."""

import time
from typing import Any

import numpy as np

from benchmarks.measure import publish, table
from textensor.datasets import load
from textensor.reduce.graph import graphs
from textensor.space import TermVectorizer

K = 20
#: Words of a passage; what is left at the end of a document is one, too, from half of this on.
WORDS = 40
#: Passages drawn, the last time all.
SIZES = (20_000, 40_000, 80_000, None)

HEADER = f"""\
Passages are the documents of 20 Newsgroups cut into pieces of {WORDS} words, each a document with the class
of its newsgroup: real text, more of it and shorter than the documents. k = {K} neighbours in the same and in
other classes. Each search ran once, in one thread, and seconds are those of the processor, for other work had
the other core and part of this one. Found: the part of the exact neighbours, equally relevant ones taken for
each other. For small sets `search="approximate"` is the exact search; for this table that was
turned off."""


def main() -> None:
    try:
        corpus = load("20newsgroups")
    except FileNotFoundError as error:
        print(f"The neighbour search is measured on 20 Newsgroups: {error}\n")
        return
    y = np.unique(np.asarray(corpus.y), return_inverse=True)[1]
    graphs.EXACT_UP_TO = 0
    X = documents(corpus.texts)
    for search in graphs.SEARCHES:  # compiles
        graphs.regions(X[:500], y[:500], K, search=search)
    rows = [measured("documents", X, y)]
    X, y = passages(corpus.texts, y)
    for size in SIZES:
        some = np.arange(len(y)) if size is None else chosen(len(y), size)
        rows.append(measured("passages", X[some], y[some]))
    header = [
        "",
        "number",
        "terms each",
        "exact, s",
        "approximate, s",
        "exact / approximate",
        "found within",
        "between",
    ]
    publish("neighbours", "Neighbours: exact and approximate", f"{HEADER}\n\n{table(header, rows)}")


def documents(texts: Any) -> Any:
    return TermVectorizer(stop_words="english", stemmer="english").fit_transform(texts)


def passages(texts: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    cut, of = [], []
    for text, label in zip(texts, y, strict=True):
        words = text.split()
        for start in range(0, max(1, len(words) - WORDS // 2 + 1), WORDS):
            cut.append(" ".join(words[start : start + WORDS]))
            of.append(label)
    return documents(cut), np.array(of)


def chosen(n: int, size: int) -> np.ndarray:
    return np.sort(np.random.default_rng(0).choice(n, size, replace=False))


def measured(name: str, X: Any, y: np.ndarray) -> list[Any]:
    seconds, found = [], []
    for search in graphs.SEARCHES:
        start = time.process_time()
        found.append(graphs.regions(X, y, K, 1, search=search))
        seconds.append(time.process_time() - start)
    parts = [part(near, exact) for exact, near in zip(*found, strict=True)]
    return [name, X.shape[0], X.nnz / X.shape[0], *seconds, seconds[0] / seconds[1], *parts]


def part(near: graphs.Neighbours, exact: graphs.Neighbours) -> float:
    """How many are as relevant as the last of the exact neighbours, of those that there are."""
    good = (near.relevance >= exact.relevance[:, -1:]) & (near.indices >= 0)
    return float(good.sum() / (exact.indices >= 0).sum())
