"""Clustering by coordinates of unit length, of which tensorlsi §5.3 does not speak."""

from functools import partial
from typing import Any

import numpy as np

from experiments.data import data
from experiments.declare import SEED, Cell
from experiments.protocols.indexing import FITS, fitted, unit
from textensor.evaluate import ClusteringDraws, clustering_draws

__all__ = ["clustering"]


def clustering(cell: Cell) -> dict[str, Any]:
    """Return accuracies of k-means on the draws of the paper's protocol; other draws pick the dimension."""
    found, settings = data(cell.data), cell.settings
    k, n_draws, method = settings["clusters"], settings["draws"], settings["method"]

    def reduce(X: Any, dimension: int) -> Any:
        return unit(fitted(X, partial(FITS[method], k=dimension))[0])

    def draws(dimension: int, n_picked: int) -> ClusteringDraws:
        return clustering_draws(
            *(found.X, found.y, k),
            reduce=None if method == "baseline" else reduce,
            dimensions=[dimension],
            n_draws=n_draws,
            n_picked=n_picked,
            random_state=[SEED, k, cell.split],
        )

    grid = settings.get("dimensions", [0])
    # The first draws are those that the protocol picks the dimension on.
    picked = max(grid, key=lambda m: float(np.mean(draws(m, 0).accuracy))) if len(grid) > 1 else grid[0]
    return {"accuracy": draws(picked, n_draws).accuracy, "dimension": picked or None}
