"""Greedy merging of regions: again and again the two that touch and whose merge costs least.

The cost of an edge between regions of n_1 and n_2 pixels is a product of powers; its logarithm is

    ln(0.0001 + 1 - BC) + ln(0.05 + g) + 0.7 ln(s / length) + sum_k w_k ln(0.06 + |x_1k - x_2k|),

BC the Bhattacharyya coefficient of their histograms, g the mean gradient along the edge, s = n_1 n_2 / (n_1 + n_2), and
x the cues of `segjt.merging.figure_ground`, if given. The height of a merge, which says how different the two are and
need not be in the order of the merges, is

    0.7 ln(0.0001 + 1 - BC) + ln(0.05 + g) + 0.3 ln(s / N),    N the pixels of the image.

Edges higher than `DIFFERENT` come after all others, and their cues do not count.

Edges are in a heap. A merge changes the cost of every edge of the merged region. Those of the smaller of the two are
computed anew at once, which happens to an edge at most log2(N) times; those of the larger one when it has grown by
`GROWTH` since their last time, so that a region which swallows thousands of small ones, as in noise, does not take a
step for each of its edges each time. All of it takes O(E log E), with log(N) / log(1 + GROWTH) as a factor at most. Of
equal costs the edge that came first in the list goes first. `tests/reference/agglomeration.py` is the obvious version.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segjt.region_graph.pixel_levels import GRADIENT_UNITS, PARTS
from segjt.region_graph.sums import RegionSums
from segjt.runtime.compiled import compiled, compiled_reordering

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Places = NDArray[np.int32]

NONE = -1
SAME_COLOUR, SAME_LIGHT, SAME_CUE = 1e-4, 0.05, 0.06
SIZE_POWER = 0.7
HEIGHT_OF_COLOUR, HEIGHT_OF_SIZE = 0.7, 0.3
# Above this height there are two different things, whatever their cues say: they are merged when nothing else is left.
# The last merges of photographs have -5 to -3.
DIFFERENT = -3.4
LAST = 100.0
# A region's edges have their costs computed anew when it has grown by this share.
GROWTH = 0.01


class Graph(NamedTuple):
    """The arrays of `RegionSums` that merging keeps up, with the cues: what compiled code can take."""

    sizes: Ints
    histograms: NDArray[np.signedinteger]
    frame: Ints
    ends: Ints
    lengths: Ints
    gradients: Ints
    channels: int
    cue_sums: Floats
    powers: Floats
    pixels: int


class EdgeLists(NamedTuple):
    """The edges of each region: edge e is in the list of ends[e, 0] as 2 e and in that of ends[e, 1] as 2 e + 1."""

    head: Places
    tail: Places
    following: Places


class Queue(NamedTuple):
    """A heap of edges by cost, and the place of each edge in it."""

    heap: Places
    place: Places
    costs: Floats


@dataclasses.dataclass(frozen=True)
class Merges:
    """What greedy merging did.

    Attributes
    ----------
    pairs : (M, 2) int array
        The two nodes of each merge; regions are the nodes 0..K-1 and merge m makes node K + m.
    heights : (M,) float array
        How different the two are.
    left : RegionSums
        The regions that are left.
    nodes : int array
        Their nodes.
    """

    pairs: Ints
    heights: Floats
    left: RegionSums
    nodes: Ints


def agglomerate(regions: RegionSums, stop: int, cues: Floats | None = None, powers: Floats | None = None) -> Merges:
    """Merge regions until `stop` are left, or none that touch. The arrays of `regions` are used up.

    Parameters
    ----------
    regions : RegionSums
        At most 2^30 edges.
    stop : int
        How many regions are to be left.
    cues, powers : (K, m) and (m,) float arrays, optional
        Cues of the regions, and the powers w of their differences in the cost.
    """
    K = len(regions)
    cues = np.zeros((K, 0)) if cues is None else cues
    pairs, heights = np.empty((max(K - stop, 0), 2), np.int64), np.empty(max(K - stop, 0))
    nodes, edge_left = np.arange(K), np.ones(len(regions.ends), bool)
    graph = Graph(
        regions.sizes,
        regions.histograms,
        regions.frame,
        regions.ends,
        regions.lengths,
        regions.gradients,
        len(regions.channels),
        cues * regions.sizes[:, None],
        np.zeros(0) if powers is None else powers,
        int(regions.sizes.sum()),
    )
    done = merge_edges(graph, nodes, edge_left, pairs, heights)
    alive = nodes != NONE
    number = np.cumsum(alive) - 1
    left = RegionSums(
        regions.channels,
        regions.sizes[alive],
        regions.histograms[alive],
        regions.frame[alive],
        number[regions.ends[edge_left]],
        regions.lengths[edge_left],
        regions.gradients[edge_left],
    )
    return Merges(pairs[:done], heights[:done], left, nodes[alive])


@compiled_reordering
def root_products(histograms: NDArray[np.signedinteger], i: int, j: int) -> float:
    """Return the sum of sqrt(a b) over the bins of two histograms."""
    total = 0.0
    for b in range(histograms.shape[1]):
        total += np.sqrt(float(histograms[i, b]) * float(histograms[j, b]))
    return total


@compiled
def measure(graph: Graph, edge: int) -> tuple[float, float, float]:
    """Return 0.0001 + 1 - BC, 0.05 + g and s of an edge."""
    i, j = graph.ends[edge, 0], graph.ends[edge, 1]
    n1, n2 = float(graph.sizes[i]), float(graph.sizes[j])
    coefficient = root_products(graph.histograms, i, j) / (PARTS * graph.channels * np.sqrt(n1 * n2))
    g = graph.gradients[edge] / (2.0 * GRADIENT_UNITS * graph.lengths[edge])
    return SAME_COLOUR + max(1 - coefficient, 0.0), SAME_LIGHT + g, n1 * n2 / (n1 + n2)


@compiled
def height(colour: float, light: float, s: float, N: int) -> float:
    """Return the height of a merge, from what `measure` gives."""
    return float(HEIGHT_OF_COLOUR * np.log(colour) + np.log(light) + HEIGHT_OF_SIZE * np.log(s / N))


@compiled
def log_cost(graph: Graph, edge: int) -> float:
    """Return the logarithm of the cost of an edge."""
    colour, light, s = measure(graph, edge)
    cost = np.log(colour * light) + SIZE_POWER * np.log(s / graph.lengths[edge])
    if height(colour, light, s, graph.pixels) > DIFFERENT:
        return float(LAST + cost)
    i, j = graph.ends[edge, 0], graph.ends[edge, 1]
    for k in range(len(graph.powers)):
        x1, x2 = graph.cue_sums[i, k] / graph.sizes[i], graph.cue_sums[j, k] / graph.sizes[j]
        cost += graph.powers[k] * np.log(SAME_CUE + abs(x1 - x2))
    return float(cost)


@compiled
def merge_edges(graph: Graph, nodes: Ints, edge_left: NDArray[np.bool_], pairs: Ints, heights: Floats) -> int:
    """Write as many merges as there is room for, or as there are, and return how many; all sums are kept up."""
    sizes, ends = graph.sizes, graph.ends
    K, E = len(sizes), len(ends)
    # Edges that are gone may stay in the lists.
    lists = EdgeLists(np.full(K, NONE, np.int32), np.full(K, NONE, np.int32), np.full(2 * E, NONE, np.int32))
    degree = np.zeros(K, np.int32)
    for entry in range(2 * E):
        region = ends[entry // 2, entry % 2]
        append(lists, region, entry)
        degree[region] += 1
    queue = Queue(np.arange(E).astype(np.int32), np.arange(E).astype(np.int32), np.empty(E))
    for e in range(E):
        queue.costs[e] = log_cost(graph, e)
    for p in range(E // 2 - 1, -1, -1):
        sink(queue, p, E)
    left = E
    known_size = sizes.copy()
    for done in range(len(pairs)):
        if left == 0:
            return done
        e = queue.heap[0]
        i, j = ends[e, 0], ends[e, 1]
        if sizes[j] > sizes[i] or (sizes[j] == sizes[i] and nodes[j] < nodes[i]):
            i, j = j, i
        colour, light, s = measure(graph, e)
        heights[done] = height(colour, light, s, graph.pixels)
        pairs[done, 0], pairs[done, 1] = nodes[i], nodes[j]
        nodes[i], nodes[j] = K + done, NONE
        add_region(graph, i, j)
        left = take_out(queue, e, left)
        edge_left[e] = False
        degree[i] -= 1
        # The edges of j go to i; one to a neighbour that i has too is added to i's.
        entry = lists.head[j]
        while entry != NONE:
            after, edge, side = lists.following[entry], entry // 2, entry % 2
            if edge_left[edge]:
                k = ends[edge, 1 - side]
                if degree[k] < degree[i]:
                    changed = edge_between(lists, ends, edge_left, k, i)
                else:
                    changed = edge_between(lists, ends, edge_left, i, k)
                if changed == NONE:
                    ends[edge, side] = i
                    append(lists, i, entry)
                    degree[i] += 1
                    changed = edge
                else:
                    graph.lengths[changed] += graph.lengths[edge]
                    graph.gradients[changed] += graph.gradients[edge]
                    left = take_out(queue, edge, left)
                    edge_left[edge] = False
                    degree[k] -= 1
                renew(queue, changed, log_cost(graph, changed), left)
            entry = after
        if sizes[i] > (1 + GROWTH) * known_size[i]:
            known_size[i] = sizes[i]
            entry, lists.head[i], lists.tail[i] = lists.head[i], NONE, NONE
            while entry != NONE:
                after, edge = lists.following[entry], entry // 2
                if edge_left[edge]:
                    append(lists, i, entry)
                    renew(queue, edge, log_cost(graph, edge), left)
                entry = after
    return len(pairs)


@compiled
def add_region(graph: Graph, i: int, j: int) -> None:
    """Add the sums of region j to those of region i."""
    graph.sizes[i] += graph.sizes[j]
    graph.frame[i] += graph.frame[j]
    for b in range(graph.histograms.shape[1]):
        graph.histograms[i, b] += graph.histograms[j, b]
    for k in range(graph.cue_sums.shape[1]):
        graph.cue_sums[i, k] += graph.cue_sums[j, k]


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
def edge_between(lists: EdgeLists, ends: Ints, edge_left: NDArray[np.bool_], region: int, other: int) -> int:
    """Return the edge in the list of a region that leads to another, or NONE."""
    entry = lists.head[region]
    while entry != NONE:
        edge = entry // 2
        if edge_left[edge] and ends[edge, 1 - entry % 2] == other:
            return int(edge)
        entry = lists.following[entry]
    return NONE


@compiled
def comes_first(costs: Floats, one: int, other: int) -> bool:
    """Return whether an edge is to be merged before another."""
    return bool(costs[one] < costs[other] or (costs[one] == costs[other] and one < other))


@compiled
def renew(queue: Queue, edge: int, cost: float, left: int) -> None:
    """Move an edge to where it belongs with a new cost, in a heap of `left` edges."""
    queue.costs[edge] = cost
    sink(queue, rise(queue, queue.place[edge]), left)


@compiled
def rise(queue: Queue, p: int) -> int:
    """Move the edge at place p of the heap up to where it belongs, and return its place."""
    heap, place, costs = queue
    edge = heap[p]
    while p > 0 and comes_first(costs, edge, heap[(p - 1) // 2]):
        heap[p] = heap[(p - 1) // 2]
        place[heap[p]] = p
        p = (p - 1) // 2
    heap[p] = edge
    place[edge] = p
    return p


@compiled
def sink(queue: Queue, p: int, left: int) -> None:
    """Move the edge at place p of a heap of `left` edges down to where it belongs."""
    heap, place, costs = queue
    edge = heap[p]
    while 2 * p + 1 < left:
        child = 2 * p + 1
        if child + 1 < left and comes_first(costs, heap[child + 1], heap[child]):
            child += 1
        if not comes_first(costs, heap[child], edge):
            break
        heap[p] = heap[child]
        place[heap[p]] = p
        p = child
    heap[p] = edge
    place[edge] = p


@compiled
def take_out(queue: Queue, edge: int, left: int) -> int:
    """Take an edge out of the heap and return how many are left."""
    left -= 1
    last = queue.heap[left]
    if last != edge:
        p = queue.place[edge]
        queue.heap[p] = last
        queue.place[last] = p
        sink(queue, rise(queue, p), left)
    return left
