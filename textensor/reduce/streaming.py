"""Reducers made of moments: fitted at once, batch by batch, from a stream, or on many workers."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from textensor.reduce.moments import DENSE_LENGTH, Moments, Spectrum, applied_moment
from textensor.reduce.sources import Batches, Partitions, Reservoir, squares
from textensor.space.arrange import Arrangement
from textensor.space.matrix import as_csr, check_indices
from textensor.space.tensors import TermTensors

__all__ = ["Measure", "MomentReducer"]

Floats = npt.NDArray[np.float64]
#: Gives the sum of squared projections on the leading vectors of each mode.
Measure = Callable[[Sequence[Floats]], Floats]


def _is_fixed(reducer: "MomentReducer") -> bool:
    """Whether the arrangement does not depend on documents; a reason, as an error, where it does."""
    kind = reducer.arrangement
    if isinstance(kind, Arrangement) or (isinstance(kind, str) and kind != "given"):
        raise AttributeError(
            "A stream needs an arrangement that does not depend on its batches: "
            'set arrangement="given" or to a permutation of the terms, or use fit_batches.'
        )
    return True


class MomentReducer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What the reducers made of moments have in common.

    A subclass has the parameters ``shape``, ``arrangement``, ``n_jobs`` and ``random_state``, solves in
    ``_solve`` and projects in ``_project``.
    """

    shape: Any
    arrangement: Any
    n_jobs: int | None
    random_state: int
    _solved: Any

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn from documents.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents.
        y : ignored
            Labels have no say here.
        """
        self._check_settings()
        X = self._read(X, reset=True)
        self._forget()
        arrangement = self._unfitted()
        self.arrangement_ = arrangement.fit(X)
        tensors = TermTensors(X, self.arrangement_)
        spectra = [
            # Applied, a moment costs two passes over the nonzeros a vector; formed, its length squared.
            Spectrum(applied_moment(tensors, mode), partial(tensors.gram, mode))
            if tensors.shape[mode] > DENSE_LENGTH
            else Spectrum(tensors.gram(mode))
            for mode in range(1, tensors.order + 1)
        ]
        self._finish(spectra, Batches([X], self.n_jobs), float(np.vdot(tensors.X.data, tensors.X.data)))
        return self

    def fit_batches(self, batches: Iterable[Any]) -> Self:
        """Learn from documents that do not fit in memory, batch by batch.

        Parameters
        ----------
        batches : iterable of array-like or sparse
            What can be read again, such as a list or an object with ``__iter__``, is read once to count terms
            (where the arrangement needs that), once for the moments and once or twice for the importance. An
            iterator, which can be read only once, is a stream: see ``partial_fit``.
        """
        if isinstance(batches, Iterator):
            _is_fixed(self)
            self._forget()
            for batch in batches:
                self.partial_fit(batch)
            self._solution()
            return self
        return self._fit_source(Batches(batches, self.n_jobs))

    def fit_partitions(self, parts: Sequence[Any], *, client: Any = None) -> Self:
        """Learn from documents in parts, side by side on threads or on the workers of a Dask cluster.

        Sums go over the parts in a fixed tree: the result has the same bits on one thread, on many, and on
        any cluster of the same kind of machine.

        Parameters
        ----------
        parts : sequence of matrix or path
            A path is a folder written by :func:`textensor.space.write_csr`, which the workers must see.
        client : distributed.Client or None
            The cluster; None is threads, ``n_jobs`` of them.
        """
        if len(parts) == 0:
            raise ValueError("There are no parts to learn from.")
        return self._fit_source(Partitions(parts, self.n_jobs, client))

    @available_if(_is_fixed)
    def partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Add documents of a stream. The rest is solved when it is first asked for.

        What needs a second look at the documents, such as the importance of pairs, is estimated from a seeded
        sample of at most 4096 of them.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents; the arrangement must not depend on them.
        y : ignored
            Labels have no say here.
        """
        self._check_settings()
        started = hasattr(self, "_moments")
        X = self._read(X, reset=not started)
        if not started:
            self._forget()
            self.arrangement_ = self._unfitted().fit(X)
            self._moments = Moments(self.arrangement_)
            self._sample = Reservoir(X.shape[1], self.random_state)
        with threadpool_limits(1, user_api="blas"):
            self._moments.add(X)
            self._sample.add(X)
        self._solved = None
        return self

    def merge(self, other: Self) -> Self:
        """Add what another reducer of the same settings learnt by ``partial_fit`` from other documents."""
        for reducer in (self, other):
            if not hasattr(reducer, "_moments"):
                raise NotFittedError("Only what partial_fit learnt can be merged: use it on both.")
        if other is self:
            raise ValueError("A reducer cannot be merged with itself: its documents would count twice.")
        self._moments = self._moments + other._moments
        self._sample.merge(other._sample)
        self._solved = None
        return self

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Return the coordinates of documents, dense; float32 stays float32.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents.
        """
        check_is_fitted(self)
        tensors = TermTensors(self._read(X, reset=False), self.arrangement_)
        with threadpool_limits(1, user_api="blas"):
            return self._project(tensors)

    @abstractmethod
    def _check_settings(self) -> None:
        """Refuse parameters that make no sense."""

    @abstractmethod
    def _first_guess(self, spectrum: Spectrum, n_cells: int) -> int:
        """Return how many vectors of a mode to compute at first."""

    @abstractmethod
    def _solve(
        self,
        spectra: Sequence[Spectrum],
        measure: Measure,
        glimpse: Measure,
        energy: float,
        source: str,
    ) -> Any:
        """Return what is learnt from the spectra of the moments."""

    @abstractmethod
    def _project(self, tensors: TermTensors) -> npt.NDArray[Any]:
        """Return the coordinates of documents."""

    def _fit_source(self, source: Batches | Partitions) -> Self:
        """Fit on documents that can be read more than once."""
        self._check_settings()
        self._forget()
        arrangement = self._unfitted()
        n_terms = source.glimpse().shape[1]
        if type(arrangement) is not Arrangement or arrangement.kind == "weight":
            raise ValueError(
                "This arrangement is learned from one matrix: fit it first and pass its permutation_."
            )
        if isinstance(arrangement.kind, str) and arrangement.kind == "document-frequency":
            arrangement.kind = np.argsort(-source.document_frequency(), kind="stable")
        self.arrangement_ = arrangement.fit(sp.csr_matrix((0, n_terms)))
        self.n_features_in_ = n_terms
        moments = source.moments(self.arrangement_)
        self._finish(_spectra(moments), source, _energy(moments))
        return self

    def _finish(self, spectra: list[Spectrum], source: Batches | Partitions, energy: float) -> None:
        """Solve with all documents at hand."""
        placed = self.arrangement_
        few = TermTensors(source.glimpse(), placed)
        measure = partial(source.squares, placed)
        self._solved = self._solved_with(spectra, measure, few, energy, "all documents")

    def _solution(self) -> Any:
        """Return what was learnt; after ``partial_fit`` it is worked out now."""
        check_is_fitted(self)
        if self._solved is None:
            few = TermTensors(self._sample.rows, self.arrangement_)
            complete = self._sample.n_documents == few.shape[0]
            source = "all documents" if complete else f"a sample of {few.shape[0]} documents"
            energy = _energy(self._moments)
            self._solved = self._solved_with(_spectra(self._moments), None, few, energy, source)
        return self._solved

    def _solved_with(
        self,
        spectra: list[Spectrum],
        measure: Measure | None,
        few: TermTensors,
        energy: float,
        source: str,
    ) -> Any:
        """Solve; without a measure of all documents, by what a few of them give."""
        if energy == 0:
            raise ValueError("All documents are empty: there is nothing to learn from.")
        cells = int(np.prod(self.arrangement_.shape_))
        few_energy = float(np.vdot(few.X.data, few.X.data))
        with threadpool_limits(1, user_api="blas"):
            for spectrum in spectra:
                spectrum.extend(self._first_guess(spectrum, cells))

            def glimpse(factors: Sequence[Floats]) -> Floats:
                # In proportion to the squares, not to the documents: then all cells sum to what they must.
                scale = energy / few_energy if few_energy > 0 else 0.0
                return scale * squares(few, factors, self.n_jobs)

            return self._solve(spectra, measure or glimpse, glimpse, energy, source)

    def _unfitted(self) -> Arrangement:
        if isinstance(self.arrangement, Arrangement):
            return clone(self.arrangement)
        return Arrangement(self.arrangement, shape=self.shape)

    def _forget(self) -> None:
        """Drop what an earlier fit left behind."""
        for name in ("_moments", "_sample"):
            if hasattr(self, name):
                delattr(self, name)
        self._solved = None

    def _read(self, X: Any, *, reset: bool) -> sp.csr_matrix:
        check_indices(X)
        return as_csr(
            validate_data(
                self,
                X,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                reset=reset,
                accept_large_sparse=True,
            )
        )

    def _read_coordinates(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        check_is_fitted(self)
        if len(self.arrangement_.permutation_) != self.n_features_in_:
            raise ValueError("An arrangement that adds columns of its own has no inverse transform.")
        coordinates = check_array(X, dtype=[np.float64, np.float32])
        if coordinates.shape[1] != self._n_features_out:
            raise ValueError(
                f"There are {coordinates.shape[1]} coordinates for {self._n_features_out} components."
            )
        return coordinates

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "arrangement_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _spectra(moments: Moments) -> list[Spectrum]:
    return [Spectrum(moments.matrix(mode)) for mode in range(1, len(moments.arrangement.shape_) + 1)]


def _energy(moments: Moments) -> float:
    """Return the sum of all squares, which is the trace of every moment."""
    return float(np.trace(moments.matrix(len(moments.arrangement.shape_))))
