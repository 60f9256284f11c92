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


@dataclasses.dataclass(frozen=True)
class Linear(Kernel):
    """Linear kernel x . y; positive semi-definite everywhere."""

    name = "linear"

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        gram: Matrix = X @ Y.T
        return gram


@dataclasses.dataclass(frozen=True)
class Polynomial(Kernel):
    """Polynomial kernel (x . y + c)^degree (paper 002, Section 2.1); positive semi-definite for c >= 0."""

    name = "polynomial"
    positive_semidefinite = "for every c >= 0"

    degree: int = knob(2, "degree of the polynomial kernel", int, low=1, high=100)
    c: float = knob(1.0, "constant of the polynomial kernel", float, low=0, high=1e6)

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        gram: Matrix = (X @ Y.T + self.c) ** self.degree
        return gram
