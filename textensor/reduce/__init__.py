"""Documents in fewer dimensions."""

from textensor.reduce.hosvd import HOSVD
from textensor.reduce.tensorlsi import TensorLSI
from textensor.reduce.topics import topics

__all__ = ["HOSVD", "TensorLSI", "topics"]
