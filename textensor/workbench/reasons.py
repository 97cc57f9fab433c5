"""Reasons in terms: which terms speak for a label, and which moved a document's score."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from textensor.base.arrays import Floats

#: Terms of all copies of a document that are scored at a time.
BLOCK = 1 << 20
#: Documents of one term that are scored at a time.
TERMS = 1 << 14


def leave_out(
    score: Callable[[Any], Floats], x: sp.csr_matrix, label: int, top: int, names: Sequence[str]
) -> list[tuple[str, float]]:
    """Return by how much a document's score falls without each of its terms, the largest first.

    ``score`` returns scores, documents x labels; ``x`` is the row of the document.
    """
    whole = float(score(x)[0, label])
    blocks = gen_batches(x.nnz, max(1, BLOCK // x.nnz)) if x.nnz else ()
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
    score: Callable[[Any], Floats], classes: Any, names: Sequence[str], top: int
) -> dict[Any, list[tuple[str, float]]]:
    """Return the terms that raise the score of each label most, with the amounts.

    An amount is the score of a document of that one term above the score of an empty document: for a linear
    model it is the weight of the term, and for others it is true of the score too.
    """
    rises = _rises(score, len(names), len(classes))
    order = np.argsort(-rises, axis=0, kind="stable")[:top]
    return {
        label: [(str(names[t]), float(rises[t, k])) for t in order[:, k] if rises[t, k] > 0]
        for k, label in enumerate(np.asarray(classes).tolist())
    }


def _rises(score: Callable[[Any], Floats], n_terms: int, n_labels: int) -> Floats:
    """Return how much each term alone raises the score of each label."""
    empty = score(sp.csr_matrix((1, n_terms)))
    rises = np.empty((n_terms, n_labels))
    for block in gen_batches(n_terms, TERMS):
        rises[block] = score(sp.eye(block.stop - block.start, n_terms, block.start, format="csr")) - empty
    return rises
