"""What the classifiers here have in common: labels of every kind, thresholds, predictions, reasons."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check, check_parameters, one_of, optional, whole
from textensor.base.kept import floats, keeps, labels, part, require, size
from textensor.base.labels import Labels, as_labels
from textensor.base.late.parts import (
    BaseEstimator,
    ClassifierMixin,
    check_consistent_length,
    check_is_fitted,
    clone,
)
from textensor.base.reading.y import read_labels
from textensor.classify.thresholds import average_threshold, held_out, tune_threshold
from textensor.space.matrix import check_scale, read_matrix

THRESHOLDS = one_of("none", "tuned", "averaged")


@dataclass(frozen=True)
class Explanation:
    """Why a document got a decision: the parts, the largest first, sum to it.

    Attributes
    ----------
    label : object
        The label in question.
    decision : float
        The decision value; above 0 is yes.
    parts : list of (name, amount)
        Terms by how much they moved the decision, then what all other terms, the intercept and the
        threshold gave.
    """

    label: Any
    decision: float
    parts: list[tuple[str, float]]


@keeps(
    n_features_in_=size("n_terms"),
    classes_=labels("n_classes"),
    _labels=part(Labels, shares=("n_classes", "n_questions")),
    thresholds_=floats("n_questions"),
)
class OneVsRest(ClassifierMixin, BaseEstimator):
    """A classifier that asks one yes-or-no question for each label, each a linear one.

    A subclass has the parameters ``thresholds`` and ``unlabeled_value`` and fits its questions in
    ``_fit_questions``; ``_scorer`` applies them, ``_reasons`` says what each term does.
    """

    _parameters: ClassVar[Mapping[str, Rule]] = {"thresholds": THRESHOLDS}

    thresholds: str
    unlabeled_value: Any
    intercept_: Floats

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit one question for each label.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents, unlabelled ones included.
        y : array-like or sparse
            A class for each document; or in multilabel mode an indicator of documents x labels, or a
            collection of labels for each document, such as ``("a", "b")``. Documents marked by
            ``unlabeled_value`` have no label.
        sample_weight : array of shape (n_documents,) or None
            How much an error on each document costs.
        """
        check_parameters(self)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X = read_matrix(self, X, reset=True)
        y = as_labels(y)
        check_consistent_length(X, y)
        labels = read_labels(y, self.unlabeled_value)
        weight = read_weights(sample_weight, X)
        check_scale(X)
        self._fit_checked(X, labels, weight)
        if self.thresholds != "none":
            self.thresholds_ = self._tuned(X, labels, weight)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return score minus threshold, documents x labels; one column, as a vector, for two classes."""
        return self.decider()(X)

    def decider(self) -> Callable[[Any], Floats]:
        """Return :meth:`decision_function` for many blocks of documents: the weights are made once.

        Examples
        --------
        >>> from textensor.classify import SupportTensorMachine
        >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.5]]
        >>> model = SupportTensorMachine(order=1, random_state=0).fit(X, [0, 1, 0])
        >>> decide = model.decider()
        >>> bool((decide(X) == model.decision_function(X)).all())
        True
        """
        check_is_fitted(self)
        score = self._scorer()

        def decide(X: Any) -> Floats:
            decision = score(self._read(X)) - self.thresholds_
            return decision[:, 0] if self._labels.kind == "binary" else decision

        return decide

    def predict(self, X: Any) -> Any:
        """Return each document's class of the highest decision, or all labels whose decision is above 0."""
        check_is_fitted(self)
        return self._labels.predict(self._decide(self._read(X)))

    def explain(
        self,
        X: Any,
        top: int = 10,
        *,
        names: Sequence[str] | None = None,
        labels: Sequence[Any] | None = None,
    ) -> list[list[Explanation]]:
        """Return for each document why it got its decisions.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents.
        top : int, default=10
            How many terms to name; the others are summed up.
        names : sequence of str or None
            What the terms are called, such as ``vectorizer.get_feature_names_out()``; by default the columns
            of the data frame the model was fitted on, or their numbers.
        labels : sequence or None
            The labels to explain; by default the one with the highest decision, of two classes the second;
            with several labels to a document all whose decision is above 0, and if there is none the highest.
        """
        check_is_fitted(self)
        check("top", top, whole(0))
        several = Rule("a list of labels", lambda value: np.iterable(value) and not isinstance(value, str))
        check("labels", labels, optional(several))
        X = self._read(X)
        if names is None:
            names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])
        if len(names) != X.shape[1]:
            raise ValueError(f"There are {len(names)} names for {X.shape[1]} terms.")
        if labels is not None:
            asked = [[self._question(label) for label in labels]] * X.shape[0]
        else:
            decided = self._decide(X)
            named = decided >= decided.max(axis=1, keepdims=True)
            if self._labels.kind == "multilabel":
                named |= decided > 0
            else:
                named &= np.cumsum(named, axis=1) == 1  # the first of equals, as predict has it
            asked = [[(int(q), 1.0) for q in np.flatnonzero(which)] for which in named]
        return [
            [self._explain_one(x, *question, top, names) for question in questions]
            for x, questions in zip(X, asked, strict=True)
        ]

    def _fit_checked(self, X: sp.csr_matrix, labels: Labels, weight: Floats | None) -> Self:
        """Fit documents that have been checked, all thresholds at 0."""
        self._labels = labels.without_documents()
        self.classes_ = labels.names
        self.n_features_in_ = X.shape[1]
        if weight is not None and not weight[labels.labelled].any():
            raise ValueError("No document with a label has a weight above 0: there is nothing to learn from.")
        self._fit_questions(X, labels, weight)
        self.thresholds_ = np.zeros(labels.n_questions)
        return self

    @abstractmethod
    def _fit_questions(self, X: sp.csr_matrix, labels: Labels, weight: Floats | None) -> None:
        """Fit every question, thresholds aside, and set ``intercept_``."""

    @abstractmethod
    def _scorer(self) -> Callable[[sp.csr_matrix], Floats]:
        """Return a function that scores documents, thresholds aside; what all blocks need is made once."""

    @abstractmethod
    def _reasons(self, x: sp.csr_matrix, question: int) -> tuple[Floats, float]:
        """Return what each term of one document, and the intercept, give to a score."""

    def _decide(self, X: sp.csr_matrix) -> Floats:
        return self._scorer()(X) - self.thresholds_

    def _check_kept(self) -> None:
        require(np.array_equal(self._labels.names, self.classes_), "its classes contradict each other")

    def _read(self, X: Any) -> sp.csr_matrix:
        found: sp.csr_matrix = read_matrix(self, X, reset=False)
        return found

    def _question(self, label: Any) -> tuple[int, float]:
        """Return the number of a label's question, and -1 if the label is the answer no."""
        found = np.flatnonzero(self.classes_ == label)
        if len(found) == 0:
            raise ValueError(f"There is no label {label!r}.")
        if self._labels.kind == "binary":
            return 0, 1.0 if found[0] == len(self.classes_) - 1 else -1.0
        return int(found[0]), 1.0

    def _explain_one(
        self, x: sp.csr_matrix, question: int, sign: float, top: int, names: Sequence[str]
    ) -> Explanation:
        amounts, intercept = self._reasons(x, question)
        amounts = sign * amounts
        order = np.argsort(-np.abs(amounts), kind="stable")
        parts = [(str(names[x.indices[k]]), float(amounts[k])) for k in order[:top]]
        parts.append(("(all other terms)", float(amounts[order[top:]].sum())))
        parts.append(("(intercept)", sign * intercept))
        parts.append(("(threshold)", -sign * float(self.thresholds_[question])))
        number = question if self._labels.kind != "binary" else (-1 if sign > 0 else 0)
        label = self.classes_[number]
        return Explanation(label, float(sum(amount for _, amount in parts)), parts)

    def _tuned(self, X: sp.csr_matrix, labels: Labels, weight: Floats | None) -> Floats:
        """Return a threshold for each question, from held-out folds of the labelled documents."""
        X, labels, weight = with_weight(X, labels, weight)
        counts = None if weight is None else weight[labels.labelled]

        def score(train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> Floats:
            model = clone(self)
            part = None if weight is None else weight[train]
            return model._fit_checked(X[train], labels.rows(train), part)._scorer()(X[test])

        scores, fold = held_out(score, labels.questions, labels.labelled)

        def threshold(question: int) -> float:
            of_question, positive = scores[:, question], labels.targets(question) > 0
            if self.thresholds == "averaged":
                return average_threshold(of_question, positive, fold, weight=counts)
            return tune_threshold(of_question, positive, weight=counts)

        return np.array([threshold(question) for question in range(labels.n_questions)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags


def read_weights(sample_weight: Any, X: sp.csr_matrix) -> Floats | None:
    """Return a copy of the weights of documents, None if all weigh the same."""
    if sample_weight is None:
        return None
    from sklearn.utils.validation import _check_sample_weight

    return np.array(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))


def with_weight(
    X: sp.csr_matrix, labels: Labels, weight: Floats | None
) -> tuple[sp.csr_matrix, Labels, Floats | None]:
    """Return the documents whose weight is above 0: the others have no say."""
    if weight is None or weight.all():
        return X, labels, weight
    kept = np.flatnonzero(weight > 0)
    return X[kept], labels.rows(kept), weight[kept]
