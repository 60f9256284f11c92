"""JT kernels as inner products of exponential features, so that sums over tuples of points factorise.

For 0 < q < 2 and one feature, k_q(x, y) = q / Gamma(2-q) * integral over lambda > 0 of
(1 - e^(-lambda x)) (1 - e^(-lambda y)) lambda^(-q-1). The trapezoid rule in ln(lambda), with both
tails summed as geometric series, is exact to about `TOLERANCE` (errata 3.2). The number of nodes follows from that,
from q, and from the smallest value.

The error of V, in the Frobenius norm, is at most 1e-12 of it, for every q and any number of points. Larger steps would
be faster and less exact: 0.45 leaves 3e-10, and without the distance of pixels the eigenvectors of jt3 need more digits
(errata 2.7).

Hand-written: on a block of 256 pixels BLAS on all rows takes 1.2 (240 colours) to 3 times (74 colours) as long as the
products by distinct values, and numpy 11 times as long as `one_point_more`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from segjt.kernels.evaluators.shared import of_each
from segjt.kernels.tsallis import jt_term
from segjt.runtime.arrays import Floats, Indices
from segjt.runtime.compiled import compiled, compiled_reordering
from segjt.runtime.vector_math import add_multiple

STEP = 0.36
TOLERANCE = 1e-12
# e^-36 is below float64 round-off, so beyond lambda = 36 / min(x) every 1 - e^(-lambda x) is 1.
SATURATION = 36.0
# So many features take five matrices of 400 MB.
MOST_FEATURES = 7000
# Smaller values count as this, so that powers of lambda stay finite.
SMALLEST_VALUE = 1e-100


@dataclasses.dataclass(frozen=True, eq=False)
class Features:
    """Features U of N rows, kept as those of the distinct values of each column, which are few in an image.

    Attributes
    ----------
    of_values : (L, r) array
        The features of the distinct values of the first column, then those of the second, and so on.
    starts : (d + 1,) array
        Where the values of each column start; L at the end.
    places : (d, N) array
        Which of its column's values each row has. The features of these, side by side, are a row of U.
    """

    of_values: Floats
    starts: Indices
    places: Indices

    def full(self) -> Floats:
        """Return U as one array, (N, d r)."""
        rows: Floats = self.of_values[(self.places + self.starts[:-1, None]).T]
        return rows.reshape(len(rows), -1)

    def times(self, A: Floats, first: Floats) -> Floats:
        """Return U A + 1 first' without forming U."""
        return product(self.of_values, self.starts, self.places, np.ascontiguousarray(A), first)

    def transposed_times(self, A: Floats) -> Floats:
        """Return U' A without forming U."""
        return transposed_product(self.of_values, self.starts, self.places, A)


@compiled
def product(of_values: Floats, starts: Indices, places: Indices, A: Floats, first: Floats) -> Floats:
    """Return U A + 1 first' from the parts of `Features`: one product per distinct value, looked up by each row."""
    r = of_values.shape[1]
    total = np.empty((places.shape[1], A.shape[1]))
    for i in range(len(total)):
        total[i] = first
    for j in range(len(places)):
        part = np.dot(of_values[starts[j] : starts[j + 1]], A[j * r : (j + 1) * r])
        for i in range(len(total)):
            add_multiple(total[i], 1.0, part[places[j, i]])
    return total


@compiled
def transposed_product(of_values: Floats, starts: Indices, places: Indices, A: Floats) -> Floats:
    """Return U' A from the parts of `Features`: rows of A with the same value are added up first."""
    r = of_values.shape[1]
    total = np.empty((len(places) * r, A.shape[1]))
    for j in range(len(places)):
        E = of_values[starts[j] : starts[j + 1]]
        sums = np.zeros((len(E), A.shape[1]))
        for i in range(len(A)):
            add_multiple(sums[places[j, i]], 1.0, A[i])
        total[j * r : (j + 1) * r] = np.dot(E.T, sums)
    return total


