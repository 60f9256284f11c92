"""The three-point exponential JT kernel of 8-bit colours, from the values of E at few nodes (errata 3.4 D).

S_ij of `scaled_pairs` is a sum over pairs of rho_p g_1(s_p1) g_2(s_p2) g_3(s_p3), where the function
g_c(s) = E_c(i_c, s) E_c(j_c, s) of one level is smooth. Its values at a few nodes determine it, so the pairs are summed
into a small tensor,

    W_k = sum over pairs p of rho_p prod_c cardinal_kc(s_pc),
    S_ij = sum over nodes k of W_k prod_c E_c(i_c, s_kc) E_c(j_c, s_kc).

The error is bounded before anything is summed: S_ij is at least 1, g_c at most 1, and what g_c is off by at a sum
counts by the rho of the pairs that have this sum.

Hand-written: all pairs of 210 to 256 colours take 12 to 70 times as long.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from segjt.kernels.evaluators.interpolation import interpolate
from segjt.kernels.evaluators.scaled_pairs import ScaledPairs
from segjt.runtime.arrays import Floats, Places
from segjt.runtime.compiled import compiled_fused

# Largest relative error of an entry of V.
TARGET = 1e-6
# What a channel may add to it. g_c is off by a tenth at most anywhere, so channels count 1 + 1.1 + 1.1^2 < 3.4 times.
PART = TARGET / 4
SMALLEST_IMPORTANCE = 10 * PART
# What the nodes that are left out may add, and round-off: weights of both signs cancel.
LEFT_OUT = TARGET / 100
CANCELLED = TARGET / 10
ROUND_OFF = 1e-15
# How large the sum of rho may be, so that round-off is small against `PART`.
LARGEST_SUM = 1e6
# The terms of more nodes than this take as long as finding equal sums, and more memory than the pairs.
MOST_NODES = 20_000


@dataclasses.dataclass(frozen=True, eq=False)
class LevelExpansion:
    """ln(V / N^2) of exp(t K_{q,3}) of 8-bit colours, each entry of V to `TARGET`.

    Attributes
    ----------
    pairs : ScaledPairs
        The pairs of colours.
    nodes : (3, nodes) array
        The sums s_k, as columns of E; those of negative weight last.
    weights : (nodes,) array
        Their weights W_k.
    """

    pairs: ScaledPairs
    nodes: Places
    weights: Floats

    @classmethod
    def of(cls, pairs: ScaledPairs) -> LevelExpansion | None:
        """Return the expansion, or None if it has as many nodes as there are pairs, or float64 lacks the digits."""
        if not pairs.rho.sum() < LARGEST_SUM:
            return None
        by_channel = [interpolate(e.E, np.maximum(e.rho, SMALLEST_IMPORTANCE), PART) for e in pairs.channels]
        if math.prod(len(nodes) for nodes, _ in by_channel) > min(len(pairs.rho), MOST_NODES):
            return None
        W = sum_over_pairs(pairs, [cardinal for _, cardinal in by_channel])
        if np.abs(W).sum() * ROUND_OFF > CANCELLED:
            return None
        order = np.argsort(-W, axis=None)
        kept = order[np.abs(W.ravel()[order]) > LEFT_OUT / W.size]
        places = np.unravel_index(kept, W.shape)
        nodes = [nodes[place] for (nodes, _), place in zip(by_channel, places, strict=True)]
        return cls(pairs, np.array(nodes, np.int32), W.ravel()[kept])

    def evaluate(self) -> Floats:
        """Return ln(V / N^2)."""
        return self.pairs.log_of_sum(self.nodes, self.weights)


def sum_over_pairs(pairs: ScaledPairs, cardinal: list[Floats]) -> Floats:
    """Return W: two channels pair by pair, then the one with most nodes sum by sum."""
    order = np.argsort([-len(functions) for functions in cardinal], kind="stable")
    last, first, second = order
    values = [functions.T.copy() for functions in cardinal]
    H = scatter(pairs.sums[order], pairs.rho, len(values[last]), values[first], values[second])
    W: Floats = np.tensordot(cardinal[last], H, 1).transpose(np.argsort(order))
    return W


@compiled_fused
def scatter(sums: Places, rho: Floats, size: int, first: Floats, second: Floats) -> Floats:
    """Return H[s_1] = sum of rho first(s_2) second(s_3)' over the pairs with the sum s_1 in the last channel."""
    H = np.zeros((size, first.shape[1], second.shape[1]))
    for pair in range(len(rho)):
        cell, a, b = H[sums[0, pair]], first[sums[1, pair]], second[sums[2, pair]]
        for m in range(len(a)):
            factor = rho[pair] * a[m]
            for n in range(len(b)):
                cell[m, n] += factor * b[n]
    return H
