"""Multi-point kernels, flattened to pairs: V_ij = sum over tuples of K(x_i, ...) K(x_j, ...) (paper 000, eq. 12).

All of them return V / N^(n-1): a mean over tuples instead of a sum, which stays finite for any n. `sampled.py` has
the same kernels with a sample of the tuples.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from segjt.fields import field
from segjt.kernels.base import Composite, Kernel
from segjt.kernels.evaluators.shared import products_of_pairs
from segjt.kernels.evaluators.strategies import choose_expjt_strategy, choose_jt_strategy
from segjt.kernels.feature_maps import AffineMap, FeatureMap, factor, jt_map_of_points
from segjt.kernels.jensen import ExponentialJensenTsallis, JensenTsallis, jt
from segjt.kernels.tsallis import jt_of_tuples
from segjt.runtime.arrays import Floats, Indices
from segjt.runtime.compiled import compiled_reordering


def points_field(default: int) -> Any:
    """Declare the number of points of a kernel."""
    return field(default, "number of points that the multi-point kernels compare", int, low=2, high=1000)


def coefficient_field() -> Any:
    """Declare which last coefficient the closed forms use."""
    doc = "last coefficient of the closed forms: exact, or as published (eq. 15, Proposition 5)"
    return field("exact", doc, str, words=lambda: ["exact", "published"])


@dataclasses.dataclass(frozen=True)
class MultiPoint(Kernel):
    """A kernel of n points, flattened to pairs.

    Subclasses define `flatten`, and K itself on given tuples as `on_tuples`; exponential kernels define `log_flatten`.
    """

    positive_semidefinite = "yes: V = A A' for any multi-point kernel (Proposition 2)"

    @property
    def points(self) -> int:
        """The number of points n that the kernel compares."""
        return 3

    def flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        """Return V / N^(n-1) of the rows of X and Z, the other points of each tuple drawn from the N rows of Y."""
        raise NotImplementedError

    def on_tuples(self, X: Floats, Y: Floats, tuples: Indices) -> Floats:
        """Return K(x, y_2, ..., y_n) for every x and every tuple; a row of `tuples` has indices into Y."""
        raise NotImplementedError

    def gram(self, X: Floats, Y: Floats) -> Floats:
        return self.flatten(X, Y, Y)

    def log_pairs(self, X: Floats, first: Indices, second: Indices) -> Floats:
        features = self.feature_map(X)
        if features is None:
            return super().log_pairs(X, first, second)
        return self.take_logarithm(products_of_pairs(np.ascontiguousarray(features(X)), first, second))

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return self.logarithm(np.diagonal(self.flatten(X, X, Y)))


@dataclasses.dataclass(frozen=True)
class MultiPointExponential(MultiPoint):
    """A multi-point kernel that is flattened in logarithms."""

    def log_flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        """Return ln(V / N^(n-1)) of the rows of X and Z, the other points of each tuple drawn from the N rows of Y."""
        raise NotImplementedError

    def gram(self, X: Floats, Y: Floats) -> Floats:
        return Kernel.gram(self, X, Y)

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        return self.log_flatten(X, Y, Y)

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        diagonal: Floats = np.diagonal(self.log_flatten(X, X, Y))
        return diagonal


@dataclasses.dataclass(frozen=True)
class JT3(MultiPoint, JensenTsallis):
    """Three-point Jensen-Tsallis kernel (paper 000, eq. 9, 10), flattened by eq. 12.

    K_{q,n} = sum phi_q(x_1 + ... + x_n) - phi_q(x_1) - ... - phi_q(x_n), with phi_q as in `jt2`. V is positive
    semi-definite for every q (Proposition 2). Computed by exponential sums, in O(N^2 R) instead of O(N^4); the error is
    at most 1e-12 of V in the Frobenius norm for every q, those near 0, 1 and 2 included, if no positive value is below
    1e-100 of the largest.
    """

    name = "jt3"

    def flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        return choose_jt_strategy(X, Z, Y, self.q, self.points).evaluate()

    def feature_map(self, Y: Floats) -> FeatureMap | None:
        return jt_map_of_points(Y, self.q, self.points)

    def on_tuples(self, X: Floats, Y: Floats, tuples: Indices) -> Floats:
        sums, values = jt_of_tuples(Y[tuples], self.q)
        return jt(X, sums, self.q) + values


@dataclasses.dataclass(frozen=True)
class JTn(JT3):
    """n-point Jensen-Tsallis kernel (paper 000, eq. 9, 10), flattened by eq. 12.

    n = 3 is `jt3`, and the error is as small for every n; n = 2 gives K^2 / N of the two-point kernel, not K itself
    (errata, part 1).
    """

    name = "jtn"

    n: int = points_field(4)

    @property
    def points(self) -> int:
        return self.n


@dataclasses.dataclass(frozen=True)
class ExpJT3(MultiPointExponential, ExponentialJensenTsallis):
    """Three-point exponential Jensen-Tsallis kernel exp(t K_{q,3}) (paper 000, eq. 11), flattened by eq. 12.

    Computed by one of four strategies, chosen for the rows (errata 3.4). Of 8-bit colours the pairs that matter are
    summed, to 1e-10, or where they are many replaced by few nodes, to 1e-6 of each entry. Tuples with the same sum
    share a column of the flattened tensor; real data, whose sums are all distinct, go triple by triple.
    """

    name = "expjt3"

    def log_flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        return choose_expjt_strategy(X, Z, Y, self.q, self.t, self.points).evaluate()


@dataclasses.dataclass(frozen=True)
class ExpJTn(ExpJT3):
    """n-point exponential Jensen-Tsallis kernel exp(t K_{q,n}) (paper 000, eq. 11), flattened by eq. 12.

    n = 3 is `expjt3`; for more points every distinct sum is compared, which is exact. The number of them grows with n:
    beyond some 10^7 it is an error that points to `expjtn+`.
    """

    name = "expjtn"

    n: int = points_field(3)

    @property
    def points(self) -> int:
        return self.n


@dataclasses.dataclass(frozen=True)
class LinearOfPoints(MultiPoint):
    """2 sum_{i<j} x_i . x_j of n points, however it is flattened (paper 000, eq. 14)."""

    n: int = points_field(6)

    @property
    def points(self) -> int:
        return self.n

    def on_tuples(self, X: Floats, Y: Floats, tuples: Indices) -> Floats:
        members = Y[tuples]
        total = members.sum(1)
        # 2 sum_{i<j} y_i . y_j = |sum y_i|^2 - sum |y_i|^2
        among = (total**2).sum(1) - (members**2).sum((1, 2))
        values: Floats = 2 * X @ total.T + among
        return values


@dataclasses.dataclass(frozen=True)
class NLin(LinearOfPoints):
    """n-point linear kernel 2 sum_{i<j} x_i . x_j (paper 000, eq. 14), flattened in closed form (eq. 15).

    The closed form is Proposition 4 with its last coefficient corrected, divided by N^(n-1) so that no power of N
    appears (errata 1, 3.1). ``coefficient="published"`` has the coefficient as printed, twice what it should be, which
    adds a constant to V and is what paper 001's Figure 1 must have been made with. V is positive semi-definite with
    both. Exact but for round-off: the error is far below 1e-8 of V in the Frobenius norm.
    """

    name = "nlin"

    coefficient: str = coefficient_field()

    def flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        x, z, y = (np.ascontiguousarray(rows) for rows in (X, Z, Y))
        return flattened_linear(x, z, y, self.n - 1, self.last)

    def feature_map(self, Y: Floats) -> FeatureMap:
        return AffineMap(None, factor(*linear_moments(np.ascontiguousarray(Y), self.n - 1, self.last)))

    @property
    def last(self) -> int:
        """The factor of the last coefficient."""
        return {"exact": 1, "published": 2}[self.coefficient]


@compiled_reordering
def linear_moments(Y: Floats, m: int, last: int) -> tuple[Floats, Floats, float]:
    """Return P, v and w of V / N^m = X P X' + (X v) 1' + 1 (X v)' + w (errata 3.1), tuples drawn from Y."""
    S = np.dot(Y.T, Y) / len(Y)
    mu = Y.sum(0) / len(Y)
    mu2, S_mu = np.dot(mu, mu), np.dot(S, mu)
    P = 4 * m * (S + (m - 1) * np.outer(mu, mu))
    v = 4 * m * (m - 1) * (S_mu + (m - 2) / 2 * mu2 * mu)
    w = 2 * m * (m - 1) * ((S * S).sum() + 2 * (m - 2) * np.dot(mu, S_mu) + last * (m - 2) * (m - 3) / 2 * mu2**2)
    return P, v, w


