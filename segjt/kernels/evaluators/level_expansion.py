"""The three-point exponential JT kernel of 8-bit colours, by expansion in few functions of a level (errata 3.4 D).

With E(l, s) = exp(t k(l, s) - t k(l, s_max)) of levels in one channel, s the level of a sum of two points,

    V_ij = e^(r_i + r_j) sum over pairs p of w_p prod_c E(i_c, s_pc) E(j_c, s_pc),   w_p = exp(2 t k(y_a, y_b)).

E is a smooth function, so a dozen terms of its singular value decomposition, E(l, s) = sum_m U_m(l) B_m(s), give it to
1e-10, and the products B_m B_m' lie in a space Q that is hardly larger. So the pairs are summed into one small tensor
W = sum_p w_p Q(s_p1) x Q(s_p2) x Q(s_p3), and V is a quadratic form of products of the U. None of U, B and Q depends on
the image: they are kept from block to block.

The error is bounded before anything is summed. phi is convex, so E(l, s) falls with l: no entry of the sum is below
the one of the brightest colour. That entry is computed, and the number of terms follows from it.

Hand-written: all sums of a block of 256 pixels take 2.5 (74 colours) to 9 times (240 colours) as long. Of its compiled
parts, numpy's `add.at` takes 3 to 10 times as long as `scatter_pairs`, and `einsum` 4 to 8 times as `quadratic_form`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import NamedTuple

import numpy as np

from segjt.kernels.evaluators.level_tables import TOP, jt_table, levels
from segjt.kernels.evaluators.shared import DistinctRows, of_each
from segjt.runtime.arrays import Floats, Indices
from segjt.runtime.compiled import compiled

CHANNELS = 3
# Largest relative error of an entry of V.
TARGET = 1e-6
# What the expansion of a product E E' in all three channels may be off by; the largest that will do is taken.
ERRORS = (1e-7, 1e-8, 1e-9, 1e-10, 1e-11)
# That error has so many parts: two rows in three channels, two sets of products of terms, three spaces Q, some slack.
PARTS = 12
# Expansions are made for ranges of levels that begin with one of these and end before a multiple of 32, so that few
# of them serve all blocks. Near 0 functions are less smooth, so ranges that avoid it are worth more there.
FIRST_LEVELS = (0, 4, 8, 16, 32, 64, 96, 128, 160, 192, 224)
RANGE_STEP = 32

# So many columns of a smooth matrix, and half as many at its beginning, are tried as a basis of all.
NODES = 64
# What round-off leaves of a matrix after it was turned into a basis, as a share of its norm.
ROUND_OFF = 1e-16


class LevelRange(NamedTuple):
    """One channel of a block: its levels lie in first..last, and its sums of two in lowest_sum..highest_sum."""

    first: int
    last: int
    brightest: int
    lowest_sum: int
    highest_sum: int

    @classmethod
    def of(cls, rows: Indices, y: Indices) -> LevelRange:
        """Return the range of one channel of all rows, of which y are those that the sums are made of."""
        lowest, highest = int(rows.min()), int(rows.max())
        return cls(*level_range(lowest, highest), highest, 2 * int(y.min()), 2 * int(y.max()))

    @property
    def size(self) -> int:
        """The number of sums from the lowest to the highest."""
        return self.highest_sum - self.lowest_sum + 1

    @property
    def sums(self) -> slice:
        """Where the sums of the block are among those of the range."""
        return slice(self.lowest_sum - 2 * self.first, self.highest_sum - 2 * self.first + 1)

    def log_scale(self, q: float, t: float) -> Floats:
        """Return t k(l, s_max) for each level of the range."""
        scale: Floats = t * jt_table(q, 2)[self.first : self.last + 1, 2 * self.last]
        return scale

    def lowest_row(self, q: float, t: float) -> Floats:
        """Return E of the brightest level for the sums of the block: no level has less."""
        k = t * jt_table(q, 2)[self.brightest]
        row: Floats = np.exp(k[self.lowest_sum : self.highest_sum + 1] - k[2 * self.last])
        return row


@dataclasses.dataclass(frozen=True, eq=False)
class Colours:
    """The distinct 8-bit colours of X, Z and Y, and the range of their levels in each channel."""

    x: DistinctRows[Indices]
    z: DistinctRows[Indices]
    y: DistinctRows[Indices]
    ranges: list[LevelRange]

    def cost_of_sums(self) -> float:
        """Return about how long all sums of Y with X and Z would take, in multiplications within matrix products."""
        x, z, y = len(self.x.rows), len(self.z.rows), len(self.y.rows)
        pairs = y * (y + 1) / 2
        sums = min(pairs, math.prod(r.size for r in self.ranges))
        return sums * (x * z / 2 + 50 * (x + z)) + 2000 * pairs


def colours_of(X: Floats, Z: Floats, Y: Floats) -> Colours | None:
    """Return the colours of rows, or None if these are not 8-bit levels l / 255 of up to three channels."""
    if X.shape[1] > CHANNELS:
        return None
    with_levels = [rows for rows in of_each(lambda rows: levels(rows, TOP), X, Z, Y) if rows is not None]
    if len(with_levels) < 3:
        return None
    x, z, y = of_each(distinct_colours, *with_levels)
    channels = np.concatenate([x.rows, z.rows, y.rows]).T
    return Colours(x, z, y, [LevelRange.of(rows, part) for rows, part in zip(channels, y.rows.T, strict=True)])


def distinct_colours(rows: Indices) -> DistinctRows[Indices]:
    """Return the distinct rows of levels in three channels.

    Channels that are missing get level 0, which changes nothing: k is 0 there.
    """
    padded = np.pad(rows, ((0, 0), (0, CHANNELS - rows.shape[1])))
    codes = padded @ (TOP + 1) ** np.arange(CHANNELS)[::-1]
    _, first, inverse, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    return DistinctRows(padded[first], inverse.reshape(-1), counts)


class ChannelExpansion(NamedTuple):
    """One channel's E(l, s) = sum_m U_m(l) B_m(s) and B_m(s) B_m'(s) = sum_k T_mm'k Q_k(s) for a range of levels."""

    U: Floats
    B: Floats
    T: Floats
    Q: Floats


