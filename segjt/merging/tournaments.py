"""Tournaments of the edges of groups: which merge is best, with few edges looked at when a group changes.

- Each edge belongs to one of its groups, its owner: the one with more neighbours, or at least half as many. When
  a group changes, only the edges that it does not own, which are few, are looked at one by one.
- The edges that a group owns play a tournament, a balanced binary tree in which the better of two goes up. Who wins
  a game depends on the owner only through its r = cut / vol and its vol. Each game knows for which r and vol it and
  those below it certainly end as they did; they are played again only when the owner has left that range.
- A last tournament is that of the best edges of all groups.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segjt.runtime.arrays import Places
from segjt.runtime.compiled import compiled

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


class Tournaments(NamedTuple):
    """All groups, edges and games.

    Attributes
    ----------
    groups, edges, places : arrays of `GROUP`, `EDGE` and `PLACE`
        The E edges are the first E places, games the others.
    spare : (E + 1,) int array
        Games not in use; the last number says how many.
    champions : int array
        The tournament of the groups: place 1 is the final, group k starts at half the length + k.
    queue : (E,) int array
        Room for a list of edges or games.
    """

    groups: Records
    edges: Records
    places: Records
    spare: Places
    champions: Places
    queue: Places


def tournaments_of(K: int, E: int) -> Tournaments:
    """Return room for the tournaments of K groups with E edges; no edge is attached yet."""
    groups, edges, places = np.zeros(K, GROUP), np.zeros(E, EDGE), np.zeros(2 * E, PLACE)
    groups["root"] = groups["head"] = groups["best"] = NONE
    places["winner"], places["leaves"] = np.arange(2 * E), 1
    spare = np.append(np.arange(E, 2 * E), E).astype(np.int32)
    champions = np.full(2 << max(K - 1, 0).bit_length(), NONE, np.int32)
    return Tournaments(groups, edges, places, spare, champions, np.empty(E, np.int32))


@compiled
def attach(groups: Records, edges: Records, places: Records, spare: Places, edge: int, i: int, k: int) -> None:
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
    play_again(places, places[game].parent)


@compiled
def detach(groups: Records, edges: Records, places: Records, spare: Places, edge: int) -> None:
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
    play_again(places, places[sibling].parent)
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
def play_again(places: Records, game: int) -> None:
    """Declare a game and those above it void; where one is void, those above it are already."""
    while game != NONE and places[game].limit != -np.inf:
        places[game].limit = -np.inf
        game = places[game].parent


@compiled
def settle(groups: Records, edges: Records, places: Records, champions: Places, queue: Places, group: int) -> None:
    """Play what has to be played again in the tournament of a group, and take the result to that of the groups."""
    root = groups[group].root
    groups[group].best, groups[group].change = NONE, np.inf
    if root != NONE:
        replay(groups, edges, places, queue, root, groups[group].cut / groups[group].vol, groups[group].vol)
        groups[group].best = places[root].winner
        groups[group].change = change(groups, edges, places[root].winner)
    promote(groups, edges, champions, group)


@compiled
def replay(groups: Records, edges: Records, places: Records, queue: Places, root: int, r: float, vol: float) -> None:
    """Play those games of a tournament again that do not stand for its owner's r = cut / vol and vol."""
    E = len(edges)
    queue[0] = root
    end = 0 if root < E or stands(places, root, r, vol) else 1
    place = 0
    while place < end:
        for side in (places[queue[place]].left, places[queue[place]].right):
            if side >= E and not stands(places, side, r, vol):
                queue[end] = side
                end += 1
        place += 1
    # Games were listed after those above them.
    for place in range(end - 1, -1, -1):
        play(groups, edges, places, queue[place], r, vol)


@compiled
def promote(groups: Records, edges: Records, champions: Places, group: int) -> None:
    """Take the best edge of a group to the tournament of the groups."""
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
    """Find the winner of a game, and for which r and v of the owner, its cut / vol and vol, it stays so."""
    left, right = places[game].left, places[game].right
    e, f = places[left].winner, places[right].winner
    change_e, change_f = change(groups, edges, e), change(groups, edges, f)
    e_wins = change_e < change_f or (change_e == change_f and ends(groups, edges, e) < ends(groups, edges, f))
    places[game].winner = e if e_wins else f
    by_r, by_v = sensitivity(groups, edges, e, f, r, v)
    # Each of the two terms may use up half of what the loser lacks.
    margin = max(abs(change_e - change_f) - ROUND_OFF, 0.0) / 2
    low, high, limit = r - margin / by_r, r + margin / by_r, v + margin / by_v
    if equal_for_ever(groups, edges, e, f):
        low, high, limit = -np.inf, np.inf, np.inf
    for side in (left, right):
        if side >= len(edges):
            low, high = max(low, places[side].low), min(high, places[side].high)
            limit = min(limit, places[side].limit)
    places[game].low, places[game].high, places[game].limit = low, high, limit


@compiled
def sensitivity(groups: Records, edges: Records, e: int, f: int, r: float, v: float) -> tuple[float, float]:
    """Return how fast the changes that two edges bring can change with r and v of their owner, summed over both.

    An edge to j brings -(r v_j + r_j v + 2 w_j) / (v + v_j). When r changes by dr and v grows by dv, this changes by
    at most v_j / (v + v_j) dr + |(r - r_j) v_j + 2 w_j| / (v + v_j)^2 dv.
    """
    by_r = by_v = TINY
    for edge in (e, f):
        neighbour = groups[edges[edge].other]
        by_r += neighbour.vol / (v + neighbour.vol)
        weight = edges[edge].weight
        by_v += abs(r * neighbour.vol - neighbour.cut + 2 * weight) / (v + neighbour.vol) ** 2
    return by_r, by_v


@compiled
def equal_for_ever(groups: Records, edges: Records, e: int, f: int) -> bool:
    """Return whether two edges are alike and written the same way round: their changes are equal to the last bit."""
    j, k = edges[e].other, edges[f].other
    one, other = groups[j], groups[k]
    alike = one.cut == other.cut and one.vol == other.vol and edges[e].weight == edges[f].weight
    return bool(alike and (ends(groups, edges, e)[0] == j) == (ends(groups, edges, f)[0] == k))


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
    difference: float = (i.cut + j.cut - 2 * edges[edge].weight) / (i.vol + j.vol) - i.cut / i.vol - j.cut / j.vol
    return difference


@compiled
def goes_first(groups: Records, edges: Records, one: int, other: int) -> bool:
    """Return whether the best edge of a group comes before that of another."""
    a, b = groups[one], groups[other]
    if a.change != b.change or a.best == NONE or b.best == NONE:
        return bool(a.change < b.change)
    return ends(groups, edges, a.best) < ends(groups, edges, b.best)


@compiled
def list_edges(groups: Records, edges: Records, places: Records, queue: Places, group: int) -> int:
    """Write all edges of a group, owned or not, to the queue, and return how many."""
    count = 0
    e = groups[group].head
    while e != NONE:
        queue[count] = e
        count += 1
        e = edges[e].next
    # From a root to its edges and back up, turning at the right side.
    place, E = groups[group].root, len(edges)
    while place != NONE:
        while place >= E:
            place = places[place].left
        queue[count] = place
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
