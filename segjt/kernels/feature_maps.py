"""Explicit maps u with k(x, z) = u(x) . u(z), which make methods linear in the number of points.

A kernel that has one returns it from `Kernel.feature_map`. The flattened multi-point kernels have one, too: with
d and kappa as in `exponential_sums`, V = [U 1] B [U 1]' where B = [[E dd', E d kappa], [E kappa d', E kappa^2]] is a
matrix of second moments, hence positive semi-definite, and its factor L gives the features [U 1] L.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from segjt.kernels.evaluators.exponential_sums import (
    MOST_FEATURES,
    Quadrature,
    features_of,
    largest_sum,
    quadrature,
    smallest_positive,
    tuple_moments,
)
from segjt.runtime.arrays import Floats

# Eigenvalues that are a smaller share of the largest are round-off.
ROUND_OFF = 1e-15
# Numbers that the features of a chunk of rows take: 64 MB.
NUMBERS_AT_A_TIME = 2**23


class FeatureMap(Protocol):
    """Features u(x) of rows, (rows, R): the kernel is their inner product."""

    def __call__(self, X: Floats) -> Floats:
        """Return the features of checked rows."""


@dataclasses.dataclass(frozen=True, eq=False)
class ExponentialMap:
    """Features of the two-point Jensen-Tsallis kernel (errata 3.2): d (nodes + 2) of them for d columns.

    For rows whose values are 0 or within the range of those it was made for, |u(x) . u(z) - k(x, z)| is at most
    1e-11 sqrt(k(x, x) k(z, z)). Values outside are compared with values of the range as exactly, and with each other
    by their projections.
    """

    rule: Quadrature
    # k_q is homogeneous of degree q, and the nodes are those of values up to 1.
    scale: float

    @classmethod
    def of(cls, Y: Floats, q: float, points: int = 2) -> ExponentialMap:
        """Return the map for rows like those of Y, and sums of up to points - 1 of them."""
        scale = float(Y.max()) or 1.0
        return cls(quadrature(q, smallest_positive([Y / scale]), largest_sum(points)), scale)

    def __call__(self, X: Floats) -> Floats:
        features = features_of(X / self.scale, self.rule.features_of_new).full()
        features *= self.scale ** (self.rule.q / 2)
        return features


@dataclasses.dataclass(frozen=True, eq=False)
class AffineMap:
    """Features [u(x), 1] L from those of another map, or from the rows themselves if there is none."""

    inner: FeatureMap | None
    L: Floats

    def __call__(self, X: Floats) -> Floats:
        U = X if self.inner is None else self.inner(X)
        features: Floats = U @ self.L[:-1] + self.L[-1]
        return features


def factor(M: Floats, b: Floats, c: float) -> Floats:
    """Return L with L L' = [[M, b], [b', c]], a positive semi-definite matrix, one column per eigenvalue above 0."""
    B = np.block([[M, b[:, None]], [b[None, :], np.array([[c]])]])
    # Scaled to a unit diagonal: b and c have other units than M, and round-off would hide the smaller.
    roots = np.sqrt(np.maximum(np.diagonal(B), 0.0))
    units = np.where(roots > 0, roots, 1.0)
    values, vectors = np.linalg.eigh(B / units[:, None] / units[None, :])
    # One column at least, of zeros where all is 0.
    kept = values >= ROUND_OFF * max(values[-1], 0.0)
    L: Floats = units[:, None] * vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0))
    return np.ascontiguousarray(L[:, ::-1])


def jt_map_of_points(Y: Floats, q: float, points: int) -> AffineMap:
    """Return the map of V / N^(n-1) of the n-point Jensen-Tsallis kernel, tuples drawn from Y."""
    inner = ExponentialMap.of(Y, q, points)
    R = len(inner.rule.g()) * Y.shape[1]
    if R > MOST_FEATURES:
        raise ValueError(
            f"{Y.shape[1]} columns make {R} exponential features, and products of all pairs of them do not fit into "
            "memory; use fewer columns, or Nystroem features"
        )
    F, mu = np.zeros((R, R)), np.zeros(R)
    for rows in chunks(Y, R):
        U = inner(rows)
        F += U.T @ U / len(Y)
        mu += U.sum(0) / len(Y)
    # The rule u(y + z) = u(y) + u(z) - g * u(y) * u(z) holds in units of the scale.
    unit = inner.scale ** (inner.rule.q / 2)
    g = np.tile(inner.rule.g(), Y.shape[1]) / unit
    return AffineMap(inner, factor(*tuple_moments(F, mu, g, points)))


@dataclasses.dataclass(frozen=True, eq=False)
class ScaledMap:
    """Features of another map, or the rows themselves, times a factor."""

    inner: FeatureMap | None
    factor: float = 1.0

    def __call__(self, X: Floats) -> Floats:
        U: Floats = (X if self.inner is None else self.inner(X)) * self.factor
        return U


def chunks(X: Floats, features: int) -> Iterator[Floats]:
    """Yield the rows of X in pieces whose features, so many per row, take some 64 MB."""
    size = max(NUMBERS_AT_A_TIME // max(features, 1), 1)
    for start in range(0, len(X), size):
        yield X[start : start + size]
