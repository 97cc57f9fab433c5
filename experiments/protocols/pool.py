"""F1 from few labels and a pool of text without labels; the test documents are not read in training."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import normalize
from sklearn.semi_supervised import SelfTrainingClassifier

from experiments.data import data
from experiments.engine.declare import Cell
from experiments.protocols import split as splits
from experiments.protocols.f1 import Decide, decider, scored, svm
from textensor.base.arrays import Rows
from textensor.classify import SemanticSVM, SupportTensorMachine
from textensor.classify.coordinates import DIMENSIONS
from textensor.evaluate import f1_by_argmax
from textensor.reduce import LSI
from textensor.space import Arrangement, SemanticArrangement
from textensor.space.matrix import as_csr

Settings = Mapping[str, Any]
#: The literal machine of stm-text, at the tolerance of these tables.
STM: dict[str, Any] = {"tol": 2e-3, "random_state": 0}


@dataclass(frozen=True, eq=False)
class Weighed(splits.Task):
    """Documents of one split, with weights from all text that is read, or from labelled text alone."""

    name: str
    X: Any
    X_labelled: Any
    y: Any


def weighed(cell: Cell, split: int) -> Weighed:
    """Return a split of a set: ``fraction`` labelled, of the ``official`` training part if there is one."""
    settings = cell.settings
    return _weighed(cell.data, split, settings["fraction"], settings.get("official", False), settings["idf"])


@lru_cache(maxsize=1)  # the methods of a split come after each other
def _weighed(name: str, split: int, fraction: float, official: bool, idf: bool) -> Weighed:
    found = data(name)
    of = splits.task(found, {"fraction": fraction}, split, official=official)
    X, own = (_tfidf(found.X, some) for some in (of.text, of.labelled)) if idf else (found.X, found.X)
    return Weighed(of.labelled, of.pool, of.test, name, X, own, found.y)


def _tfidf(counts: Any, some: Rows) -> Any:
    """Weigh counts by tf * log(n/df), df from some rows; a term they do not hold weighs nothing."""
    df = np.asarray((counts[some] > 0).sum(axis=0)).ravel()
    idf = np.where(df > 0, np.log(len(some) / np.maximum(df, 1)), 0.0)
    X = sp.csr_matrix(counts @ sp.diags(idf))
    X.eliminate_zeros()
    return normalize(X)


def classify(cell: Cell) -> dict[str, Any]:
    """Choose among the settings of ``grid`` on the labelled documents, then score the test documents."""
    of, settings = weighed(cell, cell.split), cell.settings
    decide = METHODS[settings["method"]](of, settings)
    return scored(decide, settings["grid"], of.y, of.labelled, of.test)


def _svm(of: Weighed, settings: Settings) -> Decide:
    """Decide by LinearSVC, from labelled text alone."""
    make = partial(svm, random_state=0, class_weight=settings.get("class_weight"))
    return decider(make, of.X_labelled, of.y)


def _literal(of: Weighed, settings: Settings) -> Decide:
    """Decide by the machine of stm-text."""
    grid: dict[str, Any] = {"shape": (-1, settings["columns"]), "arrangement": "document-frequency"}
    return decider(partial(SupportTensorMachine, **grid, **STM), of.X_labelled, of.y)


def _arranged(of: Weighed, settings: Settings) -> Decide:
    """Decide by machines whose arrangements are learnt once, from the labelled documents or the pool, too."""
    X, text = (of.X, of.text) if settings["pool"] else (of.X_labelled, of.labelled)
    grids = {}
    for kind, columns in dict.fromkeys((one["arrangement"], one["n_columns"]) for one in settings["grid"]):
        shape = (-1, columns)
        arrangement = (
            Arrangement(kind, shape=shape)
            if kind != "semantic"
            else SemanticArrangement(
                n_latent=200, latent_weight=1.0, idf_power=settings["idf_power"][of.name], shape=shape
            )
        ).fit(X[text])
        grids[kind, columns] = _in_grid(X, arrangement), arrangement.shape_

    def decide(setting: Settings, some: Rows, others: Rows) -> Any:
        columns = setting["n_columns"]
        placed, shape = grids[setting["arrangement"], columns]
        latent = np.arange(placed.shape[1]) >= shape[0] * columns
        placed = sp.csr_matrix(placed @ sp.diags(np.where(latent, setting.get("latent_weight", 1.0), 1.0)))
        options = {"rank": setting["rank"], "shape": shape, "arrangement": "given"}
        model = SupportTensorMachine(setting["C"], **options, **STM).fit(placed[some], of.y[some])
        return model.decision_function(placed[others])

    return decide


def _in_grid(X: Any, arrangement: Any) -> Any:
    """Return documents with every cell of the grid a column, so that the arrangement is found only once."""
    X = arrangement.augment(as_csr(X))
    width = int(np.prod(arrangement.shape_))
    # A copy: sorting would move the values of the documents themselves.
    cells = (X.data, arrangement.positions_[X.indices], X.indptr)
    placed = sp.csr_matrix(cells, shape=(X.shape[0], width), copy=True)
    placed.sort_indices()
    return placed


def _self_training(of: Weighed, settings: Settings) -> Decide:
    """Decide by scikit-learn's self-training of a linear model with the logistic loss."""
    base = SGDClassifier(loss="log_loss", alpha=settings["alpha"], random_state=0)
    make = partial(SelfTrainingClassifier, base, threshold=settings["threshold"])
    return decider(make, of.X, of.y, of.pool)


def _semantic(of: Weighed, settings: Settings) -> Decide:  # noqa: ARG001
    """Decide by SemanticSVM with its defaults; the space is learnt once from all but the test documents."""
    space = LSI(DIMENSIONS).fit(of.X[of.text])
    return decider(partial(SemanticSVM, random_state=0), of.X, of.y, of.pool, space=space)


METHODS = {
    "svm": _svm,
    "literal": _literal,
    "arranged": _arranged,
    "self-training": _self_training,
    "semantic": _semantic,
}


def trial(cell: Cell) -> dict[str, Any]:
    """Return F1 of SemanticSVM with one setting changed, the mean over the first two splits.

    Half of the pool is read, and the other half, whose labels are known too, is scored: test documents have
    no part in it.
    """
    settings = cell.settings

    class Changed(SemanticSVM):
        """SemanticSVM that labels another fraction of the documents itself."""

        _share = settings["share"]

    figures = []
    for split in range(2):
        of = weighed(cell, split)
        pool, test = splits.halves(of.pool, split)
        of = replace(of, pool=pool, test=test)
        space = LSI(settings["dimensions"]).fit(of.X[of.text])
        options = {name: settings[name] for name in ("weight", "rounds", "pseudo_cost", "C")}
        decide = decider(partial(Changed, random_state=0), of.X, of.y, of.pool, space=space)
        decisions = decide(options, of.labelled, of.test)
        scores = f1_by_argmax(of.y[of.test], decisions, classes=np.unique(of.y[of.labelled]))
        figures.append((scores.micro, scores.macro_mean_f1))
    micro, macro = np.mean(figures, axis=0).tolist()
    return {"argmax": {"micro": micro, "macro": macro}}
