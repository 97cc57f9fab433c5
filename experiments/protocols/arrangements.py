"""TensorLSI in several arrangements, on training parts alone: a quarter is held out."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from experiments.data import data
from experiments.engine.declare import SEED, Cell
from experiments.protocols.indexing import fit
from experiments.protocols.steps import nearest_label, timed
from textensor.reduce import TensorLSI
from textensor.space import Arrangement, SemanticArrangement


def compare(cell: Cell) -> dict[str, Any]:
    """Return what a space explains, and how good neighbours and an SVM with 5% of the labels are in it.

    The SVM is over terms and coordinates together. ``components`` are the first of one fit.
    """
    found, settings = data(cell.data), cell.settings
    train = np.flatnonzero(found.train)
    y = found.y[train]
    rng = np.random.default_rng(SEED)
    held, fitted = np.split(rng.permutation(len(train)), [len(train) // 4])
    own = [rng.permutation(np.flatnonzero(y[fitted] == c)) for c in np.unique(y[fitted])]
    few = np.concatenate([rows[: max(2, round(0.05 * len(rows)))] for rows in own])
    X, classes = [found.X[train[part]] for part in (fitted, held)], [y[fitted], y[held]]
    if settings["method"] == "terms":
        return {"all": {"explained": 1.0, **_scored(X, X, classes, few)}}
    model, seconds = _fitted(settings, X[0])
    Z = [np.asarray(model.transform(part)) for part in X]
    result: dict[str, Any] = {"seconds": seconds}
    for k in settings["components"]:
        cut = [part[:, :k] for part in Z]
        units = [normalize(part) for part in cut]
        both = [sp.hstack([terms, part], format="csr") for terms, part in zip(X, units, strict=True)]
        explained = float((cut[0] ** 2).sum() / X[0].multiply(X[0]).sum())
        result[str(k)] = {"explained": explained, **_scored(units, both, classes, few)}
    return result


def _scored(Z: Any, features: Any, y: Any, few: Any) -> dict[str, float]:
    svm = LinearSVC(loss="hinge", C=1.0, random_state=0).fit(features[0][few], y[0][few])
    near = (nearest_label(Z[0], y[0], Z[1], 4, cosine=True) == y[1]).mean()
    return {"neighbours": float(near), "svm": float(svm.score(features[1], y[1]))}


def _fitted(settings: Any, X: Any) -> tuple[Any, float]:
    """Return a fitted space and the seconds."""
    if settings["method"] == "lsi":
        return fit("lsi", X, max(settings["components"]))
    kind, shape = settings["arrangement"], (-1, settings["columns"])
    if kind == "semantic":
        arrangement: Any = SemanticArrangement(n_latent=0, idf_power=settings["idf_power"], shape=shape)
    else:
        squares = np.asarray(X.multiply(X).sum(axis=0)).ravel()
        order = np.argsort(-squares, kind="stable") if kind == "squares" else kind
        arrangement = Arrangement(order, shape=shape)
    n_pairs = settings.get("n_pairs")
    return timed(TensorLSI(max(settings["components"]), n_pairs=n_pairs, arrangement=arrangement), X)
