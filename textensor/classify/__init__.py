"""Classifiers over term tensors."""

from textensor.classify.onevsrest import Explanation
from textensor.classify.stm import SupportTensorMachine
from textensor.classify.tensor import TensorClassifier
from textensor.classify.tls import TensorLeastSquares

__all__ = ["Explanation", "SupportTensorMachine", "TensorClassifier", "TensorLeastSquares"]
