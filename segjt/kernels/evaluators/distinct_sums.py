"""Exponential JT kernels of n points, to 1e-10: every distinct row against every distinct sum (errata 3.4 U).

K_n(x, y_2, ..., y_n) = k(x, s) + K_{n-1}(y_2, ..., y_n) with s = y_2 + ... + y_n, so tuples with the same sum share a
column of the flattened tensor, and an 8-bit block has far fewer distinct sums than tuples. Sums of 8-bit colours are
told apart by codes: `np.unique` of the rows themselves takes 10 times as long.
"""

from __future__ import annotations

import dataclasses
from typing import NoReturn

import numpy as np

from segjt.kernels.evaluators.level_tables import TOP, levels
from segjt.kernels.evaluators.shared import DistinctRows, of_each
from segjt.kernels.jensen import jt
from segjt.kernels.tsallis import jt_term
from segjt.runtime.arrays import Floats, Indices, Ints, Mask

# Sums handled at a time: 1024 rows of this many float64 are 64 MB.
SUMS_AT_A_TIME = 8192
# More pairs of a row and a sum than this take gigabytes to form ...
MOST_PAIRS = 10**7
# ... and more similarities of a row and a sum than this take minutes.
MOST_SIMILARITIES = 3 * 10**9
# What the sums that are left out may add to an entry of V, as a share of it: 1e-16 would take twice as long at t = 10.
NEGLIGIBLE = 1e-10
# Rows whose largest terms are of different sums have products that fall out of the range of float64; those below this
# are added up once more in logarithms, one by one.
SMALLEST_EXACT = 1e-280
# Levels of a sum that still fit into a code; kernels compare at most this many points.
MOST_POINTS_CODED = 1000


@dataclasses.dataclass(frozen=True, eq=False)
class DistinctSums:
    """ln(V / N^(n-1)) of exp(t K_{q,n}) by comparing distinct rows with distinct sums, for any rows and n.

    Exact but for sums that are less than `NEGLIGIBLE` of every entry.

    Attributes
    ----------
    x, z, y : DistinctRows
        The distinct rows of X, Z and Y; one object where X, Z and Y are one array.
    q, t : float
        Entropic index, and factor in the exponent.
    points : int
        The number of points n.
    """

    x: DistinctRows[Floats]
    z: DistinctRows[Floats]
    y: DistinctRows[Floats]
    q: float
    t: float
    points: int

    @classmethod
    def of(cls, X: Floats, Z: Floats, Y: Floats, q: float, t: float, points: int) -> DistinctSums:
        """Return the strategy for the rows of X and Z, tuples drawn from Y."""
        x, z, y = of_each(distinct_rows, X, Z, Y)
        return cls(x, z, y, q, t, points)

    def evaluate(self) -> Floats:
        """Return ln(V / N^(n-1)); a ValueError where it would take too long."""
        sums, log_weights = weighted_sums(self.y, self.q, self.t, self.points)
        return log_mean_over_sums(self.x, self.z, sums, log_weights, self.q, self.t)


def distinct_rows(X: Floats) -> DistinctRows[Floats]:
    """Return the distinct rows of X in ascending order, which of them each row is, and how often each occurs."""
    rows, inverse, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    return DistinctRows(rows, inverse.reshape(-1), counts)


def weighted_sums(y: DistinctRows[Floats], q: float, t: float, points: int) -> tuple[Floats, Floats]:
    """Return the distinct sums s of n - 1 rows of Y and the logarithms of their weights.

    The weight of s is the mean over tuples of exp(2 t K_{n-1}) where the tuple sums to s, and 0 elsewhere. One
    more point y takes s' to s = s' + y and multiplies the weight by exp(2 t k(y, s')).
    """
    log_shares = np.log(y.counts / len(y.inverse))
    sums, log_weights = y.rows, log_shares
    for _ in range(points - 2):
        if len(y.rows) * len(sums) > MOST_PAIRS:
            refuse(len(y.rows), len(sums))
        exponents = (log_shares[:, None] + log_weights[None, :] + 2 * t * jt(y.rows, sums, q)).ravel()
        sums, group = add_rows(y.rows, sums)
        largest = np.full(len(sums), -np.inf)
        np.maximum.at(largest, group, exponents)
        log_weights = np.log(np.bincount(group, np.exp(exponents - largest[group]))) + largest
    return sums, log_weights


