"""Steps that several protocols take: fit and time, choose C, find the nearest documents, record scores."""

import time
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from experiments.engine.declare import SEED
from textensor import TextCategorizer
from textensor.base.reading.y import read_labels
from textensor.classify import MinMaxSVM
from textensor.classify.thresholds import folds
from textensor.datasets import make_documents
from textensor.evaluate import F1Scores
from textensor.reduce import FewerAxesWarning, TensorLSI


@cache
def warm_up() -> None:
    """Compile the kernels before seconds are counted."""
    corpus = make_documents(200, 50, 1, random_state=0)
    X = sp.csr_matrix(corpus.X, dtype=np.float64)
    MinMaxSVM(modules=2, tol=1.0).fit(X, corpus.y.toarray().ravel())
    TensorLSI(5, shape=(-1, 20)).fit(X).transform(X)
    texts = [f"{word} {word} of {k}{k}" for k in range(10, 20) for word in ("red", "green", "blue")]
    labels = ["r", "g", None] * 10
    for given in (labels, [(label,) if label else () for label in labels]):
        TextCategorizer("auto", n_jobs=2).fit(texts, given)


def timed(model: Any, *documents: Any) -> tuple[Any, float]:
    """Fit a model; return it and the seconds."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerAxesWarning)  # the grid may ask for more than the data has
        model.fit(*documents)
    return model, time.perf_counter() - start


def tuned(model: Any, grid: Sequence[float], y: Any, scoring: str | None = None) -> GridSearchCV:
    """Return a model whose C is chosen by cross-validation on the folds of these labels."""
    parts = list(folds(read_labels(y).questions, seed=SEED))
    return GridSearchCV(model, {"C": grid}, cv=parts, scoring=scoring)


def nearest_label(Z: Any, y: Any, queries: Any, k: int = 1, *, cosine: bool = False) -> npt.NDArray[Any]:
    """Return the class that most of the k nearest documents have, by the Euclidean distance or the cosine.

    By the cosine, the nearer documents break ties.
    """
    metric: dict[str, Any] = {"metric": "cosine", "weights": lambda distances: 1 - 1e-3 * distances}
    model = KNeighborsClassifier(k, algorithm="brute", **(metric if cosine else {})).fit(Z, y)
    return np.asarray(model.predict(queries))


def record(scores: F1Scores) -> dict[str, Any]:
    """Return what is kept of scores; ``wrong`` names the wrong decisions, for sign tests."""
    wrong = (scores.truth != scores.assigned).tocoo()
    numbers = wrong.row.astype(np.int64) * len(scores.labels) + wrong.col
    if scores.protocol == "argmax":
        numbers = np.unique(wrong.row)
    return {
        "micro": scores.micro,
        "macro": scores.macro_mean_f1,
        "macro of means": scores.macro_f1_of_means,
        "per category": np.round(scores.per_category, 5).tolist(),
        "wrong": np.sort(numbers).tolist(),
    }
