"""The hinge loss: the support vector machine."""

import numpy as np

from textensor.base.arrays import Floats
from textensor.learn.dual import DualLearner


class Hinge(DualLearner):
    """The loss max(0, 1 - y f): U_i = C_i, D_ii = 0; the parameters are those of :class:`DualLearner`.

    Examples
    --------
    >>> from textensor.learn import Hinge, rows_of
    >>> X, y = np.array([[2.0], [0.0]]), np.array([1.0, -1.0])
    >>> found = Hinge(10.0, max_epochs=10_000).solve(rows_of(X), y, np.ones(2), tol=1e-9)
    >>> found.weights.round(3), round(found.intercept, 3)
    (array([1.]), -1.0)
    """

    def losses(self, margin: Floats) -> Floats:
        """Return max(0, 1 - y f)."""
        return np.maximum(0.0, 1.0 - margin)

    def box(self, cost: Floats) -> tuple[Floats, Floats]:
        """Return U = C and D = 0."""
        return cost, np.zeros(len(cost))
