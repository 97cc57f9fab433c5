"""Synthetic documents of any size, for tests of scale."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textensor.base.checks import check, number, optional, whole
from textensor.datasets.corpus import Corpus

COMMONEST, RAREST = 0.5, 1e-4  # shares of the documents that the first and the last label apply to
ZIPF_EXPONENT = 1.1
TOPIC_TERMS = 100  # terms that a label prefers
TOPIC_SHARE = 0.4  # of the tokens of a document with labels come from what its labels prefer
BLOCK = 8192  # documents made at a time
_LENGTHS, _LABELS, _TOPICS, _TOKENS = range(4)  # what a generator is for, so that no two share a stream


def make_documents(
    n_documents: int,
    n_terms: int,
    n_labels: int,
    *,
    mean_length: float = 80.0,
    random_state: int | None = None,
) -> Corpus:
    """Make a multilabel corpus whose statistics are those of text.

    Terms follow Zipf's law: a smaller index is a commoner term. Labels apply to shares of the documents that
    fall geometrically from 50% for the first one to 0.01% for the last one, and to one document at least.
    Each label prefers some terms, so that it can be learnt. Document lengths are log-normal.

    Memory is little more than that of the result; time grows with the number of tokens, about ten million of
    them a second.

    Parameters
    ----------
    n_documents, n_terms, n_labels : int
        The size of the corpus, each at least 1.
    mean_length : float, default=80
        Tokens per document on average, at least 1.
    random_state : int, optional
        The seed: the same one gives the same corpus.

    Returns
    -------
    Corpus
        With counts in ``X`` (int32), an indicator in ``y``, and no texts.

    Examples
    --------
    >>> corpus = make_documents(1000, 500, 3, random_state=0)
    >>> corpus
    Corpus(1000 documents, 500 terms, 3 labels)
    >>> corpus.y.sum(axis=0).tolist()
    [500, 7, 1]
    """
    check("n_documents", n_documents, whole(1))
    check("n_terms", n_terms, whole(1, np.iinfo(np.int32).max))
    check("n_labels", n_labels, whole(1))
    check("mean_length", mean_length, number(least=1))
    check("random_state", random_state, optional(whole(0)))
    seed = int(np.random.SeedSequence().entropy) if random_state is None else int(random_state)  # type: ignore[arg-type]
    y = _labels(n_documents, n_labels, seed)
    topics = _zipf_ranks(np.random.default_rng([seed, _TOPICS]).random((n_labels, TOPIC_TERMS)), n_terms, 1.0)
    X = _counts(y, topics, n_terms, _lengths(n_documents, mean_length, seed), seed)
    description = (
        f"Synthetic documents: {n_documents} x {n_terms} Zipf terms, {n_labels} labels on 50% down to 0.01% "
        f"of the documents, random_state={random_state}. Free of terms."
    )
    names = [f"label {j}" for j in range(n_labels)]
    return Corpus(texts=None, X=X, y=y, train=None, label_names=names, description=description)


def _labels(n_documents: int, n_labels: int, seed: int) -> Any:
    """Draw an indicator of documents x labels with exactly the shares promised."""
    shares = np.geomspace(COMMONEST, RAREST, n_labels)
    sizes = np.maximum(1, np.round(shares * n_documents)).astype(np.int64)
    rows = [
        np.sort(
            np.random.default_rng([seed, _LABELS, j]).choice(n_documents, size, replace=False, shuffle=False)
        )
        for j, size in enumerate(sizes)
    ]
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    by_label = sparse.csc_array(
        (np.ones(indptr[-1], dtype=np.int8), np.concatenate(rows), indptr), shape=(n_documents, n_labels)
    )
    return by_label.tocsr()


def _lengths(n_documents: int, mean_length: float, seed: int) -> NDArray[np.int64]:
    """Tokens per document: log-normal, as in most collections."""
    spread = 0.6
    location = np.log(mean_length) - spread**2 / 2
    draws = np.random.default_rng([seed, _LENGTHS]).lognormal(location, spread, n_documents)
    return np.maximum(1, np.round(draws)).astype(np.int64)


def _zipf_ranks(uniform: NDArray[np.float64], n: int, exponent: float) -> NDArray[np.int32]:
    """Ranks 0 .. n-1 with probability about (rank + 1)**-exponent, by the inverse of the continuous law.

    A table of n probabilities would need a search per token; this needs none.
    """
    if exponent == 1.0:
        ranks = (n + 1.0) ** uniform
    else:
        power = 1.0 - exponent
        ranks = (1.0 + uniform * ((n + 1.0) ** power - 1.0)) ** (1.0 / power)
    return np.clip(ranks.astype(np.int64) - 1, 0, n - 1).astype(np.int32)


def _counts(y: Any, topics: NDArray[np.int32], n_terms: int, lengths: NDArray[np.int64], seed: int) -> Any:
    """Term counts, block by block into arrays of the full size, cut to what is used at the end."""
    n_documents, n_tokens = len(lengths), int(lengths.sum())
    indices, data = np.empty(n_tokens, dtype=np.int32), np.empty(n_tokens, dtype=np.int32)
    indptr = np.zeros(n_documents + 1, dtype=np.int64)
    end = 0
    for block, first in enumerate(range(0, n_documents, BLOCK)):
        last = min(first + BLOCK, n_documents)
        rows = np.repeat(np.arange(last - first), lengths[first:last])
        terms = _tokens(y[first:last], topics, n_terms, rows, np.random.default_rng([seed, _TOKENS, block]))
        cells, counts = np.unique(rows * np.int64(n_terms) + terms, return_counts=True)
        start, end = end, end + len(cells)
        indices[start:end], data[start:end] = cells % n_terms, counts
        indptr[first + 1 : last + 1] = start + np.cumsum(
            np.bincount(cells // n_terms, minlength=last - first)
        )
    indices.resize(end, refcheck=False)  # in place: a copy would double the memory
    data.resize(end, refcheck=False)
    if end <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    return sparse.csr_array((data, indices, indptr), shape=(n_documents, n_terms))


def _tokens(
    y: Any, topics: NDArray[np.int32], n_terms: int, rows: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int32]:
    """One term for each token of a block; ``rows`` says which document the token is in."""
    terms = _zipf_ranks(rng.random(len(rows)), n_terms, ZIPF_EXPONENT)
    n_labels = np.diff(y.indptr)
    from_topic = np.flatnonzero((rng.random(len(rows)) < TOPIC_SHARE) & (n_labels[rows] > 0))
    documents = rows[from_topic]
    which = (rng.random(len(documents)) * n_labels[documents]).astype(np.int64)
    labels = y.indices[y.indptr[documents] + which]
    terms[from_topic] = topics[labels, _zipf_ranks(rng.random(len(documents)), TOPIC_TERMS, ZIPF_EXPONENT)]
    return terms
