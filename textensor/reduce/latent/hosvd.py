"""Higher-order singular value decomposition: the leading eigenvectors of every mode, and the core."""

import warnings
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, each, jobs, optional, whole
from textensor.base.kept import keeps, part
from textensor.reduce.latent.streaming import MomentReducer, Sums
from textensor.reduce.projection import FewerAxesWarning
from textensor.space.tensors import EIGENVALUES, FACTORS, check_core


@keeps(factors=FACTORS, eigenvalues=EIGENVALUES)
class Subspaces(NamedTuple):
    """What was found: see the attributes of :class:`HOSVD`."""

    factors: list[Floats]
    eigenvalues: list[Floats]

    def _check_kept(self) -> None:
        check_core(self.factors)


@keeps(_solved=part(Subspaces, shares=("n_modes", "length_#")))
class HOSVD(MomentReducer):
    """Documents, as tensors of any order, in the leading subspace of every mode.

    With U_k the leading r_k eigenvectors of the moment of mode k, the coordinates of a document are its core,
    the r1 x ... x rK tensor of the document multiplied by every U_k^T.

    Parameters
    ----------
    ranks : sequence of int or None, default=None
        The r_k, at most the lengths; None is all of every mode, which keeps all distances.
    shape : tuple of int or None, default=None
        The lengths of the modes, one of them may be -1; None is square.
    arrangement : str, array or Arrangement, default="given"
        Which cell each term gets; the columns of character trigrams stand as they are.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Attributes
    ----------
    factors_ : list of ndarray of shape (length, r)
        The leading eigenvectors of each mode.
    eigenvalues_ : list of ndarray
        Of the factors.
    arrangement_ : Arrangement
        Where the terms stand.

    Examples
    --------
    >>> from textensor.reduce import HOSVD
    >>> from textensor.space import CharTrigramVectorizer
    >>> X = CharTrigramVectorizer().fit_transform(["wheat and maize", "bank rates", "maize and wheat"])
    >>> HOSVD((2, 2, 2), shape=(27, 27, 27)).fit_transform(X).shape
    (3, 8)
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "ranks": optional(each("whole numbers above 0, one for each mode", whole(1).holds)),
        "n_jobs": jobs,
    }

    def __init__(
        self,
        ranks: tuple[int, ...] | None = None,
        *,
        shape: tuple[int, ...] | None = None,
        arrangement: Any = "given",
        n_jobs: int | None = None,
    ) -> None:
        self.ranks = ranks
        self.shape = shape
        self.arrangement = arrangement
        self.n_jobs = n_jobs

    @property
    def _n_features_out(self) -> int:
        return int(np.prod([factor.shape[1] for factor in self.factors_]))

    def _first_guess(self, length: int) -> int:
        return length if self.ranks is None else max(self.ranks)

    def _solve(self, sums: Sums) -> Subspaces:
        spectra = sums.spectra
        ranks = [s.length for s in spectra] if self.ranks is None else list(self.ranks)
        if len(ranks) != len(spectra):
            raise ValueError(f"There are {len(ranks)} ranks for {len(spectra)} modes.")
        if any(r > s.length for r, s in zip(ranks, spectra, strict=True)):
            lengths = tuple(s.length for s in spectra)
            warnings.warn(
                f"Ranks {tuple(ranks)} are cut to the lengths of the modes, {lengths}.",
                FewerAxesWarning,
                stacklevel=2,
            )
        factors = [np.ascontiguousarray(s.vectors[:, :r]) for s, r in zip(spectra, ranks, strict=True)]
        return Subspaces(factors, [s.values[:r].copy() for s, r in zip(spectra, ranks, strict=True)])

    @property
    def _cells(self) -> npt.NDArray[np.intp]:
        lengths = [factor.shape[1] for factor in self.factors_]
        # The first mode runs fastest, as in every tensor here.
        return np.indices(lengths[::-1])[::-1].reshape(len(lengths), -1).T
