"""Classifiers over term tensors, of modules, and what they are compared with."""

from textensor.classify.average import AverageClassifier
from textensor.classify.centroid import CentroidClassifier
from textensor.classify.coem import CoEM
from textensor.classify.minmax.minmax_svm import MinMaxSVM
from textensor.classify.nearest import NearestDocument
from textensor.classify.onevsrest import Explanation
from textensor.classify.semantic_svm import SemanticSVM
from textensor.classify.tensor.classifier import TensorClassifier
from textensor.classify.tensor.stm import SupportTensorMachine
from textensor.classify.tensor.tls import TensorLeastSquares

__all__ = [
    "AverageClassifier",
    "CentroidClassifier",
    "CoEM",
    "Explanation",
    "MinMaxSVM",
    "NearestDocument",
    "SemanticSVM",
    "SupportTensorMachine",
    "TensorClassifier",
    "TensorLeastSquares",
]
