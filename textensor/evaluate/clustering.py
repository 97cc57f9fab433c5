"""How well k-means finds categories that are drawn at random (tensorlsi §5.3)."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base.labels import label_vector
from textensor.evaluate.similarity import clustering_accuracy

N_STARTS = 10
#: From documents and a number of dimensions to coordinates.
Reduce = Callable[[Any, int], Any]


class ClusteringDraws(NamedTuple):
    """What draws of categories gave.

    Attributes
    ----------
    accuracy : list of float
        Of each draw.
    dimension : int
        The number of dimensions that was picked on other draws; 0 for the documents as they are.
    seconds : list of float
        Of each draw, what one start of k-means took.
    """

    accuracy: list[float]
    dimension: int
    seconds: list[float]


def clustering_draws(
    X: Any,
    y: Any,
    n_clusters: int,
    *,
    reduce: Reduce | None = None,
    dimensions: Sequence[int] = (),
    n_draws: int = 45,
    n_picked: int = 5,
    random_state: Any = 0,
) -> ClusteringDraws:
    """Draw categories at random, cluster their documents by k-means, and return the accuracies.

    The number of dimensions is the one of the best mean accuracy on the first ``n_picked`` draws, which
    are not counted. K-means starts ten times; its own objective picks the best.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_documents, n_terms)
        The documents.
    y : array-like of shape (n_documents,)
        Their categories.
    n_clusters : int
        How many categories are drawn, and how many clusters are made.
    reduce : callable or None, default=None
        Given the documents of a draw and a number of dimensions, returns their coordinates; None clusters the
        documents as they are.
    dimensions : sequence of int, default=()
        The numbers of dimensions that are tried; the first coordinates of the largest serve for the others.
    n_draws : int, default=45
        Draws that are counted.
    n_picked : int, default=5
        Draws that pick the dimension.
    random_state : int or sequence of int, default=0
        Of the draws, and of the starts of k-means.

    Examples
    --------
    >>> import numpy as np
    >>> from textensor.evaluate import clustering_draws
    >>> y = np.repeat([0, 1, 2], 5)
    >>> found = clustering_draws(np.eye(3)[y], y, 2, n_draws=3)
    >>> found.accuracy
    [1.0, 1.0, 1.0]
    """
    y = label_vector(y, "y")
    categories = np.unique(y)
    if not 1 <= n_clusters <= len(categories):
        raise ValueError(f"{n_clusters} categories cannot be drawn from {len(categories)}: draw fewer.")
    if reduce is not None and not len(dimensions):
        raise ValueError("Documents are reduced, but there is no number of dimensions: give some.")
    rng = np.random.default_rng(random_state)
    draws = [
        np.flatnonzero(np.isin(y, rng.choice(categories, n_clusters, replace=False)))
        for _ in range(n_picked + n_draws)
    ]
    drawn = list(zip(draws, rng.integers(2**31, size=len(draws)).tolist(), strict=True))
    dimension = 0
    if reduce is not None:
        dimension = _picked(X, y, drawn[:n_picked], n_clusters, reduce, dimensions)
    found = []
    for rows, seed in drawn[n_picked:]:
        Z = X[rows] if reduce is None else reduce(X[rows], dimension)
        found.append(_clustered(Z, y[rows], n_clusters, seed))
    accuracy, seconds = zip(*found, strict=True)
    return ClusteringDraws(list(accuracy), dimension, list(seconds))


def _picked(
    X: Any,
    y: npt.NDArray[Any],
    drawn: list[tuple[npt.NDArray[np.intp], int]],
    n_clusters: int,
    reduce: Reduce,
    dimensions: Sequence[int],
) -> int:
    """Return the number of dimensions of the best mean accuracy, the first of equals."""
    figures = np.zeros(len(dimensions))
    for rows, seed in drawn:
        Z = reduce(X[rows], max(dimensions))
        figures += [_clustered(Z[:, :m], y[rows], n_clusters, seed)[0] for m in dimensions]
    return int(dimensions[int(figures.argmax())])


def _clustered(Z: Any, y: npt.NDArray[Any], n_clusters: int, seed: int) -> tuple[float, float]:
    """Return the accuracy of k-means and the seconds of one of its starts."""
    from sklearn.cluster import KMeans  # here: it is slow to import

    start = time.perf_counter()
    found = KMeans(n_clusters, n_init=N_STARTS, random_state=seed).fit_predict(Z)
    return clustering_accuracy(y, found), (time.perf_counter() - start) / N_STARTS
