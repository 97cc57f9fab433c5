"""What a component is about, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from textensor.base.checks import check, whole


def topics(model: Any, names: Sequence[str], top: int = 10) -> list[list[tuple[str, float]]]:
    """Return for each component its terms of the greatest weight in size, and their weights.

    Parameters
    ----------
    model : fitted reducer
        :class:`TensorLSI`, or any with ``components_``, such as scikit-learn's ``TruncatedSVD``.
    names : sequence of str
        What the terms are called, such as ``vectorizer.get_feature_names_out()``.
    top : int, default=10
        How many terms.

    Examples
    --------
    >>> from textensor.reduce import TensorLSI, topics
    >>> from textensor.space import TermVectorizer
    >>> vectorizer = TermVectorizer(stop_words="english")
    >>> X = vectorizer.fit_transform(["wheat maize", "maize wheat corn", "bank rates", "rates bank bank"])
    >>> model = TensorLSI(2, shape=(-1, 1)).fit(X)
    >>> [[word for word, _ in topic] for topic in topics(model, vectorizer.get_feature_names_out(), top=2)]
    [['bank', 'rates'], ['maize', 'wheat']]
    """
    check("top", top, whole(1))
    if isinstance(names, Mapping):
        raise TypeError(
            "names is a mapping: give the names in order, by get_feature_names_out() for example."
        )
    if hasattr(model, "fit"):
        check_is_fitted(model)
    if not hasattr(model, "components_"):
        raise TypeError(f"{type(model).__name__} has no components_: its topics cannot be told.")
    found = []
    # One component at a time: all of them as vectors of terms may be large.
    one_by_one = hasattr(model, "component")
    for number in range(model.n_components_ if one_by_one else len(model.components_)):
        weights = model.component(number) if one_by_one else model.components_[number]
        if len(weights) != len(names):
            raise ValueError(f"There are {len(names)} names for {len(weights)} terms.")
        order = np.argsort(-np.abs(weights), kind="stable")[:top]
        found.append([(str(names[term]), float(weights[term])) for term in order])
    return found
