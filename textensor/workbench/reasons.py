"""Reasons in terms: which terms speak for a label, and which moved a document's score."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from textensor.base.arrays import Floats

#: Terms of all copies of a document that are scored at a time.
BLOCK = 1 << 20


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
    model: Any, classes: Any, names: Sequence[str], top: int
) -> dict[Any, list[tuple[str, float]]]:
    """Return the terms of the largest positive weight for each label, of a linear model or naive Bayes."""
    found = {}
    for k, weights in enumerate(_weights(model, len(classes))):
        order = np.argsort(-weights, kind="stable")[:top]
        label = classes[k].item() if hasattr(classes[k], "item") else classes[k]
        found[label] = [(str(names[t]), float(weights[t])) for t in order if weights[t] > 0]
    return found


def _weights(model: Any, n_labels: int) -> Any:
    """Yield the weights of the terms for each label."""
    if hasattr(model, "models_"):  # co-EM: a term's log-likelihood beyond its mean over classes
        weights = np.zeros((n_labels, model.n_features_in_))
        for learnt, view in zip(model.models_, model.views_, strict=True):
            weights[:, view] = learnt.log_terms - learnt.log_terms.mean(axis=0)
        return weights
    if not hasattr(model, "coef_"):
        return []
    coef = np.asarray(model.coef_)
    return coef if len(coef) == n_labels else np.vstack([-coef, coef])
