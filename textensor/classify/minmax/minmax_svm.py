"""Min-max modular support vector machine (minmax-svm)."""

import warnings
from collections.abc import Mapping
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, flag, number, one_of, whole
from textensor.base.compiled import interpreted
from textensor.base.kept import (
    absent_or,
    data,
    dropped,
    each,
    floats,
    integers,
    keeps,
    matrix,
    none_or,
    part,
    require,
    text,
    tuple_of,
)
from textensor.base.labels import Labels
from textensor.base.late.parts import (
    ConvergenceWarning,
    check_consistent_length,
    check_is_fitted,
    check_random_state,
)
from textensor.base.reading.y import read_labels
from textensor.base.store import digest
from textensor.classify.minmax import module_kernels as kernels
from textensor.classify.minmax.checkpoint import Checkpoint
from textensor.classify.minmax.decompose import DECOMPOSITIONS, Bounds, Coordinates
from textensor.classify.minmax.growing import cuts, fingerprint, kept, one_by_one, stacked
from textensor.classify.minmax.modules import (
    Key,
    Layout,
    Material,
    Module,
    assemble,
    check_layout,
    lay_out,
    train,
)
from textensor.classify.minmax.plan import MODULES, PART_SIZE, LabelBounds, make_plan, numbers_of_parts
from textensor.classify.onevsrest import OneVsRest, read_weights
from textensor.learn import Hinge
from textensor.parallel import as_done, in_order
from textensor.space.matrix import csr_arrays

#: Documents x modules that are computed without compiled code.
SMALL = 1 << 10
#: Documents that a thread decides at a time.
BLOCK = 1024
OTHER_CLASSES = "The classes are not those of the first fit: fit all documents anew."
#: The parameters that modules depend on.
SETTINGS = ("C", "decomposition", "positive_size", "negative_size", "modules", "overlap", "tol", "max_iter")


