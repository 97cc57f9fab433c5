"""Held-out folds of the training part, and per-label thresholds: SCut with the fall-back FBR (Yang, 2001).

Scores of held-out documents, on which thresholds, calibration and the choice of a method rest, all come from
one loop over folds, :func:`score_folds`.

A one-vs-rest decision at 0 is a poor one for rare labels: with few positive documents the margin lies far
on the negative side. SCut puts each label's threshold where its F1 on held-out documents is best. Where even
that F1 is low the estimate is not to be trusted, and FBR puts it at the highest held-out score instead.

The folds' scores make one ranking, or each fold puts the threshold where it would and the mean is taken. The
mean is the steadier one if a fold holds one or two positive documents (Fan and Lin, 2007).
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats, Rows

#: Below this F1 a threshold falls back.
FALL_BACK = 0.5
#: The same for a fold alone, whose few documents say less: chosen on training documents of Reuters-21578.
FOLD_FALL_BACK = 0.3
#: How many folds the training part is cut into.
N_FOLDS = 3


def tune_threshold(
    scores: Floats,
    positive: npt.NDArray[np.bool_],
    fall_back: float = FALL_BACK,
    weight: Floats | None = None,
) -> float:
    """Return the threshold with the best F1 of ``scores > threshold``.

    It lies midway between two scores. ``weight`` is how much each score counts. Scores of NaN, of folds that
    could not be trained, are left out.
    Without a positive score there is nothing to tune, and the threshold is 0.

    Examples
    --------
    >>> import numpy as np
    >>> tune_threshold(np.array([-0.9, -0.4, -0.6, -2.0]), np.array([False, True, True, False]))
    -0.75
    """
    weight = np.ones(len(scores)) if weight is None else weight
    known = ~np.isnan(scores) & (weight > 0)
    scores, positive, weight = scores[known], positive[known], weight[known]
    if not positive.any():
        return 0.0
    # F1 falls with every score that a cut adds unless it is positive: the best cut is below a positive one.
    cuts, at = np.unique(scores[positive], return_inverse=True)
    hits = np.bincount(at, weights=weight[positive], minlength=len(cuts))[::-1].cumsum()
    above = np.searchsorted(cuts, scores, side="right")  # how many cuts would assign each document
    assigned = np.bincount(above, weights=weight, minlength=len(cuts) + 1)[:0:-1].cumsum()
    f1 = 2 * hits / (assigned + hits[-1])
    best = int(np.argmax(f1))  # the highest one of several
    if f1[best] < fall_back:
        return float(scores.max())
    last = cuts[len(cuts) - 1 - best]
    below = scores[scores < last]
    return float((last + (below.max() if below.size else last - 1.0)) / 2)


def average_threshold(
    scores: Floats,
    positive: npt.NDArray[np.bool_],
    fold: Rows,
    fall_back: float = FOLD_FALL_BACK,
    weight: Floats | None = None,
) -> float:
    """Return the mean over folds of each one's best threshold.

    A fold without a positive document wants none assigned: its highest score counts. Folds that could not be
    trained, whose scores are NaN, are left out; without any the threshold is 0.

    Examples
    --------
    >>> import numpy as np
    >>> scores, fold = np.array([-0.9, -0.4, -0.6, -2.0]), np.array([0, 0, 1, 1])
    >>> round(average_threshold(scores, np.array([False, True, True, False]), fold), 3)
    -0.975
    """
    weight = np.ones(len(scores)) if weight is None else weight
    known = ~np.isnan(scores) & (weight > 0)
    found = []
    for number in np.unique(fold[known]):
        of_fold = known & (fold == number)
        if positive[of_fold].any():
            found.append(tune_threshold(scores[of_fold], positive[of_fold], fall_back, weight[of_fold]))
        else:
            found.append(float(scores[of_fold].max()))
    return float(np.mean(found)) if found else 0.0


def folds(indicator: Any, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Cut documents into folds so that each label's documents, the rarest label's first, are spread evenly.

    A label with two documents has one on each side of a cut, not both in one fold.
    """
    n = indicator.shape[0]
    shuffled = np.random.default_rng(seed).permutation(n)
    fold = np.full(n, -1)
    sizes = np.zeros(N_FOLDS, dtype=np.intp)
    rank = np.empty(n, dtype=np.intp)
    rank[shuffled] = np.arange(n)
    counts = np.diff(indicator.indptr)
    for label in np.argsort(counts, kind="stable"):
        members = indicator.indices[indicator.indptr[label] : indicator.indptr[label + 1]]
        held = np.bincount(fold[members][fold[members] >= 0], minlength=N_FOLDS)
        for document in members[np.argsort(rank[members])]:
            if fold[document] < 0:
                chosen = int(np.lexsort((np.arange(N_FOLDS), sizes, held))[0])
                fold[document] = chosen
                held[chosen] += 1
                sizes[chosen] += 1
    rest = shuffled[fold[shuffled] < 0]
    fold[rest] = np.arange(len(rest)) % N_FOLDS
    for k in range(N_FOLDS):
        if (fold == k).any() and (fold != k).any():
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


