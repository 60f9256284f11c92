"""Which segments touch, and what is summed up along their common edge: one pass over the sides between pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segjt.runtime.arrays import Ints, Labels
from segjt.runtime.compiled import compiled

# Marks a free place in the table of contacts.
NOTHING = -1
# Odd, with bits all over: spreads keys that follow one another.
SPREAD = 0x9E3779B97F4A7C15


def edge_sums(gradient: NDArray[np.uint16], labels: Labels, K: int) -> tuple[Ints, Ints, Ints]:
    """Return the edges between touching segments 0..K-1: their ends (E, 2), lengths and sums of gradients.

    Ends are sorted, smaller segment first. A length counts pixel sides; a side adds the gradients of its two pixels.
    """
    keys, sums = add_sides(gradient, labels, K)
    taken = np.flatnonzero(keys != NOTHING)
    order = taken[np.argsort(keys[taken])]
    ends = np.stack(np.divmod(keys[order], max(K, 1)), 1)
    lengths, gradients = np.ascontiguousarray(sums[order].T)
    return ends, lengths, gradients


@compiled
def add_sides(gradient: NDArray[np.uint16], labels: Labels, K: int) -> tuple[Ints, Ints]:
    """Return a hash table of edges: keys a K + b with a < b, and for each its length and its sum of gradients.

    Open addressing, 2^m places; -1 marks a free place.
    """
    keys, sums, used = np.full(1024, NOTHING), np.zeros((1024, 2), np.int64), 0
    for y in range(labels.shape[0]):
        for x in range(labels.shape[1]):
            for down in range(2):
                if x + 1 - down == labels.shape[1] or y + down == labels.shape[0]:
                    continue
                one, other = labels[y, x], labels[y + down, x + 1 - down]
                if one == other or one == 0 or other == 0:
                    continue
                key = (min(one, other) - 1) * K + max(one, other) - 1
                place = find_place(keys, key)
                if keys[place] == NOTHING:
                    keys[place] = key
                    used += 1
                sums[place, 0] += 1
                sums[place, 1] += np.int64(gradient[y, x]) + np.int64(gradient[y + down, x + 1 - down])
                if 2 * used > len(keys):
                    keys, sums = twice_as_large(keys, sums)
    return keys, sums


@compiled
def find_place(keys: Ints, key: int) -> int:
    """Return where a key is, or belongs, in a table of 2^m places."""
    place = ((np.uint64(key) * np.uint64(SPREAD)) >> np.uint64(32)) & np.uint64(len(keys) - 1)
    while keys[place] != key and keys[place] != NOTHING:
        place = (place + np.uint64(1)) & np.uint64(len(keys) - 1)
    return int(place)


@compiled
def twice_as_large(keys: Ints, sums: Ints) -> tuple[Ints, Ints]:
    """Return a table with twice as many places for the same keys and their sums."""
    none = np.zeros_like(sums)
    new_keys, new_sums = np.full(2 * len(keys), NOTHING), np.concatenate((none, none))
    for old in range(len(keys)):
        if keys[old] != NOTHING:
            place = find_place(new_keys, keys[old])
            new_keys[place], new_sums[place] = keys[old], sums[old]
    return new_keys, new_sums
