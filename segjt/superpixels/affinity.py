"""From the kernel's similarity of colours to the affinity of pixels."""

from __future__ import annotations

import numpy as np

from segjt.runtime.arrays import Floats
from segjt.runtime.compiled import compiled


def weight_by_distance(log_V: Floats, positions: Floats, lam: float, sigma: float) -> Floats:
    """Return the logarithm of V^(1 - lambda) exp(-lambda d^2 / sigma^2) (paper 000, eq. 17).

    Logarithms, because the exponential kernels span more powers of ten than float64 has (errata 2.5).
    Pixels without affinity (V = 0, log V = -inf) stay without. `tests/reference/affinity.py` is the obvious version.
    """
    return weigh(log_V, positions, 1 - lam, lam / sigma**2)


@compiled
def weigh(log_V: Floats, positions: Floats, colour: float, distance: float) -> Floats:
    """Return colour log_V - distance d^2, and -inf where log_V is -inf."""
    N = len(log_V)
    log_W = np.empty((N, N))
    for i in range(N):
        for j in range(N):
            squared = (positions[i, 0] - positions[j, 0]) ** 2 + (positions[i, 1] - positions[j, 1]) ** 2
            log_W[i, j] = -np.inf if log_V[i, j] == -np.inf else colour * log_V[i, j] - distance * squared
    return log_W
