"""The machines of the tables behind one pair of functions: fit, then decide."""

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from benchmarks.modular import plan
from textensor.classify import AverageClassifier, MinMaxSVM

#: Train on documents and an indicator, then say for other documents which labels they get.
Method = Callable[[Any, Any, Any], np.ndarray]

#: LibMultiLabel's own default loss and C, with a bias; one thread: several spin where cores are few.
OPTIONS = "-s 1 -c 1 -B 1 -m 1"


class Answers(sp.csc_matrix):
    """An indicator for LibMultiLabel 0.10, which asks for sums along axis 2 and means 0."""

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        return super().sum(0 if axis == 2 else axis, dtype, out)


def min_max(**options: Any) -> MinMaxSVM:
    return MinMaxSVM(**{"C": plan.C, "n_jobs": 2, "random_state": plan.SEED, **options})


def machine(members: Sequence[str], thresholds: str = "averaged", **more: Any) -> Any:
    """Return the machine that the names of one or more members stand for."""
    if len(members) == 1:
        return min_max(**plan.MEMBERS[members[0]], thresholds=thresholds, **more)
    return AverageClassifier(
        [min_max(**plan.MEMBERS[name], **more) for name in members], thresholds=thresholds
    )


def fitted(model: Any) -> Method:
    def decide(X: Any, Y: Any, test: Any) -> np.ndarray:
        return np.asarray(model.fit(X, Y.toarray()).decision_function(test)).reshape(test.shape[0], -1) > 0

    return decide


def balanced(X: Any, Y: Any, test: Any) -> np.ndarray:
    """One-vs-rest LinearSVC whose costs make up for the number of documents on each side."""
    answers = Y.toarray()
    columns = [
        LinearSVC(loss="hinge", C=plan.C, class_weight="balanced", random_state=plan.SEED)
        .fit(X, answers[:, q])
        .decision_function(test)
        for q in range(Y.shape[1])
    ]
    return np.column_stack(columns) > 0


def libmultilabel(train: str, seed: int = plan.SEED) -> Method | None:
    """Return one of LibMultiLabel's linear methods (L2-loss SVM, C = 1, bias), where it is installed."""
    if importlib.util.find_spec("libmultilabel") is None:
        return None

    def decide(X: Any, Y: Any, test: Any) -> np.ndarray:
        from libmultilabel import linear

        np.random.seed(seed)  # noqa: NPY002  (it draws its folds from the global generator)
        model = getattr(linear, train)(Answers(Y, dtype=float), X, False, OPTIONS, False)
        return np.asarray(model.predict_values(test)) > 0

    return decide


def methods(chosen: Sequence[str]) -> dict[str, Method | None]:
    """Return the rows of the main table; None for what cannot be run here."""
    one = {"modules": (1, 1)}
    return {
        "SVM, C = 1": fitted(min_max(**one)),
        "SVM, C = 4": fitted(min_max(**one, C=4.0)),
        "SVM, balanced costs": balanced,
        "SVM, thresholds tuned (SCutFBR .5)": fitted(min_max(**one, thresholds="tuned")),
        "SVM, thresholds averaged": fitted(min_max(**one, thresholds="averaged")),
        "LibMultiLabel one-vs-rest": libmultilabel("train_1vsrest"),
        "LibMultiLabel thresholding": libmultilabel("train_thresholding"),
        "LibMultiLabel cost-sensitive": libmultilabel("train_cost_sensitive"),
        "M3, chosen, no thresholds": fitted(machine(chosen, "none")),
        "M3, chosen, thresholds tuned (SCutFBR .5)": fitted(machine(chosen, "tuned")),
        "M3, chosen, thresholds averaged": fitted(machine(chosen)),
        # The candidates alone, as ablations.
        **{
            f"M3, {name}, thresholds averaged": fitted(machine([name]))
            for name, options in plan.MEMBERS.items()
            if options["modules"] != (1, 1)
        },
        # Both draw at random, so how much hangs on the draw is shown too; no choice rests on these.
        **{
            f"LibMultiLabel thresholding, seed {seed}": libmultilabel("train_thresholding", seed)
            for seed in plan.MORE_SEEDS
        },
        **{
            f"M3, chosen, thresholds averaged, seed {seed}": fitted(machine(chosen, random_state=seed))
            for seed in plan.MORE_SEEDS
        },
    }


def table_two(C: float) -> dict[str, Method]:
    """Return the rows of the paper's Table 2, and the decompositions that follow structure."""
    out: dict[str, Method] = {"SVM|1|0": fitted(min_max(C=C, modules=(1, 1)))}
    for count in plan.COUNTS:
        for kind in ("random", "classes", "kmeans"):
            out[f"{kind}|{count}|0"] = fitted(min_max(C=C, modules=count, decomposition=kind))
        for overlap in plan.OVERLAPS:
            out[f"hyperplane|{count}|{overlap:g}"] = fitted(
                min_max(C=C, modules=count, overlap=overlap, decomposition="hyperplane")
            )
    return out
