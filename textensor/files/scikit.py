"""The parts of scikit-learn that model files may hold: their fitted attributes as our arrays."""

from typing import Any

import numpy as np

from textensor.files.entries import Entry, class_of, part
from textensor.files.rules import (
    Rule,
    Sizes,
    anything,
    columns,
    dtype,
    each,
    either,
    flag,
    floats,
    integers,
    labels,
    matrix,
    number,
    one_of,
    pattern,
    require,
    size,
    text,
    whole,
)

__all__ = ["NONE", "SCIKIT", "TERMS", "VECTORIZER"]

TERMS = {"n_features_in_": size("terms")}
NONE = one_of(None)
#: N-grams longer than this are no terms, and cost time in proportion.
MAX_NGRAM = 50


def _ngrams(value: Any, sizes: Sizes) -> None:
    """Hold for a range of n-grams of sensible lengths."""
    each(whole(1, MAX_NGRAM), tuple, 2)(value, sizes)
    require(value[0] <= value[1], "the shortest n-gram is longer than the longest")


def _linear(model: Any) -> None:
    """See that there is one row of weights for each class, of two classes one in all."""
    n_classes = len(model.classes_)
    require(len(model.coef_) == (1 if n_classes == 2 else n_classes), "it has not one row for each class")


def _neighbors(model: Any) -> None:
    """Fit again: the documents are the model, and what is made of them differs between versions."""
    held = dict(vars(model))
    model.fit(model._fit_X, model.classes_[model._y])
    require(np.array_equal(model.classes_, held["classes_"]), "its documents are not of its classes")
    if "feature_names_in_" in held:
        model.feature_names_in_ = held["feature_names_in_"]


def _steps(model: Any) -> None:
    require(type(model.steps) is list and len(model.steps) > 0, "it has no steps")
    names = []
    for step in model.steps:
        require(type(step) in (tuple, list) and len(step) == 2 and type(step[0]) is str, "it has a bad step")
        names.append(step[0])
        if type(step[1]) is not str or step[1] != "passthrough":
            part()(step[1], {})
    require(len(set(names)) == len(names), "two of its steps have one name")
    model._validate_steps()


def _tfidf_vectorizer(model: Any) -> None:
    require(model._tfidf.n_features_in_ == len(model.vocabulary_), "its weights are not those of its terms")


def _idf(model: Any) -> None:
    require(hasattr(model, "idf_") == bool(model.use_idf), "it has weights that it does not use, or has none")


def _one_vs_rest(model: Any) -> None:
    n_classes = len(model.classes_)
    several = model.label_binarizer_.y_type_ == "multilabel-indicator"
    expected = 1 if n_classes <= 2 and not several else n_classes
    require(len(model.estimators_) == expected, "it has not one estimator for each class")
    require(
        np.array_equal(model.label_binarizer_.classes_, model.classes_), "its classes contradict each other"
    )
    for one in model.estimators_:
        constant = type(one) is class_of("sklearn.multiclass._ConstantPredictor")
        require(constant or type(one) is type(model.estimator), "its estimators are not of one class")
        require(one.n_features_in_ == model.n_features_in_, "its estimators are of other terms")


def _constant(model: Any) -> None:
    require(model.y_.tolist() in ([0], [1]), "its answer is neither yes nor no")


def _calibrated(model: Any) -> None:
    for one in model.calibrated_classifiers_:
        require(np.array_equal(one.classes, model.classes_), "its classes contradict each other")
        require(one.estimator.n_features_in_ == model.n_features_in_, "its classifiers are of other terms")


def _calibrated_one(model: Any) -> None:
    n_classes = len(model.classes)
    expected = 1 if n_classes == 2 else n_classes
    require(len(model.calibrators) == expected, "it has not one calibration for each class")
    require(np.array_equal(model.estimator.classes_, model.classes), "its classes contradict each other")


def _bayes(extra: dict[str, Rule]) -> Entry:
    return Entry(
        {
            **TERMS,
            "classes_": labels(),
            "class_count_": floats("classes"),
            "feature_count_": floats("classes", "terms"),
            "feature_log_prob_": floats("classes", "terms", infinite=True),
            "class_log_prior_": floats("classes", infinite=True),
            **extra,
        },
    )


WEIGHTS = {
    **TERMS,
    "classes_": labels(least=2),
    "coef_": floats("questions", "terms"),
    "intercept_": either(number(), floats("questions")),
    "n_iter_": anything,
}
VECTORIZER: dict[str, Rule] = {
    "input": one_of("content"),
    "token_pattern": pattern,
    "ngram_range": _ngrams,
    "stop_words": either(one_of(None, "english"), each(text)),
    "dtype": dtype,
}
WORDS = {"vocabulary_": columns("terms"), "fixed_vocabulary_": flag}
NAMED = ("_stop_words_id",)

