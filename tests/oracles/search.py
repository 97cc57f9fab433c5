"""Cosine search written down literally: all similarities in float64, sorted by hand."""

import numpy as np


def cosine(x, y):
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    lengths = np.sqrt(x @ x) * np.sqrt(y @ y)
    return float(x @ y / lengths) if lengths > 0 else 0.0


class PlainIndex:
    """A dict of id to vector, in the order of adding."""

    def __init__(self):
        self.vectors = {}
        self.n_added = 0

    def add(self, vectors, ids=None):
        ids = [str(self.n_added + i) for i in range(len(vectors))] if ids is None else ids
        if len(set(ids)) < len(ids) or len(ids) != len(vectors) or any(i in self.vectors for i in ids):
            raise ValueError
        self.vectors.update(zip(ids, vectors, strict=True))
        self.n_added += len(ids)

    def remove(self, ids):
        if any(i not in self.vectors for i in ids):
            raise ValueError
        for i in set(ids):
            del self.vectors[i]

    def search(self, query, k):
        """Return (id, similarity) pairs, the most similar first, of equals the one added first."""
        pairs = [(i, cosine(query, vector)) for i, vector in self.vectors.items()]
        return sorted(pairs, key=lambda pair: -pair[1])[:k]
