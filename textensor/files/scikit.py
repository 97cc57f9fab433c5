"""The classes of scikit-learn that model files may hold: their fitted attributes as our arrays."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from textensor.base import checks
from textensor.base.checks import flag, number, one_of, whole
from textensor.base.kept import (
    PIPELINE,
    Rule,
    Sizes,
    absent_or,
    anything,
    class_named,
    columns,
    dropped,
    each,
    either,
    floats,
    integers,
    labels,
    matrix,
    none_or,
    part,
    require,
    size,
    width,
)
from textensor.space.text.settings import VECTORIZER, check_words

#: Pipelines within a pipeline: scikit-learn asks the innermost one three times for each level.
MAX_NESTED = 3


class Foreign(NamedTuple):
    """What is kept of a class of scikit-learn, as :func:`~textensor.base.kept.keeps` has it of ours."""

    rules: Mapping[str, Rule]
    check: Callable[[Any], object] | None = None


def _linear(model: Any) -> None:
    """See that there is one row of weights for each class, of two classes one in all."""
    n_classes = len(model.classes_)
    require(
        len(model.coef_) == (1 if n_classes == 2 else n_classes), "it does not have one row for each class"
    )


def _neighbors(model: Any) -> None:
    """Fit again: the documents are the model, and what is made of them differs between versions."""
    require(model.n_neighbors is not None, "it does not say how many neighbours decide")
    held = dict(vars(model))
    model.fit(model._fit_X, model.classes_[model._y])
    require(np.array_equal(model.classes_, held["classes_"]), "its documents are not of its classes")
    if "feature_names_in_" in held:
        model.feature_names_in_ = held["feature_names_in_"]


def _steps(model: Any) -> None:
    require(type(model.steps) is list and len(model.steps) > 0, "it has no steps")
    require(_depth(model) <= MAX_NESTED, "its pipelines are nested too deeply")
    names = []
    for step in model.steps:
        require(type(step) in (tuple, list) and len(step) == 2 and type(step[0]) is str, "it has a bad step")
        names.append(step[0])
        if type(step[1]) is not str or step[1] != "passthrough":
            part().check(step[1], Sizes())
    require(len(set(names)) == len(names), "two of its steps have one name")
    model._validate_steps()
    steps = [step for _, step in model.steps if step != "passthrough"]
    require(len(steps) > 0, "it has no steps that do anything")
    for one, following in pairwise(steps):
        fits = width(one, after=True) == width(following, after=False)
        require(fits, f"its {type(following).__name__} is not for what its {type(one).__name__} returns")
    methods = [name for name in ("predict", "transform") if hasattr(model, name)]
    require(methods, "its last step neither predicts nor transforms")
    if width(steps[0], after=False) is None:  # it takes texts
        getattr(model, methods[0])([""])  # refuses steps that do not fit each other in another way


def _depth(step: Any) -> int:
    """Return how many pipelines are in each other."""
    inner = step.steps if hasattr(step, "steps") else ()
    return 1 + max((_depth(one) for _, one in inner), default=-1)


def _scaler(model: Any) -> None:
    given = (model.mean_ is not None or not model.with_mean) and (model.scale_ is None) != model.with_std
    require(given, "it does not have what it scales by")


def _idf(model: Any) -> None:
    require(hasattr(model, "idf_") == bool(model.use_idf), "it has weights that it does not use, or has none")


def _one_vs_rest(model: Any) -> None:
    n_classes = len(model.classes_)
    several = model.label_binarizer_.y_type_ == "multilabel-indicator"
    expected = 1 if n_classes <= 2 and not several else n_classes
    require(len(model.estimators_) == expected, "it does not have one estimator for each class")
    require(
        np.array_equal(model.label_binarizer_.classes_, model.classes_), "its classes contradict each other"
    )
    for one in model.estimators_:
        constant = type(one) is class_named("sklearn.multiclass._ConstantPredictor")
        require(constant or type(one) is type(model.estimator), "its estimators are not of one class")
        require(constant or len(one.classes_) == 2, "its estimators do not answer yes or no")


def _constant(model: Any) -> None:
    require(model.y_.tolist() in ([0], [1]), "its answer is neither yes nor no")


def _calibrated(model: Any) -> None:
    for one in model.calibrated_classifiers_:
        require(np.array_equal(one.classes, model.classes_), "its classes contradict each other")


def _calibrated_one(model: Any) -> None:
    n_classes = len(model.classes)
    require(np.array_equal(np.sort(model.classes), model.classes), "its classes are not in order")
    expected = 1 if n_classes == 2 else n_classes
    require(len(model.calibrators) == expected, "it does not have one calibration for each class")
    require(np.array_equal(model.estimator.classes_, model.classes), "its classes contradict each other")


#: What ours bounds, scikit-learn's normalization of a text does not.
NO_ACCENTS = checks.Rule(
    "None: it takes very long on a text with many accents, textensor.space.TermVectorizer does not",
    lambda value: value is None,
)
TERMS: dict[str, Rule] = {"n_features_in_": size("n_terms")}
CLASSES: dict[str, Rule] = {**TERMS, "classes_": labels()}
WEIGHTS: dict[str, Rule] = {
    **TERMS,
    "classes_": labels(least=2),
    "coef_": floats("n_questions", "n_terms"),
    "intercept_": either(number(), floats("n_questions")),
    "n_iter_": anything,
}
BAYES: dict[str, Rule] = {
    **CLASSES,
    "class_count_": floats("n_classes"),
    "feature_count_": floats("n_classes", "n_terms"),
    "feature_log_prob_": floats("n_classes", "n_terms", infinite=True),
    "class_log_prior_": floats("n_classes", infinite=True),
}
WORDS: dict[str, Rule] = {
    **VECTORIZER,
    "strip_accents": absent_or(NO_ACCENTS),
    "vocabulary_": columns("n_terms"),
    "fixed_vocabulary_": flag,
    "_stop_words_id": dropped,
}
#: What the documents of a nearest-neighbour classifier lead to.
REFITTED = (
    "radius",
    "outputs_2d_",
    "effective_metric_",
    "effective_metric_params_",
    "_tree",
    "_fit_method",
    "n_samples_fit_",
)
LINEAR = ("sklearn.svm.LinearSVC", "sklearn.linear_model.LogisticRegression")
TENSOR = ("SupportTensorMachine", "TensorLeastSquares", "TensorClassifier")

SCIKIT: dict[str, Foreign] = {
    PIPELINE: Foreign({"steps": anything, "memory": dropped}, _steps),
    "sklearn.feature_extraction.text.CountVectorizer": Foreign(WORDS, check_words),
    "sklearn.feature_extraction.text.TfidfVectorizer": Foreign(
        {**WORDS, "_tfidf": part("sklearn.feature_extraction.text.TfidfTransformer", shares=("n_terms",))},
        check_words,
    ),
    "sklearn.feature_extraction.text.TfidfTransformer": Foreign(
        {**TERMS, "idf_": absent_or(floats("n_terms")), "use_idf": flag}, _idf
    ),
    "sklearn.preprocessing.Normalizer": Foreign(TERMS),
    "sklearn.preprocessing.MaxAbsScaler": Foreign(
        {**TERMS, "scale_": floats("n_terms"), "max_abs_": floats("n_terms"), "n_samples_seen_": whole(0)}
    ),
    "sklearn.preprocessing.StandardScaler": Foreign(
        {
            **TERMS,
            "mean_": none_or(floats("n_terms")),
            "var_": none_or(floats("n_terms")),
            "scale_": none_or(floats("n_terms")),
            "n_samples_seen_": either(number(), integers("n_terms")),
            "with_mean": absent_or(flag),
            "with_std": absent_or(flag),
        },
        _scaler,
    ),
    "sklearn.preprocessing.LabelBinarizer": Foreign(
        {
            "classes_": labels(),
            "y_type_": one_of("binary", "multiclass", "multilabel-indicator"),
            "sparse_input_": flag,
            "neg_label": absent_or(whole(-1000, 1000)),
            "pos_label": absent_or(whole(-1000, 1000)),
        }
    ),
    "sklearn.decomposition.TruncatedSVD": Foreign(
        {
            **TERMS,
            "components_": floats("n_axes", "n_terms"),
            "explained_variance_": floats("n_axes"),
            "explained_variance_ratio_": floats("n_axes"),
            "singular_values_": floats("n_axes"),
        }
    ),
    "sklearn.kernel_approximation.Nystroem": Foreign(
        {
            **TERMS,
            "components_": matrix("n_axes", "n_terms"),
            "normalization_": floats("n_axes", "n_axes"),
            "component_indices_": integers("n_axes"),
            "_n_features_out": absent_or(size("n_axes")),
            "kernel_params": absent_or(one_of(None)),
        }
    ),
    LINEAR[0]: Foreign(WEIGHTS, _linear),
    LINEAR[1]: Foreign(WEIGHTS, _linear),
    "sklearn.naive_bayes.MultinomialNB": Foreign(BAYES),
    "sklearn.naive_bayes.ComplementNB": Foreign({**BAYES, "feature_all_": floats("n_terms")}),
    "sklearn.neighbors.KNeighborsClassifier": Foreign(
        {
            **CLASSES,
            "_fit_X": matrix("n_documents", "n_terms"),
            "_y": integers("n_documents", below="n_classes"),
            "metric_params": one_of(None),
            "metric": absent_or(one_of("minkowski", "euclidean", "manhattan", "cosine")),
            **dict.fromkeys(REFITTED, dropped),
        },
        _neighbors,
    ),
    "sklearn.multiclass.OneVsRestClassifier": Foreign(
        {
            **CLASSES,
            "label_binarizer_": part("sklearn.preprocessing.LabelBinarizer", shares=("n_classes",)),
            "estimators_": each(part(*LINEAR, "sklearn.multiclass._ConstantPredictor", shares=("n_terms",))),
            "estimator": anything,
        },
        _one_vs_rest,
    ),
    "sklearn.multiclass._ConstantPredictor": Foreign({**TERMS, "y_": integers(1)}, _constant),
    "sklearn.calibration.CalibratedClassifierCV": Foreign(
        {
            **TERMS,
            "classes_": labels(least=2),
            "calibrated_classifiers_": each(
                part("sklearn.calibration._CalibratedClassifier", shares=("n_terms", "n_classes"))
            ),
            "method": one_of("sigmoid"),
        },
        _calibrated,
    ),
    "sklearn.calibration._CalibratedClassifier": Foreign(
        {
            "estimator": part(
                LINEAR[0],
                *(f"textensor.classify.{name}" for name in TENSOR),
                shares=("n_terms", "n_classes"),
            ),
            "calibrators": each(part("sklearn.calibration._SigmoidCalibration")),
            "classes": labels(least=2),
            "method": one_of("sigmoid"),
        },
        _calibrated_one,
    ),
    "sklearn.calibration._SigmoidCalibration": Foreign({"a_": number(), "b_": number()}),
}
