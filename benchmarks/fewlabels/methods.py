"""The contenders: each gives decision values for test documents from labelled and unlabelled ones."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import normalize
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC

from benchmarks.accuracy.methods import Task
from benchmarks.fewlabels import plan
from textensor.classify import SemanticSVM
from textensor.classify.semantic_svm import DIMENSIONS
from textensor.reduce import LSI

Decision = tuple[np.ndarray, np.ndarray]


class Svm:
    """LinearSVC with the hinge loss, from labelled text alone."""

    grid = plan.SVM_GRID
    class_weight: str | None = None

    def __init__(self, task: Task) -> None:
        self.X = task.X_labelled

    def decide(self, setting: dict[str, Any], y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Decision:
        model = LinearSVC(
            loss="hinge",
            random_state=0,
            max_iter=20_000,
            tol=1e-3,
            class_weight=self.class_weight,
            **setting,
        )
        model.fit(self.X[train], y[train])
        return model.decision_function(self.X[test]), model.classes_


class BalancedSvm(Svm):
    """The same with balanced costs."""

    class_weight = "balanced"


def decide(
    model: Any, X: Any, y: np.ndarray, train: np.ndarray, pool: np.ndarray, test: np.ndarray
) -> Decision:
    """Fit a model that reads the pool without its labels, and let it decide."""
    model.fit(X[np.concatenate([train, pool])], np.append(y[train], np.full(len(pool), -1)))
    return model.decision_function(X[test]), model.classes_


class SelfTraining:
    """scikit-learn's self-training of a linear model with the logistic loss."""

    grid = ({},)

    def __init__(self, task: Task) -> None:
        self.X, self.pool = task.X, task.pool

    def decide(self, setting: dict[str, Any], y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Decision:
        base = SGDClassifier(loss="log_loss", alpha=plan.SELF_TRAINING["alpha"], random_state=0, n_jobs=2)
        model = SelfTrainingClassifier(base, threshold=plan.SELF_TRAINING["threshold"], **setting)
        model.fit(
            self.X[np.concatenate([train, self.pool])], np.append(y[train], np.full(len(self.pool), -1))
        )
        return model.decision_function(self.X[test]), model.classes_


class Augmented(SemanticSVM):
    """A SemanticSVM of documents that come with their coordinates: the space is learnt once for a split."""

    def _fit_reducer(self, X: Any, labels: Any) -> None:  # noqa: ARG002
        self.reducer_ = None

    def _augment(self, X: Any) -> Any:
        return X


class Semantic:
    """SemanticSVM with its defaults; the space is learnt from all but the test documents."""

    grid = plan.SEMANTIC_GRID

    def __init__(self, task: Task) -> None:
        lsi = LSI(DIMENSIONS).fit(task.X[np.concatenate([task.labelled, task.pool])])
        Z = SemanticSVM().weight * normalize(lsi.transform(task.X))
        self.X = sp.csr_matrix(sp.hstack([task.X, sp.csr_matrix(Z)], format="csr"))
        self.pool = task.pool

    def decide(self, setting: dict[str, Any], y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Decision:
        model = Augmented(n_jobs=2, random_state=0, **setting)
        model.fit(
            self.X[np.concatenate([train, self.pool])], np.append(y[train], np.full(len(self.pool), -1))
        )
        return model.decision_function(self.X[test]), model.classes_


PEERS = {
    "SVM": Svm,
    "SVM, balanced costs": BalancedSvm,
    "self-training, logistic loss": SelfTraining,
}
METHODS = {**PEERS, "SemanticSVM": Semantic}
