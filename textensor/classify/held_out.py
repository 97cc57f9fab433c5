"""Held-out scores: the one loop over folds behind thresholds, calibration and the choice of a method."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats, Rows
from textensor.classify.thresholds import folds


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
        A fold whose training documents have fewer true columns is skipped.

    Returns
    -------
    scores : ndarray of shape (n_labelled, n_columns)
        Held-out scores.
    fold : ndarray of shape (n_labelled,)
        The fold of each document.
    """
    documents, unlabelled = np.flatnonzero(labelled), np.flatnonzero(~labelled)
    scores = np.full(answers.shape, np.nan)
    fold = np.zeros(len(documents), dtype=np.intp)
    for number, (train, test) in enumerate(folds(answers, seed=seed)):
        fold[test] = number
        n_yes = np.diff(answers[train].indptr)
        if np.count_nonzero(n_yes) < at_least:
            continue
        learnt = (n_yes > 0) & (n_yes < len(train))
        found = score(np.sort(np.concatenate([documents[train], unlabelled])), documents[test])
        scores[np.ix_(test, learnt)] = found[:, learnt]
    return scores, fold
