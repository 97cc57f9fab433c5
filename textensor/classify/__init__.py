"""Classifiers over term tensors, of modules, and what they are compared with."""

from typing import TYPE_CHECKING

from textensor.base import later

if TYPE_CHECKING:
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

#: What is imported when it is first used, and from where.
_LATER = {
    "AverageClassifier": "average",
    "CentroidClassifier": "centroid",
    "CoEM": "coem",
    "Explanation": "onevsrest",
    "MinMaxSVM": "minmax.minmax_svm",
    "NearestDocument": "nearest",
    "SemanticSVM": "semantic_svm",
    "SupportTensorMachine": "tensor.stm",
    "TensorClassifier": "tensor.classifier",
    "TensorLeastSquares": "tensor.tls",
}
__getattr__ = later(__name__, _LATER)