@keeps(
    _layout=part(Layout, shares=("n_modules",)),
    coef_=matrix("n_modules", "n_terms", layout="csc"),
    intercept_=floats("n_modules"),
    _numbers=floats("n_modules", 5),
    _bounds=each(none_or(each(part(Bounds), tuple, 2)), list, "n_questions"),
    _counts=integers("n_questions"),
    _seen=text,
    _settled=data,
    _seed=whole(0),
    n_documents_=whole(1),
    n_iter_=whole(0),
    documents_=absent_or(none_or(tuple_of(matrix("*", "n_terms"), data, data))),
    checkpoint=dropped,
)
class MinMaxSVM(OneVsRest):
    """A support vector machine for each pair of a part of the yes documents and a part of the no documents.

    The documents with a label are cut into N+ parts, those without it into N-. Each of the N+ x N- modules
    learns one positive part against one negative part, apart from all others (Eqs. 3, 4). A document's score
    is the largest, over the positive parts, of the smallest, over the negative parts, of the modules' values
    (Eq. 5). One part each is the plain support vector machine.

    Parameters
    ----------
    C : float, default=0.5
        The cost of an error.
    decomposition : {"hyperplane", "random", "classes", "kmeans"}, default="hyperplane"
        How documents are cut: in the order of their distance to the hyperplane z_1 + ... + z_n = 0; at
        random; in the order of the rarest of their other labels; by k-means in a random projection.
    positive_size, negative_size : int, float or None, default=0.25 and 0.1
        Maximum number of documents in a part, overlap aside. A number below 1 is a share of all
        documents, 500 at least; None is all of one side.
    modules : (int, int), int or None, default=None
        N+ and N-, the same for all labels, in place of sizes; or N+ * N-, with N- / N+ as near to the ratio
        of documents without and with the label as the divisors of the number allow. At most 1,000,000 in
        all.
    overlap : float, default=0.0
        A part of s documents takes floor(overlap * s / 2) from beyond each of its cuts.
    tol : float, default=1e-2
        Modules are solved until the projected gradient spans less than this, in units of the margin.
    max_iter : int, default=1000
        Maximum number of passes over the documents of a module.
    thresholds : {"none", "tuned", "averaged"}, default="none"
        As in :class:`TensorClassifier`.
    unlabeled_value : object, default=None
        The mark in y of documents without a label, which take no part.
    keep_documents : bool, default=False
        Whether the model keeps the documents, so that :meth:`add_documents` needs only the new ones.
    checkpoint : path or None, default=None
        A folder where modules that are done are kept: a fit of the same documents with the same parameters,
        which must include a ``random_state`` that is a number, goes on from there.
    n_jobs : int or None, default=None
        Threads, one module each, of all labels in one queue; the result does not depend on it. Under
        ``joblib.parallel_config`` processes or a Dask cluster take their place.
    random_state : int, RandomState or None, default=None
        Seeds the random cuts and the order of the descent.

    Attributes
    ----------
    classes_ : ndarray
        The classes, or the numbers of the indicator's columns.
    coef_ : csc_matrix or ndarray of shape (n_modules, n_terms)
        The weights, float32; sparse if most are zero.
    intercept_ : ndarray of shape (n_modules,)
        The intercepts.
    modules_ : structured array of shape (n_modules,)
        For each module its label, positive part, negative part, documents, seconds, (dual) objective and
        passes.
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds, subtracted from the scores.
    n_documents_ : int
        How many documents were learnt from.
    n_iter_ : int
        The largest number of passes of any module.

    Examples
    --------
    >>> from textensor.classify import MinMaxSVM
    >>> from textensor.datasets import make_documents
    >>> corpus = make_documents(400, 100, 3, random_state=0)
    >>> model = MinMaxSVM(modules=(2, 3), random_state=0).fit(corpus.X, corpus.y)
    >>> model.modules_[["label", "positive", "negative", "rows"]][:2].tolist()
    [(0, 0, 0, 167), (0, 1, 0, 167)]
    >>> model.predict(corpus.X).shape
    (400, 3)
    """

    _parameters: ClassVar[Mapping[str, Rule]] = {
        **OneVsRest._parameters,
        "C": number(above=0),
        "decomposition": one_of(*DECOMPOSITIONS),
        "positive_size": PART_SIZE,
        "negative_size": PART_SIZE,
        "modules": MODULES,
        "overlap": number(least=0, most=1),
        "tol": number(above=0),
        "max_iter": whole(1),
        "keep_documents": flag,
    }

    _counts: npt.NDArray[np.integer[Any]]

    def __init__(
        self,
        C: float = 0.5,
        *,
        decomposition: str = "hyperplane",
        positive_size: float | None = 0.25,
        negative_size: float | None = 0.1,
        modules: Any = None,
        overlap: float = 0.0,
        tol: float = 1e-2,
        max_iter: int = 1000,
        thresholds: str = "none",
        unlabeled_value: Any = None,
        keep_documents: bool = False,
        checkpoint: str | Path | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.decomposition = decomposition
        self.positive_size = positive_size
        self.negative_size = negative_size
        self.modules = modules
        self.overlap = overlap
        self.tol = tol
        self.max_iter = max_iter
        self.thresholds = thresholds
        self.unlabeled_value = unlabeled_value
        self.keep_documents = keep_documents
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def modules_(self) -> npt.NDArray[Any]:
        """The modules, a structured array."""
        names = self.classes_[-1:] if self._labels.kind == "binary" else self.classes_
        keys, numbers = self._layout.keys, self._numbers
        columns = {
            "label": names[keys[:, 0]],
            "positive": keys[:, 1],
            "negative": keys[:, 2],
            "rows": numbers[:, 0].astype(np.int64),
            "seconds": numbers[:, 1],
            "objective": numbers[:, 2],
            "n_iter": numbers[:, 3].astype(np.int64),
        }
        table = np.empty(len(keys), dtype=[(name, column.dtype) for name, column in columns.items()])
        for name, column in columns.items():
            table[name] = column
        return table

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit the modules of all labels; the parameters are those of :meth:`TensorClassifier.fit`."""
        # Weights of an earlier fit are not to meet the labels and terms of one that fails: kernels do not
        # look whether they fit.
        for name in ("coef_", "thresholds_"):
            self.__dict__.pop(name, None)
        super().fit(X, y, sample_weight)
        self.documents_: tuple[Any, Any, Any] | None = None
        if self.keep_documents:
            X = self._read(X)
            # Copies: what the caller does to theirs later is not to change these.
            self.documents_ = (
                sp.csr_matrix(X, copy=True),
                kept(one_by_one(y)),
                read_weights(sample_weight, X),
            )
        return self

    def add_documents(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from more documents; modules whose parts get none of them stay as they are.

        Cuts stay where the first fit put them, and thresholds too. A module is trained anew from all its
        documents, so the old ones are needed: they come first in X and y, in the order they had, or the model
        has kept them (``keep_documents``), and X and y have only the new ones.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`. There can be no new classes.
        """
        check_is_fitted(self)
        if self._settings() != self._settled:
            raise ValueError("The parameters are not those of the first fit: fit all documents anew.")
        if y is None:
            raise ValueError("New documents need their labels: y is None.")
        X, y = self._read(X), one_by_one(y)
        check_consistent_length(X, y)
        weight = read_weights(sample_weight, X)
        if self.documents_ is not None:
            old_X, old_y, old_weight = self.documents_
            old_y = one_by_one(old_y)
            if y.shape[1:] != old_y.shape[1:]:
                raise ValueError(OTHER_CLASSES)
            X, y, weight = stacked((old_X, old_y, old_weight), (X, y, weight))
        labels = read_labels(y, self.unlabeled_value)
        if labels.kind != self._labels.kind or not np.array_equal(labels.names, self.classes_):
            raise ValueError(OTHER_CLASSES)
        n_old = self.n_documents_
        if X.shape[0] < n_old or fingerprint(X, labels, weight, n_old) != self._seen:
            raise ValueError(
                f"The first {n_old} rows of X and y must be the documents learnt from so far, in order: "
                "pass them again, or fit with keep_documents=True."
            )
        with threadpool_limits(1, user_api="blas"):
            self._learn(X, labels, weight, self._bounds, n_old)
        self._labels = labels.without_documents()
        if self.documents_ is not None:
            self.documents_ = (sp.csr_matrix(X), kept(y), weight)
        return self

    def predict(self, X: Any) -> Any:
        """Return each document's class of the highest decision, or all labels whose decision is above 0.

        Modules that cannot change the answer any more are not computed.
        """
        check_is_fitted(self)
        decide = kernels.best if self._labels.kind == "multiclass" else kernels.passes
        X = self._read(X)
        out = np.empty((X.shape[0], self._labels.n_questions), dtype=np.int8)
        return self._labels.predict(self._by_blocks(decide, X, out, self.thresholds_))

    def _fit_questions(self, X: sp.csr_matrix, labels: Labels, weight: Floats | None) -> None:
        if self.checkpoint is not None and not isinstance(self.random_state, Integral):
            raise ValueError(
                "With a checkpoint folder random_state must be a number: modules of another seed are others."
            )
        self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        with threadpool_limits(1, user_api="blas"):
            self._learn(X, labels, weight, [None] * labels.n_questions)

    def _learn(
        self,
        X: sp.csr_matrix,
        labels: Labels,
        weight: Floats | None,
        bounds: list[LabelBounds],
        first_new: int = 0,
    ) -> None:
        """Train the modules that have documents from row ``first_new`` on, and keep the others."""
        n_documents, n_terms = X.shape
        weights = np.ones(n_documents) if weight is None else weight
        counted = weights[labels.labelled] > 0
        largest = np.abs(X.data).max(initial=0.0)
        if largest > np.finfo(np.float32).max:
            raise ValueError("X holds numbers too large for 32 bits: scale it down.")
        if 0 < largest < np.finfo(np.float32).tiny:
            raise ValueError("X holds numbers too small for 32 bits: scale it up.")

        def n_parts(n_yes: int, n_no: int) -> tuple[int, int]:
            sizes = self.positive_size, self.negative_size
            return numbers_of_parts(n_yes, n_no, n_yes + n_no, self.modules, sizes)

        counts = self._counts if first_new else None
        coordinates = Coordinates(self.decomposition, X, labels, self._seed, counts)
        plan = make_plan(coordinates, labels, counted, n_parts, self.overlap, bounds, first_new, self.n_jobs)
        seen = fingerprint(X, labels, weight, n_documents)
        settings = {"data": seen, "first new": first_new, "seed": self._seed, **self._settings()}
        # The same documents that came in other portions were cut elsewhere: their modules are others.
        name = digest(settings, cuts(bounds, self._counts) if first_new else [])
        with Checkpoint(self.checkpoint, name, n_terms) as checkpoint:
            tasks = [task for task in plan.tasks if task[:3] not in checkpoint.done]
            learner = Hinge(self.C, max_epochs=self.max_iter)
            run = partial(train, learner=learner, tol=self.tol)
            for number, module in as_done(run, Material.of(X, weights, plan.parts), tasks, self.n_jobs):
                checkpoint.add(tasks[number][:3], module)
        old = self._old_modules() if first_new else {}
        done = {**old, **plan.constants, **checkpoint.done}
        checkpoint.done.clear()
        self._put_together(lay_out(plan.sizes), done, n_terms)
        self._bounds, self._counts = plan.bounds, coordinates.counts
        self._seen, self.n_documents_, self._settled = seen, n_documents, self._settings()

    def _put_together(self, layout: Layout, done: dict[Key, Module], n_terms: int) -> None:
        """Set the weights of all modules, which are used up."""
        modules = [done.pop((q, i, j)) for q, i, j in layout.keys.tolist()]
        numbers = np.array([m.numbers for m in modules], dtype=np.float64)
        done.clear()
        coef = assemble(modules, n_terms)
        # All at once: what is interrupted before this leaves the model as it was.
        self._layout, self.coef_ = layout, coef
        self.intercept_, self._numbers = numbers[:, 0].copy(), numbers[:, 1:].copy()
        self.n_iter_ = max(int(self._numbers[:, 3].max()), 1)
        unsettled = int(np.count_nonzero(self._numbers[:, 4] == 0))
        if unsettled:
            warnings.warn(
                f"{unsettled} of {len(layout.keys)} modules did not settle in {self.max_iter} passes: "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _old_modules(self) -> dict[Key, Module]:
        coef = sp.csr_matrix(self.coef_)
        coef.sort_indices()
        terms, weights = (np.split(array, coef.indptr[1:-1]) for array in (coef.indices, coef.data))
        numbers = np.column_stack([self.intercept_, self._numbers])
        keys = map(tuple, self._layout.keys.tolist())
        return {key: Module(*of_key) for key, *of_key in zip(keys, terms, weights, numbers, strict=True)}

    def _settings(self) -> dict[str, Any]:
        """Return the parameters that modules depend on."""
        return {name: getattr(self, name) for name in SETTINGS}

    def _check_kept(self) -> None:
        super()._check_kept()
        check_layout(self._layout, self._labels.n_questions)
        doubles = self.intercept_.dtype == self.thresholds_.dtype == np.float64
        stored = doubles and self.coef_.dtype == np.float32
        stored = stored and (sp.issparse(self.coef_) or self.coef_.flags.f_contiguous)
        require(stored, "its weights are not stored as they should be")

    def _scorer(self) -> Any:
        n = self._labels.n_questions
        return lambda X: self._by_blocks(kernels.min_max, X, np.empty((X.shape[0], n)))

    def _by_blocks(self, kernel: Any, X: sp.csr_matrix, out: npt.NDArray[Any], *more: Any) -> Any:
        """Let a kernel fill ``out``, blocks of documents side by side."""
        indptr, terms, data = csr_arrays(X)
        weights = csr_arrays(self.coef_) if sp.issparse(self.coef_) else self.coef_.T
        modules = weights, self.intercept_, self._layout.starts, self._layout.labels

        def run(start: int) -> None:
            documents = indptr[start : start + BLOCK + 1], terms, data
            kernel(documents, modules, *more, out[start : start + BLOCK])

        with interpreted(X.shape[0] * len(self.intercept_) <= SMALL):
            for _ in in_order(run, range(0, X.shape[0], BLOCK), self.n_jobs):
                pass
        return out

    def _reasons(self, x: sp.csr_matrix, question: int) -> tuple[Floats, float]:
        """Explain a score by the one module that MIN and MAX pick: the score is that module's value."""
        of_question = np.flatnonzero(self._layout.keys[:, 0] == question)
        weights = self.coef_[:, x.indices][of_question]  # columns first: they stand together
        weights = weights.toarray() if sp.issparse(weights) else weights
        values = weights.astype(np.float64) @ x.data + self.intercept_[of_question]
        units = self._layout.keys[of_question, 1]
        order = np.lexsort((values, units))  # stable: of equal values the first counts
        least = order[np.unique(units[order], return_index=True)[1]]
        chosen = max(least, key=values.__getitem__)
        return weights[chosen] * x.data, float(self.intercept_[of_question[chosen]])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_") and hasattr(self, "thresholds_")
