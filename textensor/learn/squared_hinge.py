"""The squared hinge loss."""

import numpy as np

from textensor.base.arrays import Floats
from textensor.learn.dual import DualLearner


class SquaredHinge(DualLearner):
    """The loss max(0, 1 - y f)^2: U_i is infinite, D_ii = 1 / (2 C_i).

    The parameters are those of :class:`DualLearner`.
    """

    def losses(self, margin: Floats) -> Floats:
        """Return max(0, 1 - y f)^2."""
        return np.maximum(0.0, 1.0 - margin) ** 2

    def box(self, cost: Floats) -> tuple[Floats, Floats]:
        """Return U and D; a row that costs nothing stays at 0."""
        counts = cost > 0
        return np.where(counts, np.inf, 0.0), np.divide(0.5, cost, out=np.zeros(len(cost)), where=counts)
