"""Greedy Ncut merging: again and again the two touching groups whose merge reduces the normalized cut most (paper 001).

Ncut is the sum over groups of cut_i / vol_i. Merging i and j changes it by

    (cut_i + cut_j - 2 w_ij) / (vol_i + vol_j) - cut_i / vol_i - cut_j / vol_j,

so a merge changes the value of every edge of the merged group, of which there may be thousands. To visit few of them:

- Each edge belongs to one of its groups, its owner: the one with more neighbours, or at least half as many. When
  a group changes, only the edges that it does not own, which are few, are looked at one by one.
- The edges that a group owns play a tournament, a balanced binary tree in which the better of two goes up. Who wins
  a game depends on the owner only through its r = cut / vol and its vol. Each game knows for which r and vol it and
  those below it certainly end as they did; they are played again only when the owner has left that range.
- A last tournament is that of the best edges of all groups.

An edge moves to another tree when the group with fewer neighbours is absorbed, O(E log E) times in all, and each move
takes O(log E) steps, which is O(E log^2 E). On top come the edges that a changed group does not own (at most about
2 sqrt(E); in a plane graph a few) and the games played again. For these no bound is known: they are between edges that
differ by less than the owner has changed since. Photographs and noise of up to 500,000 segments and stars of 86,000
play 11 to 27 games a merge.

Merges are those of `tests/reference/ncut.py`, which looks at all edges every time, to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from segjt.runtime.compiled import compiled

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Records = NDArray[Any]

NONE = -1
# The change of Ncut is computed to within this.
ROUND_OFF = 1e-14
# Keeps divisors above 0.
TINY = 1e-300

# A group goes by the number of one of its nodes. It has `degree` neighbours, and its `age` is the number of its last
# merge. It knows the root of the tournament of its own edges, the first of the list of the others, and the winner with
# the change that it brings.
GROUP = np.dtype(
    [
        ("cut", "f8"),
        ("vol", "f8"),
        ("change", "f8"),
        ("best", "i4"),
        ("age", "i4"),
        ("degree", "i4"),
        ("root", "i4"),
        ("head", "i4"),
    ],
    align=True,
)
# An edge is in the tournament of its owner and in the list of the other group.
EDGE = np.dtype([("weight", "f8"), ("owner", "i4"), ("other", "i4"), ("next", "i4"), ("previous", "i4")], align=True)
# Places of the tournaments: first the edges themselves, then the games, with the range of r = cut / vol of the owner
# and the highest vol for which what was played stands.
PLACE = np.dtype(
    [
        ("low", "f8"),
        ("high", "f8"),
        ("limit", "f8"),
        ("parent", "i4"),
        ("left", "i4"),
        ("right", "i4"),
        ("leaves", "i4"),
        ("winner", "i4"),
    ],
    align=True,
)


def greedy_merges(
    indptr: NDArray[np.integer], indices: NDArray[np.integer], weights: Floats, within: Floats, n: int
) -> NDArray[np.int64]:
    """Return the merges (kept, absorbed) down to n groups of a symmetric graph in compressed sparse rows.

    `within` is the weight of each node with itself. An edge is written (i, j), where i is the group that was merged
    last, or the smaller number if neither has been. Of equally good merges that of the smallest (i, j) goes first, and
    the group with more neighbours is kept, or i.
    """
    K, E = len(within), len(indices) // 2
    groups, edges, places = np.zeros(K, GROUP), np.zeros(E, EDGE), np.zeros(2 * E, PLACE)
    groups["degree"] = np.diff(indptr)
    groups["root"] = groups["head"] = groups["best"] = NONE
    places["winner"], places["leaves"] = np.arange(2 * E), 1
    # Games not in use; the last number says how many.
    spare = np.append(np.arange(E, 2 * E), E).astype(np.int32)
    # Place 1 is the final of the groups; group k starts at len / 2 + k.
    champions = np.full(2 << max(K - 1, 0).bit_length(), NONE, np.int32)
    merges = np.empty((max(K - n, 0), 2), np.int64)
    fill(groups, edges, places, spare, indptr.astype(np.int64), indices.astype(np.int64), weights, within)
    return merges[: merge_all(groups, edges, places, spare, champions, merges)]


@compiled
def fill(
    groups: Records,
    edges: Records,
    places: Records,
    spare: Ints,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int64],
    weights: Floats,
    within: Floats,
) -> None:
    """Make every node a group of its own, with its edges; no game has been played."""
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
def merge_all(
    groups: Records, edges: Records, places: Records, spare: Ints, champions: Ints, merges: NDArray[np.int64]
) -> int:
    """Write as many merges as asked for, or as there are, and return how many."""
    queue = np.empty(len(edges), np.int32)
    # Groups to settle before the next merge: at first all.
    changed = np.arange(len(edges) + len(groups)).astype(np.int32)
    count = len(groups)
    for done in range(len(merges)):
        for k in changed[:count]:
            settle(groups, edges, places, champions, k, queue)
        if champions[1] == NONE or groups[champions[1]].best == NONE:
            return done
        edge = groups[champions[1]].best
        i, j = ends(groups, edges, edge)
        if groups[i].degree < groups[j].degree:
            i, j = j, i
        merges[done, 0], merges[done, 1] = i, j
        groups[i].age = done + 1
        count = absorb(groups, edges, places, spare, edge, i, j, queue, changed)
    return len(merges)


@compiled
def absorb(
    groups: Records, edges: Records, places: Records, spare: Ints, edge: int, i: int, j: int, queue: Ints, changed: Ints
) -> int:
    """Merge group j into i, and write which groups have changed; return how many."""
    detach(groups, edges, places, spare, edge)
    groups[i].degree -= 1
    groups[i].cut += groups[j].cut - 2 * edges[edge].weight
    groups[i].vol += groups[j].vol
    changed[0], changed[1], count = i, j, 2
    # The edges of j go to i; one to a neighbour that i has too is added to i's.
    for e in queue[: list_edges(groups, edges, places, j, queue)]:
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
            play_again(edges, places, places[same].parent)
    # What others own of i's edges: they must look at it again, or give it up if i has grown far beyond them.
    e = groups[i].head
    while e != NONE:
        following, k = edges[e].next, edges[e].owner
        if groups[i].degree > 2 * groups[k].degree:
            detach(groups, edges, places, spare, e)
            attach(groups, edges, places, spare, e, i, k)
        else:
            play_again(edges, places, places[e].parent)
        changed[count] = k
        count += 1
        e = following
    return count


@compiled
def list_edges(groups: Records, edges: Records, places: Records, group: int, found: Ints) -> int:
    """Write all edges of a group, owned or not, and return how many."""
    count = 0
    e = groups[group].head
    while e != NONE:
        found[count] = e
        count += 1
        e = edges[e].next
    # From a root to its edges and back up, turning at the right side.
    place, E = groups[group].root, len(edges)
    while place != NONE:
        while place >= E:
            place = places[place].left
        found[count] = place
        count += 1
        while places[place].parent != NONE and places[places[place].parent].right == place:
            place = places[place].parent
        place = places[place].parent
        if place != NONE:
            place = places[place].right
    return count


@compiled
def find_edge(groups: Records, edges: Records, i: int, k: int) -> int:
    """Return the edge between two groups, which is in the list of the one that does not own it."""
    for one, owner in ((k, i), (i, k)):
        e = groups[one].head
        while e != NONE:
            if edges[e].owner == owner:
                return int(e)
            e = edges[e].next
    return NONE


@compiled
def attach(groups: Records, edges: Records, places: Records, spare: Ints, edge: int, i: int, k: int) -> None:
    """Put an edge between two groups: into the tournament of one, the list of the other."""
    if groups[i].degree < groups[k].degree:
        i, k = k, i
    edges[edge].owner, edges[edge].other = i, k
    edges[edge].next, edges[edge].previous = groups[k].head, NONE
    if groups[k].head != NONE:
        edges[groups[k].head].previous = edge
    groups[k].head = edge
    E, place = len(edges), groups[i].root
    if place == NONE:
        groups[i].root = edge
        places[edge].parent = NONE
        return
    # The new edge plays against one in the smaller half of the smaller half..., so the tree stays balanced.
    while place >= E:
        places[place].leaves += 1
        left, right = places[place].left, places[place].right
        place = left if places[left].leaves <= places[right].leaves else right
    spare[E] -= 1
    game = spare[spare[E]]
    put_in_place_of(groups, places, i, place, game)
    places[game].left, places[game].right, places[game].leaves = place, edge, 2
    places[place].parent = places[edge].parent = game
    places[game].limit = -np.inf
    play_again(edges, places, places[game].parent)


@compiled
def detach(groups: Records, edges: Records, places: Records, spare: Ints, edge: int) -> None:
    """Take an edge out of the tournament and the list that it is in."""
    i, k, E = edges[edge].owner, edges[edge].other, len(edges)
    before, after = edges[edge].previous, edges[edge].next
    if before == NONE:
        groups[k].head = after
    else:
        edges[before].next = after
    if after != NONE:
        edges[after].previous = before
    game = places[edge].parent
    if game == NONE:
        groups[i].root = NONE
        return
    sibling = places[game].right if places[game].left == edge else places[game].left
    put_in_place_of(groups, places, i, game, sibling)
    spare[spare[E]] = game
    spare[E] += 1
    play_again(edges, places, places[sibling].parent)
    above = places[sibling].parent
    while above != NONE:
        places[above].leaves -= 1
        above = places[above].parent


@compiled
def put_in_place_of(groups: Records, places: Records, group: int, old: int, new: int) -> None:
    """Put a place of a group's tournament where another was."""
    above = places[old].parent
    places[new].parent = above
    if above == NONE:
        groups[group].root = new
    elif places[above].left == old:
        places[above].left = new
    else:
        places[above].right = new


