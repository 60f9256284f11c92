"""The strategies behind the multi-point Jensen-Tsallis kernels: one is chosen from the rows, then it runs.

============  =====================  ===============================================================================
kernel        strategy               where
============  =====================  ===============================================================================
jt3, jtn      `TwoLevelSums`         three points, all values 0 or one positive number: one feature per column
jt3, jtn      `ExponentialSums`      everything else
expjt3        `LevelExpansion`       8-bit colours of up to three channels, where its error allows and it is cheaper
expjt3        `AllTriples`           X compared with itself, most rows distinct: real data
expjt3, -n    `DistinctSums`         everything else, and any number of points
============  =====================  ===============================================================================

What the choice computes, such as distinct colours, weights of pairs or expansions, stays with the strategy it returns.
"""

from __future__ import annotations

from typing import Protocol

from segjt.kernels.evaluators.distinct_sums import DistinctSums
from segjt.kernels.evaluators.exponential_sums import ExponentialSums, TwoLevelSums, rows_in_units, two_levels
from segjt.kernels.evaluators.level_expansion import Colours, LevelExpansion, allowed_errors, colours_of, pairs_of
from segjt.kernels.evaluators.triples import AllTriples, triples_beat_sums
from segjt.runtime.arrays import Floats

# All sums of so few rows take a millisecond or two.
CHEAP = 3e7
# The quadratic form of more products than this would take more than 72 MB.
MOST_PRODUCTS = 3000


class Strategy(Protocol):
    """A way to flatten a kernel, prepared for given rows and parameters."""

    def evaluate(self) -> Floats:
        """Return V / N^(n-1) of all pairs of rows of X and Z, or its logarithm for the exponential kernels."""


def choose_jt_strategy(X: Floats, Z: Floats, Y: Floats, q: float, points: int) -> Strategy:
    """Return how to flatten K_{q,n} of the rows of X and Z, tuples drawn from Y."""
    rows = rows_in_units(X, Z, Y)
    strategy = TwoLevelSums if points == 3 and two_levels(*rows.arrays) else ExponentialSums
    return strategy.of(rows, q, points)


def choose_expjt_strategy(X: Floats, Z: Floats, Y: Floats, q: float, t: float, points: int) -> Strategy:
    """Return how to flatten exp(t K_{q,n}), in logarithms, of the rows of X and Z, tuples drawn from Y."""
    if points != 3:
        return DistinctSums.of(X, Z, Y, q, t, points)
    colours = colours_of(X, Z, Y)
    return choose_for_real_rows(X, Z, Y, q, t) if colours is None else choose_for_colours(colours, X, Z, Y, q, t)


def choose_for_colours(colours: Colours, X: Floats, Z: Floats, Y: Floats, q: float, t: float) -> Strategy:
    """Return the expansion of 8-bit colours if float64 has the digits for it and it is cheaper than all sums."""
    cost_of_sums = colours.cost_of_sums()
    if cost_of_sums >= CHEAP:
        pairs = pairs_of(colours.y, q, t)
        errors = allowed_errors(pairs, colours.ranges, q, t)
        if errors:
            expansion = LevelExpansion.of(colours, pairs, q, t, max(errors))
            if len(expansion.products) <= MOST_PRODUCTS and expansion.cost() <= cost_of_sums:
                return expansion
    return DistinctSums.of(X, Z, Y, q, t, 3)


def choose_for_real_rows(X: Floats, Z: Floats, Y: Floats, q: float, t: float) -> Strategy:
    """Return all triples where rows are compared with themselves and most of their sums are distinct."""
    sums = DistinctSums.of(X, Z, Y, q, t, 3)
    return AllTriples(X, q, t) if X is Z is Y and triples_beat_sums(X, len(sums.x.rows)) else sums
