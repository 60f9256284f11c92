"""Outlines on pixels: small segments end where blocks end, and this moves what a tree joins late to where colours end.

A pixel on the outline between two small segments lies between the two nodes, A and B, whose merge joins them. It moves
from A to B if it fits better there: a side costs

    d^2 / 2 v + ln(v) / 2 + SMOOTH * sum of exp(-e^2 / 8 NOISE^2) over the neighbours on the other side,

d the distance of its colour to the mean of the side in a window around it, v the variance of the side there (plus
NOISE^2), and e the distance to the colour of a neighbour; neighbours across a corner count less. The pixel takes the
small segment of the neighbour in B whose colour is nearest, so the tree stays as it is, all of its maps are refined at
once, and they stay nested. No pixel moves that holds a small segment, or a node below the merge, together.

A sweep has four phases, every other pixel of every other row at a time: such pixels are no neighbours, and windows show
the map before the sweep, so the result does not depend on the order, and a sweep reaches no farther than its window.
`tests/reference/refinement.py` is the obvious version.
"""

from __future__ import annotations

import functools
import itertools
import operator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segjt.region_graph.pixel_levels import LOG_GRADIENT, PixelLevels
from segjt.runtime.arrays import Floats, Ints, Labels
from segjt.runtime.compiled import compiled
from segjt.runtime.threads import stream_blocks
from segjt.trees.contours import joining_merge, joins

# Windows reach this far, and every so manyth pixel of every so manyth row counts.
RADIUS, STEP = 8, 2
# Outlines that a merge of this height or less removes stay as they are.
LOWEST = -6.0
# What a neighbour on the other side costs, and the standard deviation of what is one colour, in Lab units.
SMOOTH, NOISE = 0.2, 3.0
# A neighbour across a corner counts this much.
CORNER = 0.7
# A node may be that much better before a pixel moves: round-off does not decide.
ROUND_OFF = 1e-9
# Fewer rows are not worth a thread.
ROWS_PER_WORKER = 128
# The neighbours of a pixel, clockwise; those across a side have even numbers.
ROWS = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
COLUMNS = np.array([0, 1, 1, 1, 0, -1, -1, -1])
OUTSIDE = -1


class Maps(NamedTuple):
    """What a sweep sees of every pixel: compiled code takes no dataclass.

    Attributes
    ----------
    places, before : (H, W) int32 arrays
        The place of its small segment in the order of `leaf_intervals`, now and before the sweep.
    look, moved : (H, W) bool arrays
        Whether it is looked at in this sweep, and whether it has moved.
    levels : (H, W, C) int16 array
        Its colour, in levels of `pixel_levels`.
    squared_units : (C,) float array
        The square of what a level of each channel is worth in Lab units.
    """

    places: NDArray[np.int32]
    before: NDArray[np.int32]
    look: NDArray[np.bool_]
    moved: NDArray[np.bool_]
    levels: NDArray[np.int16]
    squared_units: Floats


class Tree(NamedTuple):
    """What a sweep knows of the tree.

    Attributes
    ----------
    segment_at : (K,) int array
        The small segment, from 0, at each place of the order of `leaf_intervals`.
    up, when : (K,) int arrays
        Its joins (`segjt.trees.contours.joins`).
    merges : (K - 1, 2) int array
        The two nodes of each merge.
    high : (K - 1,) bool array
        Whether the merge is higher than `LOWEST`.
    intervals : (2 K - 1, 2) int array
        Where the small segments of each node begin and end.
    """

    segment_at: Ints
    up: Ints
    when: Ints
    merges: Ints
    high: NDArray[np.bool_]
    intervals: Ints


