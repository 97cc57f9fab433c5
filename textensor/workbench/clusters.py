"""Texts sorted into clusters, without labels."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from textensor.base.plain import counted
from textensor.space import TermVectorizer
from textensor.workbench.text_index import project_texts
from textensor.workbench.texts import check_texts

#: Terms that are named for a cluster.
N_TERMS = 8


class Cluster(NamedTuple):
    """How many texts a cluster has, and the terms that set it apart, the strongest first."""

    size: int
    terms: list[str]


def cluster_texts(
    texts: Iterable[str],
    k: int,
    *,
    dimensions: int = 200,
    vectorizer: TermVectorizer | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> tuple[npt.NDArray[np.intp], list[Cluster]]:
    """Sort texts of any script into k clusters by k-means, after TensorLSI.

    Parameters
    ----------
    texts : iterable of str
        At least k.
    k : int
        The number of clusters.
    dimensions : int, default=200
        Number of dimensions of the latent space.
    vectorizer : TermVectorizer or None, default=None
        Turns text into terms; None is ``TermVectorizer(scripts=True)``, words of any script.
    random_state : int, default=0
        Random seed.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    number : ndarray of shape (n_texts,)
        The cluster of each text; 0 is the largest.
    clusters : list of Cluster
        Size and terms of each.

    Examples
    --------
    >>> texts = ["wheat and maize", "maize and wheat fell", "maize", "a bank cut rates", "rates of a bank"]
    >>> number, clusters = cluster_texts(texts, 2, dimensions=2)
    >>> number.tolist(), clusters[0].size
    ([0, 0, 0, 1, 1], 3)
    """
    texts = list(check_texts(texts))
    if len(texts) < k:
        are = "is" if len(texts) == 1 else "are"
        raise ValueError(
            f"There {are} {counted(len(texts), 'document')} for {k} clusters: ask for fewer, or give more."
        )
    projection, Z = project_texts(texts, dimensions, vectorizer, n_jobs)
    found = KMeans(k, n_init=10, random_state=random_state).fit_predict(normalize(Z))
    order = np.argsort(-np.bincount(found, minlength=k), kind="stable")
    number = np.empty(k, dtype=np.intp)
    number[order] = np.arange(k)
    found = number[found]
    X, names = projection[0].transform(texts), projection[0].get_feature_names_out()
    overall = np.asarray(X.mean(axis=0)).ravel()
    clusters = []
    for c in range(k):
        members = found == c
        mean = np.asarray(X[members].mean(axis=0)).ravel() if members.any() else overall
        first = np.argsort(overall - mean, kind="stable")[:N_TERMS]
        clusters.append(Cluster(int(members.sum()), names[first[mean[first] > overall[first]]].tolist()))
    return found, clusters
