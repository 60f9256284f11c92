"""Kernels that are sums over features, by tables of 8-bit levels: a value is looked up, not computed.

Hand-written: on a block of 256 colours numpy's lookups take 6 to 12 times as long, scipy's squared distances twice.
"""

from __future__ import annotations

import functools

import numpy as np

from segjt.kernels.tsallis import jt_term
from segjt.runtime.arrays import Floats, Indices
from segjt.runtime.compiled import compiled

# The largest level of an 8-bit feature; sums of n points have levels up to n times this.
TOP = 255
# Tables are made for sums of up to this many points: 256 x 2041 numbers are 4 MB.
MOST_POINTS = 8


def jt_by_levels(X: Floats, Y: Floats, q: float) -> Floats | None:
    """Return k_q of all pairs of rows, or None unless X has values l / 255 and Y such values or sums of them."""
    x = levels(X, TOP)
    y = x if X is Y else levels(Y, MOST_POINTS * TOP)
    if x is None or y is None:
        return None
    points = -(-int(y.max(initial=1)) // TOP)
    return sum_of_lookups(jt_table(q, max(points, 1)), x, y)


def squared_distances_by_levels(X: Floats, Y: Floats) -> Floats | None:
    """Return |x - y|^2 of all pairs of rows, or None unless all values are l / 255."""
    x = levels(X, TOP)
    y = x if X is Y else levels(Y, TOP)
    return None if x is None or y is None else sum_of_lookups(squares_table(), x, y)


@functools.cache
def squares_table() -> Floats:
    """Return the squared difference of all pairs of levels."""
    level = np.arange(TOP + 1) / TOP
    table: Floats = (level[:, None] - level[None, :]) ** 2
    return table


def levels(X: Floats, largest: int) -> Indices | None:
    """Return 255 X as whole numbers, or None if one is not whole or exceeds `largest`. Only 0 itself is level 0."""
    whole = np.empty(X.shape, np.intp)
    return whole if to_levels(np.ascontiguousarray(X).reshape(-1), largest, whole.reshape(-1)) else None


@compiled
def to_levels(X: Floats, largest: int, out: Indices) -> bool:
    """Write the level of each value to `out`, and return whether all values have one."""
    for i in range(len(X)):
        scaled = X[i] * TOP
        whole = np.rint(scaled)
        if not abs(scaled - whole) <= 1e-9 or whole > largest or (whole > 0) != (X[i] > 0):
            return False
        out[i] = int(whole)
    return True


@functools.lru_cache(maxsize=32)
def jt_table(q: float, points: int) -> Floats:
    """Return phi_q(x + s) - phi_q(x) - phi_q(s) for all levels x, and all levels s of sums of `points` values."""
    return jt_term(np.arange(TOP + 1)[:, None] / TOP, np.arange(points * TOP + 1)[None, :] / TOP, q)


@compiled
def sum_of_lookups(table: Floats, x: Indices, y: Indices) -> Floats:
    """Return the sum over features of table[x_j, y_j] for all pairs of rows.

    The levels of a feature are few: each row of the table is spread over all y once, and rows are sums of these.
    """
    features = x.shape[1]
    total = np.empty((len(x), len(y)))
    spread = np.empty((features, len(table), len(y)))
    known = np.zeros((features, len(table)), np.bool_)
    for f in range(features):
        for i in range(len(x)):
            level = x[i, f]
            if not known[f, level]:
                known[f, level] = True
                for j in range(len(y)):
                    spread[f, level, j] = table[level, y[j, f]]
    for i in range(len(x)):
        row = total[i]
        row[:] = spread[0, x[i, 0]]
        for f in range(1, features):
            row += spread[f, x[i, f]]
    return total
