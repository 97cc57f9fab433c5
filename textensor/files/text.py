"""Categorizers of text in model files: what their parts are, and that these fit each other."""

from typing import Any

import numpy as np

from textensor.files.entries import Entry, class_of, part
from textensor.files.rules import anything, either, flag, floats, integers, labels, require, text
from textensor.files.scikit import NONE, TERMS

__all__ = ["TEXT"]

NEAREST = "textensor.classify.NearestDocument"
#: What a categorizer may decide by; a pipeline is a transformer of ours and the nearest document.
DECIDERS = (
    "textensor.classify.SupportTensorMachine",
    "textensor.classify.TensorLeastSquares",
    "textensor.classify.SemanticSVM",
    "textensor.classify.MinMaxSVM",
    "textensor.classify.CoEM",
    "sklearn.pipeline.Pipeline",
)


def _nearest_document(model: Any) -> None:
    starts, n_documents = model.starts_, len(model.vectors_)
    rising = bool((np.diff(starts) > 0).all())
    require(rising and starts[0] == 0 and starts[-1] < n_documents, "its classes do not share its documents")


def _steps(estimator: Any) -> list[Any]:
    """Return the steps of a model, which must be one classifier, or a transformer and what follows it."""
    if not hasattr(estimator, "steps"):
        return [estimator]
    steps = [step for _, step in estimator.steps]
    reduced = len(steps) == 2 and type(steps[0]).__module__.startswith("textensor.reduce.")
    require(reduced and type(steps[1]) is class_of(NEAREST), "its model is no reducer and its neighbours")
    return steps


def _categorizer(model: Any) -> None:
    n_terms, n_labels = len(model.vectorizer_.vocabulary_), len(model.classes_)
    steps = _steps(model.model_)
    require(steps[0].n_features_in_ == n_terms, "its model is of other terms")
    require(np.array_equal(steps[-1].classes_, np.arange(n_labels)), "its model is of other labels")
    several = getattr(getattr(steps[-1], "_labels", None), "kind", None) == "multilabel"
    require(several == model.several_, "its model gives not as many labels")
    require(
        model.sigmoids_ is None or model.sigmoids_.shape[1] == 2, "its sigmoids have not two numbers each"
    )
    model.model_.predict(model.vectorizer_.transform([""]))  # refuses parts that do not fit each other


TEXT: dict[str, Entry] = {
    "textensor.TextCategorizer": Entry(
        {
            "classes_": labels(least=2),
            "several_": flag,
            "method_": text,
            "settings_": anything,
            "tried_": anything,
            "figures_": anything,
            "data_": anything,
            "vectorizer_": part("textensor.space.TermVectorizer"),
            "model_": part(*DECIDERS),
            "thresholds_": floats("classes"),
            "sigmoids_": either(NONE, floats("classes", "two")),
        },
        dropped=("progress", "checkpoint"),
        complete=_categorizer,
    ),
    NEAREST: Entry(
        {
            **TERMS,
            "vectors_": floats("documents", "terms"),
            "starts_": integers("classes", below="documents"),
            "classes_": labels(least=2),
        },
        complete=_nearest_document,
    ),
}