@compiled
def play_again(edges: Records, places: Records, game: int) -> None:
    """Declare a game and those above it void; where one is void, those above it are already."""
    while game != NONE and places[game].limit != -np.inf:
        places[game].limit = -np.inf
        game = places[game].parent


@compiled
def settle(groups: Records, edges: Records, places: Records, champions: Ints, group: int, queue: Ints) -> None:
    """Play what has to be played again in the tournament of a group, and take the result to that of the groups."""
    E, root = len(edges), groups[group].root
    groups[group].best, groups[group].change = NONE, np.inf
    if root != NONE:
        r, vol = groups[group].cut / groups[group].vol, groups[group].vol
        queue[0] = root
        end = 0 if root < E or stands(places, root, r, vol) else 1
        place = 0
        while place < end:
            for side in (places[queue[place]].left, places[queue[place]].right):
                if side >= E and not stands(places, side, r, vol):
                    queue[end] = side
                    end += 1
            place += 1
        # Games were found after those above them.
        for place in range(end - 1, -1, -1):
            play(groups, edges, places, queue[place], r, vol)
        groups[group].best = places[root].winner
        groups[group].change = change(groups, edges, places[root].winner)
    place = len(champions) // 2 + group
    champions[place] = group
    while place > 1:
        one, other = champions[place], champions[place ^ 1]
        place //= 2
        winner = one if other == NONE or goes_first(groups, edges, one, other) else other
        # Where another group has won before and does so again, nothing changes further up.
        if winner == champions[place] and winner != group:
            return
        champions[place] = winner


