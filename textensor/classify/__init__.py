"""Classifiers over term tensors, and what they are compared with."""

from textensor.classify.coem import CoEM
from textensor.classify.nearest import NearestDocument
from textensor.classify.onevsrest import Explanation
from textensor.classify.stm import SupportTensorMachine
from textensor.classify.tensor import TensorClassifier
from textensor.classify.tls import TensorLeastSquares

__all__ = [
    "CoEM",
    "Explanation",
    "NearestDocument",
    "SupportTensorMachine",
    "TensorClassifier",
    "TensorLeastSquares",
]
