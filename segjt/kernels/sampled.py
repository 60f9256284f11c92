"""Sampled multi-point kernels: the flattening of eq. 12 over some of the tuples only (paper 000, eq. 13).

V / N^(n-1) is a mean over all N^(n-1) tuples; here it is the mean over `columns` random tuples, drawn independently
and with replacement, which makes it unbiased (distinct sets, as the paper words it, would be biased: errata, part 1).
Positive semi-definite for every draw (Corollary 3), of rank `columns` at most.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from segjt.fields import field
from segjt.kernels.evaluators.distinct_sums import distinct_rows, log_mean_over_sums
from segjt.kernels.evaluators.shared import of_each
from segjt.kernels.multipoint import (
    JT3,
    ExpJT3,
    ExpJTn,
    ExtensionToPoints,
    JTn,
    LinearOfPoints,
    MultiPoint,
)
from segjt.kernels.tsallis import jt_of_tuples
from segjt.runtime.arrays import Floats, Indices

# Tuples handled at a time: 1000 rows of this many float64 are 16 MB.
TUPLES_AT_A_TIME = 2048
# More points in all tuples than this are gigabytes.
MOST_INDICES = 2 * 10**7


@dataclasses.dataclass(frozen=True)
class Sampled(MultiPoint):
    """A multi-point kernel flattened over a sample of the tuples instead of all."""

    positive_semidefinite = "yes, for every draw (Corollary 3)"

    columns: int = field(50, "tuples that the sampled kernels draw; 50 in the paper", int, low=1, high=10**6)
    rng: int = field(0, "seed of the random numbers", int, low=0)

    def draw(self, N: int) -> Indices:
        """Return the sampled tuples, (columns, n - 1) indices below N; equal seeds draw equal tuples."""
        if self.columns * (self.points - 1) > MOST_INDICES:
            raise ValueError(
                f"columns = {self.columns} tuples of {self.points} points are too many; give fewer columns or points"
            )
        return np.random.default_rng(self.rng).integers(N, size=(self.columns, self.points - 1))

    def flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        V = np.zeros((len(X), len(Z)))
        every = self.draw(len(Y))
        for start in range(0, self.columns, TUPLES_AT_A_TIME):
            tuples = every[start : start + TUPLES_AT_A_TIME]
            A = self.on_tuples(X, Y, tuples)
            V += A @ (A if Z is X else self.on_tuples(Z, Y, tuples)).T
        return V / self.columns


@dataclasses.dataclass(frozen=True)
class JT3Sampled(Sampled, JT3):
    """Sampled three-point Jensen-Tsallis kernel, JT3+ (paper 000, eq. 13)."""

    name = "jt3+"


@dataclasses.dataclass(frozen=True)
class JTnSampled(Sampled, JTn):
    """Sampled n-point Jensen-Tsallis kernel (paper 000, eq. 13)."""

    name = "jtn+"


@dataclasses.dataclass(frozen=True)
class ExpJT3Sampled(Sampled, ExpJT3):
    """Sampled three-point exponential Jensen-Tsallis kernel, expJT3+ (paper 000, eq. 13)."""

    name = "expjt3+"

    def log_flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        sums, values = jt_of_tuples(Y[self.draw(len(Y))], self.q)
        log_weights = 2 * self.t * values - math.log(self.columns)
        x, z = of_each(distinct_rows, X, Z)
        return log_mean_over_sums(x, z, sums, log_weights, self.q, self.t)


@dataclasses.dataclass(frozen=True)
class ExpJTnSampled(ExpJT3Sampled, ExpJTn):
    """Sampled n-point exponential Jensen-Tsallis kernel (paper 000, eq. 13)."""

    name = "expjtn+"


@dataclasses.dataclass(frozen=True)
class NLinSampled(Sampled, LinearOfPoints):
    """Sampled n-point linear kernel, nLin+ (paper 000, eq. 13 and 14)."""

    name = "nlin+"


@dataclasses.dataclass(frozen=True)
class NPointSampled(Sampled, ExtensionToPoints):
    """Sampled n-point extension of any kernel (paper 000, Corollary 6): V = (S + 1 s')(S + 1 s')' / columns."""

    name = "npoint+"
