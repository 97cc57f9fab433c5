"""A support vector machine over a document's terms and its place in a space learnt from unlabelled text.

Few labels say little about single terms. Documents without labels say which terms go together: a reducer
turns every document into coordinates z, of unit length, and the machine learns from [x | weight * z]. Then it
labels the unlabelled documents itself, takes those it is surest of as more examples, at a low cost, and
learns again.

A document may bring coordinates of its own, an embedding e from elsewhere, in the last columns of X. It is
given unit length, too, and the machine learns from [x | embedding_weight * e | weight * z].
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats, normalize
from textensor.base.checks import Rule, check_parameters, number, whole
from textensor.base.kept import dropped, floats, integers, keeps, none_or, part, require, width
from textensor.base.labels import Labels
from textensor.base.late.parts import check_is_fitted, clone
from textensor.classify.coordinates import fitted_reducer
from textensor.classify.costs import CLASS_WEIGHT, check_class_weight
from textensor.classify.onevsrest import Explanation, OneVsRest, with_weight
from textensor.classify.self_training import Questions, self_labelled
from textensor.space.matrix import check_scale, read_matrix


@keeps(
    intercept_=floats("n_questions"),
    reducer_=none_or(part()),
    _weights=floats("n_questions", "n_columns"),
    n_pseudo_=whole(0),
    columns_=none_or(integers("*", below="n_terms")),
    columns=dropped,
    weight=number(least=0),
    n_embedding=whole(0),
    embedding_weight=number(least=0),
)
class SemanticSVM(OneVsRest):
    """An SVM over terms and over coordinates in a space that is learnt from all text, labelled or not.

    Parameters
    ----------
    C : float, default=1.0
        The cost of an error.
    reducer : transformer or None, default=None
        The transformer that makes the coordinates: any of :mod:`textensor.reduce`, or one of scikit-learn's.
        None is :class:`~textensor.reduce.LSI` with 300 dimensions. It is fitted on all documents; one that
        needs labels and has no mark for unlabelled documents sees the labelled ones only.
    columns : array-like of int or None, default=None
        The columns of X that the reducer reads, None for all. With words and character n-grams in X, the
        words alone give as good a space in much less time.
    weight : float, default=1.0
        The length of the coordinates, where terms have length 1. With 0 there are none, and no reducer is
        fitted.
    n_embedding : int, default=0
        How many of the last columns of X are not terms but an embedding of the document, such as
        :class:`~textensor.space.StaticEmbedding` makes. The reducer does not read them.
    embedding_weight : float, default=1.0
        The length of the embedding, where terms have length 1.
    rounds : int, default=4
        Rounds of self-training on the unlabelled documents, more of them in each; 0 is none.
    pseudo_cost : float, default=0.1
        The cost of an error on a document that the machine labelled itself, beside 1 for a labelled one.
    class_weight : dict, "balanced" or None, default=None
        The cost of errors on each class.
    thresholds : {"none", "tuned", "averaged"}, default="none"
        Whether each label's threshold is moved to where its F1 is best on held-out folds.
    unlabeled_value : object, default=-1
        The mark in y of documents without a label; a whole row of it in an indicator.
    tol : float, default=1e-3
        How near the margin is met.
    n_jobs : int or None, default=None
        Threads, one label each; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seeds the order of the descent; a reducer has its own.

    Attributes
    ----------
    classes_ : ndarray
        The classes, or the numbers of the indicator's columns.
    coef_ : ndarray of shape (n_labels, n_terms)
        The terms' own weights; what they add through the coordinates is in :meth:`explain`.
    embedding_coef_ : ndarray of shape (n_labels, n_embedding)
        The weights of the embedding.
    coordinate_coef_ : ndarray of shape (n_labels, n_coordinates)
        The weights of the coordinates.
    intercept_ : ndarray of shape (n_labels,)
        The intercepts.
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds, subtracted from the scores.
    reducer_ : transformer or None
        The fitted reducer; None if ``weight`` is 0.
    columns_ : ndarray of int or None
        The columns of X that it reads.
    n_pseudo_ : int
        How many documents the machine labelled itself in the last round.

    Examples
    --------
    >>> from textensor.classify import SemanticSVM
    >>> from textensor.space import TermVectorizer
    >>> texts = ["wheat maize", "maize corn", "bank rate", "rate money", "corn harvest", "money market"]
    >>> X = TermVectorizer().fit_transform(texts)
    >>> model = SemanticSVM(unlabeled_value="", random_state=0).fit(X, ["grain", "", "money", "", "", ""])
    >>> model.predict(X).tolist()
    ['grain', 'grain', 'money', 'money', 'grain', 'money']
    """

    _parameters: ClassVar[Mapping[str, Rule]] = {
        **OneVsRest._parameters,
        "C": number(above=0),
        "class_weight": CLASS_WEIGHT,
        "reducer": Rule(
            "a transformer such as LSI(100), or None",
            lambda value: value is None or (hasattr(value, "transform") and not isinstance(value, type)),
        ),
        "weight": number(least=0),
        "n_embedding": whole(0),
        "embedding_weight": number(least=0),
        "rounds": whole(0),
        "pseudo_cost": number(least=0),
        "tol": number(above=0),
    }

    #: The fraction of the unlabelled documents that is labelled in the last round of self-training.
    _share: ClassVar[float] = 0.9

    def __init__(
        self,
        C: float = 1.0,
        *,
        reducer: Any = None,
        columns: Any = None,
        weight: float = 1.0,
        n_embedding: int = 0,
        embedding_weight: float = 1.0,
        rounds: int = 4,
        pseudo_cost: float = 0.1,
        class_weight: Any = None,
        thresholds: str = "none",
        unlabeled_value: Any = -1,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.reducer = reducer
        self.columns = columns
        self.weight = weight
        self.n_embedding = n_embedding
        self.embedding_weight = embedding_weight
        self.rounds = rounds
        self.pseudo_cost = pseudo_cost
        self.class_weight = class_weight
        self.thresholds = thresholds
        self.unlabeled_value = unlabeled_value
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, *, space: Any = None) -> Self:
        """Fit the space, unless one is given, and one question for each label.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents, unlabelled ones included.
        y : array-like or sparse
            Labels, as in other classifiers; documents marked by ``unlabeled_value`` have none.
        sample_weight : array of shape (n_documents,) or None
            How much an error on each document costs.
        space : fitted transformer or None
            What :meth:`learn_space` returned, or ``reducer_`` of an earlier fit. Fits with other labels or
            settings need not learn it again. Held-out thresholds learn their own.
        """
        self._space = space
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._space

    def learn_space(self, X: Any) -> Any:
        """Return the reducer, fitted to documents, for ``space`` in several fits; None if ``weight`` is 0.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents. Columns of an embedding are not read.

        Examples
        --------
        >>> from textensor.classify import SemanticSVM
        >>> X, y = [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]], [0, 1, -1]
        >>> space = SemanticSVM().learn_space(X)
        >>> [SemanticSVM(C, random_state=0).fit(X, y, space=space).predict(X)[0].item() for C in (1.0, 10.0)]
        [0, 0]
        """
        check_parameters(self)
        model = clone(self)
        X = read_matrix(model, X, reset=True)
        check_scale(X)
        model._take_columns(X.shape[1])
        return model._learnt(model._read_by_reducer(X))

    def _fit_questions(self, X: sp.csr_matrix, labels: Labels, weight: Floats | None) -> None:
        check_class_weight(self.class_weight, labels)
        X, labels, weight = with_weight(X, labels, weight)
        self._take_columns(X.shape[1])
        self._fit_reducer(self._read_by_reducer(X), labels)
        X, Z = self._parts(X)
        open_ = np.flatnonzero(~labels.labelled)
        costs = np.ones(X.shape[0]) if weight is None else weight.copy()
        costs[open_] *= self.pseudo_cost
        problem = Questions(X, Z, labels, costs, self)
        weights, intercepts = problem.solve(self.n_jobs)
        n_rounds = self.rounds if len(open_) else 0
        unknown, places = X[open_], Z[open_]
        for turn in range(1, n_rounds + 1):
            scores = _product(unknown, places, weights) + intercepts
            answers = self_labelled(scores, labels, self._share * turn / n_rounds)
            problem.answer(open_, answers)
            weights, intercepts = problem.solve(self.n_jobs)
        self._weights, self.intercept_ = weights, intercepts
        self.n_pseudo_ = int(problem.answers[open_].any(axis=1).sum())

    def _check_kept(self) -> None:
        super()._check_kept()
        require(self.n_embedding < self.n_features_in_, "its embedding leaves no terms")
        n_coordinates = 0
        if self.reducer_ is not None:
            require(hasattr(self.reducer_, "transform"), "its reducer does not transform")
            n_terms = getattr(self.reducer_, "n_features_in_", None)
            n_read = self._n_terms if self.columns_ is None else len(self.columns_)
            require(n_terms == n_read, "its reducer is of other terms")
            read = self._n_terms if self.columns_ is None else self.columns_.max(initial=-1) + 1
            require(read <= self._n_terms, "its reducer reads the embedding")
            n_coordinates = width(self.reducer_, after=True) or 0
            self._check_reducer(n_read, n_coordinates)
        fits = self._weights.shape[1] == self.n_features_in_ + n_coordinates
        require(fits, "its weights are not those of its terms and coordinates")

    def _check_reducer(self, n_read: int, n_coordinates: int) -> None:
        """Refuse a reducer in a model file that does not turn sparse documents into dense coordinates."""
        try:
            shape = np.asarray(self.reducer_.transform(sp.csr_matrix((1, n_read))), dtype=np.float64).shape
        except (TypeError, ValueError):
            shape = None
        require(shape == (1, n_coordinates), "its reducer does not make coordinates")

    def _take_columns(self, n_columns: int) -> None:
        """Set the columns that the reducer reads."""
        if self.n_embedding >= n_columns:
            raise ValueError(
                f"n_embedding is {self.n_embedding} and X has {n_columns} columns: there must be terms too."
            )
        self.columns_ = None if self.columns is None else _columns(self.columns, self._n_terms)

    def _fit_reducer(self, X: sp.csr_matrix, labels: Labels) -> None:
        """Take the space that was given, or learn it."""
        space = getattr(self, "_space", None)
        if space is None or self.weight == 0:
            self.reducer_: Any = self._learnt(X, labels)
            return
        check_is_fitted(space)
        n_read = getattr(space, "n_features_in_", X.shape[1])
        if n_read != X.shape[1]:
            raise ValueError(f"space was learnt from {n_read} terms, and X has {X.shape[1]}.")
        self.reducer_ = space

    def _learnt(self, X: sp.csr_matrix, labels: Labels | None = None) -> Any:
        """Return the reducer fitted to all documents, or to labels if it asks for them."""
        if self.weight == 0:
            return None
        return fitted_reducer(self.reducer, X, labels)

    @property
    def coef_(self) -> Floats:
        """The terms' own weights."""
        return self._weights[:, : self._n_terms]

    @property
    def embedding_coef_(self) -> Floats:
        """The weights of the embedding."""
        return self._weights[:, self._n_terms : self.n_features_in_]

    @property
    def coordinate_coef_(self) -> Floats:
        """The weights of the coordinates."""
        return self._weights[:, self.n_features_in_ :]

    def embedding_amounts(self, parts: Floats, label: Any) -> Floats:
        """Return what each part of a document's embedding gives to the decision of a label.

        Parameters
        ----------
        parts : array of shape (n_parts, n_embedding)
            Vectors that sum to the embedding of the document, such as those of its words.
        label : object
            The label in question.
        """
        check_is_fitted(self)
        question, sign = self._question(label)
        length = float(np.linalg.norm(parts.sum(axis=0)))
        if length == 0.0:
            return np.zeros(len(parts))
        return sign * self.embedding_weight / length * (parts @ self.embedding_coef_[question])

    @property
    def _n_terms(self) -> int:
        """How many columns of X are terms."""
        return int(self.n_features_in_ - self.n_embedding)

    def _read_by_reducer(self, X: sp.csr_matrix) -> sp.csr_matrix:
        if self.columns_ is not None:
            return X[:, self.columns_]
        return X[:, : self._n_terms] if self.n_embedding else X

    def _parts(self, X: sp.csr_matrix) -> tuple[sp.csr_matrix, Floats]:
        """Return the terms of documents, and their embedding and coordinates side by side."""
        terms, places = X, []
        if self.n_embedding:
            terms = X[:, : self._n_terms]
            embedding = X[:, self._n_terms :].toarray().astype(np.float64, copy=False)
            places.append(self.embedding_weight * normalize(embedding))
        if self.reducer_ is not None:
            Z = np.asarray(self.reducer_.transform(self._read_by_reducer(X)), dtype=np.float64)
            if Z.size:
                places.append(self.weight * normalize(Z))
        return terms, np.hstack(places) if places else np.zeros((X.shape[0], 0))

    def _scorer(self) -> Callable[[sp.csr_matrix], Floats]:
        return lambda X: _product(*self._parts(X), self._weights) + self.intercept_

    def _reasons(self, x: sp.csr_matrix, question: int) -> tuple[Floats, float]:
        """Return what each column gives by itself, and through the coordinates where those are linear."""
        amounts = x.data * self._weights[question, x.indices]
        if self.n_embedding:
            given = x.indices >= self._n_terms
            length = float(np.linalg.norm(x.data[given].astype(np.float64)))
            amounts[given] *= self.embedding_weight / length if length > 0.0 else 0.0
        axes = getattr(self.reducer_, "components_", None)
        read = self._read_by_reducer(x)
        if axes is not None and axes.shape == (self.coordinate_coef_.shape[1], read.shape[1]):
            length = float(np.linalg.norm(self.reducer_.transform(read)))
            if length > 0.0:
                through = np.zeros(x.shape[1])
                columns = read.indices if self.columns_ is None else self.columns_[read.indices]
                through[columns] = self.coordinate_coef_[question] @ axes[:, read.indices]
                amounts = amounts + self.weight / length * x.data * through[x.indices]
        return amounts, float(self.intercept_[question])

    def _explain_one(
        self, x: sp.csr_matrix, question: int, sign: float, top: int, names: Sequence[str]
    ) -> Explanation:
        """Name what coordinates give that is no term's, of a reducer that is not linear."""
        found = super()._explain_one(x, question, sign, top, names)
        decision = sign * float(self._decide(x)[0, question])
        rest = decision - found.decision
        if abs(rest) <= 1e-9 * max(1.0, abs(decision)):
            return found
        return Explanation(found.label, decision, [*found.parts, ("(coordinates)", rest)])


def _columns(given: Any, n_terms: int) -> npt.NDArray[np.int64]:
    """Return the columns that a reducer reads, sorted."""
    columns = np.unique(np.asarray(given))
    if columns.dtype.kind not in "iu" or columns.ndim != 1 or len(columns) == 0:
        raise ValueError("columns must be a list of numbers of columns of X, or None.")
    if columns[0] < 0 or columns[-1] >= n_terms:
        raise ValueError(f"columns must be numbers of columns of X, from 0 to {n_terms - 1}.")
    return columns.astype(np.int64)


def _product(X: sp.csr_matrix, Z: Floats, weights: Floats) -> Floats:
    """Return [X | Z] times the weights, documents x questions."""
    n_terms = X.shape[1]
    found: Floats = X @ weights[:, :n_terms].T
    return found + Z @ weights[:, n_terms:].T