def exponential_features(arrays: list[Floats], q: float, points: int = 3) -> tuple[list[Features], Floats]:
    """Return features U of each array with k_q(x, y) = u(x) . u(y), and g.

    The vector g says how features of a sum follow from features of its terms, for sums of up to points - 1 values of
    at most 1: u(y + z) = u(y) + u(z) - g * u(y) * u(z).
    """
    nodes, weights, w_linear, w_indicator = quadrature(q, smallest_positive(arrays), points)
    roots = np.sqrt(weights)
    with np.errstate(divide="ignore"):
        g_feature = np.concatenate([1 / roots, [0.0], [1 / math.sqrt(w_indicator) if w_indicator else 0.0]])

    def of_values(values: Floats) -> Floats:
        features = np.empty((len(values), len(g_feature)))
        features[:, :-2] = np.expm1(-nodes * values[:, None]) * -roots
        features[:, -2] = math.sqrt(w_linear) * values
        features[:, -1] = math.sqrt(w_indicator) * (values > 0)
        return features

    return of_each(lambda rows: features_of(rows, of_values), *arrays), np.tile(g_feature, arrays[0].shape[1])


def features_of(rows: Floats, of_values: Callable[[Floats], Floats]) -> Features:
    """Return the features of rows, given those of their values."""
    columns = [np.unique(column, return_inverse=True) for column in rows.T]
    starts = np.cumsum([0] + [len(distinct) for distinct, _ in columns])
    places = np.array([places for _, places in columns])
    return Features(of_values(np.concatenate([distinct for distinct, _ in columns])), starts, places)


def two_levels(*arrays: Floats) -> bool:
    """Tell whether all entries are 0 or one positive value."""
    largest = max(of_each(np.max, *arrays))
    return all(of_each(lambda rows: bool(((rows == 0) | (rows == largest)).all()), *arrays))


def two_level_features(arrays: list[Floats], q: float, points: int) -> tuple[list[Features], Floats]:
    """Return features of rows of zeros and ones, one per column, and g; its rule holds for three points only.

    k(1, 1) = a and k(1, 2) = b, so u(x) = sqrt(a) x and u(2) = b / sqrt(a) = 2 u(1) - g u(1)^2.
    """
    a, b = jt_term(np.ones(2), np.array([1.0, 2.0]), q).tolist()
    features = of_each(lambda rows: features_of(rows, lambda values: math.sqrt(a) * values[:, None]), *arrays)
    return features, np.full(arrays[0].shape[1], (2 * a - b) / a**1.5)


def smallest_positive(arrays: list[Floats]) -> float:
    """Return the smallest positive entry of all arrays, or 1 if no entry is positive."""
    smallest = min(of_each(lambda rows: float(rows[rows > 0].min(initial=np.inf)), *arrays))
    return smallest if smallest < np.inf else 1.0


def quadrature(q: float, smallest: float, points: int) -> tuple[Floats, Floats, float, float]:
    """Return the nodes lambda and weights w, and the weights of the two tails.

    The lower tail is a feature proportional to x, which holds for lambda x far below 1 only, and so starts the lower
    the more values are added up; the upper one is the indicator of x > 0. At q = 2 and q = 0 nothing else is left.
    """
    none = np.empty(0)
    if q == 2:
        return none, none, 2.0, 0.0
    if q == 0:
        return none, none, 0.0, 1.0
    scale = q / math.gamma(2 - q) * STEP
    first = math.floor(math.log(min(1e-2, TOLERANCE ** (1 / (3 - q))) * 2 / max(points - 1, 2)) / STEP)
    last = math.ceil(math.log(SATURATION / max(smallest, SMALLEST_VALUE)) / STEP)
    nodes = np.exp(STEP * np.arange(first, last + 1))
    w_linear = scale * math.exp((2 - q) * (first - 1) * STEP) / -math.expm1(-(2 - q) * STEP)
    w_indicator = scale * math.exp(-q * (last + 1) * STEP) / -math.expm1(-q * STEP)
    return nodes, scale * nodes**-q, w_linear, w_indicator


class UnitRows(NamedTuple):
    """X, Z and Y divided by their largest value: K_n is homogeneous, and the quadrature is exact for values up to 1."""

    arrays: list[Floats]
    scale: float


def rows_in_units(X: Floats, Z: Floats, Y: Floats) -> UnitRows:
    """Return X, Z and Y divided by the largest value of all, unless that is 0."""
    scale = float(max(of_each(np.max, X, Z, Y))) or 1.0
    return UnitRows(of_each(lambda rows: rows / scale, X, Z, Y), scale)


