"""Reducers made of moments: fitted at once, batch by batch, from a stream, or on many workers."""

import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from operator import add
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from textensor.base.arrays import Floats
from textensor.base.checks import check_parameters
from textensor.base.compiled import interpreted
from textensor.base.kept import dropped, keeps, size
from textensor.base.late.parts import NotFittedError, check_is_fitted, clone
from textensor.parallel import tree_reduce
from textensor.reduce.latent.moments import (
    DENSE_LENGTH,
    Moments,
    Spectrum,
    applied_moment,
    check_energy,
    check_not_too_large,
    same_cells,
)
from textensor.reduce.latent.sources import (
    NOTHING_THERE,
    Batches,
    Reservoir,
    Step,
    add_moments,
    add_survey,
    add_values,
    project,
    several,
    spread,
    sum_of_part,
)
from textensor.reduce.projection import Projection, squared_norm
from textensor.space.arrange import Arrangement
from textensor.space.matrix import read_matrix
from textensor.space.semantic import ARRANGED
from textensor.space.tensors import TermTensors

#: Terms of all documents that are projected without compiled code.
SMALL = 1 << 8
#: Adds up over documents a function of tensors (and of ``n_jobs``).
Total = Callable[[Callable[..., Floats]], Floats]

NEEDS_FIXED = (
    "A stream needs an arrangement that does not depend on its batches: "
    'set arrangement="given" or to a permutation of the terms, or give fit_batches what can be read again.'
)


class Sums(NamedTuple):
    """What is known of documents: sums over all of them, or over the sample that a stream left."""

    spectra: list[Spectrum]
    total: Total
    glimpse: Total | None  # an estimate of ``total`` from a few documents; None if it costs as little
    energy: float  # the sum of all squares
    source: str  # what ``total`` goes over


def learned(name: str) -> Any:
    """Return a property: a part of what was learnt."""
    return property(lambda self: getattr(self._solution(), name))


