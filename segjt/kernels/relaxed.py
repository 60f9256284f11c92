"""Relaxed exponential kernels: points are compared by the Gaussians of their neighbourhoods (paper 004).

A distance of Gaussians is one of means and one of covariances, d_mu + d_Sigma, so that a kernel is the product of
K_mu = exp(-d_mu / sigma) and K_Sigma = exp(-d_Sigma / sigma) (eq. 4).
"""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import numpy as np

from segjt.fields import field
from segjt.kernels import gaussians
from segjt.kernels.base import Kernel, Points
from segjt.kernels.classic import quantile_field, quantile_rule, width_field
from segjt.kernels.gaussians import Gaussians, local_gaussians
from segjt.runtime.arrays import Floats

# The distances without a square root. Round-off in them is far below 1e-13; in a root it is that of the root.
DIVERGENCES = {"jeffreys", "bhattacharyya"}


def mean_distance_field() -> Any:
    """Declare which distance of means a kernel takes."""
    doc = "distance of the means in relaxed_mu and relaxed_product"
    return field("bhattacharyya", doc, str, words=lambda: list(gaussians.MEAN_DISTANCES))


def covariance_distance_field(default: str) -> Any:
    """Declare which distance of covariances a kernel takes."""
    doc = "distance of the covariances in relaxed_sigma and relaxed_product"
    return field(default, doc, str, words=lambda: list(gaussians.COVARIANCE_DISTANCES))


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

    @property
    def resolution(self) -> float:
        """Distances below this are round-off, and count as 0."""
        return 1e-7

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
class RelaxedSum(Relaxed):
    """exp(-(d_mu + d_Sigma) / sigma), or one of the two (paper 004, eq. 4)."""

    def parts(self) -> tuple[str | None, str | None]:
        """Return which distance of means and which of covariances are added, as `gaussians.distances` takes them."""
        raise NotImplementedError

    @property
    def resolution(self) -> float:
        return 1e-13 if {part for part in self.parts() if part} <= DIVERGENCES else super().resolution

    def distance(self, one: Gaussians, other: Gaussians) -> Floats:
        return gaussians.distances(one, other, *self.parts())


@dataclasses.dataclass(frozen=True)
class RelaxedMu(RelaxedSum):
    """Relaxed kernel of means K_mu = exp(-d_mu / sigma) (paper 004, eq. 4 and 12).

    d_mu is u' Psi u / 2 (jeffreys), u' G^-1 u / 8 (bhattacharyya), or the root of u' Psi u or u' G^-1 u, which the
    paper calls a metric (section 5): u is the difference of the means, Psi = S1^-1 + S2^-1 and G = (S1 + S2) / 2. So
    covariances weigh the means, and are not compared themselves. No d_mu is a metric and no K_mu positive
    semi-definite, against the paper's claim, unless all covariances are the same: two Gaussians with one mean have
    similarity 1 but need not be as similar to a third.
    """

    name = "relaxed_mu"

    mean_distance: str = mean_distance_field()

    def parts(self) -> tuple[str | None, str | None]:
        return self.mean_distance, None


@dataclasses.dataclass(frozen=True)
class RelaxedSigma(RelaxedSum):
    """Relaxed kernel of covariances K_Sigma = exp(-d_Sigma / sigma) (paper 004, eq. 4 and 13).

    d_Sigma is ln(|G| / sqrt(|S1| |S2|)) / 2 with G = (S1 + S2) / 2 (bhattacharyya), tr(S1^-1 S2 + S2^-1 S1) / 2 - p
    (jeffreys; the paper drops both 1/2), or d_R (riemannian), which makes it `relaxed_r`. The means do not count. With
    bhattacharyya it is positive semi-definite if 1 / sigma is 1, ..., p - 1 or more, in p dimensions; with jeffreys
    it is not, for no sigma, against the paper's claim (errata, part 4).
    """

    name = "relaxed_sigma"
    positive_semidefinite = "with bhattacharyya and sigma = 1; not in general"

    covariance_distance: str = covariance_distance_field("bhattacharyya")

    @property
    def is_psd(self) -> bool:
        return self.covariance_distance == "bhattacharyya" and self.sigma == 1

    def parts(self) -> tuple[str | None, str | None]:
        return None, self.covariance_distance


