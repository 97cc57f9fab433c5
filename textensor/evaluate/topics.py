"""How well a representation or a clustering agrees with the topics of the documents (tensorlsi §5)."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix
from sklearn.preprocessing import normalize
from sklearn.utils import check_array, check_consistent_length, gen_batches

from textensor.base.reading.y import read_vector

MAX_TOPIC_PAIRS = 50_000_000
BLOCK_ENTRIES = 1 << 22
#: Starts of k-means.
N_STARTS = 10
#: From documents and a number of dimensions to coordinates.
Reduce = Callable[[Any, int], Any]


def pair_average_precision(Z: Any, y: Any) -> float:
    """Rank all pairs of documents by cosine and return the average precision of the pairs of one topic.

    With p_k the pair of the k-th highest similarity, the precision at a pair p_k of one topic is the share of
    such pairs among p_1, ..., p_k, and the figure is the mean of these precisions (TensorLSI, section 5.2).
    Pairs of equal similarity (to 12 decimals, so that rounding breaks no tie) share the rank of the last of
    them, so the order of the documents does not matter. A document of zeros has cosine 0 with all others.

    The figure is scikit-learn's ``average_precision_score`` over all pairs, without holding them: memory is
    about 60 bytes per pair *of one topic*, and more than 50 million of those are refused.

    Parameters
    ----------
    Z : array-like or sparse matrix of shape (n_documents, n_dimensions)
        The documents in the representation that is judged.
    y : array-like of shape (n_documents,)
        Their topics.

    Examples
    --------
    The pairs by falling cosine are (0, 1), (1, 2), (0, 2); only the second is of one topic, at precision 1/2.

    >>> from textensor.evaluate import pair_average_precision
    >>> pair_average_precision([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]], ["a", "b", "b"])
    0.5
    """
    Z = check_array(Z, accept_sparse="csr", dtype=np.float64, input_name="Z")
    labels = read_vector(y, "y")
    topics, sizes = labels.codes, labels.counts
    check_consistent_length(Z, topics)
    n_pairs = int((sizes * (sizes - 1) // 2).sum())
    if n_pairs == 0:
        raise ValueError("No two documents share a topic, so there is no pair to find: give more documents.")
    if n_pairs > MAX_TOPIC_PAIRS:
        raise ValueError(f"{n_pairs} pairs share a topic, {MAX_TOPIC_PAIRS} are the limit: judge a sample.")
    by_topic = np.argsort(topics, kind="stable")
    unit, topic_ends = normalize(Z)[by_topic], np.cumsum(sizes)[topics[by_topic]]

    same = np.sort(np.concatenate([values for values, _ in _pair_cosines(unit, topic_ends)]))
    # passed[i]: pairs of two topics above exactly i pairs of one topic (or level with the last of them)
    passed = np.zeros(len(same) + 1, dtype=np.int64)
    for _, values in _pair_cosines(unit, topic_ends):
        passed += np.bincount(np.searchsorted(same, np.sort(values), side="right"), minlength=len(passed))
    lowest_equal = np.searchsorted(same, same, side="left")
    same_up_to_here = len(same) - lowest_equal
    other_up_to_here = passed[::-1].cumsum()[::-1][lowest_equal + 1]
    return float(np.mean(same_up_to_here / (same_up_to_here + other_up_to_here)))


def _pair_cosines(
    unit: Any, topic_ends: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the cosines of pairs of one topic and of two, block by block, from rows sorted by topic.

    ``topic_ends`` is the row after the last of each row's topic: up to it a later row is of the same topic.
    """
    n = len(topic_ends)
    for block in gen_batches(n, max(1, BLOCK_ENTRIES // n)):
        cosines = unit[block] @ unit[block.start :].T
        cosines = np.round(cosines.toarray() if hasattr(cosines, "toarray") else cosines, 12)
        row, column = np.arange(n)[block, None], np.arange(block.start, n)
        same_topic = column < topic_ends[block, None]
        yield cosines[same_topic & (column > row)], cosines[~same_topic]


def clustering_accuracy(y_true: Any, clusters: Any) -> float:
    """Return the share of documents whose cluster stands for their topic, clusters matched to topics at best.

    The best one-to-one matching is found with the Kuhn-Munkres algorithm. With more clusters than topics, the
    documents of clusters left over count as wrong; with more topics than clusters, those of topics left over.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,)
        The topics.
    clusters : array-like of shape (n_documents,)
        The clusters, under any names.

    Examples
    --------
    Cluster 7 stands for "a" (two documents) and cluster 3 for "b" (one document): 3 of 4 are right.

    >>> from textensor.evaluate import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "b", "b"], [7, 7, 3, 7])
    0.75
    """
    topics, groups = read_vector(y_true, "y_true").codes, read_vector(clusters, "clusters").codes
    check_consistent_length(topics, groups)
    together = contingency_matrix(topics, groups)
    rows, columns = linear_sum_assignment(together, maximize=True)
    return float(together[rows, columns].sum() / len(topics))


class ClusteringDraws(NamedTuple):
    """What draws of categories gave.

    Attributes
    ----------
    accuracy : list of float
        One value for each draw.
    dimension : int
        The number of dimensions that was picked on other draws; 0 for the documents as they are.
    seconds : list of float
        Seconds for one start of k-means, for each draw.
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
        Seed of the draws and of the starts of k-means.

    Examples
    --------
    >>> import numpy as np
    >>> from textensor.evaluate import clustering_draws
    >>> y = np.repeat([0, 1, 2], 5)
    >>> found = clustering_draws(np.eye(3)[y], y, 2, n_draws=3)
    >>> found.accuracy
    [1.0, 1.0, 1.0]
    """
    labels = read_vector(y, "y")
    y, n_categories = labels.codes, len(labels.names)
    if not 1 <= n_clusters <= n_categories:
        raise ValueError(f"{n_clusters} categories cannot be drawn from {n_categories}: draw fewer.")
    if reduce is not None and not len(dimensions):
        raise ValueError("Documents are reduced, but there is no number of dimensions: give some.")
    rng = np.random.default_rng(random_state)
    draws = [
        np.flatnonzero(np.isin(y, rng.choice(n_categories, n_clusters, replace=False)))
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
    y: NDArray[Any],
    drawn: list[tuple[NDArray[np.intp], int]],
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


def _clustered(Z: Any, y: NDArray[Any], n_clusters: int, seed: int) -> tuple[float, float]:
    """Return the accuracy of k-means and the seconds of one of its starts."""
    from sklearn.cluster import KMeans  # here: it is slow to import

    start = time.perf_counter()
    found = KMeans(n_clusters, n_init=N_STARTS, random_state=seed).fit_predict(Z)
    return clustering_accuracy(y, found), (time.perf_counter() - start) / N_STARTS
