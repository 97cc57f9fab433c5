"""Which of the terms that were counted are columns, and in what order."""

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.space.text.characters import are_marked
from textensor.space.text.table import Terms


def choose(
    terms: Terms,
    df: npt.NDArray[np.int64],
    tf: npt.NDArray[np.int64],
    n_documents: int,
    options: Any,
    *,
    in_order: bool = False,
) -> npt.NDArray[np.intp]:
    """Return the terms that scikit-learn's rules leave, in the order of columns: alphabetical, words first.

    The options min_df, max_df and max_features hold for each kind by itself. ``in_order`` says that the terms
    are in alphabetical order already.
    """
    if not df.any():
        raise ValueError("Empty vocabulary: the documents hold no terms, or only stop words.")
    kept = _within_limits(df, n_documents, options)
    if not in_order:
        kept = kept[terms.take(kept).order(options.n_jobs)]
    kinds = [kept]
    if options.char_ngram_range is not None:
        marked = are_marked(terms.take(kept))
        kinds = [kept[~marked], kept[marked]]
    kept = np.concatenate([kind[_most_frequent(tf[kind], options.max_features)] for kind in kinds])
    if len(kept) == 0:
        raise ValueError("After pruning, no terms remain: try a lower min_df or a higher max_df.")
    return kept


def _within_limits(df: npt.NDArray[np.int64], n_documents: int, options: Any) -> npt.NDArray[np.intp]:
    """Return which terms min_df and max_df leave; a term that no document holds is none."""
    high = options.max_df * (1 if isinstance(options.max_df, Integral) else n_documents)
    low = options.min_df * (1 if isinstance(options.min_df, Integral) else n_documents)
    if high < low:
        raise ValueError("max_df corresponds to fewer documents than min_df.")
    return np.flatnonzero((df <= high) & (df >= max(low, 1)))


def _most_frequent(tf: npt.NDArray[np.int64], max_features: int | None) -> npt.NDArray[np.intp]:
    """Return which terms, given in alphabetical order, occur most often."""
    if max_features is None or len(tf) <= max_features:
        return np.arange(len(tf))
    # The same call as scikit-learn's, so that ties fall the same way.
    return np.sort((-tf).argsort()[:max_features])


def places(numbers: npt.NDArray[Any], length: int) -> npt.NDArray[np.int32]:
    """Return where each number below the length is first, -1 if it is nowhere.

    Examples
    --------
    >>> places(np.array([2, 0, -1, 2]), 4)
    array([ 1, -1,  0, -1], dtype=int32)
    """
    found = np.full(length, -1, dtype=np.int32)
    there = np.flatnonzero(numbers >= 0)[::-1]
    found[numbers[there]] = there
    return found