@dataclasses.dataclass(frozen=True)
class RelaxedR(RelaxedSum):
    """Riemannian kernel of covariances K_R = exp(-d_R / sigma) (paper 004, eq. 14 to 16).

    d_R = (sum ln^2 lambda)^(1/2) with the eigenvalues lambda of S2^-1 S1 does not see inversion or affine maps. The
    means do not count. Positive semi-definite for one feature; for more it is not, against the paper's claim (errata,
    part 4).
    """

    name = "relaxed_r"
    positive_semidefinite = "for one feature; not in general"

    def parts(self) -> tuple[str | None, str | None]:
        return None, "riemannian"


@dataclasses.dataclass(frozen=True)
class RelaxedProduct(RelaxedSum):
    """Product kernel K_X = K_mu K_Sigma = exp(-(d_mu + d_Sigma) / sigma) (paper 004, eq. 4, 14 and 15).

    Any distance of means (see `relaxed_mu`) with any of covariances (see `relaxed_sigma`); by default K_mu K_R of
    eq. 14. Both jeffreys is `relaxed_j`, both bhattacharyya `relaxed_b`, the roots with riemannian `relaxed_jr` and
    `relaxed_br`. Positive semi-definite with both bhattacharyya and sigma = 1, though K_mu itself is not; else not in
    general (errata, part 4).
    """

    name = "relaxed_product"
    positive_semidefinite = "with bhattacharyya twice and sigma = 1; not in general"

    mean_distance: str = mean_distance_field()
    covariance_distance: str = covariance_distance_field("riemannian")

    @property
    def is_psd(self) -> bool:
        return self.parts() == ("bhattacharyya", "bhattacharyya") and self.sigma == 1

    def parts(self) -> tuple[str | None, str | None]:
        return self.mean_distance, self.covariance_distance


@dataclasses.dataclass(frozen=True)
class RelaxedJ(RelaxedSum):
    """Relaxed Jeffreys kernel exp(-d_J / sigma) (paper 004, eq. 9).

    d_J = u' Psi u / 2 + tr(S1^-1 S2 + S2^-1 S1) / 2 - p is the symmetric Kullback-Leibler divergence (eq. 7), with
    u the difference of the means and Psi = S1^-1 + S2^-1. Not positive semi-definite: N(0, 1/4), N(0, 1) and
    N(0, 4) with sigma = 10 have an eigenvalue of -0.04.
    """

    name = "relaxed_j"

    def parts(self) -> tuple[str | None, str | None]:
        return "jeffreys", "jeffreys"


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
class RelaxedB(RelaxedSum):
    """Relaxed Bhattacharyya kernel exp(-d_B / sigma) (paper 004, eq. 11); with sigma = 1, the default, it is rho.

    d_B = -ln rho = u' G^-1 u / 8 + ln(|G| / sqrt(|S1| |S2|)) / 2 with G = (S1 + S2) / 2 (eq. 8; the paper drops two
    signs). rho is positive semi-definite; rho^(1/sigma) need not be for sigma above 1.
    """

    name = "relaxed_b"
    positive_semidefinite = "for sigma = 1; not in general"

    sigma: float | str = width_field(1.0)

    @property
    def is_psd(self) -> bool:
        return self.sigma == 1

    def parts(self) -> tuple[str | None, str | None]:
        return "bhattacharyya", "bhattacharyya"


@dataclasses.dataclass(frozen=True)
class RelaxedJR(RelaxedSum):
    """Relaxed Jeffreys-Riemannian kernel exp(-d_JR / sigma) (paper 004, eq. 17).

    d_JR = sqrt(u' Psi u) + d_R(S1, S2), d_R the Riemannian distance of covariances (eq. 16). The paper calls d_JR a
    metric and the kernel positive semi-definite; neither is true (N(0, 1), N(10, 9), N(20, 1) break the triangle
    inequality).
    """

    name = "relaxed_jr"

    def parts(self) -> tuple[str | None, str | None]:
        return "root_jeffreys", "riemannian"


@dataclasses.dataclass(frozen=True)
class RelaxedBR(RelaxedSum):
    """Relaxed Bhattacharyya-Riemannian kernel exp(-d_BR / sigma) (paper 004, eq. 18).

    d_BR = sqrt(u' G^-1 u) + d_R(S1, S2). Not positive semi-definite, against the paper's claim (errata, part 4).
    """

    name = "relaxed_br"

    def parts(self) -> tuple[str | None, str | None]:
        return "root_bhattacharyya", "riemannian"
