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


def most_alike(trees: Sequence[MergeTree]) -> MergeTree:
    """Return the tree whose chosen map has the largest mean adjusted Rand index with those of the others."""
    maps = [tree.cut() for tree in trees]
    alike = [[adjusted_rand(one, other) for other in maps] for one in maps]
    return trees[int(np.sum(alike, axis=1).argmax())]


def adjusted_rand(one: Labels, other: Labels) -> float:
    """Return the adjusted Rand index of two label maps; masked-out pixels, 0 in both, are left out."""
    return adjusted_rand_index(one[one > 0], other[one > 0])
