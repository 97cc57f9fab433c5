"""The general algorithm (stm-tls §5, stm-text §4.2 and §5.3): any vector learner becomes a tensor learner.

A linear function of a tensor is the inner product with a weight tensor W of rank R, the sum of R outer
products of vectors, one for each mode; R = 1 is the papers'. With the factors of all modes but one held,
W is linear in the factor of that mode, and finding it is the vector learner's own problem on contracted
documents. Written with orthonormal vectors in place of the held factors, the length of the solution is
the length of W, so that the penalty, too, is the vector learner's own.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import scipy.linalg

from textensor.learn.base import Floats, Learner, Rows, Solution, rows_of
from textensor.space import tensor_kernels as kernels
from textensor.space.matrix import csr_arrays

__all__ = ["Fitted", "Problem", "alternate", "term_weights"]

#: The first half-steps are solved to this part of the margin; later ones ever finer, where need be.
COARSEST = 0.5
#: The passes of a half-step see about this many nonzeros at the most, seconds of work, and are not fewer.
MOST_WORK, LEAST_PASSES = 2_000_000_000, 1000
#: Finer than this is rounding.
FINEST = 1e-12
#: Rows whose margin is met with this much to spare are left out of a half-step.
SLACK = 0.1
#: A label has settled when the half-step it ends on is within this times ``tol`` of its optimum.
GAP = 2.0
#: Part of the way steps are found this exactly.
STEP_PRECISION = 0.1
#: Contracted documents are dense when there are at most this many features to a nonzero: the processor
#: multiplies stretches of numbers several times as fast as scattered ones.
DENSE_ABOVE = 3.0
#: An objective below this part of what a decision of zero costs is rounding: a fit that leaves no residual.
NOTHING = 1e-12
GOLDEN = (5**0.5 - 1) / 2
TINY = np.finfo(float).tiny


class Problem(NamedTuple):
    """One yes-or-no question about documents: the matrix, where its terms stand, targets and costs."""

    X: Any
    indices: tuple[npt.NDArray[np.int32], ...]
    lengths: tuple[int, ...]
    y: Floats
    weight: Floats


@dataclass
class Fitted:
    """A weight tensor of rank R: for each mode a factor of (its length, R)."""

    factors: list[Floats]
    intercept: float = 0.0
    history: list[float] = field(default_factory=list)
    converged: bool = False


class _Held(NamedTuple):
    """The modes that are held: what each term weighs in the R contracted features."""

    basis: Floats  # orthonormal columns, R of them
    place: npt.NDArray[np.int32]  # the row of the basis that weighs each term
    current: Floats  # the weight tensor we stand at, as a half-step's solution would have it
    factors: list[Floats]
    back: Floats | None = None  # what a solution is multiplied by to become a factor; None is the identity


def alternate(
    problem: Problem, learner: Learner, *, rank: int, max_iter: int, tol: float, seed: int
) -> Fitted:
    """Solve for one mode after the other, last mode first, until a sweep gains next to nothing.

    That is less than ``tol`` of the objective, where the last half-step is proven to be near its optimum;
    of a learner whose objective is not known, a change of the decisions by less than ``tol``.
    """
    run = _Alternation(problem, learner, rank, seed)
    for _ in range(max_iter):
        gain = run.sweep()
        if gain <= tol:
            if run.gap <= GAP * tol:
                run.fitted.converged = True
                break
            if not run.try_harder():
                break
    return run.fitted


class _Alternation:
    """Where the alternation stands."""

    def __init__(self, problem: Problem, learner: Learner, rank: int, seed: int) -> None:
        self.problem = problem
        self.learner = learner
        self.seed = seed
        self.precision = COARSEST
        self.fitted = Fitted(_start(problem.lengths, rank, seed))
        self.objective = np.inf
        self.least = TINY  # an objective below this is as good as this
        if hasattr(learner, "loss"):
            zero = np.zeros(len(problem.y))
            self.least += NOTHING * learner.loss(zero, problem.y, problem.weight)
        self.gap = np.inf  # how far above its optimum the last half-step may be, as a part of it
        self.reached = False
        self.decision: Floats | None = None
        self.state: Any = None
        self.whole: tuple[Rows, Floats] | None = None  # the documents as they are, and their squared lengths

    def sweep(self) -> float:
        """Solve for every mode once, and return what that gained, as a part of the objective."""
        before, decided = self.objective, self.decision
        for mode in reversed(range(len(self.problem.lengths))):
            self.half_step(mode)
        if np.isfinite(self.objective):
            return (before - self.objective) / max(self.objective, self.least)
        if decided is None or self.decision is None:
            return np.inf
        return float(np.linalg.norm(self.decision - decided) / max(np.linalg.norm(decided), TINY))

    def try_harder(self) -> bool:
        """Ask more of the half-steps: a finer tolerance, or more work where the last one was not reached.

        Returns whether there is more that can be asked.
        """
        if self.reached:
            self.precision *= 0.2
            return self.precision > FINEST
        most = max(LEAST_PASSES, MOST_WORK // max(self.problem.X.nnz, 1))
        harder = self.learner.harder(most) if hasattr(self.learner, "harder") else None
        self.learner = harder or self.learner
        return harder is not None

    def half_step(self, mode: int) -> None:
        """Solve for one mode and go there, or part of the way where all of it would raise the objective.

        The weights we stand at are within reach of the half-step, and between them and its solution the
        objective is convex; so an inexact solution costs a shorter step, never a step uphill.
        """
        held = _hold(self.fitted.factors, mode, self.problem.indices)
        solution = self._solve(mode, held)
        weights, intercept = solution.weights.reshape(self.problem.lengths[mode], -1), solution.intercept
        decision = self._decide(mode, held, weights, intercept)
        if not hasattr(self.learner, "loss"):
            self.gap = 0.0
            self._take(mode, held, weights, intercept, decision, np.nan)
            return
        objective = self._objective(decision, weights, intercept)
        if objective > self.objective and self.decision is not None:
            step = self._best_step(held.current, weights, intercept, decision)
            weights = held.current + step * (weights - held.current)
            intercept = self.fitted.intercept + step * (intercept - self.fitted.intercept)
            decision = self.decision + step * (decision - self.decision)
            objective = self._objective(decision, weights, intercept)
        if objective <= self.objective:
            self._take(mode, held, weights, intercept, decision, objective)
        else:
            self.fitted.history.append(self.objective)
        self.gap = (self.objective - solution.objective) / max(self.objective, self.least)
        self.reached = solution.reached

    def _take(
        self, mode: int, held: _Held, weights: Floats, intercept: float, decision: Floats, objective: float
    ) -> None:
        """Go to a solution."""
        self.decision, self.objective = decision, objective
        self.fitted.intercept = intercept
        self.fitted.factors = _put(held, mode, weights, self.fitted.factors[mode])
        self.fitted.history.append(objective)

    def _solve(self, mode: int, held: _Held) -> Solution:
        """Let the learner solve a half-step, on the rows that can matter to it."""
        problem = self.problem
        chosen = np.arange(len(problem.y))
        if self.decision is not None and hasattr(self.learner, "matters"):
            chosen = np.flatnonzero(self.learner.matters(self.decision, problem.y, self.state, SLACK))
        state = None if self.state is None else self.state[chosen]
        if len(problem.lengths) == 1 and hasattr(self.learner, "solve_some") and not self._dense(mode):
            solution = self._solve_vector(chosen, state)
        else:
            start = None
            if self.decision is not None:
                start = Solution(held.current.ravel(), self.fitted.intercept, state=state)
            rows, y, weight = self._contract(mode, held, chosen), problem.y[chosen], problem.weight[chosen]
            solution = self.learner.solve(rows, y, weight, start=start, tol=self.precision, seed=self.seed)
        if solution.state is not None:
            self.state = np.zeros(len(problem.y))
            self.state[chosen] = solution.state
        return solution

    def _solve_vector(self, chosen: npt.NDArray[np.intp], state: Floats | None) -> Solution:
        """Solve a problem of one mode: nothing is contracted, so no document need be copied."""
        problem, learner = self.problem, cast(Any, self.learner)
        if self.whole is None:
            self.whole = rows_of(problem.X), np.full(len(problem.y), -1.0)
        rows, squares = self.whole
        alpha = np.zeros(len(chosen)) if state is None else state
        y, weight = problem.y[chosen], problem.weight[chosen]
        found = learner.solve_some(
            rows, chosen, squares, y, weight, alpha, tol=self.precision, seed=self.seed
        )
        weights = np.zeros(problem.lengths[0])
        weights[problem.indices[0]] = found.weights
        return cast(Solution, found._replace(weights=weights))

    def _decide(self, mode: int, held: _Held, weights: Floats, intercept: float) -> Floats:
        """Return the decision values of all documents."""
        decision = np.full(len(self.problem.y), float(intercept))
        columns = self.problem.indices[mode]
        kernels.decide(*csr_arrays(self.problem.X), held.basis, held.place, columns, weights, decision)
        return decision

    def _contract(self, mode: int, held: _Held, chosen: npt.NDArray[np.intp]) -> Rows:
        """Contract chosen documents: each nonzero gives R features of its cell along the mode that stays."""
        X, rank = self.problem.X, held.basis.shape[1]
        given = *csr_arrays(X), chosen, held.basis, held.place, self.problem.indices[mode]
        n_features = self.problem.lengths[mode] * rank
        if self._dense(mode):
            dense = np.zeros((len(chosen), n_features))
            kernels.contract_dense(*given, dense)
            return Rows(n_features, dense)
        return Rows(n_features, None, *kernels.contract_rows(*given))

    def _dense(self, mode: int) -> bool:
        """Say whether contracted documents are dense."""
        X = self.problem.X
        return bool(self.problem.lengths[mode] <= DENSE_ABOVE * X.nnz / max(X.shape[0], 1))

    def _objective(self, decision: Floats, weights: Floats, intercept: float) -> float:
        squared = float(np.vdot(weights, weights))
        loss = self.learner.loss(decision, self.problem.y, self.problem.weight)
        return loss + self.learner.penalty(squared, intercept)

    def _best_step(self, current: Floats, weights: Floats, intercept: float, decision: Floats) -> float:
        """Return how far to go from where we stand to a solution: the best of the way, by golden section."""
        problem, learner, here = self.problem, self.learner, self.fitted.intercept
        decided = np.asarray(self.decision)
        way = weights - current
        squares = [float(np.vdot(a, b)) for a, b in ((current, current), (current, way), (way, way))]
        change = decision - decided

        def value(step: float) -> float:
            squared = squares[0] + 2 * step * squares[1] + step * step * squares[2]
            penalty = learner.penalty(squared, here + step * (intercept - here))
            return penalty + learner.loss(decided + step * change, problem.y, problem.weight)

        low, high = 0.0, 1.0
        inner, outer = 1 - GOLDEN, GOLDEN
        at_inner, at_outer = value(inner), value(outer)
        while high - low > STEP_PRECISION:
            if at_inner <= at_outer:
                high, outer, at_outer = outer, inner, at_inner
                inner = high - GOLDEN * (high - low)
                at_inner = value(inner)
            else:
                low, inner, at_inner = inner, outer, at_outer
                outer = low + GOLDEN * (high - low)
                at_outer = value(outer)
        return inner if at_inner <= at_outer else outer


def term_weights(factors: list[Floats], indices: tuple[npt.NDArray[np.int32], ...]) -> Floats:
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
    # No other mode, or several at rank 1: the basis has a row for each term.
    basis = np.ones((len(indices[0]), 1))
    for m in others:
        basis = basis * new[m][indices[m]]
    return _Held(basis, np.arange(len(basis), dtype=np.int32), current, new)


def _hold_many(
    factors: list[Floats], mode: int, others: list[int], indices: tuple[npt.NDArray[np.int32], ...]
) -> _Held:
    """Hold several modes at a rank above 1."""
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
    """Put a solution in its place; one of length zero leaves the direction as it was, next to no weight."""
    factors = list(held.factors)
    factor = weights if held.back is None else weights @ held.back
    if not factor.any():
        # So little that the product of all modes is next to nothing, and still not rounded to it.
        factor = old * (TINY ** (0.5 / len(factors)) / np.linalg.norm(old))
    factors[mode] = factor
    return factors
