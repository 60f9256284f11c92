"""Several block sizes vote: of the hierarchies that they lead to, the one is taken whose map is most like the others'.

Where a tiling cuts an object badly the result differs from those of other tilings, so the one in the middle is seldom
the bad one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from segjt.trees import Labels, MergeTree

# Block sizes that vote, as parts of `block_size`: from here to as much above 1.
SMALLEST = 2 / 3


def voting_sizes(block_size: int, votes: int) -> list[int]:
    """Return the block sizes, each once: 8, 12 and 16 for three votes around 12."""
    if votes == 1:
        return [block_size]
    return sorted({max(round(block_size * part), 4) for part in np.linspace(SMALLEST, 2 - SMALLEST, votes).tolist()})


def most_alike(trees: Sequence[MergeTree]) -> MergeTree:
    """Return the tree whose chosen map has the largest mean adjusted Rand index with those of the others."""
    maps = [tree.cut() for tree in trees]
    alike = [[adjusted_rand(one, other) for other in maps] for one in maps]
    return trees[int(np.sum(alike, axis=1).argmax())]


def adjusted_rand(one: Labels, other: Labels) -> float:
    """Return the adjusted Rand index of two label maps; masked-out pixels, 0 in both, are left out."""
    inside = one > 0
    table = np.zeros((one.max(initial=0) + 1, other.max(initial=0) + 1), np.int64)
    np.add.at(table, (one[inside], other[inside]), 1)
    in_both, in_one, in_other = pairs(table), pairs(table.sum(1)), pairs(table.sum(0))
    by_chance = in_one * in_other / max(pairs(table.sum()), 1.0)
    largest = (in_one + in_other) / 2
    return 1.0 if largest == by_chance else (in_both - by_chance) / (largest - by_chance)


def pairs(counts: NDArray[np.int64] | np.int64) -> float:
    """Return the number of pairs within groups of these sizes."""
    n = np.asarray(counts, np.float64)
    return float((n * (n - 1) / 2).sum())
