"""Short names for the types of arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
#: Row numbers, and the codes of classes.
Rows = npt.NDArray[np.intp]
Codes = Rows
