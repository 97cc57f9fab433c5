"""Scores of any model, documents x labels."""

from collections.abc import Callable
from typing import Any

import numpy as np

from textensor.base.arrays import Floats


def scorer(model: Any, n_labels: int) -> Callable[[Any], Floats]:
    """Return a function that scores blocks of documents; what all blocks need is prepared once.

    Its result has a score for each document and label, above 0 for yes; NaN for labels that the model does
    not know.
    """
    if hasattr(model, "decider"):
        decide = model.decider()
    elif hasattr(model, "decision_function"):
        decide = model.decision_function
    else:

        def decide(X: Any) -> Floats:
            return model.predict_proba(X) - 0.5

    def score(X: Any) -> Floats:
        found = decide(X)
        if found.ndim == 1:
            found = np.column_stack([-found, found])
        scores = np.full((len(found), n_labels), np.nan)
        scores[:, model.classes_] = found
        return scores

    return score
