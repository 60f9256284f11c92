"""Kernels older than the papers, which serve as their yardsticks."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from segjt.fields import field
from segjt.kernels.base import Kernel
from segjt.kernels.evaluators.shared import sum_over_pairs
from segjt.kernels.feature_maps import ScaledMap
from segjt.runtime.arrays import Floats, Indices


def width_field(default: float | str) -> Any:
    """Declare the width of an exponential kernel exp(-d / sigma)."""
    doc = "width of the exponential and relaxed kernels; auto takes a quantile of the distances"
    return field(default, doc, float, low=1e-6, high=1e6, words=lambda: ["auto"])


def quantile_field() -> Any:
    """Declare the quantile that ``sigma="auto"`` takes."""
    return field(0.5, "which quantile sigma = auto takes; 0.5 is the median", float, low=0.01, high=1)


@dataclasses.dataclass(frozen=True)
class Gaussian(Kernel):
    """Gaussian kernel exp(-|x - y|^2 / (2 sigma^2)) (paper 002, Section 2.1); positive definite everywhere."""

    name = "gaussian"
    unit_diagonal = True

    sigma: float = field(0.2, "width of the Gaussian kernel, in units of the features", float, low=1e-6, high=1e6)

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        exponent = self.squared_distances(X, Y)
        exponent /= -2 * self.sigma**2
        return exponent

    def log_pairs(self, X: Floats, first: Indices, second: Indices) -> Floats:
        squares = sum_over_pairs(lambda x, y: (x - y) ** 2, X, first, second)
        return squares / (-2 * self.sigma**2)

    def squared_distances(self, X: Floats, Y: Floats) -> Floats:
        """Return |x - y|^2 of all pairs of rows."""
        from segjt.kernels.evaluators.level_tables import squared_distances_by_levels

        if (by_levels := squared_distances_by_levels(X, Y)) is not None:
            return by_levels
        # Distances do not see a common offset, but the round-off of their expansion does.
        centre = Y.mean(0)
        X, Y, same = X - centre, Y - centre, X is Y
        with np.errstate(over="ignore", invalid="ignore"):
            squared = (X * X).sum(1)[:, None] + (Y * Y).sum(1)[None, :] - 2 * X @ Y.T
        # Squares beyond float64 are infinitely far apart.
        squared = np.where(np.isnan(squared), np.inf, np.maximum(squared, 0.0))
        # A point is at distance exactly 0 of itself, whatever the round-off of the expansion.
        if same:
            np.fill_diagonal(squared, 0.0)
        return squared


@dataclasses.dataclass(frozen=True)
class Exponential(Kernel):
    """Exponential kernel exp(-|x - y| / sigma) (paper 004, K_E); positive definite everywhere.

    With ``sigma="auto"`` the data set the scale: sigma is a quantile of the distances within Y (paper 004,
    Section 7).
    """

    name = "exponential"
    unit_diagonal = True

    sigma: float | str = width_field("auto")
    quantile: float = quantile_field()

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        far = distances(X, Y)
        sigma = self.sigma
        if isinstance(sigma, str):
            sigma = quantile_rule(far if X is Y else distances(Y, Y), self.quantile)
        return -far / sigma


@dataclasses.dataclass(frozen=True)
class SelfTuning(Kernel):
    """Self-tuning Gaussian exp(-|x - y|^2 / (sigma_x sigma_y)) (paper 002, eq. 12).

    sigma_x is the distance of x to its k-th nearest neighbour, k = `neighbour`; where so many rows equal x that
    it would be 0, the smallest distance above 0. Not positive semi-definite in general (errata, part 4).
    """

    name = "self_tuning"
    positive_semidefinite = "no, not in general"
    unit_diagonal = True

    neighbour: int = field(7, "whose distance is a point's own width in self_tuning: the k-th nearest", int, low=1)

    @property
    def is_psd(self) -> bool:
        return False

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        far = distances(X, Y)
        x_width = self.widths(far)
        y_width = x_width if X is Y else self.widths(distances(Y, Y))
        return -(far / x_width[:, None]) * (far / y_width[None, :])

    def widths(self, far: Floats) -> Floats:
        """Return sigma_x of each row of distances: that of the k-th neighbour, the point itself not counted."""
        ordered = np.sort(far, axis=1)
        # A point that is among the others is its own nearest; one that is not has no distance of 0.
        first = (ordered[:, 0] == 0).astype(np.intp)
        kth = np.minimum(first + self.neighbour - 1, far.shape[1] - 1)
        width = ordered[np.arange(len(far)), kth]
        nearest_other = np.where(ordered > 0, ordered, np.inf).min(1)
        width = np.where(width > 0, width, nearest_other)
        return np.where(np.isfinite(width), width, 1.0)


@dataclasses.dataclass(frozen=True)
class Linear(Kernel):
    """Linear kernel x . y (paper 003, eq. 26 without its 1/2); positive semi-definite everywhere."""

    name = "linear"

    def gram(self, X: Floats, Y: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            gram: Floats = X @ Y.T
        return gram

    def log_pairs(self, X: Floats, first: Indices, second: Indices) -> Floats:
        return self.take_logarithm(sum_over_pairs(lambda x, y: x * y, X, first, second))

    def feature_map(self, Y: Floats) -> ScaledMap:
        return ScaledMap(None)

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return self.logarithm((X * X).sum(1))


@dataclasses.dataclass(frozen=True)
class Polynomial(Kernel):
    """Polynomial kernel (x . y + c)^degree (paper 002, Section 2.1); positive semi-definite for c >= 0."""

    name = "polynomial"
    positive_semidefinite = "yes, for every c >= 0"

    degree: int = field(2, "degree of the polynomial kernel", int, low=1, high=100)
    c: float = field(1.0, "constant of the polynomial kernel", float, low=0, high=1e6)

    def gram(self, X: Floats, Y: Floats) -> Floats:
        with np.errstate(over="ignore"):
            gram: Floats = (X @ Y.T + self.c) ** self.degree
        return gram

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return self.degree * self.logarithm((X * X).sum(1) + self.c)


def distances(X: Floats, Y: Floats) -> Floats:
    """Return |x - y| of all pairs of rows, from the differences: exactly 0 for equal rows."""
    from scipy.spatial.distance import cdist

    # Squares of numbers far from 1 leave float64's range; a power of two as the unit changes no digit.
    largest = max(np.abs(X).max(), np.abs(Y).max())
    unit = 1.0 if 1e-100 < largest < 1e100 or largest == 0 else 2.0 ** np.floor(np.log2(largest))
    apart: Floats = cdist(X / unit, Y / unit) * unit
    return apart


def quantile_rule(far: Floats, quantile: float) -> float:
    """Return a quantile of the distances between different points of a set (paper 004, Section 7).

    Where that is 0, because most points are equal, it is their mean; 1 where all are equal.
    """
    apart = far[np.triu_indices(len(far), 1)]
    if not apart.any():
        return 1.0
    return float(np.quantile(apart, quantile)) or float(apart.mean())
