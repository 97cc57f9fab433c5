"""The general algorithm (stm-tls §5, stm-text §4.2 and §5.3): any vector learner becomes a tensor learner.

A linear function of a tensor is the inner product with a weight tensor W of rank R, the sum of R outer
products of vectors, one for each mode; R = 1 is the papers'. With the factors of all modes but one held,
W is linear in the factor of that mode, and finding it is the vector learner's own problem on contracted
documents. Written with orthonormal vectors in place of the held factors, the length of the solution is
the length of W, so that the penalty, too, is the vector learner's own.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats
from textensor.classify.tensor.descent import TINY, Descent, Problem, stored_densely
from textensor.learn import Learner, Rows
from textensor.space import tensor_kernels as kernels
from textensor.space.matrix import csr_arrays


class _Held(NamedTuple):
    """The modes that are held: what each term weighs in the R contracted features."""

    basis: Floats  # orthonormal columns, R of them
    place: npt.NDArray[np.int32]  # the row of the basis that weighs each term
    current: Floats  # the weight tensor we are at, as a half-step's solution would have it
    factors: list[Floats]
    back: Floats | None = None  # what a solution is multiplied by to become a factor; None is the identity


class Alternation(Descent):
    """One problem of the learner's for each mode, last mode first."""

    def __init__(self, problem: Problem, rank: int, learner: Learner, seed: int) -> None:
        super().__init__(problem, learner, _start(problem.lengths, rank, seed), seed)

    def sweep(self) -> None:
        """Solve for every mode once."""
        for mode in reversed(range(len(self.problem.lengths))):
            self._half_step(mode)

    def _half_step(self, mode: int) -> None:
        """Solve for one mode; the weights we are at are within its reach."""
        held = _hold(self.fitted.factors, mode, self.problem.indices)
        chosen = self.rows_that_matter()
        solution = self.solve(self._contract(mode, held, chosen), chosen)
        weights = solution.weights.reshape(self.problem.lengths[mode], -1)
        decision = np.full(len(self.problem.y), float(solution.intercept))
        columns = self.problem.indices[mode]
        kernels.decide(*csr_arrays(self.problem.X), held.basis, held.place, columns, weights, decision)
        found = self.move(held.current, weights, solution, decision)
        if found is not None:
            self.fitted.factors = _put(held, mode, found, self.fitted.factors[mode])

    def _contract(self, mode: int, held: _Held, chosen: npt.NDArray[np.intp]) -> Rows:
        """Contract chosen documents: each nonzero gives R features of its cell along the mode that stays."""
        given = *csr_arrays(self.problem.X), chosen, held.basis, held.place, self.problem.indices[mode]
        n_features = self.problem.lengths[mode] * held.basis.shape[1]
        if stored_densely(self.problem.X, self.problem.lengths[mode]):
            dense = np.zeros((len(chosen), n_features))
            kernels.contract_dense(*given, dense)
            return Rows(n_features, dense)
        return Rows(n_features, None, *kernels.contract_rows(*given))


def term_weights(factors: list[Floats], indices: tuple[npt.NDArray[np.intp], ...]) -> Floats:
    """Return the weight of each term: the cells of the weight tensor, without building it."""
    product = factors[0][indices[0]]
    for factor, index in zip(factors[1:], indices[1:], strict=True):
        product = product * factor[index]
    return product.sum(axis=1)


def _start(lengths: tuple[int, ...], rank: int, seed: int) -> list[Floats]:
    """Start with ones, as the papers do, and with seeded directions orthogonal to it for ranks above 1."""
    rng = np.random.default_rng(seed)
    factors = []
    for length in lengths:
        factor = rng.standard_normal((length, rank))
        factor[:, 0] = 1.0
        factors.append(np.linalg.qr(factor)[0] if rank <= length else factor / np.linalg.norm(factor, axis=0))
    return factors


def _hold(factors: list[Floats], mode: int, indices: tuple[npt.NDArray[np.int32], ...]) -> _Held:
    """Give the held modes an orthonormal basis.

    Two modes: W = U V^T, and V = QT makes it (U T^T) Q^T, so Q takes the place of V. More modes: the
    Khatri-Rao product K of the held factors is QT, and a solution in terms of Q goes back by T^-T.
    """
    others = [m for m in range(len(factors)) if m != mode]
    new = list(factors)
    current = factors[mode]
    rank = current.shape[1]
    if rank > 1 and len(others) > 1:
        return _hold_many(factors, mode, others, indices)
    for m in others:
        if rank == 1:  # a QR decomposition by another name
            length = np.linalg.norm(factors[m])
            new[m], current = factors[m] / length, current * length
        else:
            new[m], T = np.linalg.qr(factors[m])
            current = current @ T.T
    if len(others) == 1:
        return _Held(new[others[0]], indices[others[0]], current, new)
    # Several modes at rank 1: the basis has a row for each term.
    basis = np.ones((len(indices[0]), 1))
    for m in others:
        basis = basis * new[m][indices[m]]
    return _Held(basis, np.arange(len(basis), dtype=np.int32), current, new)


def _hold_many(
    factors: list[Floats], mode: int, others: list[int], indices: tuple[npt.NDArray[np.int32], ...]
) -> _Held:
    """Hold several modes at a rank above 1."""
    import scipy.linalg  # here: what scores needs none of it

    K = factors[others[0]]
    place = indices[others[0]]
    for m in others[1:]:
        K = scipy.linalg.khatri_rao(K, factors[m])
        place = place * len(factors[m]) + indices[m]
    Q, T, order = scipy.linalg.qr(K, mode="economic", pivoting=True)
    size = np.abs(np.diag(T))
    kept = int(np.count_nonzero(size > size[0] * 1e-10))
    back = np.zeros((kept, K.shape[1]))
    back[:, order[:kept]] = scipy.linalg.solve_triangular(T[:kept, :kept], np.eye(kept)).T
    current = factors[mode][:, order] @ T[:kept].T
    return _Held(np.ascontiguousarray(Q[:, :kept]), place, current, list(factors), back)


def _put(held: _Held, mode: int, weights: Floats, old: Floats) -> list[Floats]:
    """Put a solution in its place; one of length zero keeps the direction, with next to no weight."""
    factors = list(held.factors)
    factor = weights if held.back is None else weights @ held.back
    if not factor.any():
        # So little that the product of all modes is next to nothing, and still not rounded to it.
        factor = old * (TINY ** (0.5 / len(factors)) / np.linalg.norm(old))
    factors[mode] = factor
    return factors
