"""Whole rows inside compiled code, written so that the compiler makes vector instructions of them.

Hand-written: the C library's exp and log, which numba calls for each number, take 3.5 to 4 times as long.
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
# The bits of the root of 1/2, and of 2^52: the latter's last bits count ones.
ROOT_OF_HALF = 0x3FE6A09E667F3BCD
COUNTING = 0x4330000000000000


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
def logarithms(x: Floats, out: Floats) -> None:
    """Write ln x to `out` for positive x of the normal range, within 2e-16 and 4 units of the last place.

    ln x = n ln 2 + ln m with m from the root of 1/2 to that of 2, and ln m = 2 artanh((m - 1) / (m + 1)) by its series.
    """
    mantissa, power = np.empty(len(x)), np.empty(len(x))
    bits, mantissa_bits, power_bits = x.view(np.int64), mantissa.view(np.int64), power.view(np.int64)
    for i in range(len(x)):
        # n + 1023, which is never negative.
        above = (bits[i] - ROOT_OF_HALF + BIAS) >> EXPONENT_BITS
        power_bits[i] = above + COUNTING
        mantissa_bits[i] = bits[i] - (above << EXPONENT_BITS) + BIAS
    for i in range(len(x)):
        n = power[i] - (2.0**52 + 1023)
        f = (mantissa[i] - 1) / (mantissa[i] + 1)
        g = f * f
        series = 1 / 21
        series = series * g + 1 / 19
        series = series * g + 1 / 17
        series = series * g + 1 / 15
        series = series * g + 1 / 13
        series = series * g + 1 / 11
        series = series * g + 1 / 9
        series = series * g + 1 / 7
        series = series * g + 1 / 5
        series = series * g + 1 / 3
        out[i] = n * LN2_HIGH + (2 * f + (2 * f * g * series + n * LN2_LOW))


@compiled_fused
def add_multiple(total: Floats, factor: float, row: Floats) -> None:
    """Add a multiple of a row to a total."""
    for i in range(len(row)):
        total[i] += factor * row[i]