@compiled_reordering
def flattened_linear(X: Floats, Z: Floats, Y: Floats, m: int, last: int) -> Floats:
    """Return V / N^m of the linear kernel of m + 1 points; `last` is the factor of its last coefficient.

    Compiled: numpy takes 4 times as long on a block of 256 pixels.
    """
    P, v, w = linear_moments(Y, m, last)
    # X P Z' + (X v) 1' + 1 (Z v)' + w
    V: Floats = np.dot(np.dot(X, P), Z.T)
    x_part, z_part = np.dot(X, v), np.dot(Z, v) + w
    for i in range(len(X)):
        for j in range(len(Z)):
            V[i, j] += x_part[i] + z_part[j]
    return V


@dataclasses.dataclass(frozen=True)
class ExtensionToPoints(Composite, MultiPoint):
    """sum_{i<j} k(x_i, x_j) of n points for any kernel k of two, however it is flattened (paper 000, eq. 16)."""

    kernel: Kernel | str = "gaussian"
    n: int = points_field(4)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.base, MultiPoint):
            raise ValueError(
                f"kernel = {self.base.name!r} compares {self.base.points} points already; give a kernel of two points"
            )

    @property
    def points(self) -> int:
        return self.n

    def on_tuples(self, X: Floats, Y: Floats, tuples: Indices) -> Floats:
        """Return S + 1 s' of Corollary 6."""
        K = self.base_gram(Y, Y)
        Kx = K if X is Y else self.base_gram(X, Y)
        # How often each point is in each tuple; sums over a tuple are products with these counts.
        counts = np.zeros((len(tuples), len(Y)))
        np.add.at(counts, (np.arange(len(tuples))[:, None], tuples), 1.0)
        s = ((counts @ K * counts).sum(1) - counts @ np.diagonal(K)) / 2
        values: Floats = Kx @ counts.T + s
        return values