SCIKIT: dict[str, Entry] = {
    "sklearn.pipeline.Pipeline": Entry(
        {}, parameters={"steps": anything}, dropped=("memory",), complete=_steps
    ),
    "sklearn.feature_extraction.text.CountVectorizer": Entry(WORDS, parameters=VECTORIZER, dropped=NAMED),
    "sklearn.feature_extraction.text.TfidfVectorizer": Entry(
        {**WORDS, "_tfidf": part("sklearn.feature_extraction.text.TfidfTransformer")},
        parameters=VECTORIZER,
        dropped=NAMED,
        complete=_tfidf_vectorizer,
    ),
    "sklearn.feature_extraction.text.TfidfTransformer": Entry(
        TERMS, optional={"idf_": floats("terms")}, parameters={"use_idf": flag}, complete=_idf
    ),
    "sklearn.preprocessing.Normalizer": Entry(TERMS),
    "sklearn.preprocessing.MaxAbsScaler": Entry(
        {**TERMS, "scale_": floats("terms"), "max_abs_": floats("terms"), "n_samples_seen_": whole()}
    ),
    "sklearn.preprocessing.StandardScaler": Entry(
        {
            **TERMS,
            "mean_": either(NONE, floats("terms")),
            "var_": either(NONE, floats("terms")),
            "scale_": either(NONE, floats("terms")),
            "n_samples_seen_": either(number(), integers("terms")),
        }
    ),
    "sklearn.preprocessing.LabelBinarizer": Entry(
        {
            "classes_": labels(),
            "y_type_": one_of("binary", "multiclass", "multilabel-indicator"),
            "sparse_input_": flag,
        }
    ),
    "sklearn.decomposition.TruncatedSVD": Entry(
        {
            **TERMS,
            "components_": floats("axes", "terms"),
            "explained_variance_": floats("axes"),
            "explained_variance_ratio_": floats("axes"),
            "singular_values_": floats("axes"),
        }
    ),
    "sklearn.kernel_approximation.Nystroem": Entry(
        {
            **TERMS,
            "components_": matrix("axes", "terms"),
            "normalization_": floats("axes", "axes"),
            "component_indices_": integers("axes"),
        },
        optional={"_n_features_out": size("axes")},
    ),
    "sklearn.svm.LinearSVC": Entry(WEIGHTS, complete=_linear),
    "sklearn.linear_model.LogisticRegression": Entry(WEIGHTS, complete=_linear),
    "sklearn.naive_bayes.MultinomialNB": _bayes({}),
    "sklearn.naive_bayes.ComplementNB": _bayes({"feature_all_": floats("terms")}),
    "sklearn.neighbors.KNeighborsClassifier": Entry(
        {
            **TERMS,
            "classes_": labels(),
            "_fit_X": matrix("documents", "terms"),
            "_y": integers("documents", below="classes"),
        },
        parameters={"metric_params": NONE},
        dropped=(
            "radius",
            "outputs_2d_",
            "effective_metric_",
            "effective_metric_params_",
            "_tree",
            "_fit_method",
            "n_samples_fit_",
        ),
        complete=_neighbors,
    ),
    "sklearn.multiclass.OneVsRestClassifier": Entry(
        {
            **TERMS,
            "classes_": labels(),
            "label_binarizer_": part("sklearn.preprocessing.LabelBinarizer"),
            "estimators_": each(
                part(
                    "sklearn.svm.LinearSVC",
                    "sklearn.linear_model.LogisticRegression",
                    "sklearn.multiclass._ConstantPredictor",
                )
            ),
        },
        parameters={"estimator": anything},
        complete=_one_vs_rest,
    ),
    "sklearn.multiclass._ConstantPredictor": Entry({**TERMS, "y_": integers("answers")}, complete=_constant),
    "sklearn.calibration.CalibratedClassifierCV": Entry(
        {
            **TERMS,
            "classes_": labels(least=2),
            "calibrated_classifiers_": each(part("sklearn.calibration._CalibratedClassifier")),
        },
        parameters={"method": one_of("sigmoid")},
        complete=_calibrated,
    ),
    "sklearn.calibration._CalibratedClassifier": Entry(
        {
            "estimator": part(
                "sklearn.svm.LinearSVC",
                "textensor.classify.SupportTensorMachine",
                "textensor.classify.TensorLeastSquares",
                "textensor.classify.TensorClassifier",
            ),
            "calibrators": each(part("sklearn.calibration._SigmoidCalibration")),
            "classes": labels(least=2),
            "method": one_of("sigmoid"),
        },
        complete=_calibrated_one,
        record=True,
    ),
    "sklearn.calibration._SigmoidCalibration": Entry({"a_": number(), "b_": number()}),
}
