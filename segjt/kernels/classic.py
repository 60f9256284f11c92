"""Kernels that predate the papers."""

from __future__ import annotations

import dataclasses

import numpy as np

from segjt.kernels.base import Kernel, Matrix
from segjt.knobs import knob


@dataclasses.dataclass(frozen=True)
class Gaussian(Kernel):
    """Gaussian kernel exp(-|x - y|^2 / (2 sigma^2)); positive definite everywhere."""

    name = "gaussian"

    sigma: float = knob(0.2, "width of the Gaussian kernel, in units of the features", float, low=0, open_low=True)

    def log_gram(self, X: Matrix, Y: Matrix) -> Matrix:
        squared = (X * X).sum(1)[:, None] + (Y * Y).sum(1)[None, :] - 2 * X @ Y.T
        # A point is at distance exactly 0 of itself, whatever the round-off of the expansion.
        squared = np.maximum(squared, 0.0)
        if X is Y:
            np.fill_diagonal(squared, 0.0)
        exponent: Matrix = -squared / (2 * self.sigma**2)
        return exponent
