"""Short names for the types of arrays, and the columns of large ones."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
#: Row numbers, and the codes of classes.
Rows = npt.NDArray[np.intp]
Codes = Rows

#: Columns that are copied at a time: one at a time would read all of a large array for each.
_COLUMNS = 64


def by_column(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """Yield the columns of arrays of one shape, each with its values side by side in memory.

    Examples
    --------
    >>> for scores, truth in by_column(np.array([[1, 2], [3, 4]]), np.eye(2, dtype=int)):
    ...     print(scores, truth)
    [1 3] [1 0]
    [2 4] [0 1]
    """
    for first in range(0, arrays[0].shape[1], _COLUMNS):
        blocks = (np.ascontiguousarray(one[:, first : first + _COLUMNS].T) for one in arrays)
        yield from zip(*blocks, strict=True)
