"""The classifiers in the table of classes."""

from typing import Any

import numpy as np

from textensor.files.entries import Entry, class_of, part
from textensor.files.rules import (
    LARGEST,
    anything,
    each,
    either,
    floats,
    integers,
    labels,
    matrix,
    number,
    one_of,
    require,
    text,
    truths,
    whole,
)
from textensor.files.scikit import NONE, TERMS

__all__ = ["ARRANGEMENTS", "CLASSIFY"]

ARRANGEMENTS = ("textensor.space.Arrangement", "textensor.space.SemanticArrangement")


def _labels(model: Any) -> None:
    n_classes, n_questions = len(model.classes), model.indicator.shape[1]
    asked = {"binary": n_classes <= 2 and n_questions == 1, "multiclass": n_classes > 2}
    fits = asked.get(model.kind, True) and (model.kind == "binary" or n_questions == n_classes)
    require(
        fits and getattr(model.indicator, "format", "") == "csc", "its questions are not those of its classes"
    )


def _labels_agree(model: Any) -> None:
    known = model._labels
    require(np.array_equal(known.classes, model.classes_), "its classes contradict each other")
    require(len(model.thresholds_) == known.n_questions, "its thresholds are not those of its labels")


def _one_vs_rest(model: Any) -> None:
    _labels_agree(model)
    require(len(model.intercept_) == model._labels.n_questions, "its weights are not those of its labels")


def _tensor_classifier(model: Any) -> None:
    _one_vs_rest(model)
    placed = model.arrangement_
    if isinstance(placed, list):
        require(len(placed) == len(model.intercept_), "it has not one arrangement for each label")
        require(all(type(one) is class_of(ARRANGEMENTS[0]) for one in placed), "its arrangements add columns")
    lengths = tuple(factor.shape[1] for factor in model.factors_)
    for one in placed if isinstance(placed, list) else [placed]:
        require(one.n_features_in_ == model.n_features_in_, "its arrangement is of other terms")
        require(one.shape_ == lengths, "its factors do not fit its arrangement")


def _semantic_svm(model: Any) -> None:
    _one_vs_rest(model)
    require(hasattr(model.reducer_, "transform"), "its reducer does not transform")
    require(model.reducer_.n_features_in_ == model.n_features_in_, "its reducer is of other terms")
    n_columns = model.n_features_in_ + len(model.reducer_.get_feature_names_out())
    require(model._weights.shape[1] == n_columns, "its weights are not those of its terms and coordinates")


def _min_max(model: Any) -> None:
    _labels_agree(model)
    keys, n_questions = model._layout.keys, model._labels.n_questions
    parts = np.zeros((n_questions, 2), dtype=np.int64)
    require(keys.max() < LARGEST and keys[:, 0].max() < n_questions, "its modules are of other labels")
    np.maximum.at(parts, keys[:, 0], keys[:, 1:] + 1)
    require(bool(parts.all()) and parts.prod(axis=1).sum() == len(keys), "it has not all of its modules")
    from textensor.classify.minmax.modules import lay_out

    expected: Any = lay_out(parts.tolist())
    fits = all(np.array_equal(a, b) for a, b in zip(model._layout, expected, strict=True))
    require(fits, "its modules are not where they should be")
    require(getattr(model.coef_, "format", "csc") == "csc", "its weights are not in the right order")
    require(len(model._bounds) == n_questions == len(model._counts), "its cuts are of other labels")


def _kept_documents(value: Any, sizes: Any) -> None:
    require(type(value) is tuple and len(value) == 3, "its documents are not as they are kept")
    matrix("*", "terms")(value[0], sizes)


def _average(model: Any) -> None:
    _labels_agree(model)
    for member in model.members_:
        require(hasattr(member, "_scores"), "it has a member that is no classifier of its kind")
        fits = member.n_features_in_ == model.n_features_in_ and member._labels.kind == model._labels.kind
        require(fits and np.array_equal(member.classes_, model.classes_), "its members are of other labels")


def _coem(model: Any) -> None:
    for learnt, view in zip(model.models_, model.views_, strict=True):
        fits = learnt.log_terms.shape == (len(model.classes_), len(view))
        require(fits, "its models are not those of its classes and views")


LABELLED = {
    **TERMS,
    "classes_": labels(),
    "_labels": part("textensor.classify.labels.Labels"),
    "thresholds_": floats("questions"),
}
ONE_VS_REST = {**LABELLED, "intercept_": floats("questions")}
TENSOR_CLASSIFIER = Entry(
    {
        **ONE_VS_REST,
        "arrangement_": either(part(*ARRANGEMENTS), each(part(*ARRANGEMENTS))),
        "factors_": each(floats("questions", "*", "rank")),
        "n_iter_": whole(),
        "objective_history_": anything,
    },
    complete=_tensor_classifier,
)

CLASSIFY: dict[str, Entry] = {
    "textensor.classify.TensorClassifier": TENSOR_CLASSIFIER,
    "textensor.classify.SupportTensorMachine": TENSOR_CLASSIFIER,
    "textensor.classify.TensorLeastSquares": TENSOR_CLASSIFIER,
    "textensor.classify.SemanticSVM": Entry(
        {
            **ONE_VS_REST,
            "reducer_": part(),
            "_weights": floats("questions", "columns"),
            "n_pseudo_": whole(),
        },
        parameters={"weight": number(least=0)},
        complete=_semantic_svm,
    ),
    "textensor.classify.MinMaxSVM": Entry(
        {
            **LABELLED,
            "coef_": matrix("modules", "terms"),
            "intercept_": floats("modules"),
            "_layout": part("textensor.classify.minmax.modules.Layout"),
            "_numbers": floats("modules", "five"),
            "_bounds": each(either(NONE, each(part("textensor.classify.minmax.decompose.Bounds"), tuple, 2))),
            "_counts": integers("*"),
            "_seen": text,
            "_settled": anything,
            "_seed": whole(),
            "n_documents_": whole(1),
            "n_iter_": whole(),
        },
        optional={"documents_": either(NONE, _kept_documents)},
        dropped=("checkpoint",),
        complete=_min_max,
    ),
    "textensor.classify.minmax.modules.Layout": Entry(
        {"labels": integers("units"), "starts": integers("*"), "keys": integers("modules", "three")},
        record=True,
    ),
    "textensor.classify.minmax.decompose.Bounds": Entry(
        {
            "low": floats("parts", "two", infinite=True),
            "high": floats("parts", "two", infinite=True),
            "centres": floats("*", "*"),
        },
        record=True,
    ),
    "textensor.classify.AverageClassifier": Entry({**LABELLED, "members_": each(part())}, complete=_average),
    "textensor.classify.CoEM": Entry(
        {
            **TERMS,
            "classes_": labels(),
            "views_": each(integers("*", below="terms"), tuple, 2),
            "models_": each(part("textensor.classify.coem.NaiveBayes"), tuple, 2),
            "change_history_": anything,
            "n_iter_": whole(),
        },
        complete=_coem,
    ),
    "textensor.classify.coem.NaiveBayes": Entry(
        {"log_priors": floats("classes"), "log_terms": floats("classes", "terms")}, record=True
    ),
    "textensor.classify.labels.Labels": Entry(
        {
            "kind": one_of("binary", "multiclass", "multilabel"),
            "classes": labels(),
            "labelled": truths("documents"),
            "indicator": matrix("documents", "questions", "b"),
            "sparse": one_of(None, "csr_array", "csr_matrix"),
        },
        complete=_labels,
        record=True,
    ),
}
