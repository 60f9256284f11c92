"""Several block sizes vote: of the hierarchies that they lead to, the one whose map is most like the others' wins.

Where a tiling cuts an object badly the result differs from those of other tilings, so the one in the middle is seldom
the bad one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segjt.labels import adjusted_rand_index
from segjt.runtime.arrays import Labels
from segjt.trees.merge_tree import MergeTree

# Block sizes that vote, as parts of `block_size`: from here to as much above 1.
SMALLEST = 2 / 3


def voting_sizes(block_size: int, votes: int) -> list[int]:
    """Return the block sizes, each once: 12, 8 and 16 for three votes around 12. The first one wins a tie."""
    if votes == 1:
        return [block_size]
    sizes = {max(round(block_size * part), 4) for part in np.linspace(SMALLEST, 2 - SMALLEST, votes).tolist()}
    return sorted(sizes, key=lambda size: (abs(size - block_size), size))


def most_alike(trees: Sequence[MergeTree]) -> MergeTree:
    """Return the tree whose chosen map has the largest mean adjusted Rand index with those of the others."""
    maps = [tree.cut() for tree in trees]
    alike = [[adjusted_rand(one, other) for other in maps] for one in maps]
    return trees[int(np.sum(alike, axis=1).argmax())]


def adjusted_rand(one: Labels, other: Labels) -> float:
    """Return the adjusted Rand index of two label maps; masked-out pixels, 0 in both, are left out."""
    return adjusted_rand_index(one[one > 0], other[one > 0])
