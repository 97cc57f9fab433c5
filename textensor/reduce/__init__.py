"""Documents in fewer dimensions."""

from textensor.reduce.centroid import CentroidProjection
from textensor.reduce.clsi import CLSI
from textensor.reduce.hosvd import HOSVD
from textensor.reduce.kda import KDA
from textensor.reduce.lsk import LatentSemanticKernel
from textensor.reduce.sda import SDA
from textensor.reduce.srda import SRDA
from textensor.reduce.tensorlsi import TensorLSI
from textensor.reduce.topics import topics

__all__ = [
    "CLSI",
    "HOSVD",
    "KDA",
    "SDA",
    "SRDA",
    "CentroidProjection",
    "LatentSemanticKernel",
    "TensorLSI",
    "topics",
]
