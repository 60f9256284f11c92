"""Greedy merging of regions: again and again the two that touch and whose merge costs least.

The cost of an edge between regions of n_1 and n_2 pixels is a product of powers; its logarithm is

    ln(0.0001 + 1 - BC) + ln(0.05 + g) + 0.7 ln(s / length) + sum_k w_k ln(0.06 + |x_1k - x_2k|),

BC the Bhattacharyya coefficient of their histograms, g the mean gradient along the edge, s = n_1 n_2 / (n_1 + n_2), and
x the cues of `segjt.cues`, if given. The height of a merge, which says how different the two are and need not be in the
order of the merges, is

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

import numpy as np
from numpy.typing import NDArray

from segjt.compiled import compiled, compiled_reordering
from segjt.pixel_levels import GRADIENT_UNITS, PARTS
from segjt.region_sums import RegionSums

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
    sums = cues * regions.sizes[:, None]
    done = merge_edges(
        regions.sizes,
        regions.histograms,
        regions.frame,
        regions.ends,
        regions.lengths,
        regions.gradients,
        len(regions.channels),
        sums,
        np.zeros(0) if powers is None else powers,
        nodes,
        edge_left,
        pairs,
        heights,
    )
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
def measure(
    sizes: Ints,
    histograms: NDArray[np.signedinteger],
    ends: Ints,
    lengths: Ints,
    gradients: Ints,
    channels: int,
    edge: int,
) -> tuple[float, float, float]:
    """Return 0.0001 + 1 - BC, 0.05 + g and s of an edge."""
    i, j = ends[edge, 0], ends[edge, 1]
    n1, n2 = float(sizes[i]), float(sizes[j])
    coefficient = root_products(histograms, i, j) / (PARTS * channels * np.sqrt(n1 * n2))
    g = gradients[edge] / (2.0 * GRADIENT_UNITS * lengths[edge])
    return SAME_COLOUR + max(1 - coefficient, 0.0), SAME_LIGHT + g, n1 * n2 / (n1 + n2)


@compiled
def height(colour: float, light: float, s: float, N: int) -> float:
    """Return the height of a merge, from what `measure` gives."""
    return float(HEIGHT_OF_COLOUR * np.log(colour) + np.log(light) + HEIGHT_OF_SIZE * np.log(s / N))


@compiled
def log_cost(
    sizes: Ints,
    histograms: NDArray[np.signedinteger],
    ends: Ints,
    lengths: Ints,
    gradients: Ints,
    channels: int,
    sums: Floats,
    powers: Floats,
    N: int,
    edge: int,
) -> float:
    """Return the logarithm of the cost of an edge; `sums` are cues times sizes, N the pixels of the image."""
    colour, light, s = measure(sizes, histograms, ends, lengths, gradients, channels, edge)
    cost = np.log(colour * light) + SIZE_POWER * np.log(s / lengths[edge])
    if height(colour, light, s, N) > DIFFERENT:
        return float(LAST + cost)
    i, j = ends[edge, 0], ends[edge, 1]
    for k in range(len(powers)):
        cost += powers[k] * np.log(SAME_CUE + abs(sums[i, k] / sizes[i] - sums[j, k] / sizes[j]))
    return float(cost)


@compiled
def merge_edges(
    sizes: Ints,
    histograms: NDArray[np.signedinteger],
    frame: Ints,
    ends: Ints,
    lengths: Ints,
    gradients: Ints,
    channels: int,
    sums: Floats,
    powers: Floats,
    nodes: Ints,
    edge_left: NDArray[np.bool_],
    pairs: Ints,
    heights: Floats,
) -> int:
    """Write as many merges as there is room for, or as there are, and return how many; all sums are kept up."""
    K, E, N = len(sizes), len(ends), sizes.sum()
    # Edge e is in the list of ends[e, 0] as 2 e and in that of ends[e, 1] as 2 e + 1; some in a list may be gone.
    head, tail, degree = np.full(K, NONE, np.int32), np.full(K, NONE, np.int32), np.zeros(K, np.int32)
    following = np.full(2 * E, NONE, np.int32)
    for entry in range(2 * E):
        append(head, tail, following, ends[entry // 2, entry % 2], entry)
        degree[ends[entry // 2, entry % 2]] += 1
    costs, heap, place = np.empty(E), np.arange(E).astype(np.int32), np.arange(E).astype(np.int32)
    for e in range(E):
        costs[e] = log_cost(sizes, histograms, ends, lengths, gradients, channels, sums, powers, N, e)
    for p in range(E // 2 - 1, -1, -1):
        sink(heap, place, costs, p, E)
    left = E
    known_size = sizes.copy()
    for done in range(len(pairs)):
        if left == 0:
            return done
        e = heap[0]
        i, j = ends[e, 0], ends[e, 1]
        if sizes[j] > sizes[i] or (sizes[j] == sizes[i] and nodes[j] < nodes[i]):
            i, j = j, i
        colour, light, s = measure(sizes, histograms, ends, lengths, gradients, channels, e)
        heights[done] = height(colour, light, s, N)
        pairs[done, 0], pairs[done, 1] = nodes[i], nodes[j]
        nodes[i], nodes[j] = K + done, NONE
        sizes[i] += sizes[j]
        frame[i] += frame[j]
        for b in range(histograms.shape[1]):
            histograms[i, b] += histograms[j, b]
        for k in range(sums.shape[1]):
            sums[i, k] += sums[j, k]
        left = take_out(heap, place, costs, e, left)
        edge_left[e] = False
        degree[i] -= 1
        # The edges of j go to i; one to a neighbour that i has too is added to i's.
        entry = head[j]
        while entry != NONE:
            after, edge, side = following[entry], entry // 2, entry % 2
            if edge_left[edge]:
                k = ends[edge, 1 - side]
                if degree[k] < degree[i]:
                    changed = edge_between(head, following, ends, edge_left, k, i)
                else:
                    changed = edge_between(head, following, ends, edge_left, i, k)
                if changed == NONE:
                    ends[edge, side] = i
                    append(head, tail, following, i, entry)
                    degree[i] += 1
                    changed = edge
                else:
                    lengths[changed] += lengths[edge]
                    gradients[changed] += gradients[edge]
                    left = take_out(heap, place, costs, edge, left)
                    edge_left[edge] = False
                    degree[k] -= 1
                costs[changed] = log_cost(
                    sizes, histograms, ends, lengths, gradients, channels, sums, powers, N, changed
                )
                sink(heap, place, costs, rise(heap, place, costs, place[changed]), left)
            entry = after
        if sizes[i] > (1 + GROWTH) * known_size[i]:
            known_size[i] = sizes[i]
            entry, head[i], tail[i] = head[i], NONE, NONE
            while entry != NONE:
                after, edge = following[entry], entry // 2
                if edge_left[edge]:
                    append(head, tail, following, i, entry)
                    costs[edge] = log_cost(sizes, histograms, ends, lengths, gradients, channels, sums, powers, N, edge)
                    sink(heap, place, costs, rise(heap, place, costs, place[edge]), left)
                entry = after
    return len(pairs)


@compiled
def append(head: Places, tail: Places, following: Places, region: int, entry: int) -> None:
    """Put an entry at the end of the list of a region."""
    following[entry] = NONE
    if head[region] == NONE:
        head[region] = entry
    else:
        following[tail[region]] = entry
    tail[region] = entry


@compiled
def edge_between(
    head: Places, following: Places, ends: Ints, edge_left: NDArray[np.bool_], region: int, other: int
) -> int:
    """Return the edge in the list of a region that leads to another, or NONE."""
    entry = head[region]
    while entry != NONE:
        edge = entry // 2
        if edge_left[edge] and ends[edge, 1 - entry % 2] == other:
            return int(edge)
        entry = following[entry]
    return NONE


@compiled
def comes_first(costs: Floats, one: int, other: int) -> bool:
    """Return whether an edge is to be merged before another."""
    return bool(costs[one] < costs[other] or (costs[one] == costs[other] and one < other))


@compiled
def rise(heap: Places, place: Places, costs: Floats, p: int) -> int:
    """Move the edge at place p of the heap up to where it belongs, and return its place."""
    edge = heap[p]
    while p > 0 and comes_first(costs, edge, heap[(p - 1) // 2]):
        heap[p] = heap[(p - 1) // 2]
        place[heap[p]] = p
        p = (p - 1) // 2
    heap[p] = edge
    place[edge] = p
    return p


@compiled
def sink(heap: Places, place: Places, costs: Floats, p: int, left: int) -> None:
    """Move the edge at place p of a heap of `left` edges down to where it belongs."""
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
def take_out(heap: Places, place: Places, costs: Floats, edge: int, left: int) -> int:
    """Take an edge out of the heap and return how many are left."""
    left -= 1
    last = heap[left]
    if last != edge:
        heap[place[edge]] = last
        place[last] = place[edge]
        sink(heap, place, costs, rise(heap, place, costs, place[last]), left)
    return left
