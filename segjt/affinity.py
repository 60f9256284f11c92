"""From the kernel's similarity of colours to the affinity of pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def weight_by_distance(
    log_V: Matrix, positions: Matrix, lam: float, sigma: float = 1.0, radius: float = np.inf
) -> Matrix:
    """Return the logarithm of V^(1 - lambda) exp(-lambda d^2 / sigma^2) (paper 000, eq. 17).

    With sigma = 1 it is paper 001's V^(1 - lambda) R^lambda; pixels `radius` or more apart have no affinity there.
    Logarithms, because the exponential kernels span more powers of ten than float64 has (errata 2.5).
    Pixels without affinity (V = 0, log V = -inf) stay without.
    """
    squared = sum((axis[:, None] - axis[None, :]) ** 2 for axis in positions.T)
    none = np.isneginf(log_V) | (squared >= radius**2)
    return np.where(none, -np.inf, (1 - lam) * np.maximum(log_V, -1e300) - lam * squared / sigma**2)
