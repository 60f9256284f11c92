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
    rule = quadrature(q, smallest_positive(arrays), largest_sum(points))
    features = of_each(lambda rows: features_of(rows, rule.features), *arrays)
    return features, np.tile(rule.g(), arrays[0].shape[1])


def largest_sum(points: int) -> float:
    """Return the range that the quadrature needs for sums of up to points - 1 values of at most 1.

    The lower tail, proportional to x, holds for lambda x far below 1 only: it starts the lower the more values are
    added up. Up to two values are within what the quadrature of single ones leaves room for.
    """
    return max(points - 1, 2) / 2


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


@dataclasses.dataclass(frozen=True, eq=False)
class Quadrature:
    """The trapezoid rule in ln(lambda) for values that are 0 or from `smallest` to `largest`.

    Attributes
    ----------
    nodes, weights : array
        The nodes lambda and their weights w.
    w_linear, w_indicator : float
        Weights of the tails: below the nodes a feature proportional to x, above them the indicator of x > 0. At q = 2
        and q = 0 nothing else is left.
    q, smallest, largest : float
        The entropic index, and the range of the values.
    """

    nodes: Floats
    weights: Floats
    w_linear: float
    w_indicator: float
    q: float
    smallest: float
    largest: float

    def g(self) -> Floats:
        """Return how features of a sum of values follow from those of its terms."""
        tail = 1 / math.sqrt(self.w_indicator) if self.w_indicator else 0.0
        return np.concatenate([1 / np.sqrt(self.weights), [0.0, tail]])

    def features(self, values: Floats) -> Floats:
        """Return the features of values, one row each: nodes, linear tail, indicator tail."""
        features = np.empty((len(values), len(self.nodes) + 2))
        features[:, :-2] = np.expm1(-self.nodes * values[:, None]) * -np.sqrt(self.weights)
        features[:, -2] = math.sqrt(self.w_linear) * values
        features[:, -1] = math.sqrt(self.w_indicator) * (values > 0)
        return features

    def features_of_new(self, values: Floats) -> Floats:
        """Return the features of values that may lie outside of the range.

        Their tails are those whose products with features of the range are exact: for y in the range
        1 - e^(-lambda y) is lambda y below the nodes and 1 above them, so x needs the sum over the nodes beyond of
        w lambda (1 - e^(-lambda x)), and of w (1 - e^(-lambda x)). Products of two values outside are projections.
        """
        features = self.features(values)
        outside = (values > self.largest) | (values > 0) & (values < self.smallest)
        if not (outside.any() and len(self.nodes)):
            return features
        x = values[outside]
        wide = quadrature(self.q, min(x.min(), self.smallest), max(x.max(), self.largest))
        saturation = -np.expm1(-wide.nodes * x[:, None]) * wide.weights
        below, above = wide.nodes < 0.99 * self.nodes[0], wide.nodes > 1.01 * self.nodes[-1]
        linear = saturation[:, below] @ wide.nodes[below] + wide.w_linear * x
        indicator = saturation[:, above].sum(1) + wide.w_indicator
        features[outside, -2] = linear / math.sqrt(self.w_linear)
        features[outside, -1] = indicator / math.sqrt(self.w_indicator)
        return features


def quadrature(q: float, smallest: float, largest: float = 1.0) -> Quadrature:
    """Return the nodes and weights for values from `smallest` to `largest`."""
    none = np.empty(0)
    if q == 2:
        return Quadrature(none, none, 2.0, 0.0, q, smallest, largest)
    if q == 0:
        return Quadrature(none, none, 0.0, 1.0, q, smallest, largest)
    scale = q / math.gamma(2 - q) * STEP
    first = math.floor(math.log(min(1e-2, TOLERANCE ** (1 / (3 - q))) / largest) / STEP)
    last = math.ceil(math.log(SATURATION / max(smallest, SMALLEST_VALUE)) / STEP)
    nodes = np.exp(STEP * np.arange(first, last + 1))
    w_linear = scale * math.exp((2 - q) * (first - 1) * STEP) / -math.expm1(-(2 - q) * STEP)
    w_indicator = scale * math.exp(-q * (last + 1) * STEP) / -math.expm1(-q * STEP)
    return Quadrature(nodes, scale * nodes**-q, w_linear, w_indicator, q, smallest, largest)


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
        """Return V / N^(n-1)."""
        full = self.anchors.full()
        F, mu = self.anchors.transposed_times(full) / len(full), full.mean(0)
        DD, Dk, kk = tuple_moments(F, mu, self.g, self.points)
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


def tuple_moments(F: Floats, mu: Floats, g: Floats, points: int) -> tuple[Floats, Floats, float]:
    """Return DD = E[d d'], Dk = E[d kappa] and kk = E[kappa^2] over all tuples of points - 1 rows y.

    K_n(x, y_2..y_n) = u(x) . u(s) + K_{n-1}(y_2..y_n) with s = y_2 + ... + y_n, so V needs only the first and second
    moments of d = u(s) and of kappa = K_{n-1}, D = E[d] and k = E[kappa] among them. F = E[u(y) u(y)'] and
    mu = E[u(y)] are those of one row; each further point updates them in O(R^2) (errata 3.2).
    """
    D, DD, k, Dk, kk = mu, F, 0.0, np.zeros_like(mu), 0.0
    for _ in range(points - 2):
        D, DD, k, Dk, kk = one_point_more(F, mu, g, D, DD, k, Dk, kk)
    return DD, Dk, kk


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
