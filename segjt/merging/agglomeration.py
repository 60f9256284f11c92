"""Greedy merging of regions: again and again the two that touch and whose merge costs least.

The cost of an edge between regions of n_1 and n_2 pixels is a product of powers; its logarithm is

    ln(0.0001 + 1 - BC) + ln(0.05 + g) + 0.7 ln(s / length) + sum_k w_k ln(0.06 + |x_1k - x_2k|),

BC the Bhattacharyya coefficient of their histograms, g the mean gradient along the edge, s = n_1 n_2 / (n_1 + n_2), and
x the cues of `segjt.merging.figure_ground`, if given. The height of a merge, which says how different the two are and
need not be in the order of the merges, is

    0.7 ln(0.0001 + 1 - BC) + ln(0.05 + g) + 0.3 ln(s / N),    N the pixels of the image.

Edges higher than `DIFFERENT` come after all others, and their cues do not count.

A merge changes the cost of every edge of the merged region. Those of the smaller of the two are recomputed at once,
which happens to an edge at most log2(N) times; those of the larger one when it has grown by `GROWTH` since their last
time, so that a region which swallows thousands of small ones, as in noise, does not take a step for each of its edges
each time. All of it takes O(E log E), with log(N) / log(1 + GROWTH) as a factor at most. Of equal costs the edge that
came first in the list goes first. `tests/reference/agglomeration.py` is the obvious version.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segjt.merging.edge_queue import NONE, EdgeQueue, change_cost, is_queued, queue_of, remove
from segjt.merging.merges import Merges
from segjt.region_graph.graph import RegionGraph
from segjt.region_graph.pixel_levels import GRADIENT_UNITS, PARTS
from segjt.runtime.arrays import Counts, Floats, Ints, Mask, Places
from segjt.runtime.compiled import compiled, compiled_reordering

SAME_COLOUR, SAME_LIGHT, SAME_CUE = 1e-4, 0.05, 0.06
SIZE_POWER = 0.7
HEIGHT_OF_COLOUR, HEIGHT_OF_SIZE = 0.7, 0.3
# Above this height there are two different things, whatever their cues say: they are merged when nothing else is left.
# The last merges of photographs have -5 to -3.
DIFFERENT = -3.4
# Added to the log cost of such edges, so that they come after all others.
LAST = 100.0
# The costs of a region's edges are recomputed when it has grown by this share.
GROWTH = 0.01


class Sums(NamedTuple):
    """The arrays of a `RegionGraph` that merging keeps up to date, with the cues: compiled code takes no dataclass."""

    sizes: Ints
    histograms: Counts
    frame: Ints
    ends: Ints
    lengths: Ints
    gradients: Ints
    channels: int
    cue_sums: Floats
    powers: Floats
    pixels: int


class EdgeLists(NamedTuple):
    """The edges of each region: edge e is in the list of ends[e, 0] as 2 e and in that of ends[e, 1] as 2 e + 1.

    Edges that have left the queue may stay in the lists; `degree` counts those that have not.
    """

    head: Places
    tail: Places
    following: Places
    degree: Places


def agglomerate(graph: RegionGraph, stop: int, cues: Floats | None = None, powers: Floats | None = None) -> Merges:
    """Merge regions until `stop` are left, or none that touch. The arrays of the graph are used up.

    Parameters
    ----------
    graph : RegionGraph
        At most 2^30 edges.
    stop : int
        How many regions are to be left.
    cues, powers : (K, m) and (m,) float arrays, optional
        Cues of the regions, and the powers w of their differences in the cost.
    """
    K = len(graph)
    cues = np.zeros((K, 0)) if cues is None else cues
    pairs, heights = np.empty((max(K - stop, 0), 2), np.int64), np.empty(max(K - stop, 0))
    nodes = np.arange(K)
    sums = Sums(
        graph.sizes,
        graph.histograms,
        graph.frame,
        graph.ends,
        graph.lengths,
        graph.gradients,
        len(graph.channels),
        cues * graph.sizes[:, None],
        np.zeros(0) if powers is None else powers,
        int(graph.sizes.sum()),
    )
    done, edge_left = merge_cheapest(sums, nodes, pairs, heights)
    alive = nodes != NONE
    number = np.cumsum(alive) - 1
    left = RegionGraph(
        graph.channels,
        graph.sizes[alive],
        graph.histograms[alive],
        graph.frame[alive],
        number[graph.ends[edge_left]],
        graph.lengths[edge_left],
        graph.gradients[edge_left],
    )
    return Merges(pairs[:done], heights[:done], left, nodes[alive])


@compiled_reordering
def root_products(histograms: Counts, i: int, j: int) -> float:
    """Return the sum of sqrt(a b) over the bins of two histograms."""
    total = 0.0
    for b in range(histograms.shape[1]):
        total += np.sqrt(float(histograms[i, b]) * float(histograms[j, b]))
    return total


@compiled
def measure(sums: Sums, edge: int) -> tuple[float, float, float]:
    """Return 0.0001 + 1 - BC, 0.05 + g and s of an edge."""
    i, j = sums.ends[edge, 0], sums.ends[edge, 1]
    n1, n2 = float(sums.sizes[i]), float(sums.sizes[j])
    coefficient = root_products(sums.histograms, i, j) / (PARTS * sums.channels * np.sqrt(n1 * n2))
    g = sums.gradients[edge] / (2.0 * GRADIENT_UNITS * sums.lengths[edge])
    return SAME_COLOUR + max(1 - coefficient, 0.0), SAME_LIGHT + g, n1 * n2 / (n1 + n2)


@compiled
def height(colour: float, light: float, s: float, N: int) -> float:
    """Return the height of a merge, from what `measure` gives."""
    return float(HEIGHT_OF_COLOUR * np.log(colour) + np.log(light) + HEIGHT_OF_SIZE * np.log(s / N))


@compiled
def log_cost(sums: Sums, edge: int) -> float:
    """Return the logarithm of the cost of an edge."""
    colour, light, s = measure(sums, edge)
    cost = np.log(colour * light) + SIZE_POWER * np.log(s / sums.lengths[edge])
    if height(colour, light, s, sums.pixels) > DIFFERENT:
        return float(LAST + cost)
    i, j = sums.ends[edge, 0], sums.ends[edge, 1]
    for k in range(len(sums.powers)):
        x1, x2 = sums.cue_sums[i, k] / sums.sizes[i], sums.cue_sums[j, k] / sums.sizes[j]
        cost += sums.powers[k] * np.log(SAME_CUE + abs(x1 - x2))
    return float(cost)


@compiled
def merge_cheapest(sums: Sums, nodes: Ints, pairs: Ints, heights: Floats) -> tuple[int, Mask]:
    """Write as many merges as there is room for, or as there are; return how many, and which edges are left.

    All sums are kept up to date. `nodes` becomes the node of each region that is left, NONE for the others.
    """
    lists = lists_of(len(sums.sizes), sums.ends)
    costs = np.empty(len(sums.ends))
    for edge in range(len(costs)):
        costs[edge] = log_cost(sums, edge)
    queue = queue_of(costs)
    known_size = sums.sizes.copy()
    done = 0
    while done < len(pairs) and queue.left[0] > 0:
        edge = queue.heap[0]
        i, j = larger_first(sums, nodes, edge)
        colour, light, s = measure(sums, edge)
        heights[done] = height(colour, light, s, sums.pixels)
        pairs[done, 0], pairs[done, 1] = nodes[i], nodes[j]
        nodes[i], nodes[j] = len(nodes) + done, NONE
        add_region(sums, i, j)
        remove(queue, edge)
        lists.degree[i] -= 1
        hand_over_edges(sums, lists, queue, i, j)
        if sums.sizes[i] > (1 + GROWTH) * known_size[i]:
            known_size[i] = sums.sizes[i]
            recompute_costs(sums, lists, queue, i)
        done += 1
    return done, queue.place != NONE


@compiled
def larger_first(sums: Sums, nodes: Ints, edge: int) -> tuple[int, int]:
    """Return the two regions of an edge, the larger first; of equally large ones that with the older node."""
    i, j = sums.ends[edge]
    if sums.sizes[j] > sums.sizes[i] or (sums.sizes[j] == sums.sizes[i] and nodes[j] < nodes[i]):
        return j, i
    return i, j


@compiled
def add_region(sums: Sums, i: int, j: int) -> None:
    """Add the sums of region j to those of region i."""
    sums.sizes[i] += sums.sizes[j]
    sums.frame[i] += sums.frame[j]
    for b in range(sums.histograms.shape[1]):
        sums.histograms[i, b] += sums.histograms[j, b]
    for k in range(sums.cue_sums.shape[1]):
        sums.cue_sums[i, k] += sums.cue_sums[j, k]


@compiled
def hand_over_edges(sums: Sums, lists: EdgeLists, queue: EdgeQueue, i: int, j: int) -> None:
    """Give the edges of region j to region i; one to a neighbour that i has too is added to i's."""
    entry = lists.head[j]
    while entry != NONE:
        after, edge, side = lists.following[entry], entry // 2, entry % 2
        if is_queued(queue, edge):
            k = sums.ends[edge, 1 - side]
            common = edge_between(sums.ends, lists, queue, i, k)
            if common == NONE:
                sums.ends[edge, side] = i
                append(lists, i, entry)
                lists.degree[i] += 1
                common = edge
            else:
                sums.lengths[common] += sums.lengths[edge]
                sums.gradients[common] += sums.gradients[edge]
                remove(queue, edge)
                lists.degree[k] -= 1
            change_cost(queue, common, log_cost(sums, common))
        entry = after


