"""Vector learners, each a loss, a penalty and a solver: what a half-step of a tensor classifier solves."""

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