@keeps(
    n_features_in_=size("n_terms"),
    arrangement_=ARRANGED,
    _moments=dropped,
    _sample=dropped,
)
class MomentReducer(Projection):
    """What the reducers made of moments have in common.

    A subclass has the parameters ``shape``, ``arrangement`` and ``n_jobs``, and ``random_state`` if it needs
    the sample of a stream. It solves in ``_solve``.
    """

    shape: Any
    arrangement: Any
    n_jobs: int | None
    random_state: int = 0
    _solved: Any

    #: Which vectors make each cell of the core that is looked at, cells x modes.
    _cells: Any
    #: What the cells are multiplied by to give the coordinates, orthonormal columns.
    _turn: Any = None
    factors_ = learned("factors")
    eigenvalues_ = learned("eigenvalues")

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn from documents.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents.
        y : ignored
            Labels have no say here.
        """
        with self._unchanged_by_errors():
            self._check_settings()
            X = read_matrix(self, X, reset=True)
            self._forget()
            self.arrangement_ = self._unfitted().place(X)
            if len(self.arrangement_.permutation_) != X.shape[1]:
                raise ValueError(
                    "An arrangement that adds columns of its own cannot be reduced: set n_latent=0."
                )
            tensors = TermTensors(X, self.arrangement_)
            energy = squared_norm(X)
            spectra = [
                # Applied, a moment costs two passes over the nonzeros a vector; formed, its length squared.
                Spectrum(applied_moment(tensors, mode), partial(tensors.gram, mode))
                if tensors.shape[mode] > DENSE_LENGTH
                else Spectrum(tensors.gram(mode))
                for mode in range(1, tensors.order + 1)
            ]

            def total(function: Callable[..., Floats]) -> Floats:
                return function(tensors, n_jobs=self.n_jobs)

            self._solved = self._solved_with(spectra, total, spread(tensors), energy, "all documents")
        return self

    def fit_batches(self, batches: Iterable[Any]) -> Self:
        """Learn from documents that do not fit in memory, batch by batch.

        Parameters
        ----------
        batches : iterable of array-like or sparse
            What can be read again, such as a list or an object whose ``__iter__`` starts anew, is read once
            to count terms, once for the moments and once or twice for the importance. An iterator, which can
            be read only once, is a stream: see ``partial_fit``.
        """
        several(batches, "batches")
        if not isinstance(batches, Iterator):
            return self._fit_source(Batches(batches).sum, self.n_jobs)
        if not self._is_fixed():
            raise ValueError(NEEDS_FIXED)
        with self._unchanged_by_errors():
            self._forget()
            self.__dict__.pop("arrangement_", None)
            for batch in batches:
                self.partial_fit(batch)
            if not hasattr(self, "_moments"):
                raise ValueError(NOTHING_THERE.format("batches"))
            self._solution()
        return self

    def fit_partitions(self, parts: Iterable[Any], *, client: Any = None) -> Self:
        """Learn from documents in parts, side by side on threads or on the workers of a Dask cluster.

        Sums go over the parts in a fixed tree: the result has the same bits on one thread, on many, and on
        any cluster of the same kind of machine.

        Parameters
        ----------
        parts : iterable of matrix, path or future
            A path is a folder written by :func:`textensor.space.write_csr`, which the workers must see; a
            future is one of the client's, such as ``client.scatter`` gives.
        client : distributed.Client or None
            The cluster; None is threads, ``n_jobs`` of them.
        """
        parts = list(several(parts, "parts"))
        if not parts:
            raise ValueError(NOTHING_THERE.format("parts"))

        def source(step: Step) -> Any:
            return tree_reduce(partial(sum_of_part, step), parts, add, n_jobs=self.n_jobs, client=client)

        return self._fit_source(source, None)  # the parts take the threads

    @property
    def partial_fit(self) -> Callable[..., Self]:
        """Add documents of a stream, ``partial_fit(X)``. The rest is solved when it is first asked for.

        What needs a second look at the documents, such as the importance of pairs, is estimated from a seeded
        sample of at most 4096 of them. A stream is begun by ``partial_fit``, or by ``fit_batches`` of an
        iterator, and goes on as long as ``shape``, ``arrangement`` and ``random_state`` stay. There is no
        ``partial_fit`` where the arrangement depends on the documents.
        """
        if not self._is_fixed():
            raise AttributeError(NEEDS_FIXED)
        return self._partial_fit

    def _partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        with self._unchanged_by_errors():
            self._check_settings()
            started = hasattr(self, "_moments")
            if not started and hasattr(self, "arrangement_"):
                raise ValueError(
                    "What was fitted on all documents at once, or read from a model file, cannot be added "
                    "to: begin with partial_fit, on a clone of this."
                )
            X = read_matrix(self, X, reset=not started, at_least=0)
            placed = self._unfitted().fit(X[:0])
            if not started:
                self._forget()
                self.arrangement_ = placed
                self._moments = Moments(placed)
                self._sample = Reservoir(X.shape[1], int(self.random_state))
            elif not same_cells(placed, self.arrangement_) or self._sample.seed != self.random_state:
                raise ValueError(
                    "shape, arrangement and random_state stay as they were when the stream began: set them "
                    "back, or begin anew on a clone."
                )
            check_not_too_large(self._moments.energy + squared_norm(X))
            with threadpool_limits(1, user_api="blas"):
                sample = copy(self._sample)
                sample.add(X)
                self._moments.add(X)
            self._sample = sample
            self._solved = None
        return self

    def merge(self, other: Self) -> Self:
        """Add what another reducer of the same settings learnt by ``partial_fit`` from other documents.

        That they are others is not checked, so a copy of this reducer would count its documents twice.
        """
        if type(other) is not type(self):
            raise TypeError(f"Only another {type(self).__name__} can be merged, not {other!r:.80}.")
        for reducer in (self, other):
            if not hasattr(reducer, "_moments"):
                raise NotFittedError("Only what partial_fit learnt can be merged: use it on both.")
        if other is self:
            raise ValueError("A reducer cannot be merged with itself: its documents would count twice.")
        mine, theirs = self.get_params(), other.get_params()
        for name in mine.keys() - {"n_jobs", "shape", "arrangement"}:  # Moments compare where terms stand
            if not np.array_equal(mine[name], theirs[name]):
                raise ValueError(f"Two settings of {name} cannot be merged: {mine[name]} and {theirs[name]}.")
        moments, sample = self._moments + other._moments, copy(self._sample)
        check_not_too_large(moments.energy)
        sample.merge(other._sample)
        self._moments, self._sample, self._solved = moments, sample, None
        return self

    def _coordinates(self, X: Any) -> npt.NDArray[Any]:
        tensors = TermTensors(X, self.arrangement_)
        with threadpool_limits(1, user_api="blas"), interpreted(tensors.X.nnz <= SMALL):
            return project(tensors, self.factors_, self._cells, self._turn, self.n_jobs)

    def _check_settings(self) -> None:
        """Refuse parameters that make no sense."""
        check_parameters(self)

    @abstractmethod
    def _first_guess(self, length: int) -> int:
        """Return how many vectors of a mode of some length to compute at first."""

    @abstractmethod
    def _solve(self, sums: Sums) -> Any:
        """Return what is learnt."""

    def _fit_source(self, source: Callable[[Step], Any], n_jobs: int | None) -> Self:
        """Fit on documents that can be read more than once, given what adds up over them."""
        with self._unchanged_by_errors():
            self._check_settings()
            arrangement = self._unfitted()
            if type(arrangement) is not Arrangement:
                raise ValueError(
                    "This arrangement is learned from one matrix: fit it first and pass its permutation_."
                )
            survey = source(add_survey)
            n_terms = len(survey.frequency)
            if not self._is_fixed():
                arrangement.kind = np.argsort(-survey.frequency, kind="stable")
            self._forget()
            self.arrangement_ = arrangement.fit(sp.csr_matrix((0, n_terms)))
            self.n_features_in_ = n_terms
            self.__dict__.pop("feature_names_in_", None)  # batches carry no names
            moments = source(partial(add_moments, self.arrangement_))
            few = TermTensors(survey.few.rows, self.arrangement_)

            def total(function: Callable[..., Floats]) -> Floats:
                return source(partial(add_values, self.arrangement_, partial(function, n_jobs=n_jobs)))

            self._solved = self._solved_with(moments.spectra(), total, few, moments.energy, "all documents")
        return self

    def _solution(self) -> Any:
        """Return what was learnt; after ``partial_fit`` it is worked out now."""
        check_is_fitted(self)
        if self._solved is None:
            few = TermTensors(self._sample.rows, self.arrangement_)
            source = "all documents" if self._sample.complete else f"a sample of {few.shape[0]} documents"
            moments = self._moments
            self._solved = self._solved_with(moments.spectra(), None, few, moments.energy, source)
        return self._solved

    _settle = _solution

    def _solved_with(
        self,
        spectra: list[Spectrum],
        total: Total | None,
        few: TermTensors,
        energy: float,
        source: str,
    ) -> Any:
        """Solve; without sums over all documents, by what a few of them give."""
        check_energy(energy)
        few_energy = squared_norm(few.X)

        def glimpse(function: Callable[..., Floats]) -> Floats:
            # In proportion to the squares, not to the documents: then all cells sum to what they must.
            scale = energy / few_energy if few_energy > 0 else 0.0
            return scale * function(few, n_jobs=self.n_jobs)

        with threadpool_limits(1, user_api="blas"):
            for spectrum in spectra:
                spectrum.extend(self._first_guess(spectrum.length))
            if total is None:
                return self._solve(Sums(spectra, glimpse, None, energy, source))
            return self._solve(Sums(spectra, total, glimpse, energy, source))

    def _unfitted(self) -> Arrangement:
        """Return the arrangement that was asked for."""
        if not isinstance(self.arrangement, Arrangement):
            return Arrangement(self.arrangement, shape=self.shape)
        default = inspect.signature(type(self)).parameters["shape"].default
        if self.shape not in (default, self.arrangement.shape):
            raise ValueError("An arrangement that is given has its own shape: set it there.")
        return clone(self.arrangement)

    def _is_fixed(self) -> bool:
        """Whether the terms stand where they do whatever the documents are."""
        kind = self.arrangement
        if isinstance(kind, Arrangement):
            kind = kind.kind if type(kind) is Arrangement else "learned"
        return not isinstance(kind, str) or kind in ("given", "weight")

    def _forget(self) -> None:
        """Drop what an earlier fit left behind."""
        for name in ("_moments", "_sample"):
            self.__dict__.pop(name, None)
        self._solved = None

    @contextmanager
    def _unchanged_by_errors(self) -> Iterator[None]:
        """Put everything back as it was if a fit does not end well."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:  # Ctrl-C too
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "arrangement_")