@compiled
def recompute_costs(sums: Sums, lists: EdgeLists, queue: EdgeQueue, region: int) -> None:
    """Recompute the costs of all edges of a region, and drop those from its list that have left the queue."""
    entry, lists.head[region], lists.tail[region] = lists.head[region], NONE, NONE
    while entry != NONE:
        after, edge = lists.following[entry], entry // 2
        if is_queued(queue, edge):
            append(lists, region, entry)
            change_cost(queue, edge, log_cost(sums, edge))
        entry = after


@compiled
def lists_of(K: int, ends: Ints) -> EdgeLists:
    """Return the lists of the edges of K regions."""
    nothing = np.full(2 * len(ends), NONE, np.int32)
    lists = EdgeLists(np.full(K, NONE, np.int32), np.full(K, NONE, np.int32), nothing, np.zeros(K, np.int32))
    for entry in range(2 * len(ends)):
        region = ends[entry // 2, entry % 2]
        append(lists, region, entry)
        lists.degree[region] += 1
    return lists


@compiled
def append(lists: EdgeLists, region: int, entry: int) -> None:
    """Put an entry at the end of the list of a region."""
    lists.following[entry] = NONE
    if lists.head[region] == NONE:
        lists.head[region] = entry
    else:
        lists.following[lists.tail[region]] = entry
    lists.tail[region] = entry


@compiled
def edge_between(ends: Ints, lists: EdgeLists, queue: EdgeQueue, one: int, other: int) -> int:
    """Return the edge between two regions, or NONE; the list of the one with fewer neighbours is searched."""
    if lists.degree[other] < lists.degree[one]:
        one, other = other, one
    entry = lists.head[one]
    while entry != NONE:
        edge = entry // 2
        if is_queued(queue, edge) and ends[edge, 1 - entry % 2] == other:
            return int(edge)
        entry = lists.following[entry]
    return NONE
