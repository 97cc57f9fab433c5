"""The mean of several classifiers' scores: one that sees all documents at once, another that sees parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check_parameters, each
from textensor.base.kept import each as each_kept
from textensor.base.kept import keeps, part, require
from textensor.base.labels import Labels
from textensor.base.late.parts import clone
from textensor.classify.onevsrest import OneVsRest


@keeps(members_=each_kept(part(shares=("n_terms", "n_classes", "n_questions")), list, "n_members"))
class AverageClassifier(OneVsRest):
    """Decide by the mean of the scores of several classifiers of this package, with thresholds of its own.

    Machines that cut documents in different ways are wrong on different documents. On Reuters-90 the mean of
    an undivided machine and a min-max one by classes is better than either, micro and macro.

    Parameters
    ----------
    members : sequence of classifiers
        Each a classifier with scores: :class:`MinMaxSVM`, :class:`SupportTensorMachine` and the like. They
        are cloned; thresholds of theirs are not used.
    thresholds : {"none", "tuned", "averaged"}, default="none"
        As in the members, of the mean score.
    unlabeled_value : object, default=None
        The mark in y of documents without a label.

    Attributes
    ----------
    classes_ : ndarray
        The classes, or the numbers of the indicator's columns.
    members_ : list of classifiers
        The members, fitted.
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds, subtracted from the mean scores.

    Examples
    --------
    >>> from sklearn.preprocessing import normalize
    >>> from textensor.classify import AverageClassifier, MinMaxSVM
    >>> from textensor.datasets import make_documents
    >>> corpus = make_documents(400, 100, 3, random_state=0)
    >>> X = normalize(corpus.X.astype(float))
    >>> whole, parts = MinMaxSVM(modules=(1, 1), random_state=0), MinMaxSVM(modules=(1, 5), random_state=0)
    >>> model = AverageClassifier([whole, parts], thresholds="averaged").fit(X, corpus.y)
    >>> model.predict(X).shape
    (400, 3)
    """

    _parameters: ClassVar[Mapping[str, Rule]] = {
        **OneVsRest._parameters,
        "members": each(
            "one or more classifiers of textensor.classify", lambda member: isinstance(member, OneVsRest)
        ),
    }

    def __init__(
        self, members: Sequence[OneVsRest], *, thresholds: str = "none", unlabeled_value: Any = None
    ) -> None:
        self.members = members
        self.thresholds = thresholds
        self.unlabeled_value = unlabeled_value

    def _fit_questions(self, X: sp.csr_matrix, labels: Labels, weight: Floats | None) -> None:
        for member in self.members:
            check_parameters(member)
        self.members_ = [clone(member)._fit_checked(X, labels, weight) for member in self.members]

    def _check_kept(self) -> None:
        super()._check_kept()
        for member in self.members_:
            require(isinstance(member, OneVsRest), "it has a member that is no classifier of its kind")
            fits = member._labels.kind == self._labels.kind
            fits = fits and np.array_equal(member.classes_, self.classes_)
            require(fits, "its members are of other labels")

    def _scorer(self) -> Callable[[sp.csr_matrix], Floats]:
        scorers = [member._scorer() for member in self.members_]
        return lambda X: np.mean([score(X) for score in scorers], axis=0)

    def _reasons(self, x: sp.csr_matrix, question: int) -> tuple[Floats, float]:
        reasons = [member._reasons(x, question) for member in self.members_]
        return np.mean([terms for terms, _ in reasons], axis=0), float(np.mean([b for _, b in reasons]))
