"""Relaxed exponential kernels: points are compared by the Gaussians of their neighbourhoods (paper 004)."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, cast

import numpy as np

from segjt.fields import field
from segjt.kernels import gaussians
from segjt.kernels.base import Kernel, Points
from segjt.kernels.classic import quantile_field, quantile_rule, width_field
from segjt.kernels.gaussians import Gaussians, local_gaussians
from segjt.runtime.arrays import Floats


@dataclasses.dataclass(frozen=True)
class Relaxed(Kernel):
    """exp(-d / sigma) of the distance d between the local Gaussians of two points (paper 004, eq. 6).

    The Gaussian of a point is estimated from its m nearest neighbours among the rows of Y (eq. 1 to 3); a
    `Gaussians` in place of rows is used as it is. The paper holds that every (semi-)metric d makes exp(-d / sigma)
    positive semi-definite, which is false (errata, parts 1 and 4).
    """

    positive_semidefinite = "no, not in general"
    unit_diagonal = True
    takes_gaussians = True
    # Distances below this are round-off, and 0: that of a square root, but for d_J and d_B.
    resolution: ClassVar[float] = 1e-7

    neighbours: int = field(8, "neighbours that make up the local Gaussian of the relaxed kernels", int, low=2)
    gamma: float = field(
        1.0, "variance added to the local Gaussians of the relaxed kernels", float, low=1e-12, high=1e6
    )
    mean: str = field(
        "neighbourhood",
        "mean of a local Gaussian: that of the neighbourhood, or the point",
        str,
        words=lambda: ["neighbourhood", "point"],
    )
    sigma: float | str = width_field("auto")
    quantile: float = quantile_field()

    @property
    def is_psd(self) -> bool:
        return False

    def check_rows(self, X: Points, name: str = "X") -> Floats:
        if isinstance(X, Gaussians):
            return cast(Floats, X)  # it has a shape and a length, and only `gaussians` looks inside
        return super().check_rows(X, name)

    def log_gram(self, X: Floats | Gaussians, Y: Floats | Gaussians) -> Floats:
        others = self.gaussians(Y, Y)
        own = others if X is Y else self.gaussians(X, Y)
        far = self.distances(own, others)
        sigma = self.sigma
        if isinstance(sigma, str):
            sigma = quantile_rule(far if own is others else self.distances(others, others), self.quantile)
        return -far / sigma

    def distance(self, one: Gaussians, other: Gaussians) -> Floats:
        """Return d of all pairs of Gaussians."""
        raise NotImplementedError

    def distances(self, one: Gaussians, other: Gaussians) -> Floats:
        """Return d of all pairs of Gaussians, with distances that are mere round-off set to 0."""
        far = self.distance(one, other)
        return np.where(far > self.resolution, far, 0.0)

    def gaussians(self, X: Floats | Gaussians, Y: Floats | Gaussians) -> Gaussians:
        """Return the local Gaussians of the rows of X, by their neighbours in Y."""
        if isinstance(X, Gaussians) or isinstance(Y, Gaussians):
            if not (isinstance(X, Gaussians) and isinstance(Y, Gaussians)):
                raise TypeError("X and Y are rows and Gaussians; give both as rows, or both as Gaussians")
            return X
        return local_gaussians(X, Y, self.neighbours, self.gamma, self.mean)


@dataclasses.dataclass(frozen=True)
class RelaxedJ(Relaxed):
    """Relaxed Jeffreys kernel exp(-d_J / sigma) (paper 004, eq. 9).

    d_J = u' Psi u / 2 + tr(S1^-1 S2 + S2^-1 S1) / 2 - p is the symmetric Kullback-Leibler divergence (eq. 7), with
    u the difference of the means and Psi = S1^-1 + S2^-1. Not positive semi-definite: N(0, 1/4), N(0, 1) and
    N(0, 4) with sigma = 10 have an eigenvalue of -0.04.
    """

    name = "relaxed_j"
    resolution = 1e-13

    def distance(self, one: Gaussians, other: Gaussians) -> Floats:
        return gaussians.jeffreys(one, other)


@dataclasses.dataclass(frozen=True)
class RelaxedH(Relaxed):
    """Relaxed Hellinger kernel exp(-d_H / sigma) (paper 004, eq. 10); positive semi-definite for every sigma.

    d_H = sqrt(2 (1 - rho)) with the Bhattacharyya coefficient rho of the two Gaussians.
    """

    name = "relaxed_h"
    positive_semidefinite = "yes, for every sigma"

    @property
    def is_psd(self) -> bool:
        return True

    def distance(self, one: Gaussians, other: Gaussians) -> Floats:
        return gaussians.hellinger(one, other)


@dataclasses.dataclass(frozen=True)
class RelaxedB(Relaxed):
    """Relaxed Bhattacharyya kernel exp(-d_B / sigma) (paper 004, eq. 11); with sigma = 1, the default, it is rho.

    d_B = -ln rho = u' G^-1 u / 8 + ln(|G| / sqrt(|S1| |S2|)) / 2 with G = (S1 + S2) / 2 (eq. 8; the paper drops two
    signs). rho is positive semi-definite; rho^(1/sigma) need not be for sigma above 1.
    """

    name = "relaxed_b"
    positive_semidefinite = "for sigma = 1; not in general"
    resolution = 1e-13

    sigma: float | str = width_field(1.0)

    @property
    def is_psd(self) -> bool:
        return self.sigma == 1

    def distance(self, one: Gaussians, other: Gaussians) -> Floats:
        return gaussians.bhattacharyya(one, other)


@dataclasses.dataclass(frozen=True)
class RelaxedJR(Relaxed):
    """Relaxed Jeffreys-Riemannian kernel exp(-d_JR / sigma) (paper 004, eq. 17).

    d_JR = sqrt(u' Psi u) + d_R(S1, S2), d_R the Riemannian distance of covariances (eq. 16). The paper calls d_JR a
    metric and the kernel positive semi-definite; neither is true (N(0, 1), N(10, 9), N(20, 1) break the triangle
    inequality).
    """

    name = "relaxed_jr"

    def distance(self, one: Gaussians, other: Gaussians) -> Floats:
        return gaussians.jeffreys_riemannian(one, other)


@dataclasses.dataclass(frozen=True)
class RelaxedBR(Relaxed):
    """Relaxed Bhattacharyya-Riemannian kernel exp(-d_BR / sigma) (paper 004, eq. 18).

    d_BR = sqrt(u' G^-1 u) + d_R(S1, S2). Not positive semi-definite, against the paper's claim (errata, part 4).
    """

    name = "relaxed_br"

    def distance(self, one: Gaussians, other: Gaussians) -> Floats:
        return gaussians.bhattacharyya_riemannian(one, other)
