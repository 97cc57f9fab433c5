"""Documents in fewer dimensions."""

from typing import TYPE_CHECKING

from textensor.base import later

if TYPE_CHECKING:
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

#: What is imported when it is first used, and from where.
_LATER = {
    "CLSI": "discriminant.clsi",
    "CentroidProjection": "discriminant.centroid",
    "DNE": "graph.dne",
    "FewerAxesWarning": "projection",
    "HOSVD": "latent.hosvd",
    "KDA": "discriminant.kda",
    "KernelLRWMMC": "graph.lrwmmc_kernel",
    "LRWMMC": "graph.lrwmmc",
    "LSI": "latent.lsi",
    "LatentSemanticKernel": "discriminant.lsk",
    "MMC": "graph.mmc",
    "SDA": "discriminant.sda",
    "SRDA": "discriminant.srda",
    "SemiSupervisedLRWMMC": "graph.lrwmmc_semisupervised",
    "TensorLRWMMC": "graph.lrwmmc_tensor",
    "TensorLSI": "latent.tensorlsi",
    "topics": "latent.topics",
}
__getattr__ = later(__name__, _LATER)
