"""The three-point exponential JT kernel of 8-bit colours as a sum over pairs, scaled so that its size is known.

k(x, s) is a sum over channels c of k(x_c, s_c). Let m_c be a level in the middle of channel c, and w_p the weight
exp(2 t k(y_a, y_b) + 2 t k(m, s_p)) of a pair p with the sum s_p = y_a + y_b, divided by the sum of all. With

    F_c(l, s) = t [k(l, s) - k(m_c, s)] - mean_c(l),    mean_c(l): the mean of t [...] over all pairs, by weight,
    E_c(l, s) = exp(F_c(l, s) - top_c(s)) <= 1,         top_c(s): the largest F_c(l, s) of all levels l,
    rho_p = w_p prod_c exp(2 top_c(s_pc)),

V_ij is e^(r_i + r_j + shift) S_ij with S_ij = sum over pairs p of rho_p prod_c E_c(i_c, s_pc) E_c(j_c, s_pc), r the sum
of mean_c over channels. The mean of F is 0 and exp is convex, so no S_ij is below 1 (Jensen): what S_ij is off by, V_ij
is off by at most as a share, and pairs with a small rho do not matter to any entry. In blocks of photographs the rho
mostly add up to 1 to 10, even where V spans hundreds of powers of ten.

Hand-written: numpy takes 8 times as long for the weights of all pairs of 256 pixels, or more.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from segjt.kernels.evaluators.colours import CHANNELS, Colours
from segjt.kernels.evaluators.level_tables import TOP, jt_table
from segjt.runtime.arrays import Floats, Indices, Places
from segjt.runtime.compiled import compiled, compiled_reordering
from segjt.runtime.vector_math import exponentials, logarithms

# What the pairs that are left out may add to an entry of V, as a share of it.
NEGLIGIBLE = 1e-10
# exp of anything larger is infinite in float64.
LARGEST_EXPONENT = 709.0
# Up to here no product of rho and two values of E that matters needs a value below the range of float64.
LARGEST_RHO = 1e260
# Sums handled at a time: 1024 rows of this many float64 are 64 MB.
SUMS_AT_A_TIME = 8192
# A product of E takes as long as so many multiplications within matrix products.
TERM = 10.0


class ScaledChannel(NamedTuple):
    """E of one channel, a row for each level of X and Z and a column for each sum that occurs.

    `row_of` says which row a level has, `means` are the mean_c of the rows, and `rho` adds up rho by column.
    """

    E: Floats
    row_of: Indices
    means: Floats
    rho: Floats


@dataclasses.dataclass(frozen=True, eq=False)
class ScaledPairs:
    """ln(V / N^2) of exp(t K_{q,3}) of 8-bit colours from all pairs that matter.

    Exact but for pairs that together are less than `NEGLIGIBLE` of every entry.

    Attributes
    ----------
    colours : Colours
        The distinct colours of X, Z and Y.
    channels : list of ScaledChannel
        E of each channel.
    sums : (3, pairs) array
        The sum of each pair, as columns of E.
    rho : (pairs,) array
        The weight of each pair: no entry of V owes it a larger share.
    shift : float
        The logarithm of the common factor of V.
    """

    colours: Colours
    channels: list[ScaledChannel]
    sums: Places
    rho: Floats
    shift: float

    @classmethod
    def of(cls, colours: Colours, q: float, t: float) -> ScaledPairs | None:
        """Return the pairs of the colours of Y, scaled for those of X and Z; None where float64 lacks the range."""
        x, z, y = colours.x, colours.z, colours.y
        rows = x.rows if z is x else np.concatenate([x.rows, z.rows])
        table = jt_table(q, 2)
        middle = (rows.min(0) + rows.max(0)) // 2
        low, high = 2 * y.rows.min(0), 2 * y.rows.max(0)
        log_w = log_weights(y.rows, np.log(y.counts / len(y.inverse)), table, middle, t)
        shift, marginals = normalize(log_w, y.rows, low, high)
        scaled = [
            scale_levels(table, t, rows[:, c], middle[c], low[c], marginals[c, : high[c] - low[c] + 1])
            for c in range(CHANNELS)
        ]
        top0, top1, top2 = (top for _, _, _, top in scaled)
        sums, rho = pairs_that_matter(y.rows, log_w, low, top0, top1, top2, np.log(NEGLIGIBLE / len(log_w)))
        if rho.max() > LARGEST_RHO:
            return None
        channels = []
        for channel_sums, (F, row_of, means, top) in zip(sums, scaled, strict=True):
            occurring, rho_by_sum = renumber(channel_sums, rho, len(top))
            channels.append(ScaledChannel(exponentials_at(F, top, occurring), row_of, means, rho_by_sum))
        return cls(colours, channels, sums, rho, shift)

    def cost(self, sums: int) -> float:
        """Return about how long `log_of_sum` takes for so many sums, in multiplications within matrix products."""
        x, z = len(self.colours.x.rows), len(self.colours.z.rows)
        return sums * (TERM * (x + z) + x * z / 2)

    def evaluate(self) -> Floats:
        """Return ln(V / N^2)."""
        return self.log_of_sum(self.sums, self.rho)

    def log_of_sum(self, sums: Places, weights: Floats) -> Floats:
        """Return ln(V / N^2), where S runs over given sums, those with a negative weight last."""
        x, z = self.colours.x, self.colours.z
        positive = int(np.count_nonzero(weights > 0))
        S = self.sum_of_products(sums[:, :positive], weights[:positive])
        if positive < len(weights):
            S -= self.sum_of_products(sums[:, positive:], -weights[positive:])
        return logarithms_of_pixels(S, self.scale(x.rows), self.scale(z.rows), self.shift, x.inverse, z.inverse)

    def sum_of_products(self, sums: Places, weights: Floats) -> Floats:
        """Return the sum over s of weight prod_c E_c(i_c, s_c) E_c(j_c, s_c), for positive weights."""
        x, z = self.colours.x, self.colours.z
        total: Floats | None = None
        for first in range(0, len(weights), SUMS_AT_A_TIME):
            part = slice(first, first + SUMS_AT_A_TIME)
            A = self.terms(x.rows, sums[:, part], np.sqrt(weights[part]))
            B = A if z is x else self.terms(z.rows, sums[:, part], np.sqrt(weights[part]))
            # BLAS needs half the time for A' A.
            product: Floats = A.T @ B
            total = product if total is None else np.add(total, product, out=total)
        assert total is not None
        return total

    def terms(self, rows: Indices, sums: Places, roots: Floats) -> Floats:
        """Return roots times E_1(i_1, s_1) E_2(i_2, s_2) E_3(i_3, s_3), a row for each sum and a column for each i."""
        A = np.repeat(roots, len(rows)).reshape(len(roots), len(rows))
        for c, channel in enumerate(self.channels):
            multiply(A, channel.E, channel.row_of[rows[:, c]], sums[c])
        return A

    def scale(self, rows: Indices) -> Floats:
        """Return r of the given colours."""
        scale = np.zeros(len(rows))
        for c, channel in enumerate(self.channels):
            scale += channel.means[channel.row_of[rows[:, c]]]
        return scale


@compiled
def log_weights(y: Indices, log_shares: Floats, table: Floats, middle: Indices, t: float) -> Floats:
    """Return 2 t k(y_a, y_b) + 2 t k(m, y_a + y_b) plus the logarithm of the share of (a, b) and (b, a), for b <= a."""
    n = len(y)
    columns = y.T.copy()
    lowest, highest = np.array([row.min() for row in columns]), np.array([row.max() for row in columns])
    log_w = np.empty(n * (n + 1) // 2)
    exponents = np.empty((CHANNELS, TOP + 1))
    start = 0
    for a in range(n):
        for c in range(CHANNELS):
            of_pair, of_sum = table[y[a, c]], table[middle[c], y[a, c] :]
            for level in range(lowest[c], highest[c] + 1):
                exponents[c, level] = 2 * t * (of_pair[level] + of_sum[level])
        both = log_shares[a] + np.log(2.0)
        for b in range(a + 1):
            k = exponents[0, columns[0, b]] + exponents[1, columns[1, b]] + exponents[2, columns[2, b]]
            log_w[start + b] = k + (both + log_shares[b])
        log_w[start + a] -= np.log(2.0)
        start += a + 1
    return log_w


@compiled
def normalize(log_w: Floats, y: Indices, low: Indices, high: Indices) -> tuple[float, Floats]:
    """Make all w add up to 1; return the logarithm of what they added up to, and the sums of w by channel and sum."""
    largest = log_w.max()
    w = np.empty(len(log_w))
    exponentials(log_w - largest, w)
    marginals = np.zeros((CHANNELS, (high - low).max() + 1))
    pair = 0
    for a in range(len(y)):
        l0, l1, l2 = y[a, 0] - low[0], y[a, 1] - low[1], y[a, 2] - low[2]
        for b in range(a + 1):
            marginals[0, l0 + y[b, 0]] += w[pair]
            marginals[1, l1 + y[b, 1]] += w[pair]
            marginals[2, l2 + y[b, 2]] += w[pair]
            pair += 1
    total = marginals[0].sum()
    shift = largest + np.log(total)
    log_w -= shift
    marginals /= total
    return shift, marginals


@compiled_reordering
def scale_levels(
    table: Floats, t: float, levels: Indices, middle: int, low: int, marginal: Floats
) -> tuple[Floats, Indices, Floats, Floats]:
    """Return F for the levels that occur and all sums from the lowest, the row of each level, means, and tops."""
    row_of = np.full(TOP + 1, -1)
    row_of[levels] = 0
    occurring = np.flatnonzero(row_of == 0)
    F, means = np.empty((len(occurring), len(marginal))), np.empty(len(occurring))
    top = np.full(len(marginal), -np.inf)
    of_middle = table[middle, low:]
    for row, level in enumerate(occurring):
        row_of[level] = row
        exponents, of_level = F[row], table[level, low:]
        mean = 0.0
        for s in range(len(marginal)):
            exponents[s] = t * (of_level[s] - of_middle[s])
            mean += marginal[s] * exponents[s]
        means[row] = mean
        for s in range(len(marginal)):
            exponents[s] -= mean
            top[s] = max(top[s], exponents[s])
    return F, row_of, means, top


@compiled
def pairs_that_matter(
    y: Indices, log_w: Floats, low: Indices, top0: Floats, top1: Floats, top2: Floats, least: float
) -> tuple[Places, Floats]:
    """Return the sums, from the lowest, and rho of the pairs whose ln rho is above the least that matters."""
    sums = np.empty((CHANNELS, len(log_w)), np.int32)
    log_rho = np.empty(len(log_w))
    pair, kept = 0, 0
    for a in range(len(y)):
        l0, l1, l2 = y[a, 0] - low[0], y[a, 1] - low[1], y[a, 2] - low[2]
        for b in range(a + 1):
            s0, s1, s2 = l0 + y[b, 0], l1 + y[b, 1], l2 + y[b, 2]
            sums[0, kept], sums[1, kept], sums[2, kept] = s0, s1, s2
            log_rho[kept] = min(log_w[pair] + 2 * (top0[s0] + top1[s1] + top2[s2]), LARGEST_EXPONENT)
            kept += log_rho[kept] > least
            pair += 1
    rho = np.empty(kept)
    exponentials(log_rho[:kept], rho)
    return sums[:, :kept].copy(), rho


@compiled
def renumber(sums: Places, rho: Floats, size: int) -> tuple[Indices, Floats]:
    """Number the sums that occur 0, 1, ...; return which these were, and the sum of rho by number."""
    by_sum = np.zeros(size)
    for pair in range(len(sums)):
        by_sum[sums[pair]] += rho[pair]
    occurring = np.flatnonzero(by_sum)
    number = np.empty(size, np.int32)
    for place, s in enumerate(occurring):
        number[s] = place
    for pair in range(len(sums)):
        sums[pair] = number[sums[pair]]
    return occurring, by_sum[occurring]


@compiled
def exponentials_at(F: Floats, top: Floats, occurring: Indices) -> Floats:
    """Return E = exp(F - top) at the sums that occur."""
    E, exponents = np.empty((len(F), len(occurring))), np.empty(len(occurring))
    for row in range(len(F)):
        for place, s in enumerate(occurring):
            exponents[place] = F[row, s] - top[s]
        exponentials(exponents, E[row])
    return E


@compiled
def multiply(A: Floats, E: Floats, rows: Indices, sums: Places) -> None:
    """Multiply A by E(i, s), a row for each sum and a column for each colour; each sum is spread over colours once."""
    spread = np.empty((E.shape[1], len(rows)))
    known = np.zeros(E.shape[1], np.bool_)
    for k in range(len(sums)):
        s = sums[k]
        if not known[s]:
            known[s] = True
            for i in range(len(rows)):
                spread[s, i] = E[rows[i], s]
        A[k] *= spread[s]


@compiled
def logarithms_of_pixels(
    S: Floats, x_scale: Floats, z_scale: Floats, shift: float, x_inverse: Indices, z_inverse: Indices
) -> Floats:
    """Return ln(e^(r_i + r_j + shift) S_ij) of the colours of all pairs of pixels; S is overwritten."""
    row = np.empty(S.shape[1])
    for i in range(len(S)):
        logarithms(S[i], row)
        for j in range(len(row)):
            S[i, j] = row[j] + ((x_scale[i] + z_scale[j]) + shift)
    log_V = np.empty((len(x_inverse), len(z_inverse)))
    for i in range(len(x_inverse)):
        row = S[x_inverse[i]]
        for j in range(len(z_inverse)):
            log_V[i, j] = row[z_inverse[j]]
    return log_V
