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

    sigma: float = knob(0.2, "width of the Gaussian kernel, in units of the features", float, low=1e-6, high=1e6)

    def log_gram(self, X: Matrix, Y: Matrix) -> Matrix:
        # Distances do not see a common offset, but the round-off of their expansion does.
        centre = Y.mean(0)
        X, Y, same = X - centre, Y - centre, X is Y
        squared = (X * X).sum(1)[:, None] + (Y * Y).sum(1)[None, :] - 2 * X @ Y.T
        # A point is at distance exactly 0 of itself, whatever the round-off of the expansion.
        squared = np.maximum(squared, 0.0)
        if same:
            np.fill_diagonal(squared, 0.0)
        exponent: Matrix = -squared / (2 * self.sigma**2)
        return exponent
