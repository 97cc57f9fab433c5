"""Many labels at once: right and wrong decisions of each, and which machine training documents choose."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from experiments.data import data
from experiments.engine.declare import Cell
from textensor.base.arrays import Floats, Rows
from textensor.base.reading.y import read_labels
from textensor.classify import AverageClassifier, MinMaxSVM
from textensor.classify.thresholds import average_threshold, held_out, score_folds
from textensor.evaluate.f1 import category_f1, ratio

Bools = npt.NDArray[np.bool_]
#: LibMultiLabel's own default loss and C, with a bias; one thread: several spin where cores are few.
LIBMULTILABEL = "-s 1 -c 1 -B 1 -m 1"
#: The seed of the outer folds of the choice; machines have their own.
FOLD_SEED = 1


class Answers(sp.csc_matrix):
    """An indicator for LibMultiLabel 0.10, which asks for sums along axis 2 and means 0."""

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Sum along an axis."""
        return super().sum(0 if axis == 2 else axis, dtype, out)


def machine(members: Sequence[Mapping[str, Any]], thresholds: str, seed: int = 0, modules: Any = None) -> Any:
    """Return the machine of one member, or the mean of several; ``modules`` is for those that name none."""
    made = []
    for member in members:
        own = member.get("modules", modules)
        # How many modules there are in all, or the parts of both sides, which JSON has as a list.
        own = tuple(own) if isinstance(own, list) else own
        made.append(MinMaxSVM(**{**member, "modules": own}, n_jobs=2, random_state=seed))
    if len(made) == 1:
        return made[0].set_params(thresholds=thresholds)
    return AverageClassifier(made, thresholds=thresholds)


def classify(cell: Cell) -> dict[str, Any]:
    """Return precision, recall and F1 of each label; ``labels`` of the settings are those that are scored."""
    found, settings = data(cell.data), cell.settings
    Y = sp.csr_matrix(found.y, dtype=np.int64)
    names = list(settings.get("labels", found.labels))
    Y = Y[:, [found.labels.index(name) for name in names]]
    train, test = np.flatnonzero(found.train), np.flatnonzero(~found.train)[: settings.get("test")]
    truth = Y[test].toarray() > 0
    return tally(names, truth, _decide(settings, found.X[train], Y[train], found.X[test]))


def tally(names: Sequence[str], truth: Bools, decided: Bools) -> dict[str, Any]:
    """Return the figures of right, wrong and missed decisions: of each label, of all, and their means."""
    counts = np.array([part.sum(axis=0) for part in (truth & decided, decided, truth)])
    per_label, micro = (
        np.array([ratio(part[0], part[1]), ratio(part[0], part[2]), category_f1(*part)])
        for part in (counts, counts.sum(axis=1))
    )
    hits, assigned, actual = counts
    columns = ("P", "R", "F1")
    return {
        "labels": {
            name: {
                "documents": int(actual[q]),
                **dict(zip(columns, per_label[:, q].tolist(), strict=True)),
            }
            for q, name in enumerate(names)
        },
        "micro": dict(zip(columns, micro.tolist(), strict=True)),
        "macro": dict(zip(columns, per_label.mean(axis=1).tolist(), strict=True)),
        "assignment": {"per category": per_label[2].tolist()},
        "counts": [part.tolist() for part in (hits, assigned - hits, actual - hits)],
    }


def _decide(settings: Mapping[str, Any], X: Any, Y: Any, test: Any) -> Bools:
    seed = settings.get("seed", 0)
    if "libmultilabel" in settings:
        return _libmultilabel(settings["libmultilabel"], seed, X, Y, test)
    if "balanced" in settings:  # costs that make up for the number of documents on each side
        svm = LinearSVC(loss="hinge", C=settings["balanced"], class_weight="balanced", random_state=seed)
        columns = [svm.fit(X, y).decision_function(test) for y in Y.toarray().T]
        return np.column_stack(columns) > 0
    model = machine(settings["members"], settings["thresholds"], seed, settings.get("modules")).fit(
        X, Y.toarray()
    )
    return np.asarray(model.decision_function(test)).reshape(test.shape[0], -1) > 0


def _libmultilabel(train: str, seed: int, X: Any, Y: Any, test: Any) -> Bools:
    """Decide by one of LibMultiLabel's linear methods (L2-loss SVM, C = 1, bias)."""
    from libmultilabel import linear

    np.random.seed(seed)  # noqa: NPY002  (it draws its folds from the global generator)
    model = getattr(linear, train)(Answers(Y, dtype=float), X, False, LIBMULTILABEL, False)
    return np.asarray(model.predict_values(test)) > 0


def choose(cell: Cell) -> dict[str, Any]:
    """Return the figures of machines, alone and of each two the mean, by cross-validation in two layers.

    Three outer folds of the training documents are scored by machines and thresholds from the other two,
    whose thresholds come from three inner folds. The greatest sum of micro- and macro-F1 is chosen.
    """
    found, members = data(cell.data), cell.settings["members"]
    train = np.flatnonzero(found.train)
    texts = np.array(found.texts, dtype=object)[train]
    Y = sp.csr_matrix(found.y, dtype=np.int64)[train]
    tried = [*itertools.chain(*(itertools.combinations(members, k) for k in (1, 2)))]

    def decide(some: Rows, others: Rows) -> Bools:
        """Return the decisions of all that is tried, side by side."""
        vectorizer = TfidfVectorizer()
        X = sp.csr_matrix(vectorizer.fit_transform(texts[some]))
        queries = vectorizer.transform(texts[others])
        scores = {name: _scores(member, X, Y[some], queries) for name, member in members.items()}
        return np.hstack([_by_thresholds([scores[name] for name in names], Y[some]) for names in tried])

    answers = read_labels(Y).questions
    decided, _ = score_folds(decide, answers, len(tried) * Y.shape[1], seed=FOLD_SEED)
    figures = {}
    for names, own in zip(tried, np.hsplit(decided > 0, len(tried)), strict=True):
        result = tally(found.labels, Y.toarray() > 0, own)
        figures[" + ".join(names)] = {"micro-F1": result["micro"]["F1"], "macro-F1": result["macro"]["F1"]}
    others = [name for name in figures if name != next(iter(members))]  # the first alone is the plain SVM
    return {"figures": figures, "chosen": max(others, key=lambda name: sum(figures[name].values()))}


def _scores(member: Mapping[str, Any], X: Any, Y: Any, queries: Any) -> tuple[Floats, Floats, Rows]:
    """Return the scores of other documents, those of the training documents when held out, and the folds."""

    def score(some: Rows, others: Rows) -> Any:
        return machine([member], "none").fit(X[some], Y[some]).decision_function(X[others])

    outer = machine([member], "none").fit(X, Y).decision_function(queries)
    return outer, *held_out(score, sp.csc_array(Y), np.ones(X.shape[0], dtype=bool))


def _by_thresholds(scores: Sequence[tuple[Floats, Floats, Rows]], Y: Any) -> Bools:
    """Decide by the mean of some machines, with thresholds from their held-out scores."""
    outer, inner = (np.mean(parts, axis=0) for parts in list(zip(*scores, strict=True))[:2])
    fold, answers = scores[0][2], Y.toarray() > 0
    thresholds = [average_threshold(inner[:, q], answers[:, q], fold) for q in range(Y.shape[1])]
    return np.asarray(outer > np.array(thresholds))
