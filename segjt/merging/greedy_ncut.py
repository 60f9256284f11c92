"""Greedy Ncut merging: again and again the two touching groups whose merge reduces the normalized cut most (paper 001).

Ncut is the sum over groups of cut_i / vol_i. Merging i and j changes it by

    (cut_i + cut_j - 2 w_ij) / (vol_i + vol_j) - cut_i / vol_i - cut_j / vol_j,

so a merge changes the value of every edge of the merged group, of which there may be thousands. The tournaments of
`segjt.merging.tournaments` look at few of them.

An edge moves to another tournament when the group with fewer neighbours is absorbed, O(E log E) times in all, and each
move takes O(log E) steps, which is O(E log^2 E). On top come the edges that a changed group does not own (at most about
2 sqrt(E); in a plane graph a few) and the games played again. For these no bound is known: they are between edges that
differ by less than the owner has changed since. Photographs and noise of up to 500,000 segments and stars of 86,000
play 11 to 27 games per merge.

Merges are those of `tests/reference/ncut.py`, which looks at all edges every time, to the last bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segjt.merging.tournaments import (
    NONE,
    Tournaments,
    attach,
    detach,
    ends,
    find_edge,
    list_edges,
    play_again,
    settle,
    tournaments_of,
)
from segjt.runtime.arrays import Floats, Ints, Places
from segjt.runtime.compiled import compiled


def greedy_merges(
    indptr: NDArray[np.integer], indices: NDArray[np.integer], weights: Floats, within: Floats, n: int
) -> Ints:
    """Return the merges (kept, absorbed) down to n groups of a symmetric graph in compressed sparse rows.

    `within` is the weight of each node with itself. An edge is written (i, j), where i is the group that was merged
    last, or the smaller number if neither has been. Of equally good merges that of the smallest (i, j) goes first, and
    the group with more neighbours is kept, or i.
    """
    K = len(within)
    state = tournaments_of(K, len(indices) // 2)
    state.groups["degree"] = np.diff(indptr)
    fill(state, indptr.astype(np.int64), indices.astype(np.int64), weights, within)
    merges = np.empty((max(K - n, 0), 2), np.int64)
    return merges[: merge_all(state, merges)]


@compiled
def fill(state: Tournaments, indptr: Ints, indices: Ints, weights: Floats, within: Floats) -> None:
    """Make every node a group of its own, with its edges; no game has been played."""
    groups, edges, places, spare = state.groups, state.edges, state.places, state.spare
    edge = 0
    for i in range(len(groups)):
        for place in range(indptr[i], indptr[i + 1]):
            groups[i].cut += weights[place]
            if indices[place] > i:
                edges[edge].weight = weights[place]
                attach(groups, edges, places, spare, edge, i, indices[place])
                edge += 1
        groups[i].vol = groups[i].cut + within[i]


@compiled
def merge_all(state: Tournaments, merges: Ints) -> int:
    """Write as many merges as asked for, or as there are, and return how many."""
    groups, edges, places = state.groups, state.edges, state.places
    champions, queue = state.champions, state.queue
    # Groups to settle before the next merge: at first all.
    changed = np.arange(len(edges) + len(groups)).astype(np.int32)
    count = len(groups)
    for done in range(len(merges)):
        for k in changed[:count]:
            settle(groups, edges, places, champions, queue, k)
        if champions[1] == NONE or groups[champions[1]].best == NONE:
            return done
        edge = groups[champions[1]].best
        i, j = ends(groups, edges, edge)
        if groups[i].degree < groups[j].degree:
            i, j = j, i
        merges[done, 0], merges[done, 1] = i, j
        groups[i].age = done + 1
        count = absorb(state, edge, i, j, changed)
    return len(merges)


@compiled
def absorb(state: Tournaments, edge: int, i: int, j: int, changed: Places) -> int:
    """Merge group j into i, and write which groups have changed; return how many."""
    groups, edges, places, queue = state.groups, state.edges, state.places, state.queue
    spare = state.spare
    detach(groups, edges, places, spare, edge)
    groups[i].degree -= 1
    groups[i].cut += groups[j].cut - 2 * edges[edge].weight
    groups[i].vol += groups[j].vol
    changed[0], changed[1], count = i, j, 2
    # The edges of j go to i; one to a neighbour that i has too is added to i's.
    for e in queue[: list_edges(groups, edges, places, queue, j)]:
        k = edges[e].other if edges[e].owner == j else edges[e].owner
        changed[count] = k
        count += 1
        detach(groups, edges, places, spare, e)
        same = find_edge(groups, edges, i, k)
        if same == NONE:
            groups[i].degree += 1
            attach(groups, edges, places, spare, e, i, k)
        else:
            groups[k].degree -= 1
            edges[same].weight += edges[e].weight
            play_again(places, places[same].parent)
    # What others own of i's edges: they must look at it again, or give it up if i has grown far beyond them.
    e = groups[i].head
    while e != NONE:
        following, k = edges[e].next, edges[e].owner
        if groups[i].degree > 2 * groups[k].degree:
            detach(groups, edges, places, spare, e)
            attach(groups, edges, places, spare, e, i, k)
        else:
            play_again(places, places[e].parent)
        changed[count] = k
        count += 1
        e = following
    return count
