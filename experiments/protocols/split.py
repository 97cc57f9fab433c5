"""Splits into documents with labels, a pool that is read without its labels, and test documents."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from experiments.data import Data, rows
from experiments.engine.declare import SEED
from textensor.base.arrays import Rows
from textensor.evaluate import UntestedWarning


@dataclass(frozen=True, eq=False)
class Task:
    """Rows of one split: labelled, read without their labels, scored."""

    labelled: Rows
    pool: Rows
    test: Rows

    @property
    def text(self) -> Rows:
        """All documents that may be read."""
        return np.concatenate([self.labelled, self.pool])


def task(found: Data, settings: Mapping[str, Any], split: int, *, official: bool) -> Task:
    """Return a split: so many ``labels`` at random, or a ``fraction`` of each class.

    With an official split, the training part is labelled or read, and the test part is scored; otherwise one
    half of the rest is read and the other half is scored. In multilabel mode the fraction is of all training
    documents. In one split a larger fraction only adds documents.
    """
    if not official:
        labelled, rest = rows(found.y, None, {"fraction": settings["fraction"]}, split)
        return Task(labelled, *halves(rest, [SEED, split]))
    train = np.flatnonzero(found.train)
    labelled = _drawn(found.y, train, settings, split)
    return Task(labelled, np.setdiff1d(train, labelled), np.flatnonzero(~found.train))


def _drawn(y: Any, train: Rows, settings: Mapping[str, Any], split: int) -> Rows:
    """Return which documents of the training part are labelled."""
    n_labels, fraction = settings.get("labels"), settings.get("fraction", 0.0)
    if fraction == 1:
        return train
    if n_labels is None and sp.issparse(y):
        n_labels = max(2, round(fraction * len(train)))
    if n_labels is not None:
        return np.sort(np.random.default_rng([SEED, split]).permutation(train)[:n_labels])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UntestedWarning)  # the test part is another one
        return train[rows(y[train], None, {"fraction": fraction}, split)[0]]


def halves(some: Rows, seed: int | list[int]) -> tuple[Rows, Rows]:
    """Cut rows into two halves at random."""
    order = np.random.default_rng(seed).permutation(some)
    return np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