def score_folds(
    score: Callable[[Rows, Rows], npt.NDArray[Any]],
    answers: Any,
    n_columns: int,
    *,
    seed: int,
    n_folds: int = N_FOLDS,
) -> tuple[Floats, Rows]:
    """Score the documents of each fold by what is learnt from the other folds.

    Parameters
    ----------
    score : callable
        Given the rows of training and test documents, returns test documents x columns.
    answers : csc_array of bool, documents x labels
        The labels, which the folds are cut by.
    n_columns : int
        Number of columns of the scores.
    seed : int
        Seed of the folds.
    n_folds : int, default=3
        Number of folds to score, from the first.

    Returns
    -------
    scores : ndarray of shape (n_documents, n_columns)
        Held-out scores, NaN for documents of the folds that are not scored.
    fold : ndarray of shape (n_documents,)
        The fold of each document, -1 if it is not scored.
    """
    scores = np.full((answers.shape[0], n_columns), np.nan)
    fold = np.full(answers.shape[0], -1)
    for number, (train, test) in enumerate(islice(folds(answers, seed), n_folds)):
        scores[test], fold[test] = score(train, test), number
    return scores, fold


def held_out(
    score: Callable[[Rows, Rows], Floats],
    answers: Any,
    labelled: npt.NDArray[np.bool_],
    *,
    seed: int = 0,
    at_least: int = 0,
) -> tuple[Floats, Rows]:
    """Score every labelled document by a model that was fitted without its labels.

    Unlabelled documents are in every training part. A column that has no yes, or no no, among the training
    documents of a fold has learnt nothing, and its scores there are NaN.

    Parameters
    ----------
    score : callable
        Given the rows of training and test documents, fits a model and returns test documents x columns.
    answers : csc_array of bool, labelled documents x columns
        Which columns are true for each labelled document.
    labelled : ndarray of bool of shape (n_documents,)
        Which documents have labels.
    seed : int, default=0
        Seed of the folds.
    at_least : int, default=0
        Scores of a fold whose training documents have fewer true columns are NaN.

    Returns
    -------
    scores : ndarray of shape (n_labelled, n_columns)
        Held-out scores.
    fold : ndarray of shape (n_labelled,)
        The fold of each document, -1 if there are too few documents for folds.
    """

    def score_learnt(train: Rows, test: Rows) -> Floats:
        return score_fold(score, answers, labelled, train, test, at_least=at_least)

    return score_folds(score_learnt, answers, answers.shape[1], seed=seed)


def score_fold(
    score: Callable[[Rows, Rows], Floats],
    answers: Any,
    labelled: npt.NDArray[np.bool_],
    train: Rows,
    test: Rows,
    *,
    at_least: int = 0,
) -> Floats:
    """Score one fold's test documents as :func:`held_out` does.

    ``train`` and ``test`` number the labelled documents; ``score`` is given the numbers of all documents.
    """
    documents, unlabelled = np.flatnonzero(labelled), np.flatnonzero(~labelled)
    n_yes = np.diff(answers[train].indptr)
    learnt = (n_yes > 0) & (n_yes < len(train))
    scores = np.full((len(test), len(learnt)), np.nan)
    if np.count_nonzero(n_yes) >= at_least:
        found = score(np.sort(np.concatenate([documents[train], unlabelled])), documents[test])
        scores[:, learnt] = found[:, learnt]
    return scores
