"""Co-EM with naive Bayes (Nigam and Ghani 2000): two halves of the vocabulary label text for each other."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import log_softmax, logsumexp

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check_parameters, number, whole
from textensor.base.kept import data, each, floats, integers, keeps, labels, part, require, size
from textensor.base.labels import Labels, names_at
from textensor.base.late.parts import (
    BaseEstimator,
    ClassifierMixin,
    ConvergenceWarning,
    check_is_fitted,
    check_random_state,
)
from textensor.base.reading.y import read_classes
from textensor.space.matrix import read_matrix


@keeps(log_priors=floats("n_classes"), log_terms=floats("n_classes", "n_terms"))
class NaiveBayes(NamedTuple):
    """Multinomial naive Bayes: log P(class) and log P(term | class), classes x terms."""

    log_priors: Floats
    log_terms: Floats

    def log_posteriors(self, X: sp.csr_matrix) -> Floats:
        """Return log P(class | document), documents x classes."""
        return np.asarray(log_softmax(X @ self.log_terms.T + self.log_priors, axis=1))


def naive_bayes(X: sp.csr_matrix, P: Floats, smoothing: float) -> NaiveBayes:
    """Learn from counts X, documents x terms, and how far each document is of each class, P.

    P(term | class) is (smoothing + count) / (smoothing * terms + all counts), counts being weighted by P.
    """
    counts = (X.T @ P).T
    totals = counts.sum(axis=1) + smoothing * max(X.shape[1], 1)
    log_terms = np.log(counts + smoothing) - np.log(totals)[:, None]
    return NaiveBayes(np.log(P.sum(axis=0) / P.sum()), log_terms)


def log_odds(log_p: Floats) -> Floats:
    """Return log p - log(1 - p) of each class from log p, documents x classes.

    For the likeliest class 1 - p is the sum of the others, which is not 0 even if p rounds to 1.

    Examples
    --------
    >>> log_odds(np.array([[0.0, -800.0, -900.0]])).tolist()
    [[800.0, -800.0, -900.0]]
    """
    likeliest = np.arange(len(log_p)), log_p.argmax(axis=1)
    others = log_p.copy()
    others[likeliest] = -np.inf
    found = log_p - np.log1p(-np.exp(others))
    if log_p.shape[1] > 1:
        found[likeliest] = log_p[likeliest] - logsumexp(others, axis=1)
    else:
        found[:] = np.inf  # there is no other
    return np.asarray(found)


@keeps(
    n_features_in_=size("n_terms"),
    classes_=labels("n_classes"),
    views_=each(integers("view_#", below="n_terms"), tuple, 2),
    models_=each(part(NaiveBayes, shares=("n_classes",), n_terms="view_#"), tuple, 2),
    change_history_=data,
    n_iter_=whole(0),
)
class CoEM(ClassifierMixin, BaseEstimator):
    """Naive Bayes from few labels and much unlabelled text, by two views of each document.

    The vocabulary is cut into two halves at random. Naive Bayes on the first half learns from the labelled
    documents and gives every unlabelled one its posterior class probabilities; naive Bayes on the second half
    learns from the labels and these, and gives its own posteriors to the first; and so on by turns, until
    the posteriors settle. A document's probabilities are the product of both halves' posteriors.

    Parameters
    ----------
    smoothing : float, default=1.0
        Added to the count of each term in each class; above 0.
    max_iter : int, default=50
        Maximum number of rounds; both halves learn in each.
    tol : float, default=1e-3
        Stop when the second half's posteriors move by less than this in a round: half the sum over classes
        of the absolute changes, on average over the unlabelled documents.
    unlabeled_value : object, default=-1
        The mark in y of documents without a label.
    random_state : int, RandomState or None, default=None
        Seeds the halves.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    views_ : tuple of two ndarray
        The terms of each half, by their columns.
    models_ : tuple of two NaiveBayes
        What each half has learnt.
    change_history_ : list of float
        How much the posteriors moved in each round; 1/2 in the first, before which there were none.
    n_iter_ : int
        Rounds. Without unlabelled documents it is one.

    Notes
    -----
    X holds counts of terms: naive Bayes is a model of how often a term occurs, and weights such as tf-idf
    make its probabilities meaningless. With halves cut at random the terms of a document are not independent
    given its class, and the product of the posteriors is too sure of itself.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from textensor.classify import CoEM
    >>> texts = ["wheat maize rye", "bank rate loan", "maize rye oats", "rate loan cash", "oats", "cash"]
    >>> X = CountVectorizer().fit_transform(texts)
    >>> CoEM(random_state=0).fit(X, [0, 1, -1, -1, -1, -1]).predict(X).tolist()
    [0, 1, 0, 1, 0, 1]
    """

    _parameters: ClassVar[Mapping[str, Rule]] = {
        "smoothing": number(above=0),
        "max_iter": whole(1),
        "tol": number(least=0),
    }

    def __init__(
        self,
        smoothing: float = 1.0,
        *,
        max_iter: int = 50,
        tol: float = 1e-3,
        unlabeled_value: Any = -1,
        random_state: Any = None,
    ) -> None:
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.unlabeled_value = unlabeled_value
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from labelled and unlabelled documents.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            Counts of terms, unlabelled documents included.
        y : array-like of shape (n_documents,)
            The class of each, or ``unlabeled_value``.
        """
        check_parameters(self)
        X = self._read(X, reset=True)
        labels = read_classes(self, X, y, self.unlabeled_value)
        terms = check_random_state(self.random_state).permutation(X.shape[1])
        half = X.shape[1] // 2
        self.views_ = np.sort(terms[half:]), np.sort(terms[:half])
        self.classes_ = labels.names
        self._alternate(X, labels)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the log-odds of each class, log P(class) - log P(another), documents x classes.

        For two classes, those of the second. If the probabilities are 0 and 1 to the last digit, as those
        of long documents are, these still tell documents apart.
        """
        found = log_odds(self._log_probabilities(X))
        return found[:, 1] if found.shape[1] == 2 else found

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, documents x classes."""
        return np.exp(self._log_probabilities(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return each document's most probable class."""
        best = self._log_probabilities(X).argmax(axis=1)
        return names_at(self.classes_, best)

    def _alternate(self, X: sp.csr_matrix, labels: Labels) -> None:
        """Let the halves learn by turns, each from the other's posteriors of the unlabelled documents."""
        first, second = (X[:, view] for view in self.views_)
        unlabelled = ~labels.labelled
        P = labels.truth().astype(np.float64)  # an unlabelled row is zeros, which nothing learns from
        self.change_history_: list[float] = []
        for n_iter in range(1, self.max_iter + 1):
            before = P[unlabelled]
            one = naive_bayes(first, P, self.smoothing)
            P[unlabelled] = np.exp(one.log_posteriors(first[unlabelled]))
            two = naive_bayes(second, P, self.smoothing)
            P[unlabelled] = np.exp(two.log_posteriors(second[unlabelled]))
            change = float(np.abs(P[unlabelled] - before).sum() / 2 / max(unlabelled.sum(), 1))
            self.models_, self.n_iter_ = (one, two), n_iter
            self.change_history_.append(change)
            if change <= self.tol:
                return
        warnings.warn(
            f"The halves had not settled after {self.max_iter} rounds: raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _log_probabilities(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = self._read(X, reset=False)
        both = [
            model.log_posteriors(X[:, view]) for model, view in zip(self.models_, self.views_, strict=True)
        ]
        return np.asarray(log_softmax(both[0] + both[1], axis=1))

    def _read(self, X: Any, *, reset: bool) -> sp.csr_matrix:
        X = read_matrix(self, X, reset=reset)
        if X.data.min(initial=0.0) < 0:
            raise ValueError("Negative values in data passed to CoEM, which counts terms.")
        return X

    def _check_kept(self) -> None:
        columns = np.sort(np.concatenate(self.views_))
        n = self.n_features_in_  # as much as a file says it is: it is compared before it makes an array
        whole = len(columns) == n and np.array_equal(columns, np.arange(n))
        require(whole, "its views do not share the terms")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # of what are no counts, as scikit-learn's naive Bayes
        return tags