def level_range(lowest: int, highest: int) -> tuple[int, int]:
    """Return the range of levels that an expansion is made for, first and last."""
    if lowest == highest:
        return lowest, highest
    first = max(level for level in FIRST_LEVELS if level <= lowest)
    return first, highest // RANGE_STEP * RANGE_STEP + RANGE_STEP - 1


@functools.lru_cache(maxsize=128)
def decompose(q: float, t: float, first: int, last: int) -> tuple[Floats, Floats]:
    """Return U and B of the levels first..last, with as many terms as the smallest error asks for."""
    K = t * jt_table(q, 2)[first : last + 1, 2 * first : 2 * last + 1]
    U, values, V = smooth_svd(np.exp(K - K[:, -1:]), ERRORS[-1] / PARTS)
    B = values[:, None] * V
    terms = terms_for(sizes_of_terms(U, B), ERRORS[-1] / PARTS)
    return U[:, :terms].copy(), B[:terms].copy()


@functools.lru_cache(maxsize=256)
def expand(q: float, t: float, first: int, last: int, error: float) -> ChannelExpansion:
    """Return the expansion for levels first..last, each part of it off by at most `error`."""
    U, B = decompose(q, t, first, last)
    terms = terms_for(sizes_of_terms(U, B), error)
    U, B = U[:, :terms].copy(), B[:terms].copy()
    products = (B[:, None] * B[None, :]).reshape(terms * terms, -1)
    # |sum U_m U'_m' T_mm'k| is at most |U| |U'|, since T has unit columns.
    longest = (U * U).sum(1).max()
    T, values, Q = smooth_svd(products, error / longest)
    spanning = terms_for(longest * values * np.abs(Q).max(1), error)
    T = np.ascontiguousarray((T * values)[:, :spanning]).reshape(terms, terms, spanning)
    return ChannelExpansion(U, B, T, Q[:spanning].T.copy())


