"""Tensor LRWMMC (LRWMMC §5, Algorithm 3)."""

import warnings
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Codes
from textensor.base.checks import Rule, jobs, number, whole
from textensor.base.kept import data, keeps, size
from textensor.base.late.parts import ConvergenceWarning, clone
from textensor.reduce.axes.embedding import tensor_axes
from textensor.reduce.graph.estimator import GraphEmbedding
from textensor.space.arrange import Arrangement
from textensor.space.semantic import ARRANGED
from textensor.space.tensors import FACTORS, TermTensors, check_core


@keeps(
    n_features_in_=size("n_terms"),
    arrangement_=ARRANGED,
    factors_=FACTORS,
    objective_history_=data,
    n_iter_=whole(0),
)
class TensorLRWMMC(GraphEmbedding):
    """LRWMMC of documents as tensors: a factor for each mode in place of axes.

    The graph is that of :class:`~textensor.reduce.LRWMMC`. The factors U_k, with orthonormal columns,
    maximise the sum over pairs of W_ij |Y_i - Y_j|^2, Y_i the i-th tensor with every mode multiplied by U_k^T
    (Eq. 5.17), one after the other in turn. Every mode keeps as many axes as its rank says, of positive
    criterion or not.

    Parameters
    ----------
    ranks : int or tuple of int, default=10
        J_k, how many axes each mode keeps; no more than its length.
    n_neighbors : int, default=20
        k, the size of the local relevant regions.
    graph : callable, sparse matrix or None, default=None
        Another graph, as for :class:`~textensor.reduce.LRWMMC`.
    shape : tuple of int or None, default=None
        The lengths of the modes, one of them may be -1; None is as square as can be. Character trigrams have
        ``shape=(27, 27, 27)`` and ``arrangement="given"``.
    order : int, default=2
        The number of modes when ``shape`` is None.
    arrangement : str, array or Arrangement, default="document-frequency"
        Which cell each term gets, a kind of :class:`~textensor.space.Arrangement`.
    max_iter : int, default=20
        The most sweeps over the modes.
    tol : float, default=1e-4
        Stop when a sweep gains less than this part of the criterion.
    n_jobs : int or None, default=None
        How many threads the graph takes; the result does not depend on it.

    Attributes
    ----------
    factors_ : list of ndarray of shape (I_k, J_k)
        U_k.
    objective_history_ : list of float
        The criterion after each step; it never falls.
    n_iter_ : int
        The number of sweeps.
    arrangement_ : Arrangement
        Where the terms stand.
    classes_ : ndarray
        The classes.

    Notes
    -----
    The coordinates of a document are its projected tensor with the first mode running fastest, so they are
    themselves tensors of shape ``ranks`` to an estimator with ``arrangement="given"``.

    Examples
    --------
    >>> from textensor.reduce import TensorLRWMMC
    >>> X = [[2.0, 1, 0, 1], [3, 1, 0, 1], [0, 1, 2, 1], [0, 1, 3, 1]]
    >>> model = TensorLRWMMC(ranks=1, n_neighbors=1, shape=(2, 2), arrangement="given")
    >>> model.fit_transform(X, ["a", "a", "b", "b"]).round(1).ravel().tolist()
    [1.4, 2.1, -1.4, -2.1]
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "ranks": Rule(
            "a whole number of 1 or more, or one for each mode",
            lambda value: whole(1).holds(value) or isinstance(value, tuple | list),
        ),
        "n_neighbors": whole(1),
        "max_iter": whole(1),
        "tol": number(least=0),
        "n_jobs": jobs,
    }

    def __init__(
        self,
        ranks: int | tuple[int, ...] = 10,
        n_neighbors: int = 20,
        *,
        graph: Any = None,
        shape: tuple[int, ...] | None = None,
        order: int = 2,
        arrangement: Any = "document-frequency",
        max_iter: int = 20,
        tol: float = 1e-4,
        n_jobs: int | None = None,
    ) -> None:
        self.ranks = ranks
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.shape = shape
        self.order = order
        self.arrangement = arrangement
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _embed(self, X: Any, codes: Codes) -> None:
        arrangement = self.arrangement
        if not isinstance(arrangement, Arrangement):
            arrangement = Arrangement(arrangement, shape=self.shape, order=self.order)
        self.arrangement_ = clone(arrangement).place(X)
        ranks = self._ranks(self.arrangement_.shape_)
        self.factors_, self.objective_history_, converged = tensor_axes(
            TermTensors(X, self.arrangement_),
            self._laplacian(X, codes),
            ranks,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        if not converged:
            warnings.warn(
                f"The factors did not converge in {self.max_iter} sweeps: raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.n_iter_ = len(self.objective_history_) // len(ranks)

    def _coordinates(self, X: Any) -> npt.NDArray[Any]:
        Y = TermTensors(X, self.arrangement_).project(self.factors_)
        return Y.transpose(0, *range(Y.ndim - 1, 0, -1)).reshape(len(Y), -1)

    @property
    def _n_features_out(self) -> int:
        return int(np.prod([factor.shape[1] for factor in self.factors_]))

    def _check_kept(self) -> None:
        check_core(self.factors_)

    def _ranks(self, lengths: tuple[int, ...]) -> tuple[int, ...]:
        ranks = (
            (self.ranks,) * len(lengths) if isinstance(self.ranks, int | np.integer) else tuple(self.ranks)
        )
        if len(ranks) != len(lengths) or not all(map(whole(1).holds, ranks)):
            raise ValueError(
                f"ranks must be a whole number above 0 for each of {len(lengths)} modes, not {self.ranks!r}."
            )
        return tuple(min(int(r), length) for r, length in zip(ranks, lengths, strict=True))