@dataclasses.dataclass(frozen=True)
class NPoint(ExtensionToPoints):
    """n-point extension sum_{i<j} k(x_i, x_j) of any kernel k (paper 000, eq. 16), flattened in closed form.

    Proposition 5 with its last coefficient corrected, divided by N^(n-1) (errata 1, 3.1); ``coefficient="published"``
    has it as printed. V is positive semi-definite whether or not k is.
    """

    name = "npoint"

    coefficient: str = coefficient_field()

    def flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        m, N = self.n - 1, len(Y)
        K = self.base_gram(Y, Y)
        Kx = K if X is Y else self.base_gram(X, Y)
        Kz = Kx if Z is X else K if Z is Y else self.base_gram(Z, Y)
        r, rx, rz = K.mean(1), Kx.mean(1), Kz.mean(1)
        s = r.mean()
        last = {"exact": 1, "published": 2}[self.coefficient]
        ux, uz = (m * (m - 1) * (Kq @ r / N + (m - 2) / 2 * s * rq) for Kq, rq in ((Kx, rx), (Kz, rz)))
        c = m * (m - 1) / 2 * ((K * K).mean() + 2 * (m - 2) * r @ r / N + last * (m - 2) * (m - 3) / 2 * s**2)
        V: Floats = m / N * Kx @ Kz.T + m * (m - 1) * np.outer(rx, rz) + ux[:, None] + uz[None, :] + c
        return V
