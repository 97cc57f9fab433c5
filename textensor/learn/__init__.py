"""Vector learners, each a loss, a penalty and a solver: what a half-step of a tensor classifier solves."""

from typing import TYPE_CHECKING

from textensor.base import later

if TYPE_CHECKING:
    from textensor.learn.base import Learner, Rows, Solution, rows_of
    from textensor.learn.dual import DualLearner, Hinge, SquaredHinge
    from textensor.learn.foreign import Foreign
    from textensor.learn.squares import SquaredLoss

__all__ = [
    "DualLearner",
    "Foreign",
    "Hinge",
    "Learner",
    "Rows",
    "Solution",
    "SquaredHinge",
    "SquaredLoss",
    "rows_of",
]

#: What is imported when it is first used, and from where.
_LATER = {
    "DualLearner": "dual",
    "Foreign": "foreign",
    "Hinge": "dual",
    "Learner": "base",
    "Rows": "base",
    "Solution": "base",
    "SquaredHinge": "dual",
    "SquaredLoss": "squares",
    "rows_of": "base",
}
__getattr__ = later(__name__, _LATER)