def log_mean_over_sums(
    x: DistinctRows[Floats], z: DistinctRows[Floats], sums: Floats, log_weights: Floats, q: float, t: float
) -> Floats:
    """Return ln of the sum over s of w(s) exp(t k(x, s)) exp(t k(z, s)) for all pairs of rows of X and Z."""
    matter = sums_that_matter(x.rows, z.rows, sums, log_weights, q, t)
    sums, log_weights = sums[matter], log_weights[matter]
    if (len(x.rows) + len(z.rows)) / 2 * len(sums) > MOST_SIMILARITIES:
        refuse(len(x.rows), len(sums))
    # e^(scale) is the largest root of a term that the row has had yet, so that nothing overflows.
    x_scale, z_scale = np.full(len(x.rows), -np.inf), np.full(len(z.rows), -np.inf)
    M = np.zeros((len(x.rows), len(z.rows)))
    for start in range(0, len(sums), SUMS_AT_A_TIME):
        chunk = slice(start, start + SUMS_AT_A_TIME)
        A, x_shrinks = scaled_roots(t * jt(x.rows, sums[chunk], q) + log_weights[chunk] / 2, x_scale)
        B, z_shrinks = (
            (A, x_shrinks) if z is x else scaled_roots(t * jt(z.rows, sums[chunk], q) + log_weights[chunk] / 2, z_scale)
        )
        M = M * x_shrinks[:, None] * z_shrinks + A @ B.T
    scales = x_scale[:, None] + (x_scale if z is x else z_scale)
    tiny = M < SMALLEST_EXACT
    if np.count_nonzero(tiny) * len(sums) > MOST_SIMILARITIES:
        raise ValueError(
            f"t = {t:g} is too large for these rows: their similarities span more than {SMALLEST_EXACT:g}; "
            "use a smaller t, or kernel = 'normalized'"
        )
    log_V: Floats = np.log(np.where(tiny, 1.0, M)) + scales
    for i, j in np.argwhere(tiny):
        terms = t * (jt(x.rows[i : i + 1], sums, q) + jt(z.rows[j : j + 1], sums, q))[0] + log_weights
        log_V[i, j] = terms.max() + np.log(np.exp(terms - terms.max()).sum())
    return log_V[x.inverse[:, None], z.inverse[None, :]]


def scaled_roots(exponents: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Return the roots of terms, each row divided by e^(scale), and by how much sums of earlier terms shrink.

    `scale` is raised to the largest exponent of the row.
    """
    raised = np.maximum(scale, exponents.max(1))
    shrinks = np.exp(scale - raised)
    scale[:] = raised
    return np.exp(exponents - raised[:, None]), shrinks


def sums_that_matter(X: Floats, Z: Floats, sums: Floats, log_weights: Floats, q: float, t: float) -> Mask:
    """Tell which sums matter: all others together are less than `NEGLIGIBLE` of every entry of V.

    Entries of V have terms w(s) exp(t k(x, s)) exp(t k(z, s)). One of them is that of the heaviest sum s_0. Against it
    the root of a term is at most exp(t [k(x, s) - k(x, s_0)]) sqrt(w(s) / w(s_0)). phi is convex, so the bracket rises
    with x in features where s is above s_0 and falls where it is below: its largest value is at a corner of all rows.
    """
    heaviest = sums[log_weights.argmax()]
    lowest, highest = np.minimum(X.min(0), Z.min(0)), np.maximum(X.max(0), Z.max(0))
    corner = np.where(sums > heaviest, highest, lowest)
    bracket = (jt_term(corner, sums, q) - jt_term(corner, heaviest[None, :], q)).sum(1)
    log_ratio = 2 * t * bracket + log_weights - log_weights.max()
    matter: Mask = log_ratio > np.log(NEGLIGIBLE / len(sums))
    return matter


def refuse(rows: int, sums: int) -> NoReturn:
    """Raise the ValueError for a comparison that would take too long."""
    raise ValueError(
        f"{rows} distinct rows with {sums} sums are too many to compare; use fewer rows, a smaller n, or a sample of "
        "the tuples (expjt3+ or expjtn+ with fewer columns)"
    )


def add_rows(rows: Floats, sums: Floats) -> tuple[Floats, Indices]:
    """Return the distinct sums of a row and a sum, and which of them each pair, row by row, has."""
    codes = level_codes(rows, sums)
    if codes is None:
        together = distinct_rows((rows[:, None] + sums[None, :]).reshape(-1, rows.shape[1]))
        return together.rows, together.inverse
    # Whole numbers in place of 8-bit colours: sums that are equal but for round-off are recognised.
    row_codes, sum_codes = codes
    _, first, group = np.unique(
        (row_codes[:, None] + sum_codes[None, :]).ravel(), return_index=True, return_inverse=True
    )
    return rows[first // len(sums)] + sums[first % len(sums)], group


def level_codes(rows: Floats, sums: Floats) -> tuple[Ints, Ints] | None:
    """Return an integer per row and per sum, such that equal sums have equal sums of codes; None if not l / 255."""
    row_levels, sum_levels = levels(rows, TOP), levels(sums, MOST_POINTS_CODED * TOP)
    if row_levels is None or sum_levels is None:
        return None
    base = int(row_levels.max() + sum_levels.max()) + 1
    if rows.shape[1] * np.log2(base) > 62:
        return None
    place = np.int64(base) ** np.arange(rows.shape[1], dtype=np.int64)
    return row_levels.astype(np.int64) @ place, sum_levels.astype(np.int64) @ place
