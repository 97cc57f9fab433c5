"""The parts of scikit-learn that estimators are made of, or what stands in for them."""

from typing import TYPE_CHECKING

from textensor.base.late.mode import without_scikit

if TYPE_CHECKING or not without_scikit():
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        TransformerMixin,
        clone,
    )
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.utils import check_array, check_consistent_length, check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
else:
    from textensor.base.late.stand_in import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        ConvergenceWarning,
        CountVectorizer,
        NotFittedError,
        TransformerMixin,
        check_array,
        check_consistent_length,
        check_is_fitted,
        check_random_state,
        clone,
        validate_data,
    )

__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "ConvergenceWarning",
    "CountVectorizer",
    "NotFittedError",
    "TransformerMixin",
    "check_array",
    "check_consistent_length",
    "check_is_fitted",
    "check_random_state",
    "clone",
    "validate_data",
]
