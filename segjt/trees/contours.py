"""The ultrametric contour map of a tree: how strong the boundary between two pixels is."""

from __future__ import annotations

import numpy as np

from segjt.runtime.arrays import Floats, Ints, Labels
from segjt.runtime.compiled import compiled


@compiled
def joins(K: int, merges: Ints) -> tuple[Ints, Ints]:
    """Return for each small segment which other one it is joined to, and by which merge; the last one to none.

    A merge joins a segment of the smaller side to one of the larger, so that no way up has more than log2(K) steps.
    """
    up, when = np.arange(K), np.full(K, len(merges))
    of_node, size = np.arange(K + len(merges)), np.ones(K, np.int64)
    for merge in range(len(merges)):
        a, b = of_node[merges[merge, 0]], of_node[merges[merge, 1]]
        if size[a] < size[b]:
            a, b = b, a
        up[b], when[b], of_node[K + merge] = a, merge, a
        size[a] += size[b]
    return up, when


@compiled
def joining_merge(a: int, b: int, up: Ints, when: Ints) -> int:
    """Return the merge that joins two small segments; -1 if they are the same."""
    merge = -1
    # Merges on the way up come in order: the earlier step of the two is taken until both are together.
    while a != b:
        if when[a] < when[b]:
            a, merge = up[a], when[a]
        else:
            b, merge = up[b], when[b]
    return merge


@compiled
def contour_map(labels: Labels, up: Ints, when: Ints, strength: Floats) -> Floats:
    """Return the strength of the merge that joins each pixel with its right or lower neighbour, the larger one."""
    height, width = labels.shape
    contours = np.zeros((height, width))
    for y in range(height):
        for x in range(width):
            for down in range(2):
                if x + 1 - down == width or y + down == height:
                    continue
                one, other = labels[y, x], labels[y + down, x + 1 - down]
                if one == 0 or other == 0:
                    continue
                merge = joining_merge(int(one) - 1, int(other) - 1, up, when)
                if merge >= 0:
                    contours[y, x] = max(contours[y, x], strength[merge])
    return contours
