"""Documents in fewer dimensions."""

from textensor.reduce.centroid import CentroidProjection
from textensor.reduce.clsi import CLSI
from textensor.reduce.dne import DNE
from textensor.reduce.hosvd import HOSVD
from textensor.reduce.kda import KDA
from textensor.reduce.lrwmmc import LRWMMC
from textensor.reduce.lrwmmc_kernel import KernelLRWMMC
from textensor.reduce.lrwmmc_semisupervised import SemiSupervisedLRWMMC
from textensor.reduce.lrwmmc_tensor import TensorLRWMMC
from textensor.reduce.lsi import LSI
from textensor.reduce.lsk import LatentSemanticKernel
from textensor.reduce.mmc import MMC
from textensor.reduce.sda import SDA
from textensor.reduce.srda import SRDA
from textensor.reduce.tensorlsi import TensorLSI
from textensor.reduce.topics import topics

__all__ = [
    "CLSI",
    "DNE",
    "HOSVD",
    "KDA",
    "LRWMMC",
    "LSI",
    "MMC",
    "SDA",
    "SRDA",
    "CentroidProjection",
    "KernelLRWMMC",
    "LatentSemanticKernel",
    "SemiSupervisedLRWMMC",
    "TensorLRWMMC",
    "TensorLSI",
    "topics",
]
