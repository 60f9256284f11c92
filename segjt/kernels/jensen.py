"""Two-point kernels of the Jensen family: Jensen-Tsallis on vectors (paper 000) and on measures (paper 003)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from segjt.fields import field
from segjt.kernels.base import DISTRIBUTIONS, MEASURES, NONNEGATIVE, POSITIVE_MEASURES, Kernel
from segjt.kernels.evaluators.shared import sum_over_pairs
from segjt.kernels.feature_maps import ExponentialMap, ScaledMap
from segjt.kernels.tsallis import jt_term, phi, renyi_from_tsallis, tsallis_entropy
from segjt.runtime.arrays import Floats, Indices


def sum_over_features(term: Callable[[Floats, Floats], Floats], X: Floats, Y: Floats) -> Floats:
    """Return the sum over features of term(x_j, y_j) for all pairs of rows.

    A feature takes few distinct values in an image or a histogram, so each term is computed once per pair of
    values and looked up per pair of rows.
    """
    total = np.zeros((len(X), len(Y)))
    for x, y in zip(X.T, Y.T, strict=True):
        x_values, x_index = np.unique(x, return_inverse=True)
        y_values, y_index = np.unique(y, return_inverse=True)
        total += term(x_values[:, None], y_values[None, :])[x_index[:, None], y_index[None, :]]
    return total


def jt(X: Floats, Y: Floats, q: float) -> Floats:
    """Return k_q(x, y) = sum over features of phi_q(x + y) - phi_q(x) - phi_q(y) for all pairs of rows (eq. 7)."""
    from segjt.kernels.evaluators.level_tables import jt_by_levels

    by_levels = jt_by_levels(X, Y, q)
    return sum_over_features(lambda x, y: jt_term(x, y, q), X, Y) if by_levels is None else by_levels


def jt_of_pairs(X: Floats, first: Indices, second: Indices, q: float) -> Floats:
    """Return k_q(x, y) of given pairs of rows of X (eq. 7)."""
    return sum_over_pairs(lambda x, y: jt_term(x, y, q), X, first, second)


@dataclasses.dataclass(frozen=True)
class JensenTsallis(Kernel):
    """What the Jensen-Tsallis kernels share: the entropic index and the domain."""

    domain = NONNEGATIVE
    positive_semidefinite = "yes, for every q in [0, 2]"

    q: float = field(1.0, "entropic index of the Jensen-Tsallis kernels", float, low=0, high=2)


@dataclasses.dataclass(frozen=True)
class ExponentialJensenTsallis(JensenTsallis):
    """What the exponential Jensen-Tsallis kernels share: the entropic index, and the factor t in the exponent."""

    t: float = field(1.0, "factor in the exponent of the exponential Jensen kernels", float, low=1e-6, high=1e6)


@dataclasses.dataclass(frozen=True)
class JT2(JensenTsallis):
    """Jensen-Tsallis kernel k_q = sum phi_q(x + y) - phi_q(x) - phi_q(y) (paper 000, eq. 7).

    phi_q(u) = (u^q - u) / (q - 1), and u ln u at q = 1. Positive definite for q in [0, 2] (Proposition 1), and not
    beyond: at q = 3 the points 1 and 0.1 are a counterexample. q = 0 counts the features in which both rows are
    positive (Boolean kernel), q = 1 is the Jensen-Shannon form, q = 2 twice the inner product.
    """

    name = "jt2"

    def gram(self, X: Floats, Y: Floats) -> Floats:
        return jt(X, Y, self.q)

    def log_pairs(self, X: Floats, first: Indices, second: Indices) -> Floats:
        return self.take_logarithm(jt_of_pairs(X, first, second, self.q))

    def feature_map(self, Y: Floats) -> ExponentialMap:
        return ExponentialMap.of(Y, self.q)

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return self.logarithm(jt_term(X, X, self.q).sum(1))


@dataclasses.dataclass(frozen=True)
class ExpJT2(ExponentialJensenTsallis):
    """Exponential Jensen-Tsallis kernel exp(t k_q) (paper 000, eq. 8); positive definite for q in [0, 2], t > 0.

    Eq. 6 with t scaled by 2^-q and a constant factor dropped (errata, part 1).
    """

    name = "expjt2"

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        exponent = jt(X, Y, self.q)
        exponent *= self.t
        return exponent

    def log_pairs(self, X: Floats, first: Indices, second: Indices) -> Floats:
        return self.t * jt_of_pairs(X, first, second, self.q)

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        diagonal: Floats = self.t * jt_term(X, X, self.q).sum(1)
        return diagonal


@dataclasses.dataclass(frozen=True)
class WeightedJT(JT2):
    """Weighted Jensen-Tsallis kernel (S_q(pi) - T_q^pi(p, r)) (w_p + w_r)^q of measures (paper 003, Definition 3).

    A measure is a weight w, its sum, times a probability vector p; pi are the two weights as shares. By the
    denormalisation formula (eq. 7) it is -S_q(mu + nu) + S_q(mu) + S_q(nu), which is `jt2`: the same numbers under the
    name that paper 003 has for them. Positive definite for q in [0, 2] (Proposition 10).
    """

    name = "weighted_jt"
    domain = MEASURES


@dataclasses.dataclass(frozen=True)
class WeightedJTNormalized(JensenTsallis):
    """Weighted Jensen-Tsallis kernel S_q(pi) - T_q^pi(p, r) of measures, without their mass (paper 003, Definition 3).

    `weighted_jt` divided by (w_p + w_r)^q. Positive definite for q in [0, 2]; Proposition 10 claims q in [0, 1]
    only, but y^-q is positive definite for every q >= 0 (errata, part 1).
    """

    name = "weighted_jt_normalized"
    domain = POSITIVE_MEASURES

    def gram(self, X: Floats, Y: Floats) -> Floats:
        gram: Floats = jt(X, Y, self.q) / (X.sum(1)[:, None] + Y.sum(1)[None, :]) ** self.q
        return gram

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return self.logarithm(jt_term(X, X, self.q).sum(1) / (2 * X.sum(1)) ** self.q)


@dataclasses.dataclass(frozen=True)
class JensenShannon(Kernel):
    """Jensen-Shannon kernel ln 2 - JS(p, r) of probability vectors (paper 003, eq. 24); positive definite.

    JS(p, r) = H((p + r) / 2) - (H(p) + H(r)) / 2 in nats. For measures of any sum: `weighted_jt` with q = 1.
    """

    name = "js"
    domain = DISTRIBUTIONS

    def gram(self, X: Floats, Y: Floats) -> Floats:
        return jt(X, Y, 1.0) / 2

    def log_pairs(self, X: Floats, first: Indices, second: Indices) -> Floats:
        return self.take_logarithm(jt_of_pairs(X, first, second, 1.0) / 2)

    def feature_map(self, Y: Floats) -> ScaledMap:
        return ScaledMap(ExponentialMap.of(Y, 1.0), math.sqrt(0.5))

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return np.full(len(X), math.log(math.log(2)))


@dataclasses.dataclass(frozen=True)
class ExponentiatedJensen(Kernel):
    """What the exponentials of Jensen divergences share: the factor t in the exponent."""

    t: float = field(1.0, "factor in the exponent of the exponential Jensen kernels", float, low=1e-6, high=1e6)


@dataclasses.dataclass(frozen=True)
class ExpJS(ExponentiatedJensen):
    """Exponentiated Jensen-Shannon kernel exp(-t JS(p, r)) of probability vectors (paper 003, after eq. 22).

    Positive definite for every t > 0.
    """

    name = "expjs"
    domain = DISTRIBUTIONS
    positive_semidefinite = "yes, for every t > 0"
    unit_diagonal = True

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        return self.t * np.minimum(jt(X, Y, 1.0) / 2 - math.log(2), 0.0)

    def log_pairs(self, X: Floats, first: Indices, second: Indices) -> Floats:
        return self.t * np.minimum(jt_of_pairs(X, first, second, 1.0) / 2 - math.log(2), 0.0)


@dataclasses.dataclass(frozen=True)
class WeightedExpJS(ExponentiatedJensen):
    """Exponentiated weighted Jensen-Shannon kernel exp(t (H(pi) - J^pi(p, r))) of measures (paper 003, eq. 22).

    The exponential of `weighted_jt_normalized` with q = 1; positive definite for every t > 0. On probability vectors
    it is 2^t times `expjs`.
    """

    name = "weighted_expjs"
    domain = POSITIVE_MEASURES
    positive_semidefinite = "yes, for every t > 0"

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        exponent: Floats = self.t * jt(X, Y, 1.0) / (X.sum(1)[:, None] + Y.sum(1)[None, :])
        return exponent

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return np.full(len(X), self.t * math.log(2))


@dataclasses.dataclass(frozen=True)
class ExpJR(ExponentiatedJensen):
    """Exponentiated Jensen-Renyi kernel exp(-t JR_q(p, r)) of probability vectors (paper 003, eq. 27).

    JR_q is the Jensen difference of Renyi's entropy R_q (eq. 10). Positive definite for q in [0, 1] and t > 0; at
    q = 2 it is not (smallest eigenvalue -0.04, errata part 4), and JR_q can be negative there. q = 1 is `expjs`.
    """

    name = "expjr"
    domain = DISTRIBUTIONS
    positive_semidefinite = "for q in [0, 1]; not at q = 2"
    unit_diagonal = True

    q: float = field(0.5, "entropic index of the Jensen-Renyi kernel", float, low=0, high=2)

    @property
    def is_psd(self) -> bool:
        return self.q <= 1

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        mixed = sum_over_features(lambda x, y: -phi((x + y) / 2, self.q), X, Y)
        own = [renyi_from_tsallis(tsallis_entropy(rows, self.q), self.q) for rows in (X, Y)]
        divergence = renyi_from_tsallis(mixed, self.q) - (own[0][:, None] + own[1][None, :]) / 2
        if X is Y:
            np.fill_diagonal(divergence, 0.0)
        return -self.t * divergence


@dataclasses.dataclass(frozen=True)
class Boolean(Kernel):
    """Boolean kernel: the number of features in which both rows are positive (paper 003, eq. 25); positive definite.

    The limit q = 0 of `jt2`.
    """

    name = "boolean"
    domain = MEASURES

    def gram(self, X: Floats, Y: Floats) -> Floats:
        gram: Floats = (X > 0).astype(np.float64) @ (Y > 0).T
        return gram

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return self.logarithm((X > 0).sum(1).astype(np.float64))


@dataclasses.dataclass(frozen=True)
class Heat(Kernel):
    """Heat kernel approximation exp(-d^2 / (4 tau)) of probability vectors (paper 003, eq. 28).

    d = 2 arccos(sum sqrt(p_i r_i)) is the geodesic distance of the multinomial manifold. The common factor
    (4 pi tau)^(-n/2) is left out: no method sees it, and it leaves float64's range for long vectors. (The
    paper prints t for tau in the exponent.) Positive definite for two outcomes; for more it is not once tau is large
    (Proposition 11): from tau = 11.66 on for the paper's four points.
    """

    name = "heat"
    domain = DISTRIBUTIONS
    positive_semidefinite = "for two outcomes; for more not if tau is large"
    unit_diagonal = True

    tau: float = field(0.1, "time of the heat kernel", float, low=1e-6, high=1e6)

    @property
    def is_psd(self) -> bool:
        return False

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        distance = geodesic_distance(np.sqrt(X) @ np.sqrt(Y).T)
        if X is Y:
            np.fill_diagonal(distance, 0.0)
        exponent: Floats = -(distance**2) / (4 * self.tau)
        return exponent


def geodesic_distance(coefficient: Floats) -> Floats:
    """Return 2 arccos(sum sqrt(p_i r_i)), the distance on the multinomial manifold, of such sums."""
    distance: Floats = 2 * np.arccos(np.clip(coefficient, 0.0, 1.0))
    return distance
