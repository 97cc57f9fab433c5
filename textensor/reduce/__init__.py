"""Documents in fewer dimensions."""

from textensor.reduce.discriminant.centroid import CentroidProjection
from textensor.reduce.discriminant.clsi import CLSI
from textensor.reduce.discriminant.kda import KDA
from textensor.reduce.discriminant.lsk import LatentSemanticKernel
from textensor.reduce.discriminant.sda import SDA
from textensor.reduce.discriminant.srda import SRDA
from textensor.reduce.graph.dne import DNE
from textensor.reduce.graph.lrwmmc import LRWMMC
from textensor.reduce.graph.lrwmmc_kernel import KernelLRWMMC
from textensor.reduce.graph.lrwmmc_semisupervised import SemiSupervisedLRWMMC
from textensor.reduce.graph.lrwmmc_tensor import TensorLRWMMC
from textensor.reduce.graph.mmc import MMC
from textensor.reduce.latent.hosvd import HOSVD
from textensor.reduce.latent.lsi import LSI
from textensor.reduce.latent.tensorlsi import TensorLSI
from textensor.reduce.latent.topics import topics
from textensor.reduce.projection import FewerAxesWarning

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
    "FewerAxesWarning",
    "KernelLRWMMC",
    "LatentSemanticKernel",
    "SemiSupervisedLRWMMC",
    "TensorLRWMMC",
    "TensorLSI",
    "topics",
]
