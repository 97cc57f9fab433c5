"""The contenders: each gives decision values for test documents from labelled and unlabelled ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from benchmarks.accuracy import plan
from textensor.classify import SupportTensorMachine
from textensor.space import Arrangement, SemanticArrangement
from textensor.space.matrix import as_csr


@dataclass
class Task:
    """Documents of one split: rows of X by part, and the classes of all of them."""

    corpus: str
    X: Any  # unit rows; the vocabulary and df from the labelled documents and the pool
    X_labelled: Any  # the same rows with df from the labelled documents alone
    y: np.ndarray
    labelled: np.ndarray
    pool: np.ndarray
    test: np.ndarray


def in_grid(X: Any, arrangement: Arrangement) -> Any:
    """Return documents with every cell of the grid a column, so that the arrangement is found only once."""
    X = arrangement.augment(as_csr(X))
    positions = arrangement.positions_
    width = int(np.prod(arrangement.shape_))
    # A copy: sorting would move the values of the documents themselves.
    placed = sp.csr_matrix((X.data, positions[X.indices], X.indptr), shape=(X.shape[0], width), copy=True)
    placed.sort_indices()
    return placed


class Svm:
    """LinearSVC with the hinge loss."""

    grid = plan.SVM_GRID

    def __init__(self, task: Task) -> None:
        self.X = task.X_labelled

    def decide(self, setting: dict[str, Any], y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Any:
        model = LinearSVC(loss="hinge", random_state=0, max_iter=20_000, tol=1e-3, **setting)
        model.fit(self.X[train], y[train])
        return model.decision_function(self.X[test]), model.classes_


class Literal:
    """The Support Tensor Machine of the paper."""

    grid = plan.LITERAL_GRID

    def __init__(self, task: Task) -> None:
        self.X = task.X_labelled

    def decide(self, setting: dict[str, Any], y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Any:
        model = SupportTensorMachine(
            shape=(-1, plan.N_COLUMNS),
            arrangement="document-frequency",
            tol=2e-3,
            n_jobs=2,
            random_state=0,
            **setting,
        )
        model.fit(self.X[train], y[train])
        return model.decision_function(self.X[test]), model.classes_


class Chosen:
    """The Support Tensor Machine with rank, shape, arrangement and C chosen on the labelled documents.

    Arrangements are learned from all but the test documents.
    """

    grid = plan.CHOSEN_GRID
    sees_pool = True

    def __init__(self, task: Task) -> None:
        rows = np.concatenate([task.labelled, task.pool]) if self.sees_pool else task.labelled
        X = task.X if self.sees_pool else task.X_labelled
        self.grids = {}
        for setting in self.grid:
            key = setting["arrangement"], setting["n_columns"]
            if key not in self.grids:
                arrangement = self.arrangement(*key, task.corpus).fit(X[rows])
                self.grids[key] = in_grid(X, arrangement), arrangement.shape_

    @staticmethod
    def arrangement(kind: str, n_columns: int, corpus: str) -> Arrangement:
        if kind != "semantic":
            return Arrangement(kind, shape=(-1, n_columns))
        power = plan.IDF_POWER[corpus]
        shape = -1, n_columns
        return SemanticArrangement(n_latent=plan.N_LATENT, latent_weight=1.0, idf_power=power, shape=shape)

    def decide(self, setting: dict[str, Any], y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Any:
        X, shape = self.grids[setting["arrangement"], setting["n_columns"]]
        if setting["arrangement"] == "semantic":
            latent = np.arange(X.shape[1]) >= shape[0] * setting["n_columns"]
            scale = sp.diags(np.where(latent, setting["latent_weight"], 1.0))
            X = sp.csr_matrix(X @ scale)
        model = SupportTensorMachine(
            setting["C"],
            rank=setting["rank"],
            shape=shape,
            arrangement="given",
            tol=2e-3,
            n_jobs=2,
            random_state=0,
        )
        model.fit(X[train], y[train])
        return model.decision_function(X[test]), model.classes_


class ChosenLabelled(Chosen):
    """The same, learned from the labelled documents alone."""

    grid = plan.LABELLED_GRID
    sees_pool = False


METHODS = {
    "SVM": Svm,
    "STM, literal": Literal,
    "STM, semantic, labelled text only": ChosenLabelled,
    "STM, chosen, unlabelled text too": Chosen,
}
