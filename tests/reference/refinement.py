"""Outlines on pixels as the docstring of `segjt.trees.refinement` says it: sets of segments, masks and loops."""

import numpy as np
from scipy.ndimage import label

from segjt.trees.refinement import CORNER, LOWEST, NOISE, RADIUS, SMOOTH, STEP

AROUND = [(-1, 0), (0, 1), (1, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, -1)]


def members_of(merges):
    """The set of small segments, from 1, of every node."""
    K = len(merges) + 1
    members = [{k + 1} for k in range(K)]
    for one, other in merges:
        members.append(members[one] | members[other])
    return members


def refine_outlines(labels, merges, heights, colours, sweeps):
    """`colours` (H, W, C) in Lab units."""
    labels, members, K = labels.copy(), members_of(merges), len(merges) + 1
    look = np.full(labels.shape, True)
    for _ in range(sweeps):
        before, moved = labels.copy(), np.full(labels.shape, False)
        for phase in range(4):
            for y in range(phase // 2, labels.shape[0], 2):
                for x in range(phase % 2, labels.shape[1], 2):
                    if look[y, x] and labels[y, x]:
                        new = better_segment(labels, before, y, x, merges, heights, members, K, colours)
                        moved[y, x] = new != labels[y, x]
                        labels[y, x] = new
        look = np.full(labels.shape, False)
        for y, x in np.argwhere(moved):
            look[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = True
    return labels


def better_segment(labels, before, y, x, merges, heights, members, K, colours):
    """The small segment that a pixel belongs to after its turn."""
    here = labels[y, x]
    sides = [(y + v, x + u) for v, u in AROUND[:4] if inside(labels, y + v, x + u)]
    joins = {place: joining(members, K, here, labels[place]) for place in sides if labels[place] not in (0, here)}
    if not joins:
        return here
    merge = max(joins.values())
    own, other = (members[node] for node in merges[merge])
    if here not in own:
        own, other = other, own
    below = [node for node in members if here in node and node <= own]
    if heights[merge] <= LOWEST or any(part_from(labels, y, x, node) for node in below):
        return here
    window = [(v, u) for v in range(y - RADIUS, y + RADIUS + 1, STEP) for u in range(x - RADIUS, x + RADIUS + 1, STEP)]
    window = [place for place in window if inside(labels, *place) and place != (y, x)]
    seen = [[colours[place] for place in window if before[place] in side] for side in (own, other)]
    if not seen[0] or not seen[1]:
        return here
    costs = []
    for side, opposite in ((seen[0], other), (seen[1], own)):
        v = np.var(side, axis=0).sum() + NOISE**2
        cost = ((colours[y, x] - np.mean(side, axis=0)) ** 2).sum() / (2 * v) + np.log(v) / 2
        for number, (dv, du) in enumerate(AROUND):
            place = (y + dv, x + du)
            if inside(labels, *place) and labels[place] in opposite:
                alike = np.exp(-((colours[y, x] - colours[place]) ** 2).sum() / (8 * NOISE**2))
                cost += SMOOTH * alike * (1 if number < 4 else CORNER)
        costs.append(cost)
    if costs[1] >= costs[0] - 1e-9:
        return here
    beyond = [place for place in sides if joins.get(place) == merge]
    return labels[min(beyond, key=lambda place: ((colours[y, x] - colours[place]) ** 2).sum())]


def inside(labels, y, x):
    return 0 <= y < labels.shape[0] and 0 <= x < labels.shape[1]


def joining(members, K, one, other):
    """The first merge whose node has both segments."""
    return next(merge for merge, node in enumerate(members[K:]) if one in node and other in node)


def part_from(labels, y, x, node):
    """Whether those of the eight neighbours that a node has are in several parts at the pixel's sides, or none."""
    around = np.pad(labels, 1)[y : y + 3, x : x + 3]
    has = np.isin(around, list(node))
    has[1, 1] = False
    parts = label(has)[0]
    return len({parts[v, u] for v, u in ((0, 1), (1, 0), (1, 2), (2, 1))} - {0}) != 1
