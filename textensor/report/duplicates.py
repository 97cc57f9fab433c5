"""Documents that are both in training and in the test set, or nearly so: they flatter every figure.

Two documents are the same when their words are, and nearly so when the cosine of their tf*log(n/df) vectors
reaches a threshold t. Not all pairs are multiplied: a unit vector whose commonest terms are left out until a
rest of length below t stays away has to meet, in the terms that are kept, everything it has a cosine of t
with; those terms are rare ones, which few documents hold.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.checks import check, number
from textensor.base.plain import normal_form
from textensor.report.data import Duplicate
from textensor.space import TermVectorizer

#: Test documents that are compared at a time.
BLOCK = 1024
_WORD = re.compile(r"\w+")


def near_duplicates(
    train: Sequence[str], test: Sequence[str], *, threshold: float = 0.9, n_jobs: int | None = None
) -> list[Duplicate]:
    """Return the test documents that have a near-duplicate in training, in their order.

    Parameters
    ----------
    train, test : sequence of str
        The documents. Those without a word are like none.
    threshold : float, default=0.9
        The lowest cosine, above 0 and at most 1.
    n_jobs : int or None, default=None
        How many threads read the text; the result does not depend on it.

    Examples
    --------
    >>> from textensor.report import near_duplicates
    >>> near_duplicates(["The cat sat.", "A dog ran off."], ["the  CAT sat!", "Birds sang."])
    [Duplicate(test=0, train=0, cosine=1.0, exact=True)]
    """
    check("threshold", threshold, number(above=0, most=1))
    train_keys, test_keys = ([_words(text) for text in texts] for texts in (train, test))
    first: dict[str, int] = {}
    for j, key in enumerate(train_keys):
        first.setdefault(key, j)
    first.pop("", None)
    found = {i: Duplicate(i, first[key], 1.0, True) for i, key in enumerate(test_keys) if key in first}
    others = [i for i in range(len(test)) if i not in found]
    if others and any(len(word) > 1 for key in train_keys for word in key.split()):
        X = TermVectorizer(n_jobs=n_jobs).fit_transform([*train_keys, *(test_keys[i] for i in others)])
        for i, j, cosine in _similar(X[len(train) :], X[: len(train)], threshold):
            found[others[i]] = Duplicate(others[i], j, min(cosine, 1.0), False)
    return [found[i] for i in sorted(found)]


def _words(text: str) -> str:
    """Return the words of a text, whatever its case, accents' coding, spaces and punctuation."""
    return " ".join(_WORD.findall(normal_form("NFKC", text).casefold()))


def _similar(queries: Any, rows: Any, threshold: float) -> Iterator[tuple[int, int, float]]:
    """Yield for each unit query that reaches the threshold the most similar row, the first of equals."""
    rare_first = np.argsort(np.diff(sp.csc_matrix(rows).indptr), kind="stable")
    queries, rows = (sp.csr_matrix(matrix[:, rare_first]) for matrix in (queries, rows))
    columns = sp.csr_matrix(rows.T)
    for start in range(0, queries.shape[0], BLOCK):
        block = queries[start : start + BLOCK]
        i, j = _telling(block, threshold).dot(columns).nonzero()
        cosine = np.asarray(block[i].multiply(rows[j]).sum(axis=1)).ravel()
        order = np.lexsort((j, -cosine, i))
        best = order[np.unique(i[order], return_index=True)[1]] if len(order) else order
        for k in best[cosine[best] >= threshold - 1e-12]:
            yield start + int(i[k]), int(j[k]), float(cosine[k])


def _telling(block: sp.csr_matrix, threshold: float) -> sp.csr_matrix:
    """Return unit rows without their last columns, as many as stay shorter than the threshold together."""
    kept = sp.csr_matrix(block, copy=True)
    kept.sort_indices()
    squares: npt.NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(kept.data**2)])
    ends = np.repeat(squares[kept.indptr[1:]], np.diff(kept.indptr))
    rest = ends - squares[:-1]  # from this column on
    kept.data[rest < (threshold - 1e-6) ** 2] = 0
    kept.eliminate_zeros()
    return kept
