"""Tensor classifiers: for each label a weight tensor of low rank, by the general algorithm of stm-tls §5."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from textensor.base.arrays import Floats, gen_batches
from textensor.base.checks import Rule, check_parameters, number, whole
from textensor.base.kept import data, each, either, floats, keeps, part
from textensor.base.labels import Labels
from textensor.base.late.parts import ConvergenceWarning, check_random_state, clone
from textensor.classify.costs import CLASS_WEIGHT, check_class_weight, class_costs
from textensor.classify.onevsrest import OneVsRest, with_weight
from textensor.classify.tensor.alternate import Alternation, term_weights
from textensor.classify.tensor.descent import Descent, Fitted, Problem, VectorDescent, vector_rows
from textensor.learn import Foreign, Hinge, Learner, Rows, rows_of
from textensor.parallel import in_order
from textensor.space.arrange import Arrangement, Columns
from textensor.space.semantic import ARRANGED, SemanticArrangement

#: coef_ warns above this size.
LARGE_COEF_BYTES = 1 << 30
#: How much of the terms x labels weights is in memory at a time.
BLOCK_BYTES = 1 << 24


@keeps(
    intercept_=floats("n_questions"),
    arrangement_=either(
        ARRANGED, each(part(Arrangement, shares=("n_terms", "n_modes", "length_#")), list, "n_questions")
    ),
    factors_=each(floats("n_questions", "length_#", "rank"), list, "n_modes"),
    n_iter_=whole(0),
    objective_history_=data,
)
class TensorClassifier(OneVsRest):
    """A linear classifier whose weights are a tensor of low rank.

    A document is a tensor of its terms (:class:`~textensor.space.TermTensors`), and its decision value is
    the inner product with a weight tensor of rank R, plus an intercept. The factors of the weight tensor
    are found by turns, each by the vector learner (stm-tls §5).

    Parameters
    ----------
    learner : learner or estimator, default=None
        One of :mod:`textensor.learn`, or any linear scikit-learn estimator with ``coef_``, which is slower.
        None is the hinge loss with C = 1.
    shape : tuple of int or None, default=None
        The lengths of the modes, one of them may be -1; None is square, and 50 columns for ``"semantic"``.
    order : int, default=2
        The number of modes where ``shape`` is None. Order 1 is the vector learner itself.
    arrangement : str, array or Arrangement, default="document-frequency"
        Which cell each term gets: a kind of :class:`~textensor.space.Arrangement`, a permutation, or
        ``"weight"``: a vector SVM for each label gives the weights by which that label's terms are placed;
        ``"semantic"``: by meaning, learned from all documents, unlabelled ones included
        (:class:`~textensor.space.SemanticArrangement`); ``"auto"``: semantic at order 2, by document
        frequency at other orders.
    rank : int, default=1
        R. At order 2 it is cut to the shorter mode, where the classifier is as free as a vector one.
    max_iter : int, default=100
        Maximum number of sweeps over the modes.
    tol : float, default=4e-3
        Stop when a sweep gains less than this part of the objective, and the duality gap of the last
        half-step is below twice this part of it.
    class_weight : dict, "balanced" or None, default=None
        The cost of errors on each class; ``"balanced"`` is in proportion to 1 / its frequency in each
        label's question.
    thresholds : {"none", "tuned", "averaged"}, default="none"
        ``"tuned"`` moves each label's threshold to where its F1 is best on held-out folds of the training
        documents (SCutFBR).
        ``"averaged"`` takes the mean of the folds' own best thresholds, which is kinder to rare labels.
    unlabeled_value : object, default=None
        The mark in y of documents without a label, which only the arrangement looks at.
    n_jobs : int or None, default=None
        Threads, one label each; the result does not depend on it. A plugged-in estimator runs in one: some
        share a generator of random numbers between threads.
    random_state : int, RandomState or None, default=None
        Seeds the starts of ranks above 1, the order of the descent, and a plugged-in estimator without a
        seed of its own.

    Attributes
    ----------
    classes_ : ndarray
        The classes, or the numbers of the indicator's columns.
    factors_ : list of ndarray of shape (n_labels, length, R)
        The factors of the weight tensors, one array for each mode.
    intercept_ : ndarray of shape (n_labels,)
        The intercepts.
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds, subtracted from the scores.
    objective_history_ : list of list of float
        The objective after each half-step, for each label. It never rises. NaN of a plugged-in estimator,
        whose objective is not known.
    n_iter_ : int
        The largest number of sweeps of any label.
    arrangement_ : Arrangement or list of Arrangement
        Where the terms stand; one for each label with ``arrangement="weight"``.

    Notes
    -----
    Probabilities: ``CalibratedClassifierCV(TensorClassifier(...), cv=3)`` of scikit-learn learns them from
    held-out decision values.
    """

    _parameters: ClassVar[Mapping[str, Rule]] = {
        **OneVsRest._parameters,
        "class_weight": CLASS_WEIGHT,
        "shape": Rule(
            "the lengths of the modes, such as (-1, 50), or None",
            lambda value: value is None or isinstance(value, Sequence | np.ndarray),
        ),
        "rank": whole(1),
        "max_iter": whole(1),
        "tol": number(above=0),
    }

    def __init__(
        self,
        learner: Any = None,
        *,
        shape: tuple[int, ...] | None = None,
        order: int = 2,
        arrangement: Any = "document-frequency",
        rank: int = 1,
        max_iter: int = 100,
        tol: float = 4e-3,
        class_weight: Any = None,
        thresholds: str = "none",
        unlabeled_value: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.shape = shape
        self.order = order
        self.arrangement = arrangement
        self.rank = rank
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.thresholds = thresholds
        self.unlabeled_value = unlabeled_value
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def coef_(self) -> Floats:
        """The weights of all terms, labels x terms, made when asked for.

        For the semantic arrangement these are the terms' own: what they add through the latent coordinates
        depends on the document, and :meth:`explain` has both.
        """
        n_bytes = 8 * self._labels.n_questions * self.n_features_in_
        if n_bytes > LARGE_COEF_BYTES:
            warnings.warn(f"coef_ takes {n_bytes / 2**30:.1f} GiB; factors_ hold the same.", stacklevel=2)
        return np.ascontiguousarray(self._weights(slice(0, self.n_features_in_), self._all_questions).T)

    def _make_learner(self) -> Learner:
        """Return the learner; subclasses make theirs from parameters of their own."""
        if self.learner is None:
            return Hinge()
        if isinstance(self.learner, type):
            raise TypeError(f"learner is the class {self.learner.__name__}: give an object of it.")
        return self.learner if isinstance(self.learner, Learner) else Foreign(self.learner)

    def _fit_questions(self, X: sp.csr_matrix, labels: Labels, weight: Floats | None) -> None:
        learner = self._make_learner()
        check_parameters(learner)
        check_class_weight(self.class_weight, labels)
        X, labels, weight = with_weight(X, labels, weight)
        documents = X if labels.labelled.all() else X[labels.labelled]
        costs = np.ones(documents.shape[0]) if weight is None else weight[labels.labelled]
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        arrangement = self._unfitted()
        rows: Rows | None = None  # which all labels share
        if arrangement is None:
            rows = rows_of(documents)
        else:
            documents = arrangement.place(X, weight).augment(documents)
            if len(arrangement.shape_) == 1:
                rows = vector_rows(documents, arrangement)

        def fit(question: int) -> tuple[Arrangement, Fitted]:
            y = labels.targets(question)
            cost = costs * class_costs(self.class_weight, y, labels, question)
            placed = arrangement or self._arrange_by_weight(documents, rows, y, cost, learner)
            indices = tuple(index.astype(np.int32) for index in placed.indices())
            problem = Problem(documents, indices, placed.shape_, y, cost)
            rank = self._rank(placed.shape_)
            if np.ptp(y) == 0:  # one answer only: it is the answer
                zeros = [np.zeros((length, rank)) for length in placed.shape_]
                return placed, Fitted(zeros, float(y[0]), [0.0], converged=True)
            start = int(np.random.SeedSequence([seed, question]).generate_state(1)[0]) >> 1
            descent: Descent
            if len(placed.shape_) == 1:
                vectors = rows if rows and arrangement else vector_rows(documents, placed)
                descent = VectorDescent(problem, vectors, learner, start)
            else:
                descent = Alternation(problem, rank, learner, start)
            return placed, descent.run(self.max_iter, self.tol)

        n_jobs = self.n_jobs if learner.thread_safe else 1
        with threadpool_limits(1, user_api="blas"):
            results = list(in_order(fit, range(labels.n_questions), n_jobs))
        self.arrangement_ = arrangement or [placed for placed, _ in results]
        self._take([fitted for _, fitted in results])

    def _take(self, fitted: list[Fitted]) -> None:
        """Set what was learnt."""
        self.factors_ = [np.array(factors) for factors in zip(*(f.factors for f in fitted), strict=True)]
        self.intercept_ = np.array([f.intercept for f in fitted])
        self.objective_history_ = [f.history for f in fitted]
        self.n_iter_ = max(-(-len(f.history) // len(f.factors)) for f in fitted)
        unsettled = sum(not f.converged for f in fitted)
        if unsettled:
            warnings.warn(
                f"{unsettled} of {len(fitted)} labels did not settle in {self.max_iter} sweeps: "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _unfitted(self) -> Arrangement | None:
        """Return the arrangement that was asked for; None if each label has its own."""
        kind = self.arrangement
        if isinstance(kind, Arrangement):
            if self.shape is not None or self.order != 2:
                raise ValueError("An arrangement that is given has its own shape and order: set them there.")
            return clone(kind)
        n_modes = self.order if self.shape is None else len(self.shape)
        if isinstance(kind, str) and kind == "auto":
            kind = "semantic" if n_modes == 2 else "document-frequency"
        if isinstance(kind, str) and kind == "weight":
            return None
        if isinstance(kind, str) and kind == "semantic":
            if n_modes != 2:
                raise ValueError(f"The semantic arrangement is of order 2, not {n_modes}.")
            return SemanticArrangement() if self.shape is None else SemanticArrangement(shape=self.shape)
        return Arrangement(kind, shape=self.shape, order=self.order)

    def _arrange_by_weight(
        self, X: sp.csr_matrix, rows: Rows | None, y: Floats, cost: Floats, learner: Learner
    ) -> Arrangement:
        """Place the terms by the weights of a vector SVM with the learner's C."""
        weights = np.zeros(X.shape[1])
        if np.ptp(y) > 0:
            svm = Hinge(learner.C, learner.fit_intercept)
            weights = svm.solve(rows or rows_of(X), y, cost, tol=1e-3).weights
        return Arrangement("weight", shape=self.shape, order=self.order, weights=weights).place(X)

    def _rank(self, shape: tuple[int, ...]) -> int:
        """Return the rank that the shape leaves room for."""
        if len(shape) == 1:
            return 1
        return min(self.rank, *shape) if len(shape) == 2 else self.rank

    @property
    def _all_questions(self) -> range:
        return range(self._labels.n_questions)

    def _scorer(self) -> Callable[[sp.csr_matrix], Floats]:
        """Return a function that scores documents.

        The weights of all terms are made once if they are below a bound. Beyond it they are made for each
        block of documents, for few documents only those of their terms.
        """
        n_columns = self._arrangement_of(0).n_columns
        few = 8 * n_columns * len(self._all_questions) <= BLOCK_BYTES
        made = self._weights(slice(None), self._all_questions) if few else None

        def score(X: sp.csr_matrix) -> Floats:
            X = X if isinstance(self.arrangement_, list) else self.arrangement_.augment(X)
            if made is not None:
                return np.asarray(X @ made + self.intercept_)
            columns: Columns = slice(None)
            if X.nnz < n_columns / 4:
                columns = np.unique(X.indices)
                X = X[:, columns]
            decision = np.empty((X.shape[0], len(self._all_questions)))
            step = max(1, BLOCK_BYTES // (8 * max(X.shape[1], 1)))
            for some in gen_batches(len(self._all_questions), step):
                decision[:, some] = X @ self._weights(columns, self._all_questions[some])
            return decision + self.intercept_

        return score

    def _reasons(self, x: sp.csr_matrix, question: int) -> tuple[Floats, float]:
        def weigh(columns: Columns) -> Floats:
            return self._weights(columns, range(question, question + 1))[:, 0]

        return self._arrangement_of(question).per_term(x, weigh), float(self.intercept_[question])

    def _weights(self, columns: Columns, questions: range) -> Floats:
        """Return the weights of some columns, terms first, for some questions."""
        shared = None if isinstance(self.arrangement_, list) else self.arrangement_.indices(columns)
        made = [
            term_weights(
                [factor[question] for factor in self.factors_],
                shared or self._arrangement_of(question).indices(columns),
            )
            for question in questions
        ]
        return np.stack(made, axis=1)

    def _arrangement_of(self, question: int) -> Arrangement:
        return self.arrangement_[question] if isinstance(self.arrangement_, list) else self.arrangement_
