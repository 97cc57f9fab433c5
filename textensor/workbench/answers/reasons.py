"""Reasons in terms: which terms speak for a label, and which moved a document's score."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from textensor.base.arrays import Floats, gen_batches

#: Terms of all copies of a document that are scored at a time, or scores of all labels.
BLOCK = 1 << 20
#: Documents of one term that are scored at a time.
TERMS = 1 << 14


def leave_out(
    score: Callable[[Any], Floats], x: sp.csr_matrix, label: int, top: int, names: Sequence[str]
) -> list[tuple[str, float]]:
    """Return by how much a document's score falls without each of its terms, the largest first.

    ``score`` returns scores, documents x labels; ``x`` is the row of the document.
    """
    first = score(x)
    whole = float(first[0, label])
    blocks = gen_batches(x.nnz, max(1, BLOCK // max(x.nnz, first.shape[1]))) if x.nnz else ()
    without = [score(_without(x, block))[:, label] for block in blocks]
    amounts = whole - np.concatenate([*without, np.empty(0)])
    order = np.argsort(-np.abs(amounts), kind="stable")[:top]
    parts = [(str(names[x.indices[k]]), float(amounts[k])) for k in order]
    return [*parts, ("(everything else)", whole - sum(amount for _, amount in parts))]


def _without(x: sp.csr_matrix, terms: slice) -> sp.csr_matrix:
    """Return copies of a document, each without one of its terms."""
    n_copies = terms.stop - terms.start
    data = np.tile(x.data, (n_copies, 1))
    data[np.arange(n_copies), np.arange(terms.start, terms.stop)] = 0.0
    indptr = np.arange(n_copies + 1) * x.nnz
    return sp.csr_matrix((data.ravel(), np.tile(x.indices, n_copies), indptr), shape=(n_copies, x.shape[1]))


def telling_terms(
    score: Callable[[Any], Floats], n_labels: int, names: Sequence[str], top: int, labels: Sequence[int]
) -> list[list[tuple[str, float]]]:
    """Return the terms that raise the score of each label most, with the amounts.

    An amount is the score of a document of that one term above the score of an empty document: for a linear
    model it is the weight of the term, and for others it is true of the score too. ``score`` returns scores
    of all ``n_labels``; ``labels`` are the numbers of those that are asked for.
    """
    n_terms, asked = len(names), np.asarray(labels, dtype=np.intp)
    empty = score(sp.csr_matrix((1, n_terms)))[:, asked]
    # The best so far, the highest first, and their terms; one more row than asked for is 0.
    best, terms = np.zeros((top + 1, len(asked))), np.zeros((top + 1, len(asked)), dtype=np.intp)
    for block in gen_batches(n_terms, max(1, min(TERMS, BLOCK // n_labels))):
        alone = sp.eye(block.stop - block.start, n_terms, k=block.start, format="csr")
        rises = score(alone)[:, asked] - empty
        better = np.flatnonzero(rises.max(axis=0) > best[max(top - 1, 0)])
        pooled = np.vstack([best[:top, better], rises[:, better]])
        numbers = np.repeat(np.arange(block.start, block.stop)[:, None], len(better), axis=1)
        numbers = np.vstack([terms[:top, better], numbers])
        order = np.argsort(-pooled, axis=0, kind="stable")[:top]
        best[:top, better] = np.take_along_axis(pooled, order, axis=0)
        terms[:top, better] = np.take_along_axis(numbers, order, axis=0)
    return [
        [(str(names[t]), float(rise)) for t, rise in zip(of, rises, strict=True) if rise > 0]
        for of, rises in zip(terms[:top].T, best[:top].T, strict=True)
    ]
