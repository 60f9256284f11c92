"""What a kernel sees of a pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def colour_rows(values: NDArray[np.float64], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the colours of the unmasked pixels of a block, one row a pixel."""
    return values[mask]


def coordinates(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return (row, column) of the unmasked pixels of a block, one row a pixel."""
    return np.argwhere(mask).astype(np.float64)
