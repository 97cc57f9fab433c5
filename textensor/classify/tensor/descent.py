"""How far a question is solved: no exacter than it pays, and never uphill.

A vector machine is one problem of a learner's, solved again and again, finer each time. A tensor machine is a
sequence of such problems, one for each mode. Both stop by the same rule: the last sweep gained next to
nothing, and the dual objective proves that the last solution is near its optimum.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.learn import Learner, Rows, Solution
from textensor.space.arrange import Arrangement

#: Tolerance of the first solutions, as a fraction of the margin; later ones are tightened if needed.
COARSEST = 0.5
#: The passes of one solution see at most about this many nonzeros, seconds of work, and are not fewer.
MOST_WORK, LEAST_PASSES = 2_000_000_000, 1000
#: Finer than this is rounding.
FINEST = 1e-12
#: Rows whose margin is met with this much to spare are left out.
SLACK = 0.1
#: A label has settled when its last solution is within this times ``tol`` of its optimum.
GAP = 2.0
#: Part of the way steps are found this exactly.
STEP_PRECISION = 0.1
#: Documents are dense when there are at most this many features to a nonzero: the processor multiplies
#: stretches of numbers several times as fast as scattered ones.
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


def stored_densely(X: Any, length: int) -> bool:
    """Return whether documents are stored densely once they are contracted to a mode of this length."""
    return bool(length <= DENSE_ABOVE * X.nnz / max(X.shape[0], 1))


def vector_rows(X: sp.csr_matrix, arrangement: Arrangement) -> Rows:
    """Return documents as rows over the cells of an arrangement of order 1."""
    (length,), (cells,) = arrangement.shape_, arrangement.indices()
    data, indices = X.data.astype(np.float64, copy=False), cells.astype(np.int32)[X.indices]
    if stored_densely(X, length):
        return Rows(length, sp.csr_matrix((data, indices, X.indptr), shape=(X.shape[0], length)).toarray())
    return Rows(length, None, X.indptr.astype(np.int64), indices, np.ascontiguousarray(data))


class Descent(ABC):
    """Where the solution of one question stands."""

    def __init__(self, problem: Problem, learner: Learner, factors: list[Floats], seed: int) -> None:
        self.problem = problem
        self.learner = learner
        self.seed = seed
        self.fitted = Fitted(factors)
        self.precision = COARSEST
        self.objective = np.inf
        self.least = TINY  # an objective below this is as good as this
        if learner.knows_objective:
            self.least += NOTHING * learner.loss(np.zeros(len(problem.y)), problem.y, problem.weight)
        self.gap = np.inf  # how far above its optimum the last solution may be, as a part of it
        self.reached = False
        self.decision: Floats | None = None
        self.state: Any = None

    @abstractmethod
    def sweep(self) -> None:
        """Solve for all weights once."""

    def run(self, max_iter: int, tol: float) -> Fitted:
        """Sweep until that gains next to nothing and the last solution is proven to be near its optimum.

        Next to nothing is less than ``tol`` of the objective; if the objective is not known, a change of the
        decisions by less than ``tol``.
        """
        for _ in range(max_iter):
            before, decided = self.objective, self.decision
            self.sweep()
            if self._gain(before, decided) <= tol:
                self.fitted.converged = self.gap <= GAP * tol
                if self.fitted.converged or not self._try_harder():
                    break
        return self.fitted

    def rows_that_matter(self) -> npt.NDArray[np.intp]:
        """Return the rows that the next solution can rest on."""
        if self.decision is None:
            return np.arange(len(self.problem.y))
        return np.flatnonzero(self.learner.matters(self.decision, self.problem.y, self.state, SLACK))

    def solve(self, rows: Rows, chosen: npt.NDArray[np.intp], which: Any = None) -> Solution:
        """Let the learner solve for chosen documents: all of ``rows``, or those numbered ``which``."""
        y, weight = self.problem.y, self.problem.weight
        state = None if self.state is None else self.state[chosen]
        solution = self.learner.solve(
            rows, y[chosen], weight[chosen], which=which, state=state, tol=self.precision, seed=self.seed
        )
        if solution.state is not None:
            self.state = np.zeros(len(y))
            self.state[chosen] = solution.state
        return solution

    def move(self, here: Floats, there: Floats, solution: Solution, decision: Floats) -> Floats | None:
        """Go to the weights of a solution, or part of the way if all of it would raise the objective.

        The objective is convex between the weights we are at and the solution; so an inexact solution costs a
        shorter step, never a step uphill. Returns the weights after the step, None if there was no step.
        """
        intercept = solution.intercept
        if not self.learner.knows_objective:
            self.gap, objective = 0.0, np.nan
        else:
            objective = self._objective(decision, there, intercept)
            if objective > self.objective and self.decision is not None:
                step = self._best_step(here, there, intercept, decision)
                there = here + step * (there - here)
                intercept = self.fitted.intercept + step * (intercept - self.fitted.intercept)
                decision = self.decision + step * (decision - self.decision)
                objective = self._objective(decision, there, intercept)
        moved = objective <= self.objective or not self.learner.knows_objective
        if moved:
            self.decision, self.objective, self.fitted.intercept = decision, objective, intercept
        self.fitted.history.append(self.objective)
        if self.learner.knows_objective:
            self.gap = (self.objective - solution.objective) / max(self.objective, self.least)
            self.reached = solution.reached
        return there if moved else None

    def _gain(self, before: float, decided: Floats | None) -> float:
        """Return what a sweep gained, as a part of the objective."""
        if np.isfinite(self.objective):
            return (before - self.objective) / max(self.objective, self.least)
        if decided is None or self.decision is None:
            return np.inf
        return float(np.linalg.norm(self.decision - decided) / max(np.linalg.norm(decided), TINY))

    def _try_harder(self) -> bool:
        """Ask for a finer tolerance, or for more work if the last one was not reached.

        Returns whether there is more that can be asked.
        """
        if self.reached:
            self.precision *= 0.2
            return self.precision > FINEST
        most = max(LEAST_PASSES, MOST_WORK // max(self.problem.X.nnz, 1))
        harder = self.learner.harder(most)
        self.learner = harder or self.learner
        return harder is not None

    def _objective(self, decision: Floats, weights: Floats, intercept: float) -> float:
        loss = self.learner.loss(decision, self.problem.y, self.problem.weight)
        return loss + self.learner.penalty(float(np.vdot(weights, weights)), intercept)

    def _best_step(self, here: Floats, there: Floats, intercept: float, decision: Floats) -> float:
        """Return how far to go from where we are to a solution: the best of the way, by golden section."""
        problem, learner, intercept_here = self.problem, self.learner, self.fitted.intercept
        decided = np.asarray(self.decision)
        way = there - here
        squares = [float(np.vdot(a, b)) for a, b in ((here, here), (here, way), (way, way))]
        change = decision - decided

        def value(step: float) -> float:
            squared = squares[0] + 2 * step * squares[1] + step * step * squares[2]
            penalty = learner.penalty(squared, intercept_here + step * (intercept - intercept_here))
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


class VectorDescent(Descent):
    """One problem of the learner's, over all terms, on the rows that matter, to an ever finer tolerance."""

    def __init__(self, problem: Problem, rows: Rows, learner: Learner, seed: int) -> None:
        super().__init__(problem, learner, [np.zeros((rows.n_columns, 1))], seed)
        self.rows = rows

    def sweep(self) -> None:
        """Solve once."""
        chosen = self.rows_that_matter()
        solution = self.solve(self.rows, chosen, which=chosen)
        decision = solution.intercept + self.problem.X @ solution.weights[self.problem.indices[0]]
        found = self.move(self.fitted.factors[0], solution.weights[:, None], solution, decision)
        if found is not None:
            self.fitted.factors = [found]
