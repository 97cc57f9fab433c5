"""Splits into training and test documents, in scikit-learn's protocol: ``split(X, y, groups)``.

Use them wherever scikit-learn takes ``cv=``.
"""

import warnings
from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import BaseCrossValidator, check_cv

from textensor.base.checks import Rule, check, number, whole
from textensor.base.labels import Labels
from textensor.base.late.parts import check_random_state
from textensor.base.reading.y import read_labels, read_vector

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


class UntestedWarning(UserWarning):
    """Some categories have no document in the test part."""


class SmallSampleSplit(BaseCrossValidator):
    """Random splits with a small, fixed share of every category for training and the rest for testing.

    A category of n documents gives max(at_least, round(fraction * n)) of them to training, halves rounded
    up. A category with no more documents than that gives all of them and has none left to test; a warning
    says so.

    Split i depends on the seed and i alone, not on ``n_splits``; and with one seed a larger fraction only
    adds documents to the training part, so that learning curves compare like with like.

    Parameters
    ----------
    fraction : float
        Share of each category's documents, from 0 (then ``at_least`` alone counts) up to, not including, 1.
    at_least : int
        Smallest number of training documents of a category.
    n_splits : int
        Number of splits.
    random_state : int, RandomState instance or None
        Seed of the splits.

    Examples
    --------
    >>> from textensor.evaluate import SmallSampleSplit
    >>> y = ["a"] * 60 + ["b"] * 10
    >>> for train, test in SmallSampleSplit(0.05, n_splits=2, random_state=0).split(y, y):
    ...     len(train), len(test)
    (5, 65)
    (5, 65)
    """

    def __init__(
        self, fraction: float, at_least: int = 2, n_splits: int = 10, *, random_state: Any = None
    ) -> None:
        check("fraction", fraction, number(least=0, below=1))
        check("at_least", at_least, whole(1))
        check("n_splits", n_splits, whole(1))
        self.fraction = fraction
        self.at_least = at_least
        self.n_splits = n_splits
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of splits; the arguments are scikit-learn's and not looked at."""
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        """Yield the row numbers of the training and the test documents, both sorted.

        Parameters
        ----------
        X, groups : object
            Ignored, as ``y`` says how many documents there are.
        y : array-like of shape (n_documents,)
            One category per document.
        """
        labels = read_vector(y, "y")
        category, sizes = labels.codes, labels.counts
        # Halves are rounded up: 0.29 * 50 is a half too, though its float falls short of it.
        rounded = np.floor(self.fraction * sizes + 0.5 + 1e-9).astype(np.intp)
        wanted = np.maximum(self.at_least, rounded)
        _warn_untested(labels.names, sizes, wanted)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        for split in range(self.n_splits):
            chosen = _first_of_each(category, wanted, np.random.default_rng([seed, split]))
            yield np.flatnonzero(chosen), np.flatnonzero(~chosen)


class LabeledSplit(BaseCrossValidator):
    """Split the labelled documents; the unlabelled ones are in every training part and never in a test part.

    Parameters
    ----------
    cv : int or splitter
        Splits the labelled documents. A number means that many folds: stratified for one label per document,
        plain in multilabel mode.
    unlabeled_value : int or str
        The mark of an unlabelled document in y: the label itself, or a whole row of it in an indicator.

    Examples
    --------
    >>> import numpy as np
    >>> from textensor.evaluate import LabeledSplit
    >>> y = np.array([0, -1, 1, 0, -1, 1])
    >>> for train, test in LabeledSplit(2).split(y, y):
    ...     print(train, test)
    [1 3 4 5] [0 2]
    [0 1 2 4] [3 5]
    """

    def __init__(self, cv: Any = 5, *, unlabeled_value: int | str = -1) -> None:
        folds = "a number of folds or a splitter (ready-made splits need no wrapping)"
        check("cv", cv, Rule(folds, lambda value: isinstance(value, Integral) or hasattr(value, "split")))
        self.cv = cv
        self.unlabeled_value = unlabeled_value

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits; the arguments are needed only where ``cv`` needs them."""
        if isinstance(self.cv, Integral):
            return int(self.cv)
        if y is None:
            return int(self.cv.get_n_splits(X, y, groups))
        return int(self.cv.get_n_splits(*self._labeled(y, groups)[1:]))

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        """Yield the row numbers of the training and the test documents, both sorted.

        Parameters
        ----------
        X : object
            Ignored: ``cv`` sees row numbers in its place.
        y : array-like of shape (n_documents,) or indicator of shape (n_documents, n_labels)
            Labels or collections of labels, with the mark where there is none.
        groups : array-like of shape (n_documents,), optional
            Passed on to ``cv`` for the labelled documents.
        """
        labels, rows, given, labeled_groups = self._labeled(y, groups)
        unlabeled = np.flatnonzero(~labels.labelled)
        splitter = check_cv(self.cv, given, classifier=True)
        for train, test in splitter.split(rows, given, labeled_groups):
            if max(np.max(train, initial=0), np.max(test, initial=0)) >= len(rows):
                raise ValueError(
                    f"cv names rows beyond the {len(rows)} labelled documents: it must fit those."
                )
            yield np.union1d(rows[train], unlabeled), np.sort(rows[test])

    def _labeled(self, y: Any, groups: Any) -> tuple[Labels, NDArray[np.intp], Any, Any]:
        """Return all labels, and row numbers, y and groups of the labelled documents."""
        if y is None:
            raise ValueError("Labels are needed to tell the labelled documents from the others: y is None.")
        labels, mark = read_labels(y, self.unlabeled_value), self.unlabeled_value
        if labels.labelled.all() and isinstance(labels.names[0], str) != isinstance(mark, str):
            raise ValueError(
                f"unlabeled_value={mark!r} cannot be a label among {labels.names.dtype} ones: "
                "use '' for strings and -1 for numbers."
            )
        rows = np.flatnonzero(labels.labelled)
        known = labels.rows(rows)
        given = known.indicator if sparse.issparse(y) else np.asarray(known)
        return labels, rows, given, None if groups is None else np.asarray(groups)[rows]


def _warn_untested(names: NDArray[Any], sizes: NDArray[Any], wanted: NDArray[Any]) -> None:
    """Warn of categories whose documents all go into training."""
    used_up = np.flatnonzero(sizes <= wanted)
    if len(used_up):
        first = used_up[0]
        warnings.warn(
            f"{len(used_up)} categories have no document left to test (the first is {names[first]!s} with "
            f"{sizes[first]}): leave them out, or out of labels= when scoring.",
            UntestedWarning,
            stacklevel=3,
        )


def _first_of_each(
    category: NDArray[np.intp], wanted: NDArray[Any], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Mask the first ``wanted[c]`` documents of each category c in a random order of all documents."""
    shuffled = rng.permutation(len(category))
    grouped = shuffled[np.argsort(category[shuffled], kind="stable")]
    starts = np.searchsorted(category[grouped], np.arange(len(wanted)))
    rank = np.arange(len(category)) - starts[category[grouped]]
    chosen = np.zeros(len(category), dtype=bool)
    chosen[grouped[rank < wanted[category[grouped]]]] = True
    return chosen
