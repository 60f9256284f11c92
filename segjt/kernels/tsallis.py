"""The entropic functions behind the Jensen-Tsallis kernels (paper 003, paper 000 Section II)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Closer to 1 than this, q is taken for 1: the general form loses its digits there (errata 2.2).
NEAR_ONE = 1e-6
# s / x of two positive numbers can overflow; beyond this ratio the result no longer changes.
LARGEST_RATIO = 1e300


def phi(u: Array, q: float) -> Array:
    """Return phi_q(u) = (u^q - u) / (q - 1), or u ln u at q = 1; phi(0) = 0 for every q."""
    u = np.asarray(u, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = u * np.log(u) if abs(q - 1) < NEAR_ONE else (u**q - u) / (q - 1)
    return np.where(u > 0, value, 0.0)


def jensen_difference(x: Array, s: Array, q: float) -> Array:
    """Return phi_q(x + s) - phi_q(x) - phi_q(s), one term of eq. 7 of paper 000, without cancellation.

    With a = ln(1 + s/x) and b = ln(1 + x/s) it is
    [x^q expm1((q-1) a) + s^q expm1((q-1) b)] / (q-1), and x a + s b at q = 1; both terms are positive.
    It is 0 where x or s is 0 (errata 2.1, 2.2). The arguments broadcast.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        a = np.log1p(np.minimum(s / x, LARGEST_RATIO))
        b = np.log1p(np.minimum(x / s, LARGEST_RATIO))
        if abs(q - 1) < NEAR_ONE:
            value = x * a + s * b
        else:
            value = (x**q * np.expm1((q - 1) * a) + s**q * np.expm1((q - 1) * b)) / (q - 1)
    return np.where((x > 0) & (s > 0), value, 0.0)