def smooth_svd(A: Floats, error: float) -> tuple[Floats, Floats, Floats]:
    """Return the singular value decomposition of a matrix whose rows are smooth, off by a tenth of `error` at most.

    Some columns, Chebyshev's nodes and the first ones, where level 0 makes rows less smooth, span all others, so that a
    matrix of so many rows has the same decomposition, in a fifth of the time. Where they do not, or where round-off is
    not small against the error, the whole matrix is decomposed.
    """
    nodes = (1 - np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)) / 2
    columns = np.concatenate([np.arange(min(NODES // 2, A.shape[1])), nodes * (A.shape[1] - 1)])
    basis = np.linalg.qr(A[:, np.unique(np.rint(columns).astype(np.intp))])[0]
    inside = basis.T @ A
    if max(np.abs(A - basis @ inside).max(), ROUND_OFF * np.linalg.norm(A)) > error / 10:
        return np.linalg.svd(A, full_matrices=False)
    U, values, V = np.linalg.svd(inside, full_matrices=False)
    return basis @ U, values, V


def sizes_of_terms(U: Floats, B: Floats) -> Floats:
    """Return the largest |U_m(l) B_m(s)| for each m."""
    sizes: Floats = np.abs(U).max(0) * np.abs(B).max(1)
    return sizes


def terms_for(sizes: Floats, error: float) -> int:
    """Return how many leading terms, at least one, leave no more than `error` in all others together."""
    rest = np.cumsum(sizes[::-1])[::-1]
    return max(1, int((rest > error).sum()))


class Pairs(NamedTuple):
    """Pairs of the rows y, whose weights are shares times exp(2 t k), divided by a common factor e^shift."""

    y: Indices
    log_shares: Floats
    K: Floats
    shift: float
    lowest_sums: Indices


def pairs_of(y: DistinctRows[Indices], q: float, t: float) -> Pairs:
    """Return the pairs of the distinct colours of Y."""
    K = t * jt_table(q, 1)
    # k is positive semi-definite, so no pair has more than some point has with itself: weights are at most 1.
    shift = 2 * float(K[y.rows, y.rows].sum(1).max())
    return Pairs(y.rows, np.log(y.counts / len(y.inverse)), K, shift, 2 * y.rows.min(0))


def allowed_errors(pairs: Pairs, ranges: list[LevelRange], q: float, t: float) -> list[float]:
    """Return those of `ERRORS` that keep each entry of V to `TARGET`; none where float64 lacks the digits."""
    row0, row1, row2 = (r.lowest_row(q, t) for r in ranges)
    total, least = weigh_pairs(*pairs, row0, row1, row2)
    return [error for error in ERRORS if error * total <= TARGET * least]


# Compiled functions take the parts of `Pairs` one by one: numba needs up to 0.1 ms to tell the type of a named tuple.
@compiled
def weight(y: Indices, log_shares: Floats, K: Floats, shift: float, a: int, b: int) -> float:
    """Return w of a pair, which stands for (b, a) as well."""
    k = K[y[a, 0], y[b, 0]] + K[y[a, 1], y[b, 1]] + K[y[a, 2], y[b, 2]]
    once: float = np.exp(2 * k + log_shares[a] + log_shares[b] - shift)
    return once if a == b else 2 * once


@compiled
def weigh_pairs(
    y: Indices,
    log_shares: Floats,
    K: Floats,
    shift: float,
    low: Indices,
    row0: Floats,
    row1: Floats,
    row2: Floats,
) -> tuple[float, float]:
    """Return the sum of all w, and the sum of w E^2 with E the product of the rows' values at the sums."""
    total, least = 0.0, 0.0
    for a in range(len(y)):
        for b in range(a + 1):
            w = weight(y, log_shares, K, shift, a, b)
            E = row0[y[a, 0] + y[b, 0] - low[0]] * row1[y[a, 1] + y[b, 1] - low[1]] * row2[y[a, 2] + y[b, 2] - low[2]]
            total += w
            least += w * E * E
    return total, least


@dataclasses.dataclass(frozen=True, eq=False)
class LevelExpansion:
    """ln(V / N^2) of exp(t K_{q,3}) of 8-bit colours, each entry of V to `TARGET`.

    Attributes
    ----------
    colours : Colours
        The distinct colours of X, Z and Y.
    x, z : (rows, 3) arrays
        The distinct colours of X and Z, as levels above the first of their range.
    pairs : Pairs
        The pairs of colours of Y, with their weights.
    channels : list of ChannelExpansion
        The expansion of each channel.
    products : (products, 3) array
        The triples m of terms, one per channel, whose products U_m1 U_m2 U_m3 are needed, sorted by m1.
    log_scales : list of arrays
        By channel, the logarithm that E was divided by at each level of the range.
    """

    colours: Colours
    x: Indices
    z: Indices
    pairs: Pairs
    channels: list[ChannelExpansion]
    products: Indices
    log_scales: list[Floats]

    @classmethod
    def of(cls, colours: Colours, pairs: Pairs, q: float, t: float, error: float) -> LevelExpansion:
        """Return the expansion that is off by at most `error` in a product of two rows."""
        part = error / PARTS
        ranges = colours.ranges
        channels = [expand(q, t, r.first, r.last, part) for r in ranges]
        first = np.array([r.first for r in ranges])
        x, z = colours.x.rows - first, colours.z.rows - first
        products = leading_products(ranges, channels, np.concatenate([x, z]), part)
        return cls(colours, x, z, pairs, channels, products, [r.log_scale(q, t) for r in ranges])

    def cost(self) -> float:
        """Return about how long `evaluate` takes, in multiplications within matrix products.

        An exponential or a scattered number is worth some tens of those.
        """
        x, z, y, k = len(self.x), len(self.z), len(self.pairs.y), len(self.products)
        sizes = [r.size for r in self.colours.ranges]
        outer, _, inner = (int(e.Q.shape[1]) for e in self.channels)
        tensor = y * y / 2 * (500 + 10 * inner) + sizes[0] * sizes[1] * inner * (20 + outer)
        return tensor + 8 * inner * k * k + x * k * (z + k)

    def evaluate(self) -> Floats:
        """Return ln(V / N^2)."""
        symmetric = self.colours.z is self.colours.x
        T0, T1, T2 = (e.T for e in self.channels)
        M = quadratic_form(self.sum_over_pairs(), T0, T1, T2, self.products)
        left = self.products_of_terms(self.x)
        right = left if symmetric else self.products_of_terms(self.z)
        x_scale, z_scale = self.scale_of_rows(self.x), self.scale_of_rows(self.z)
        log_V = logarithms(left @ M @ right.T, x_scale + self.pairs.shift, z_scale, symmetric)
        return log_V[self.colours.x.inverse][:, self.colours.z.inverse]

    def sum_over_pairs(self) -> Floats:
        """Return W, the sum over pairs of w Q(s_1) x Q(s_2) x Q(s_3): first the last channel, then the other two."""
        Q0, Q1, Q2 = (e.Q[r.sums] for r, e in zip(self.colours.ranges, self.channels, strict=True))
        H = scatter_pairs(*self.pairs, len(Q0), len(Q1), Q2)
        W: Floats = Q1.T @ np.tensordot(Q0.T, H, 1)
        return W

    def products_of_terms(self, rows: Indices) -> Floats:
        """Return U_m1(x_1) U_m2(x_2) U_m3(x_3) for all rows x and all products m."""
        values = np.ones((len(rows), len(self.products)))
        for channel_levels, e, m in zip(rows.T, self.channels, self.products.T, strict=True):
            values *= e.U[:, m][channel_levels]
        return values

    def scale_of_rows(self, rows: Indices) -> Floats:
        """Return the sum over channels of the logarithm that E was divided by."""
        by_channel = [scale[channel_levels] for scale, channel_levels in zip(self.log_scales, rows.T, strict=True)]
        total: Floats = np.sum(by_channel, axis=0)
        return total


def leading_products(
    ranges: list[LevelRange], channels: list[ChannelExpansion], rows: Indices, error: float
) -> Indices:
    """Return the triples m of terms, one per channel, that are needed: all others together are below `error`."""
    sizes = [
        sizes_of_terms(e.U[channel_levels], e.B[:, r.sums])
        for r, e, channel_levels in zip(ranges, channels, rows.T, strict=True)
    ]
    products = (sizes[0][:, None, None] * sizes[1][None, :, None] * sizes[2][None, None, :]).ravel()
    order = np.argsort(-products, kind="stable")
    kept = np.sort(order[: terms_for(products[order], error)])
    return np.stack(np.unravel_index(kept, [len(s) for s in sizes]), 1)


@compiled
def scatter_pairs(
    y: Indices, log_shares: Floats, K: Floats, shift: float, low: Indices, size0: int, size1: int, Q: Floats
) -> Floats:
    """Return H[s_1, s_2] = sum of w Q(s_3) over the pairs with these sums."""
    H = np.zeros((size0, size1, Q.shape[1]))
    for a in range(len(y)):
        for b in range(a + 1):
            w = weight(y, log_shares, K, shift, a, b)
            cell = H[y[a, 0] + y[b, 0] - low[0], y[a, 1] + y[b, 1] - low[1]]
            row = Q[y[a, 2] + y[b, 2] - low[2]]
            for k in range(len(row)):
                cell[k] += w * row[k]
    return H


@compiled
def quadratic_form(W: Floats, T0: Floats, T1: Floats, T2: Floats, products: Indices) -> Floats:
    """Return M_mm' = sum over k of W_k T_m1m1'k1 T_m2m2'k2 T_m3m3'k3 for the given triples m, sorted by m1."""
    r0, r1 = len(T0), len(T1)
    starts = np.searchsorted(products[:, 0], np.arange(r0 + 1))
    flat = W.reshape(W.shape[0], W.shape[1] * W.shape[2])
    M = np.empty((len(products), len(products)))
    for m in range(r0):
        for n in range(m + 1):
            inner = np.dot(T0[m, n], flat).reshape(W.shape[1], W.shape[2])
            A = np.dot(T1.reshape(r1 * r1, W.shape[1]), inner)
            for i in range(starts[m], starts[m + 1]):
                for j in range(starts[n], starts[n + 1]):
                    left, right = A[products[i, 1] * r1 + products[j, 1]], T2[products[i, 2], products[j, 2]]
                    total = 0.0
                    for k in range(len(left)):
                        total += left[k] * right[k]
                    M[i, j] = total
                    M[j, i] = total
    return M


@compiled
def logarithms(V: Floats, x_scale: Floats, z_scale: Floats, symmetric: bool) -> Floats:
    """Return ln V plus the scale of row and column; of a symmetric matrix the lower half counts."""
    log_V = np.empty(V.shape)
    for i in range(V.shape[0]):
        for j in range(i + 1 if symmetric else V.shape[1]):
            log_V[i, j] = np.log(V[i, j]) + x_scale[i] + z_scale[j]
            if symmetric:
                log_V[j, i] = log_V[i, j]
    return log_V
