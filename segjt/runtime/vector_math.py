"""Whole rows inside compiled code, written so that the compiler makes vector instructions of them.

Hand-written: the C library's exp, which numba calls for each number, takes 3.5 times as long.
"""

from __future__ import annotations

import numpy as np

from segjt.runtime.arrays import Floats
from segjt.runtime.compiled import compiled_fused

# ln 2 in two parts: the first has so many zeros at its end that whole multiples of it are exact.
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
LOG2_E = 1.4426950408889634
# Added to a number below 2^51 it leaves the nearest whole number in the last bits.
ROUNDING = 1.5 * 2.0**52
# Below this, exp would leave the normal range of float64; it is taken for 0.
LOWEST_EXPONENT = -708.0
EXPONENT_BITS = 52
BIAS = 1023 << EXPONENT_BITS


@compiled_fused
def exponentials(x: Floats, out: Floats) -> None:
    """Write exp(x) to `out` for x up to 709, within 4 units of the last place; 0 below -708.

    exp x = 2^n e^r with n the whole number nearest to x / ln 2, e^r by its series to the 12th power.
    """
    power = np.empty(len(x))
    bits = power.view(np.int64)
    for i in range(len(x)):
        bounded = x[i] if x[i] > LOWEST_EXPONENT else LOWEST_EXPONENT
        power[i] = bounded * LOG2_E + ROUNDING
    for i in range(len(x)):
        bounded = x[i] if x[i] > LOWEST_EXPONENT else LOWEST_EXPONENT
        n = power[i] - ROUNDING
        r = (bounded - n * LN2_HIGH) - n * LN2_LOW
        series = 1 / 479001600
        series = series * r + 1 / 39916800
        series = series * r + 1 / 3628800
        series = series * r + 1 / 362880
        series = series * r + 1 / 40320
        series = series * r + 1 / 5040
        series = series * r + 1 / 720
        series = series * r + 1 / 120
        series = series * r + 1 / 24
        series = series * r + 1 / 6
        series = series * r + 1 / 2
        series = series * r + 1
        series = series * r + 1
        out[i] = series if x[i] > LOWEST_EXPONENT else 0.0
    for i in range(len(x)):
        bits[i] = (bits[i] << EXPONENT_BITS) + BIAS
    for i in range(len(x)):
        out[i] *= power[i]


@compiled_fused
def add_multiple(total: Floats, factor: float, row: Floats) -> None:
    """Add a multiple of a row to a total."""
    for i in range(len(row)):
        total[i] += factor * row[i]
