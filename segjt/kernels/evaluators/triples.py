"""Three-point kernels from the values K(x_i, x_a, x_b) of all triples of rows: for real data of many columns.

K = sum over columns of phi(x_i + x_a + x_b) - phi(x_i) - phi(x_a) - phi(x_b). phi is read off polynomials of degree 4,
32 per power of two, to 1e-11: one value takes as long as a few multiplications. K is symmetric, and pairs (a, b)
and (b, a) are the same column of the flattened tensor, so half of them are enough.

Hand-written: numpy's phi of the same triples takes 5 times as long for 60 columns, and as long for 5, where storing the
values takes the time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from segjt.kernels.tsallis import phi
from segjt.runtime.arrays import Floats
from segjt.runtime.compiled import compiled_reordering

DEGREE = 4
# Smaller values than 2^-100 count as 0; three values up to 2^40 add up to less than 2^42.
LOWEST, HIGHEST = -100, 42
# The upper bits of a float64: sign, exponent, and as many of the mantissa as tell 32 pieces apart.
SHIFT = 47
PIECES = 1 << (52 - SHIFT)
# Up to this many rows all values are kept at once, 256 MB, and each is computed once instead of twice.
MOST_KEPT = 320
# For fewer rows sums are as fast.
FEWEST_ROWS = 64
# More values of phi than this take an hour.
MOST_TERMS = 10**12


class Polynomials(NamedTuple):
    """phi as polynomials in u: `coefficients[k, piece]`; piece 0 is 0 and stands for values below 2^-100."""

    coefficients: Floats
    lowest: int


def polynomials(q: float) -> Polynomials:
    """Return the polynomials of phi_q, from 2^-100 to 2^42."""
    edges = np.ldexp(1 + np.arange(PIECES)[None, :] / PIECES, np.arange(LOWEST, HIGHEST)[:, None]).ravel()
    widths = np.repeat(np.ldexp(1.0 / PIECES, np.arange(LOWEST, HIGHEST)), PIECES)
    # In r = u / (left edge) every piece of the same mantissa is the same function, scaled.
    nodes = (1 + np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))) / 2
    u = edges[:, None] + widths[:, None] * nodes
    values = phi(u, q)
    r = u / edges[:, None]
    powers = r[:, :, None] ** np.arange(DEGREE + 1)
    by_r = np.linalg.solve(powers, values[:, :, None])[:, :, 0]
    coefficients = np.zeros((DEGREE + 1, len(edges) + 1))
    coefficients[:, 1:] = (by_r / edges[:, None] ** np.arange(DEGREE + 1)).T
    lowest = int(edges[:1].view(np.int64)[0] >> SHIFT) - 1
    return Polynomials(coefficients, lowest)


@compiled_reordering
def add_phi(pair: Floats, columns: Floats, start: int, pieces: Polynomials, total: Floats, u: Floats) -> None:
    """Write the sum over columns j of phi(pair_j + x_j) to `total`, for every row x from `start` on; `u` is scratch."""
    table, lowest = pieces.coefficients, pieces.lowest
    bits = u.view(np.int64)
    sums = total[start:]
    for b in range(len(sums)):
        sums[b] = 0.0
    for j in range(len(columns)):
        p, column = pair[j], columns[j, start:]
        for b in range(len(column)):
            u[b] = p + column[b]
        for b in range(len(column)):
            piece = max((bits[b] >> SHIFT) - lowest, 0)
            v = u[b]
            sums[b] += table[0, piece] + v * (
                table[1, piece] + v * (table[2, piece] + v * (table[3, piece] + v * table[4, piece]))
            )


@compiled_reordering
def slab(columns: Floats, a: int, pieces: Polynomials, values: Floats) -> None:
    """Write the sum of phi(x_i + x_a + x_b) of all i and of b >= a to `values`; other columns of it are not touched."""
    d, N = columns.shape
    u, total, pair = np.empty(N), np.empty(N), np.empty(d)
    for i in range(N):
        for j in range(d):
            pair[j] = columns[j, a] + columns[j, i]
        start = max(i, a)
        add_phi(pair, columns, start, pieces, total, u)
        for b in range(start, N):
            values[i, b] = total[b]
            if i >= a:
                values[b, i] = total[b]


@compiled_reordering
def sum_of_phi(pair: Floats, row: Floats, pieces: Polynomials, u: Floats) -> float:
    """Return the sum over columns of phi(pair + row); `u` is scratch."""
    table, lowest = pieces.coefficients, pieces.lowest
    bits = u.view(np.int64)
    for j in range(len(row)):
        u[j] = pair[j] + row[j]
    total = 0.0
    for j in range(len(row)):
        piece = max((bits[j] >> SHIFT) - lowest, 0)
        v = u[j]
        total += table[0, piece] + v * (
            table[1, piece] + v * (table[2, piece] + v * (table[3, piece] + v * table[4, piece]))
        )
    return total


@compiled_reordering
def cube(rows: Floats, pieces: Polynomials) -> Floats:
    """Return the sum of phi(x_i + x_a + x_b) of all triples."""
    N, d = rows.shape
    values = np.empty((N, N, N))
    u, pair = np.empty(d), np.empty(d)
    for a in range(N):
        for i in range(a, N):
            for j in range(d):
                pair[j] = rows[a, j] + rows[i, j]
            for b in range(i, N):
                value = sum_of_phi(pair, rows[b], pieces, u)
                values[a, i, b] = value
                values[a, b, i] = value
                values[i, a, b] = value
                values[i, b, a] = value
                values[b, a, i] = value
                values[b, i, a] = value
    return values


def triple_values(X: Floats, q: float) -> Iterator[Floats]:
    """Yield, for a = 0, 1, ..., K(x_i, x_a, x_b) of all rows i and of the rows b >= a, as an (N, N - a) matrix."""
    N, d = X.shape
    if N**3 / 3 * d > MOST_TERMS:
        raise ValueError(
            f"{N} rows of {d} columns make {N**3 * d // 3:.0e} terms, which take hours; use fewer rows or columns, or "
            "a sample of the tuples (jt3+, expjt3+)"
        )
    # K is homogeneous of degree q.
    scale = X.max() or np.float64(1.0)
    rows = np.ascontiguousarray(X) / scale
    columns = np.ascontiguousarray(rows.T)
    pieces = polynomials(q)
    own = np.empty(N)
    add_phi(np.zeros(d), columns, 0, pieces, own, np.empty(N))
    kept = cube(rows, pieces) if N <= MOST_KEPT else None
    values = np.empty((N, N))
    for a in range(N):
        if kept is None:
            slab(columns, a, pieces, values)
        else:
            values = kept[a]
        K = values[:, a:] - own[:, None] - own[None, a:] - own[a]
        with np.errstate(over="ignore"):
            yield np.maximum(K, 0.0) * scale**q


def shares(N: int, a: int) -> Floats:
    """Return the share of all N^2 pairs that (a, b) and (b, a) are together, for b = a, a + 1, ..."""
    weights = np.full(N - a, 2.0 / N**2)
    weights[0] /= 2
    return weights


def flattened_jt3(triples: Iterable[Floats], N: int) -> Floats:
    """Return V / N^2 of the three-point JT kernel (paper 000, eq. 9 and 12) from `triple_values` of N rows."""
    V = np.zeros((N, N))
    for a, K in enumerate(triples):
        V += (K * shares(N, a)) @ K.T
    return V


def log_flattened_expjt3(triples: Iterable[Floats], N: int, ts: Sequence[float]) -> list[Floats]:
    """Return ln(V / N^2) of exp(t K) (paper 000, eq. 11 and 12) for each t, from `triple_values` of N rows.

    An entry that is less than e^-745 of those of its row and column on the diagonal is 0, its logarithm -inf.
    """
    from scipy.linalg.blas import dsyrk

    # V_ij = e^(r_i + r_j) M_ij, where r_i is the largest t K of the row so far: nothing overflows.
    scales = [np.full(N, -np.inf) for _ in ts]
    M = [np.zeros((N, N), order="F") for _ in ts]
    for a, K in enumerate(triples):
        largest, half = K.max(1), np.log(shares(N, a)) / 2
        for place, t in enumerate(ts):
            raised = np.maximum(scales[place], t * largest)
            if (raised > scales[place]).any():
                factor = np.exp(scales[place] - raised)
                M[place] *= factor[:, None] * factor[None, :]
                scales[place] = raised
            A = t * K
            A += half - raised[:, None]
            np.exp(A, out=A)
            M[place] = dsyrk(1.0, A.T, beta=1.0, c=M[place], trans=1, lower=1, overwrite_c=1)
    return [logarithm_of_lower_half(sums, scale) for sums, scale in zip(M, scales, strict=True)]


def logarithm_of_lower_half(M: Floats, log_scale: Floats) -> Floats:
    """Return ln(e^(r_i + r_j) M_ij) of a symmetric M whose lower half is given, r the logarithms of the scale."""
    with np.errstate(divide="ignore"):
        log_V = np.log(np.tril(M) + np.tril(M, -1).T)
    return log_V + log_scale[:, None] + log_scale[None, :]


@dataclasses.dataclass(frozen=True, eq=False)
class AllTriples:
    """ln(V / N^2) of exp(t K_{q,3}) of the rows of X with themselves, triple by triple."""

    X: Floats
    q: float
    t: float

    def evaluate(self) -> Floats:
        """Return ln(V / N^2)."""
        return log_flattened_expjt3(triple_values(self.X, self.q), len(self.X), [self.t])[0]


def triples_are_best(X: Floats) -> bool:
    """Tell whether going through all triples of rows is faster than comparing distinct rows with distinct sums."""
    return triples_beat_sums(X, len(np.unique(X, axis=0)))


def triples_beat_sums(X: Floats, distinct: int) -> bool:
    """Tell whether triples are faster than sums, given the number of distinct rows: most rows and most sums are.

    The polynomials do not reach to values that are less than 2^-100 of the largest.
    """
    if len(X) < FEWEST_ROWS or X[X > 0].min(initial=np.inf) < X.max() * 2.0**LOWEST:
        return False
    # Distinct rows times distinct sums must be more than half of all rows times all pairs.
    enough = len(X) * len(X) * (len(X) + 1) / 4 / distinct
    if distinct * (distinct + 1) / 2 <= enough:
        return False
    bound = 1.0
    for column in X.T:
        values = np.unique(column)
        bound *= len(np.unique(values[:, None] + values[None, :]))
        if bound > enough:
            return True
    return False