@dataclasses.dataclass(frozen=True, eq=False)
class FeatureSums:
    """V / N^(n-1) of K_{q,n} from features u with k_q(x, y) = u(x) . u(y) (paper 000, eq. 9 and 12).

    Attributes
    ----------
    U, W, anchors : Features
        The features of X, Z and Y, divided by `scale`.
    g : array
        How features of a sum follow from those of its terms: u(y + z) = u(y) + u(z) - g * u(y) * u(z).
    scale, q : float
        The largest value of the rows, and the entropic index.
    points : int
        The number of points n.
    """

    U: Features
    W: Features
    anchors: Features
    g: Floats
    scale: float
    q: float
    points: int

    @staticmethod
    def features(arrays: list[Floats], q: float, points: int) -> tuple[list[Features], Floats]:
        """Return the features of the rows of each array, and g."""
        raise NotImplementedError

    @classmethod
    def of(cls, rows: UnitRows, q: float, points: int) -> FeatureSums:
        """Return the strategy for given rows; a ValueError if their features do not fit into memory."""
        features, g = cls.features(rows.arrays, q, points)
        if len(g) > MOST_FEATURES:
            raise ValueError(
                f"{rows.arrays[0].shape[1]} columns make {len(g)} exponential features, and products of all pairs of "
                "them do not fit into memory; use fewer columns, or a sample of the tuples (jt3+, jtn+)"
            )
        U, W, anchors = features
        return cls(U, W, anchors, g, rows.scale, q, points)

    def evaluate(self) -> Floats:
        """Return V / N^(n-1).

        K_n(x, y_2..y_n) = u(x) . u(s) + K_{n-1}(y_2..y_n) with s = y_2 + ... + y_n, so V needs only the
        first and second moments of d = u(s) and of kappa = K_{n-1}: D = E[d], DD = E[d d'], k = E[kappa],
        Dk = E[d kappa], kk = E[kappa^2]. Each further point updates them in O(R^2) (errata 3.2).
        """
        full = self.anchors.full()
        F, mu = self.anchors.transposed_times(full) / len(full), full.mean(0)
        D, DD, k, Dk, kk = mu, F, 0.0, np.zeros_like(mu), 0.0
        for _ in range(self.points - 2):
            D, DD, k, Dk, kk = one_point_more(F, mu, self.g, D, DD, k, Dk, kk)
        # U DD W' + (U Dk) 1' + 1 (W Dk)' + kk
        of_Z = self.W.times(Dk[:, None], np.array([kk]))
        V = self.U.times(self.W.times(DD, Dk).T, of_Z[:, 0])
        with np.errstate(over="ignore"):
            V *= np.float64(self.scale) ** (2 * self.q)
        return V


class ExponentialSums(FeatureSums):
    """Features 1 - e^(-lambda x) at the nodes lambda of a quadrature: for any rows and any number of points."""

    features = staticmethod(exponential_features)


class TwoLevelSums(FeatureSums):
    """One feature per column: for three points whose values are all 0 or one positive number."""

    features = staticmethod(two_level_features)


@compiled_reordering
def one_point_more(
    F: Floats, mu: Floats, g: Floats, D: Floats, DD: Floats, k: float, Dk: Floats, kk: float
) -> tuple[Floats, Floats, float, Floats, float]:
    """Return the moments of d and kappa of tuples that are one point y longer, from F = E[u(y) u(y)'] and mu = E[u(y)].

    The new d is u(y) + e(y) * d with e(y) = 1 - g * u(y), the new kappa u(y) . d + kappa; Fe = E[u(y) e(y)'], and
    EE = E[e(y) e(y)']. F and DD are symmetric.
    """
    R = len(mu)
    new_D, new_DD, new_Dk = np.empty(R), np.empty((R, R)), np.empty(R)
    new_kk = kk
    for i in range(R):
        FD = FeDD = FDD = 0.0
        for j in range(R):
            f, dd = F[i, j], DD[i, j]
            Fe, Fe_T = mu[i] - f * g[j], mu[j] - f * g[i]
            EE = 1 - g[i] * mu[i] - g[j] * mu[j] + g[i] * g[j] * f
            new_DD[i, j] = f + Fe * D[j] + Fe_T * D[i] + EE * dd
            FD += f * D[j]
            FeDD += Fe_T * dd
            FDD += f * dd
        e = 1 - g[i] * mu[i]
        new_Dk[i] = FD + FeDD + mu[i] * k + e * Dk[i]
        new_kk += FDD + 2 * mu[i] * Dk[i]
        new_D[i] = mu[i] + e * D[i]
    return new_D, new_DD, np.dot(mu, D) + k, new_Dk, new_kk
