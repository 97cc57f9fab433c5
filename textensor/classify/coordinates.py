"""The reducer that gives documents their coordinates in a space, fitted as it wants to be."""

from typing import Any

import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from textensor.base.labels import UNLABELLED, Labels
from textensor.base.late.parts import clone

#: Default number of dimensions of the space.
DIMENSIONS = 300


def fitted_reducer(reducer: Any, X: sp.csr_matrix, labels: Labels | None = None) -> Any:
    """Return a copy of a reducer, None is LSI, fitted to all documents, or to labels if it asks for them."""
    from textensor.reduce.latent.lsi import LSI  # here: other classifiers need no reducer

    reducer = LSI(DIMENSIONS) if reducer is None else clone(reducer)
    name = type(reducer).__name__
    with threadpool_limits(1, user_api="blas"):
        if not _needs_labels(reducer):
            return reducer.fit(X)
        if labels is None:
            raise ValueError(f"{name} needs labels: its space cannot be learnt from text alone.")
        if labels.kind == "multilabel":
            raise ValueError(f"{name} needs one class for each document: take an unsupervised reducer.")
        if hasattr(reducer, "unlabeled_value"):
            return reducer.set_params(unlabeled_value=UNLABELLED).fit(X, labels.y_for(reducer))
        return reducer.fit(X[labels.labelled], labels.rows(labels.labelled).y_for(reducer))


def _needs_labels(reducer: Any) -> bool:
    """Return whether a reducer learns from labels."""
    if hasattr(reducer, "_needs_y"):  # one of ours
        return bool(reducer._needs_y)
    from sklearn.utils import get_tags

    return bool(get_tags(reducer).target_tags.required)
