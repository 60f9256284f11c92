"""A largest one-to-one matching of pixels by its definition: one augmenting path after another, over all pairs."""

import numpy as np


def matching_size(one, other, distance):
    """How many pixels of two boundary maps can be matched, one with one, no further apart than the distance."""
    these, those = np.argwhere(one), np.argwhere(other)
    near = ((these[:, None] - those[None]) ** 2).sum(2) <= distance**2
    owner = {}

    def place(i, seen):
        for j in np.flatnonzero(near[i]):
            if j not in seen:
                seen.add(j)
                if j not in owner or place(owner[j], seen):
                    owner[j] = i
                    return True
        return False

    return sum(place(i, set()) for i in range(len(these)))
