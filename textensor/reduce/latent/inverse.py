"""From coordinates back to documents, for reducers whose components are products of vectors of the modes."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats
from textensor.reduce.projection import DEPENDENT

Places = tuple[npt.NDArray[np.intp], ...]


def expand(
    Z: npt.NDArray[Any], factors: Sequence[Floats], cells: npt.NDArray[np.intp], places: Places
) -> npt.NDArray[Any]:
    """Return, at some places of the grid, the tensors whose cores hold Z in some cells and 0 elsewhere."""
    core = np.zeros((len(Z), *(factor.shape[1] for factor in factors)), dtype=Z.dtype)
    within: Any = (slice(None), *cells.T)
    core[within] = Z
    for mode, factor in enumerate(factors, start=1):
        core = np.moveaxis(np.tensordot(core, factor.astype(Z.dtype), axes=(mode, 1)), -1, mode)
    at: Any = (slice(None), *places)
    return core[at]


def cell_values(factors: Sequence[Floats], cells: npt.NDArray[np.intp], places: Places) -> Floats:
    """Return the products of vectors, one for each cell, at some places of the grid: cells x places."""
    values = np.ones((len(cells), len(places[0])))
    for factor, chosen, index in zip(factors, cells.T, places, strict=True):
        values *= factor[:, chosen][index].T
    return values


def empty_cells(shape: tuple[int, ...], n_terms: int) -> Places:
    """Return the places that no term fills: terms fill the grid from its first cell on."""
    return np.unravel_index(np.arange(n_terms, prod(shape)), shape, order="F")


def nearest(Z: npt.NDArray[Any], P: Floats) -> npt.NDArray[Any]:
    """Return what components are to be multiplied by to give the documents nearest to coordinates Z.

    With C the components over the terms and P over the empty cells, C C^T + P P^T = I. The nearest documents
    are C^T (C C^T)^+ Z; with P = A S B^T that is C^T (Z + A (1 / (1 - S^2) - 1) A^T Z).
    """
    A, S, _ = np.linalg.svd(P, full_matrices=False)
    left = 1 - S**2
    added = 1 / np.where(left > DEPENDENT, left, np.inf) - 1
    return Z + ((Z @ A * added) @ A.T).astype(Z.dtype)