@compiled
def stands(places: Records, game: int, r: float, vol: float) -> bool:
    """Return whether a game need not be played again; the volume of an owner only grows."""
    return bool(places[game].low <= r <= places[game].high and vol <= places[game].limit)


@compiled
def play(groups: Records, edges: Records, places: Records, game: int, r: float, v: float) -> None:
    """Find the winner of a game, and for which r and v of the owner, its cut / vol and vol, it stays so.

    An edge to j brings -(r v_j + r_j v + 2 w_j) / (v + v_j). When r changes by dr and v grows by dv, this changes by
    at most v_j / (v + v_j) dr + |(r - r_j) v_j + 2 w_j| / (v + v_j)^2 dv. Each of the two terms, summed over both
    edges, may use up half of what the loser lacks.
    """
    left, right = places[game].left, places[game].right
    e, f = places[left].winner, places[right].winner
    j, k = edges[e].other, edges[f].other
    change_e, change_f = change(groups, edges, e), change(groups, edges, f)
    e_wins = change_e < change_f or (change_e == change_f and ends(groups, edges, e) < ends(groups, edges, f))
    places[game].winner = e if e_wins else f
    low, high, limit = -np.inf, np.inf, np.inf
    alike = groups[j].cut == groups[k].cut and groups[j].vol == groups[k].vol and edges[e].weight == edges[f].weight
    # Edges that are alike and written the same way round have changes that are equal to the last bit.
    if not alike or (ends(groups, edges, e)[0] == j) != (ends(groups, edges, f)[0] == k):
        by_r = by_v = TINY
        for edge, neighbour in ((e, j), (f, k)):
            vol = groups[neighbour].vol
            by_r += vol / (v + vol)
            by_v += abs(r * vol - groups[neighbour].cut + 2 * edges[edge].weight) / (v + vol) ** 2
        margin = max(abs(change_e - change_f) - ROUND_OFF, 0.0) / 2
        low, high, limit = r - margin / by_r, r + margin / by_r, v + margin / by_v
    for side in (left, right):
        if side >= len(edges):
            low, high = max(low, places[side].low), min(high, places[side].high)
            limit = min(limit, places[side].limit)
    places[game].low, places[game].high, places[game].limit = low, high, limit


@compiled
def ends(groups: Records, edges: Records, edge: int) -> tuple[int, int]:
    """Return the groups of an edge, the one that was merged last first, or the smaller number."""
    i, j = edges[edge].owner, edges[edge].other
    if groups[i].age < groups[j].age or (groups[i].age == groups[j].age and i > j):
        return j, i
    return i, j


@compiled
def change(groups: Records, edges: Records, edge: int) -> float:
    """Return by how much Ncut changes if the groups of an edge are merged."""
    first, second = ends(groups, edges, edge)
    i, j = groups[first], groups[second]
    found: float = (i.cut + j.cut - 2 * edges[edge].weight) / (i.vol + j.vol) - i.cut / i.vol - j.cut / j.vol
    return found


@compiled
def goes_first(groups: Records, edges: Records, one: int, other: int) -> bool:
    """Return whether the best edge of a group comes before that of another."""
    a, b = groups[one], groups[other]
    if a.change != b.change or a.best == NONE or b.best == NONE:
        return bool(a.change < b.change)
    return ends(groups, edges, a.best) < ends(groups, edges, b.best)
