"""Small parts in the place of scikit-learn's, for commands that fit or score without it.

They do what our estimators need of them, on matrices that we have made ourselves.
"""

import inspect
import re
import unicodedata
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.plain import normal_form


class NotFittedError(ValueError, AttributeError):
    """An estimator is used before it is fitted."""


class ConvergenceWarning(UserWarning):
    """A solver stopped before it was done."""


class BaseEstimator:
    """An object whose parameters are the arguments of its constructor."""

    @classmethod
    def _names(cls) -> list[str]:
        known = inspect.signature(cls).parameters.values()
        return sorted(one.name for one in known if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; ``deep`` is only for those of scikit-learn."""
        del deep
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **given: Any) -> Self:
        """Set parameters."""
        for name, value in given.items():
            if name not in self._names():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r:.80}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ClassifierMixin:
    """A classifier."""


class TransformerMixin:
    """A transformer."""

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit to documents and transform them."""
        fitted: Any = self.fit(X) if y is None else self.fit(X, y)  # type: ignore[attr-defined]
        return fitted.transform(X)


class ClassNamePrefixFeaturesOutMixin:
    """A transformer whose features are named after it."""


def clone(estimator: Any) -> Any:
    """Return an estimator of the same parameters that is not fitted."""
    given = estimator.get_params(deep=False)
    copies = {
        name: clone(one) if hasattr(one, "get_params") else deepcopy(one) for name, one in given.items()
    }
    return type(estimator)(**copies)


def check_is_fitted(estimator: Any, attribute: str | None = None) -> None:
    """Refuse an estimator that is not fitted."""
    if attribute is not None:
        fitted = hasattr(estimator, attribute)
    elif hasattr(estimator, "__sklearn_is_fitted__"):
        fitted = estimator.__sklearn_is_fitted__()
    else:
        fitted = any(name.endswith("_") and not name.startswith("__") for name in vars(estimator))
    if not fitted:
        raise NotFittedError(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator."
        )


def check_array(
    X: Any,
    *,
    dtype: Any = None,
    ensure_min_samples: int = 1,
    ensure_min_features: int = 1,
    **_: Any,
) -> Any:
    """Return a matrix of finite numbers, CSR or dense, of the first dtype unless it has another of them."""
    known = [np.dtype(one) for one in (dtype or ())]
    X = sp.csr_matrix(X) if sp.issparse(X) else np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead.")
    if known and X.dtype not in known:
        X = X.astype(known[0])
    if not np.isfinite(X.data if sp.issparse(X) else X).all():
        raise ValueError("Input X contains NaN or infinity.")
    for what, length, least in zip(
        ("sample", "feature"), X.shape, (ensure_min_samples, ensure_min_features), strict=True
    ):
        if length < least:
            raise ValueError(f"Found array with {length} {what}(s) while a minimum of {least} is required.")
    return X


def validate_data(
    estimator: Any, X: Any, *, reset: bool = True, skip_check_array: bool = False, **options: Any
) -> Any:
    """Return a checked matrix; its number of features is kept, or compared with the one that was."""
    X = X if skip_check_array else check_array(X, **options)
    if reset:
        estimator.n_features_in_ = X.shape[1]
    elif X.shape[1] != getattr(estimator, "n_features_in_", X.shape[1]):
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return X


def check_consistent_length(*arrays: Any) -> None:
    """Refuse arrays of different lengths."""
    lengths = [one.shape[0] if hasattr(one, "shape") else len(one) for one in arrays if one is not None]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")


def check_random_state(seed: Any) -> np.random.RandomState:
    """Return the generator of a seed."""
    if seed is None:
        return np.random.mtrand._rand
    return seed if isinstance(seed, np.random.RandomState) else np.random.RandomState(seed)


class CountVectorizer(BaseEstimator):
    """What a vectorizer of ours inherits: the settings, and what reads and prepares a text."""

    def __init__(self, **settings: Any) -> None:
        vars(self).update(settings)

    def decode(self, document: Any) -> Any:
        """Return a text as it is; a model of bytes or files has a reader of its own."""
        return document.decode(self.encoding, self.decode_error) if isinstance(document, bytes) else document

    def build_preprocessor(self) -> Callable[[str], str]:
        """Return the function that makes texts lower-case and strips accents."""
        strip, lowercase = _STRIPPERS[self.strip_accents], self.lowercase
        return lambda text: strip(text.lower() if lowercase else text)

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """Return the function that cuts a text into words."""
        return re.compile(self.token_pattern).findall

    def get_stop_words(self) -> Any:
        """Return the stop words."""
        return None if self.stop_words is None else frozenset(self.stop_words)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the terms in the order of columns."""
        del input_features
        self._check_vocabulary()
        vocabulary = self.vocabulary_
        return np.array(sorted(vocabulary, key=vocabulary.__getitem__), dtype=object)

    def _check_vocabulary(self) -> None:
        if not hasattr(self, "vocabulary_"):
            raise NotFittedError("Vocabulary not fitted or provided")

    def _validate_vocabulary(self) -> None:
        if self.vocabulary is not None:
            raise ValueError("A vocabulary of one's own needs scikit-learn.")
        self.fixed_vocabulary_ = False

    def _validate_params(self) -> None:
        """Leave the settings to the rules that model files have for them."""

    def _validate_ngram_range(self) -> None:
        """Leave it to the same rules."""

    def _warn_for_unused_params(self) -> None:
        """Nothing is unused."""

    encoding: str
    decode_error: str
    strip_accents: str | None
    lowercase: bool
    token_pattern: str
    stop_words: Any
    vocabulary: Any
    vocabulary_: dict[str, int]
    fixed_vocabulary_: bool
    _parameter_constraints: ClassVar[dict[str, Any]] = {}


def _without_accents(text: str) -> str:
    return "".join(one for one in normal_form("NFKD", text) if not unicodedata.combining(one))


_STRIPPERS: dict[str | None, Callable[[str], str]] = {
    None: lambda text: text,
    "unicode": lambda text: text if text.isascii() else _without_accents(text),
    "ascii": lambda text: normal_form("NFKD", text).encode("ascii", "ignore").decode("ascii"),
}


class Pipeline(BaseEstimator):
    """Steps one after the other: transformers, and in the end one that transforms or predicts."""

    def __init__(self, steps: list[tuple[str, Any]], *, memory: Any = None, verbose: bool = False) -> None:
        self.steps = steps
        self.memory = memory
        self.verbose = verbose

    def _validate_steps(self) -> None:
        names, steps = zip(*self.steps, strict=True)
        if any("__" in name or name in ("steps", "memory", "verbose") for name in names):
            raise ValueError("A step has a name that it may not have.")
        for step in steps[:-1]:
            if step != "passthrough" and not hasattr(step, "transform"):
                raise TypeError(f"All intermediate steps should be transformers, not {step!r:.80}.")
        if steps[-1] != "passthrough" and not hasattr(steps[-1], "fit"):
            raise TypeError(f"The last step is no estimator but {steps[-1]!r:.80}.")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the steps, each to what those before it make of documents."""
        for _, step in self.steps[:-1]:
            X = step.fit_transform(X) if y is None else step.fit(X, y).transform(X)
        self.steps[-1][1].fit(X) if y is None else self.steps[-1][1].fit(X, y)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        try:
            check_is_fitted(self.steps[-1][1])
        except NotFittedError:
            return False
        return True

    def __getattr__(self, name: str) -> Any:
        """Return a method of the last step that is given what the others make of documents."""
        if name not in ("predict", "transform", "decision_function", "predict_proba"):
            raise AttributeError(name)
        *before, (_, last) = vars(self)["steps"]
        call = (lambda X: X) if last == "passthrough" and name == "transform" else getattr(last, name)

        def run(X: Iterable[Any]) -> Any:
            for _, step in before:
                X = X if step == "passthrough" else step.transform(X)
            return call(X)

        return run

    @property
    def classes_(self) -> Any:
        """The classes of the last step."""
        return self.steps[-1][1].classes_

    @property
    def n_features_in_(self) -> Any:
        """The number of features that the first step takes."""
        return self.steps[0][1].n_features_in_
