"""The choice of a setting on held-out folds of the labelled documents: decisions and thresholds."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.engine.declare import SEED
from textensor.base.arrays import Floats, Rows
from textensor.classify.thresholds import N_FOLDS, score_folds, tune_threshold


def in_columns(decisions: Floats, columns: Any, n_labels: int) -> Floats:
    """Return decisions for some labels in the columns of all, NaN for the others.

    One decision f for each document stands for two labels: -f and f.
    """
    found = np.full((len(decisions), n_labels), np.nan)
    found[:, columns] = np.column_stack([-decisions, decisions]) if decisions.ndim == 1 else decisions
    return found


def held_out(
    decide: Callable[[Rows, Rows], Iterable[Floats]],
    answers: Any,
    n_settings: int,
    n_labels: int,
    n_folds: int = N_FOLDS,
) -> list[Floats]:
    """Return the held-out decisions of each setting, documents x labels, NaN if there is none.

    ``decide`` is given the rows to learn from and those to decide on, and returns the decisions of each
    setting; ``answers`` are the labels that the folds are cut by.
    """

    def side_by_side(some: Rows, others: Rows) -> Floats:
        return np.hstack([*decide(some, others)])

    judged, _ = score_folds(side_by_side, answers, n_settings * n_labels, seed=SEED, n_folds=n_folds)
    return np.hsplit(judged, n_settings)


def thresholds(judged: Floats, truth: npt.NDArray[np.bool_]) -> Floats:
    """Return the threshold of each label with the best F1 on held-out documents (SCut, FBR 0.5)."""
    return np.array([tune_threshold(judged[:, k], truth[:, k]) for k in range(truth.shape[1])])