def refine_outlines(
    labels: Labels, merges: Ints, heights: Floats, pixels: PixelLevels, sweeps: int, workers: int = 1
) -> Labels:
    """Return small segments 1..K with the outlines moved that merges higher than `LOWEST` remove.

    Every segment keeps a pixel at least and stays 4-connected, and so does every node. The result does not depend on
    the number of workers.
    """
    K = len(merges) + 1
    starts = leaf_intervals(merges)
    place_of = np.concatenate([[OUTSIDE], starts[:K, 0]]).astype(np.int32)
    segment_at = np.argsort(starts[:K, 0])
    places = place_of[labels]
    units = np.array([channel.unit for channel in pixels.channels if channel != LOG_GRADIENT])
    tree = Tree(segment_at, *joins(K, merges), merges, heights > LOWEST, starts)
    look = np.full(labels.shape, True)
    bands = row_bands(len(labels), workers)
    for _ in range(sweeps):
        before, moved = places.copy(), np.full(labels.shape, False)
        maps = Maps(places, before, look, moved, pixels.levels, units**2)
        for phase in range(4):
            moves = [functools.partial(sweep, maps, tree, phase, *band) for band in bands]
            # Each phase ends before the next one begins.
            for _done in stream_blocks(operator.call, moves, workers):
                pass
        if not moved.any():
            break
        look = near(moved)
    return np.where(places == OUTSIDE, 0, segment_at[places] + 1).astype(np.int32)


