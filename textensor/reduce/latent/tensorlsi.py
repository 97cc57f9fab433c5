"""Tensor Latent Semantic Indexing (tensorlsi §3.2).

A document is a grid X of its terms. With U and V the eigenvectors of the sums of X X^T and of X^T X
(Eqs. 8 and 9), its coordinates are u_i^T X v_j for the k pairs (i, j) of the greatest importance

    f(i, j) = sum over documents of (u_i^T X v_j)^2 (Eq. 10).

All the vectors of one mode form an orthonormal basis, so the f(i, j) of one i sum to its eigenvalue, and
f(i, j) <= min(lambda_i of U, lambda_j of V): pairs that this keeps below the k-th f are not looked at. Of
higher order everything is the same with more modes. Of order 1, or with a single column, it is LSI.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import partial, reduce
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, jobs, number, optional, whole
from textensor.base.kept import floats, integers, keeps, none_or, part, require, text
from textensor.reduce.latent.moments import MAX_MOMENT_BYTES, Spectrum
from textensor.reduce.latent.sources import gram, squares
from textensor.reduce.latent.streaming import MomentReducer, Sums, learned
from textensor.reduce.projection import warn_of_fewer
from textensor.space.tensors import EIGENVALUES, FACTORS, check_core

Pairs = npt.NDArray[np.intp]
#: Gives f of some leading vectors of each mode.
Measure = Callable[[Sequence[Floats]], Floats]

#: The first guess of which pairs matter lies this far below the estimate.
MARGIN = 0.5
#: An importance below this part of the total is rounding.
NOTHING = 1e-14
#: components_ warns above this size.
LARGE_BYTES = 1 << 30


@keeps(
    factors=FACTORS,
    eigenvalues=EIGENVALUES,
    pairs=integers("n_pairs", "n_modes"),
    turn=none_or(floats("n_pairs", "n_axes")),
    importance=floats("n_axes"),
    energy=number(least=0),
    source=text,
)
class Decomposition(NamedTuple):
    """What was found: see the attributes of :class:`TensorLSI`."""

    factors: list[Floats]
    eigenvalues: list[Floats]
    pairs: Pairs
    turn: Floats | None
    importance: Floats
    energy: float
    source: str

    def _check_kept(self) -> None:
        widths = [factor.shape[1] for factor in self.factors]
        require((self.pairs < widths).all(), "its pairs are of vectors that it does not have")
        one_for_each = self.turn is not None or len(self.pairs) == len(self.importance)
        require(one_for_each, "it does not have one pair for each component")
        check_core(self.factors)


@keeps(_solved=part(Decomposition, shares=("n_modes", "length_#")))
class TensorLSI(MomentReducer):
    """Latent semantic indexing of documents as grids of terms: fast, small and streaming.

    Parameters
    ----------
    n_components : int, default=100
        k, the number of pairs to keep, or of directions within more pairs: see ``n_pairs``.
    n_pairs : int or None, default=None
        None: the components are the k most important pairs. A number p: they are the k directions of the
        greatest variance within the p most important pairs, an LSI of the documents in p coordinates. That is
        near to LSI itself at the same k, for the price of a p x p eigenproblem and of p x k more numbers.
    shape : tuple of int or None, default=(-1, 20)
        The lengths of the modes, one of them may be -1; None is square. Of order 1, ``(-1,)``, it is LSI.
    arrangement : str, array or Arrangement, default="document-frequency"
        Which cell each term gets, a kind of :class:`~textensor.space.Arrangement`, or one with its own shape.
        A stream needs one that does not depend on the documents: ``"given"`` or a permutation.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    random_state : int, default=0
        Seeds the sample that a stream leaves behind.

    Attributes
    ----------
    factors_ : list of ndarray of shape (length, p)
        The leading eigenvectors of each mode, as many as the pairs need.
    pairs_ : ndarray of shape (k, order), or (p, order)
        Which vectors make each component, most important first.
    turn_ : ndarray of shape (p, k) or None
        With ``n_pairs``, what the pairs are multiplied by to give the components.
    importance_ : ndarray of shape (k,)
        f of each component, the sum of its squares over all documents.
    eigenvalues_ : list of ndarray
        Of the factors.
    explained_variance_ratio_ : ndarray of shape (k,)
        f of each component, as a part of the sum of all squares. Documents are not centred.
    importance_from_ : str
        Whether f was summed over all documents or estimated from a sample of a stream.
    n_components_ : int
        k, fewer where fewer pairs have any importance.
    storage_ : dict
        Bytes of the transformation: ``"paper"`` as the paper counts them, all vectors of all modes, and
        ``"kept"``, what is really kept: factors, pairs, their importance and the order of the terms. A model
        that a stream was fitted on keeps ``"stream"`` bytes of sums and sample on top, to go on.
    arrangement_ : Arrangement
        Where the terms stand.

    Notes
    -----
    Streams hold n1^2 + n2^2 numbers and a sample beside a batch of documents, and refuse a mode longer than
    11,585, whose moment would take more than 1 GiB. ``fit`` on a matrix does not form the moment of a mode
    longer than 2,000: it applies it, two passes over the nonzeros, and holds 3 n1 p numbers for p vectors.

    Examples
    --------
    >>> from textensor.reduce import TensorLSI
    >>> from textensor.space import TermVectorizer
    >>> texts = ["wheat and maize", "maize and corn", "bank rates", "rates of the bank"]
    >>> X = TermVectorizer().fit_transform(texts)
    >>> model = TensorLSI(2, shape=(-1, 2)).fit(X)
    >>> model.transform(X).shape, model.pairs_.tolist()
    ((4, 2), [[0, 0], [1, 0]])
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "n_components": whole(1),
        "n_pairs": optional(whole(1)),
        "n_jobs": jobs,
        # A number, for streams that are merged must draw alike.
        "random_state": whole(0, 2**32 - 1),
    }

    def __init__(
        self,
        n_components: int = 100,
        *,
        n_pairs: int | None = None,
        shape: tuple[int, ...] | None = (-1, 20),
        arrangement: Any = "document-frequency",
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.n_pairs = n_pairs
        self.shape = shape
        self.arrangement = arrangement
        self.n_jobs = n_jobs
        self.random_state = random_state

    pairs_ = _cells = learned("pairs")
    turn_ = _turn = learned("turn")
    importance_ = learned("importance")
    importance_from_ = learned("source")

    @property
    def explained_variance_ratio_(self) -> Floats:
        """The part of the sum of all squares that each component explains."""
        return np.asarray(self.importance_ / self._solution().energy)

    @property
    def n_components_(self) -> int:
        """The number of components."""
        return len(self.importance_)

    @property
    def storage_(self) -> dict[str, int]:
        """Bytes of the transformation, as the paper counts them and as they are."""
        kept = [*self.factors_, *self.eigenvalues_, self.pairs_, self.importance_]
        paper = sum(8 * length**2 for length in self.arrangement_.shape_)
        kept += [] if self.turn_ is None else [self.turn_]
        kept += [value for value in vars(self.arrangement_).values() if isinstance(value, np.ndarray)]
        stream = self._moments.nbytes + self._sample.nbytes if hasattr(self, "_moments") else 0
        return {"paper": paper, "kept": sum(array.nbytes for array in kept), "stream": stream}

    @property
    def components_(self) -> Floats:
        """The components as vectors of terms, k x terms, made when asked for."""
        n_bytes = 8 * self.n_components_ * len(self.arrangement_.permutation_)
        if n_bytes > LARGE_BYTES:
            warnings.warn(
                f"components_ takes {n_bytes / 2**30:.1f} GiB; factors_ and pairs_ hold the same.",
                stacklevel=2,
            )
        return np.array([self.component(number) for number in range(self.n_components_)])

    def component(self, number: int) -> Floats:
        """Return one of the components as a vector of terms."""
        if self.turn_ is None:
            vectors = [factor[:, j] for factor, j in zip(self.factors_, self.pairs_[number], strict=True)]
            grid = reduce(np.multiply.outer, vectors)
        else:
            grid = np.zeros([factor.shape[1] for factor in self.factors_])
            grid[tuple(self.pairs_.T)] = self.turn_[:, number]
            for factor in self.factors_:  # each takes the first mode away and adds it as the last one
                grid = np.tensordot(grid, factor, axes=(0, 1))
        return np.asarray(grid[self.arrangement_.indices()])

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _check_settings(self) -> None:
        super()._check_settings()
        k, p = self.n_components, self.n_pairs
        if p is not None and p < k:
            raise ValueError(f"n_pairs must be at least n_components={k}, not {p}.")
        if p is not None and 8 * p**2 > MAX_MOMENT_BYTES:
            raise MemoryError(
                f"The eigenproblem within {p} pairs takes {8 * p**2 / 2**30:.1f} GiB, over the limit of "
                f"{MAX_MOMENT_BYTES / 2**30:.0f}: set n_pairs to less."
            )

    def _first_guess(self, length: int) -> int:
        k = int(self.n_pairs or self.n_components)
        return k + 1 if length == prod(self.arrangement_.shape_) else k + k // 2 + 10

    def _solve(self, sums: Sums) -> Decomposition:
        k = int(self.n_components)
        spectra, total, glimpse, energy, source = sums
        pairs, importance = choose_pairs(
            spectra,
            int(self.n_pairs or k),
            lambda factors: total(partial(squares, factors=factors)),
            None if glimpse is None else lambda factors: glimpse(partial(squares, factors=factors)),
            NOTHING * energy,
        )
        counts = pairs.max(axis=0) + 1
        factors = [np.ascontiguousarray(s.vectors[:, :p]) for s, p in zip(spectra, counts, strict=True)]
        turn = None
        if self.n_pairs is not None:
            within = Spectrum(total(partial(gram, factors=factors, cells=pairs)))
            within.extend(k)
            kept = min(k, within.count_above(NOTHING * energy))
            turn, importance = np.ascontiguousarray(within.vectors[:, :kept]), within.values[:kept].copy()
        warn_of_fewer(len(importance), k, "have any importance")
        values = [s.values[:p].copy() for s, p in zip(spectra, counts, strict=True)]
        return Decomposition(factors, values, pairs, turn, importance, energy, source)


def choose_pairs(
    spectra: Sequence[Spectrum],
    k: int,
    measure: Measure,
    glimpse: Measure | None,
    nothing: float,
) -> tuple[Pairs, Floats]:
    """Return the k cells of the greatest importance f, and f, largest first; ties in the order of the cells.

    ``measure`` gives f for some leading vectors of each mode. Any k cells give a lower bound of the k-th
    largest f, and no vector whose eigenvalue is below that has a part in a better cell: when all vectors
    above it were measured, it is proven that nothing was missed.

    Parameters
    ----------
    spectra : sequence of Spectrum
        The vectors of each mode.
    k : int
        How many cells.
    measure : callable
        f of factors.
    glimpse : callable or None
        An estimate of f that costs little; None where ``measure`` does.
    nothing : float
        Cells of no more importance than this are left out.
    """
    bound = _reach(spectra, 2 * k)
    if glimpse is not None:
        estimate = MARGIN * _largest(_settled(spectra, k, glimpse, bound, nothing), k)
        bound = estimate if estimate > nothing else bound
    while True:
        f = _settled(spectra, k, measure, bound, nothing)
        bound = max(_largest(f, k), nothing)
        short = [s for s in spectra if not s.complete and s.values[-1] > bound]
        if not short:
            break
        # More vectors may be others where eigenvalues are repeated, so f is measured again.
        for spectrum in short:
            spectrum.extend(2 * len(spectrum.values))
    order = np.argsort(-f, axis=None, kind="stable")[:k]
    order = order[f.ravel()[order] > nothing]
    return np.column_stack(np.unravel_index(order, f.shape)), f.ravel()[order]


def _settled(spectra: Sequence[Spectrum], k: int, measure: Measure, bound: float, nothing: float) -> Floats:
    """Return f of the vectors above a bound, and of more until the k largest are among them.

    Each look is at about four times the cells of the one before, so at about four times what is needed at
    most; eigenvalues that are equal come in together.
    """
    while True:
        counts = [max(1, spectrum.count_above(bound)) for spectrum in spectra]
        f = measure([s.vectors[:, :count] for s, count in zip(spectra, counts, strict=True)])
        proven = max(_largest(f, k), nothing)
        if all(s.count_above(proven) <= count for s, count in zip(spectra, counts, strict=True)):
            return f
        bound = max(proven, _reach(spectra, 4 * f.size))


def _reach(spectra: Sequence[Spectrum], n_cells: int) -> float:
    """Return the largest eigenvalue above which the vectors make so many cells, 0 where all make fewer."""
    values = np.unique(np.concatenate([spectrum.values for spectrum in spectra]))
    cells = np.ones(len(values))
    for spectrum in spectra:
        below = np.searchsorted(spectrum.values[::-1], values, side="right")
        cells *= np.maximum(len(spectrum.values) - below, 1)
    enough = np.flatnonzero(cells >= n_cells)
    return float(values[enough[-1]]) if len(enough) else 0.0


def _largest(f: Floats, k: int) -> float:
    """Return the k-th largest of all values, 0 where there are fewer."""
    return float(np.partition(f, f.size - k, axis=None)[f.size - k]) if f.size >= k else 0.0
