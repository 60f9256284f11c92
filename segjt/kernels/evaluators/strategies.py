"""The strategies behind the multi-point Jensen-Tsallis kernels: one is chosen from the rows, then it runs.

============  =====================  ===============================================================================
kernel        strategy               where
============  =====================  ===============================================================================
jt3, jtn      `TwoLevelSums`         three points, all values 0 or one positive number: one feature per column
jt3, jtn      `ExponentialSums`      everything else
expjt3        `ScaledPairs`          8-bit colours of up to three channels, where few pairs of them matter
expjt3        `LevelExpansion`       8-bit colours of up to three channels, where its error allows
expjt3        `AllTriples`           X compared with itself, most rows distinct: real data
expjt3, -n    `DistinctSums`         everything else, and any number of points
============  =====================  ===============================================================================

What the choice computes, such as distinct colours, weights of pairs or nodes, stays with the strategy it returns.
"""

from __future__ import annotations

from typing import Protocol

from segjt.kernels.evaluators.colours import Colours, colours_of
from segjt.kernels.evaluators.distinct_sums import DistinctSums
from segjt.kernels.evaluators.exponential_sums import ExponentialSums, TwoLevelSums, rows_in_units, two_levels
from segjt.kernels.evaluators.level_expansion import LevelExpansion
from segjt.kernels.evaluators.scaled_pairs import ScaledPairs
from segjt.kernels.evaluators.triples import AllTriples, triples_beat_sums
from segjt.runtime.arrays import Floats

# So many multiplications within matrix products take as long as finding nodes.
CHEAP = 3e6
# So many take longer than finding equal sums.
SLOW = 1e9


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
    """Return the pairs of colours if they are few, else their expansion, else all sums: float64 lacks the digits."""
    pairs = ScaledPairs.of(colours, q, t)
    if pairs is not None:
        cost = pairs.cost(len(pairs.rho))
        expansion = LevelExpansion.of(pairs) if cost > CHEAP else None
        if expansion is not None:
            return expansion
        if cost <= SLOW:
            return pairs
    return DistinctSums.of(X, Z, Y, q, t, 3)


def choose_for_real_rows(X: Floats, Z: Floats, Y: Floats, q: float, t: float) -> Strategy:
    """Return all triples where rows are compared with themselves and most of their sums are distinct."""
    sums = DistinctSums.of(X, Z, Y, q, t, 3)
    return AllTriples(X, q, t) if X is Z is Y and triples_beat_sums(X, len(sums.x.rows)) else sums
