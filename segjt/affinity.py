"""From the kernel's similarity of colours to the affinity of pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def weight_by_distance(log_V: Matrix, positions: Matrix, lam: float, sigma: float) -> Matrix:
    """Return the logarithm of V^(1 - lambda) exp(-lambda d^2 / sigma^2) (paper 000, eq. 17).

    Logarithms, because the exponential kernels span more powers of ten than float64 has (errata 2.5).
    Pixels without affinity (V = 0, log V = -inf) stay without.
    """
    squared = ((positions[:, None, :] - positions[None, :, :]) ** 2).sum(2)
    return np.where(np.isneginf(log_V), -np.inf, (1 - lam) * np.maximum(log_V, -1e300) - lam * squared / sigma**2)