def row_bands(height: int, workers: int) -> list[tuple[int, int]]:
    """Return where bands of rows begin and end, one for each worker that it is worth handing one to."""
    edges = np.linspace(0, height, max(min(workers, height // ROWS_PER_WORKER), 1) + 1).astype(int)
    return list(itertools.pairwise(edges.tolist()))


@compiled
def leaf_intervals(merges: Ints) -> Ints:
    """Return where the small segments of each node begin and end, (2 K - 1, 2), in an order that has them together."""
    K = len(merges) + 1
    count = np.ones(2 * K - 1, np.int64)
    for merge in range(K - 1):
        count[K + merge] = count[merges[merge, 0]] + count[merges[merge, 1]]
    intervals = np.zeros((2 * K - 1, 2), np.int64)
    intervals[-1, 1] = K
    for merge in range(K - 2, -1, -1):
        one, other = merges[merge]
        start = intervals[K + merge, 0]
        intervals[one] = start, start + count[one]
        intervals[other] = start + count[one], start + count[one] + count[other]
    return intervals


@compiled
def near(moved: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which pixels are one that has moved, or a neighbour of one."""
    height, width = moved.shape
    marked = np.full(moved.shape, False)
    for y in range(height):
        for x in range(width):
            if moved[y, x]:
                marked[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = True
    return marked


@compiled
def sweep(maps: Maps, tree: Tree, phase: int, top: int, bottom: int) -> None:
    """Move the pixels of one phase in some rows."""
    places = maps.places
    joined = np.empty(8, np.int64)
    sums = np.empty((2, 2 * len(maps.squared_units) + 1), np.int64)
    for y in range(top + (phase // 2 - top) % 2, bottom, 2):
        for x in range(phase % 2, places.shape[1], 2):
            if not maps.look[y, x] or not on_outline(places, y, x):
                continue
            merge = neighbours_join(places, y, x, tree, joined)
            if merge < 0 or not tree.high[merge] or holds_together(joined, merge):
                continue
            own, other = tree.intervals[tree.merges[merge, 0]], tree.intervals[tree.merges[merge, 1]]
            if not own[0] <= places[y, x] < own[1]:
                own, other = other, own
            if fits_better(maps, y, x, own, other, sums):
                places[y, x] = nearest_beyond(maps, y, x, joined, merge)
                maps.moved[y, x] = True


@compiled
def on_outline(places: NDArray[np.int32], y: int, x: int) -> bool:
    """Tell whether a neighbour across a side is in another small segment."""
    here = places[y, x]
    if here == OUTSIDE:
        return False
    return bool(
        (y > 0 and places[y - 1, x] != here)
        or (x > 0 and places[y, x - 1] != here)
        or (y + 1 < len(places) and places[y + 1, x] != here)
        or (x + 1 < places.shape[1] and places[y, x + 1] != here)
    )


@compiled
def neighbours_join(places: NDArray[np.int32], y: int, x: int, tree: Tree, joined: Ints) -> int:
    """Write the merge that joins a pixel with each of its neighbours; return the last of those across a side, or -1.

    -1 stands for the same segment, and a merge after all others for a neighbour outside of the image or its mask.
    """
    last = -1
    for k in range(8):
        v, u = y + ROWS[k], x + COLUMNS[k]
        joined[k] = len(tree.segment_at)
        if 0 <= v < len(places) and 0 <= u < places.shape[1] and places[v, u] != OUTSIDE:
            joined[k] = -1
            if places[v, u] != places[y, x]:
                joined[k] = joining_merge(
                    tree.segment_at[places[y, x]], tree.segment_at[places[v, u]], tree.up, tree.when
                )
            if k % 2 == 0:
                last = max(last, joined[k])
    return last


@compiled
def holds_together(joined: Ints, merge: int) -> bool:
    """Tell whether the pixel's segment, or a node of it below a merge, might fall apart or vanish without the pixel.

    Those of its neighbours that a node has must be connected with each other among the eight.
    """
    for place in range(9):
        level = -1 if place == 8 else joined[place]
        if level >= merge:
            continue
        sides = links = 0
        for k in range(0, 8, 2):
            if joined[k] <= level:
                sides += 1
                if joined[k + 1] <= level and joined[(k + 2) % 8] <= level:
                    links += 1
        if sides == 0 or sides - links > 1:
            return True
    return False


@compiled
def fits_better(maps: Maps, y: int, x: int, own: Ints, other: Ints, sums: Ints) -> bool:
    """Tell whether a pixel fits the colours and the neighbours of another node better than those of its own."""
    places, before, levels, squared_units = maps.places, maps.before, maps.levels, maps.squared_units
    height, width = places.shape
    C = len(squared_units)
    sums[:] = 0
    for v in range(y - RADIUS, y + RADIUS + 1, STEP):
        if v < 0 or v >= height:
            continue
        for u in range(x - RADIUS, x + RADIUS + 1, STEP):
            if u < 0 or u >= width or (v == y and u == x):
                continue
            side = 0 if own[0] <= before[v, u] < own[1] else 1
            if side == 1 and not other[0] <= before[v, u] < other[1]:
                continue
            sums[side, -1] += 1
            for c in range(C):
                level = np.int64(levels[v, u, c])
                sums[side, c] += level
                sums[side, C + c] += level * level
    if sums[0, -1] == 0 or sums[1, -1] == 0:
        return False
    staying = misfit(sums[0], levels[y, x], squared_units)
    moving = misfit(sums[1], levels[y, x], squared_units)
    for k in range(8):
        v, u = y + ROWS[k], x + COLUMNS[k]
        if 0 <= v < height and 0 <= u < width:
            alike = np.exp(-squared_distance(maps, y, x, v, u) / (8 * NOISE**2))
            price = SMOOTH * alike * (1.0 if k % 2 == 0 else CORNER)
            if own[0] <= places[v, u] < own[1]:
                moving += price
            elif other[0] <= places[v, u] < other[1]:
                staying += price
    return bool(moving < staying - ROUND_OFF)


@compiled
def misfit(sums: Ints, levels: NDArray[np.int16], squared_units: Floats) -> float:
    """Return d^2 / 2 v + ln(v) / 2 of a colour, from sums over the colours of a side: levels, squares, pixels."""
    C, count = len(squared_units), sums[-1]
    squared, variance = 0.0, NOISE**2
    for c in range(C):
        mean = sums[c] / count
        squared += squared_units[c] * (levels[c] - mean) ** 2
        variance += squared_units[c] * max(sums[C + c] / count - mean * mean, 0.0)
    return float(squared / (2 * variance) + np.log(variance) / 2)


@compiled
def nearest_beyond(maps: Maps, y: int, x: int, joined: Ints, merge: int) -> int:
    """Return the place of the neighbour across a side, joined by the merge, whose colour is nearest."""
    best, nearest = OUTSIDE, np.inf
    for k in range(0, 8, 2):
        if joined[k] == merge:
            v, u = y + ROWS[k], x + COLUMNS[k]
            distance = squared_distance(maps, y, x, v, u)
            if distance < nearest:
                best, nearest = maps.places[v, u], distance
    return int(best)


@compiled
def squared_distance(maps: Maps, y: int, x: int, v: int, u: int) -> float:
    """Return the squared distance of the colours of two pixels, in Lab units."""
    total = 0.0
    for c in range(len(maps.squared_units)):
        total += maps.squared_units[c] * float(maps.levels[y, x, c] - maps.levels[v, u, c]) ** 2
    return total
