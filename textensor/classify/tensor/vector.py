"""A classifier of order 1: the vector learner itself, asked for more until its duality gap is small."""

import numpy as np
import scipy.sparse as sp

from textensor.classify.tensor.descent import Descent, Problem, stored_densely
from textensor.learn import Learner, Rows
from textensor.space.arrange import Arrangement


def vector_rows(X: sp.csr_matrix, arrangement: Arrangement) -> Rows:
    """Return documents as rows over the cells of an arrangement of order 1."""
    (length,), (cells,) = arrangement.shape_, arrangement.indices()
    data, indices = X.data.astype(np.float64, copy=False), cells.astype(np.int32)[X.indices]
    if stored_densely(X, length):
        return Rows(length, sp.csr_matrix((data, indices, X.indptr), shape=(X.shape[0], length)).toarray())
    return Rows(length, None, X.indptr.astype(np.int64), indices, np.ascontiguousarray(data))


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
