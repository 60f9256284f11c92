"""A queue of edges by cost, from which any edge can be removed and whose costs can change: a heap, compiled.

Python's heapq has neither, works on objects, and cannot be called from compiled code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segjt.runtime.arrays import Floats, Places
from segjt.runtime.compiled import compiled

# The place of an edge that is not in the queue.
NONE = -1


class EdgeQueue(NamedTuple):
    """A heap of edges, cheapest first.

    Attributes
    ----------
    heap : (E,) int array
        The edges; the first `left` of them are in the queue.
    place : (E,) int array
        Where in the heap each edge is; NONE if it has been removed.
    costs : (E,) float array
        The cost of each edge.
    left : (1,) int array
        How many edges are in the queue.
    """

    heap: Places
    place: Places
    costs: Floats
    left: Places


@compiled
def queue_of(costs: Floats) -> EdgeQueue:
    """Return the queue of all edges."""
    E = len(costs)
    queue = EdgeQueue(np.arange(E).astype(np.int32), np.arange(E).astype(np.int32), costs, np.full(1, E, np.int32))
    for p in range(E // 2 - 1, -1, -1):
        sink(queue, p)
    return queue


@compiled
def comes_first(costs: Floats, one: int, other: int) -> bool:
    """Return whether an edge comes before another: the cheaper one, or the smaller number of equally cheap ones."""
    return bool(costs[one] < costs[other] or (costs[one] == costs[other] and one < other))


@compiled
def is_queued(queue: EdgeQueue, edge: int) -> bool:
    """Return whether an edge is in the queue."""
    return bool(queue.place[edge] != NONE)


@compiled
def change_cost(queue: EdgeQueue, edge: int, cost: float) -> None:
    """Move an edge to where it belongs with a new cost."""
    queue.costs[edge] = cost
    sink(queue, rise(queue, queue.place[edge]))


@compiled
def remove(queue: EdgeQueue, edge: int) -> None:
    """Take an edge out of the queue."""
    queue.left[0] -= 1
    p, last = queue.place[edge], queue.heap[queue.left[0]]
    queue.place[edge] = NONE
    if last != edge:
        queue.heap[p] = last
        queue.place[last] = p
        sink(queue, rise(queue, p))


@compiled
def rise(queue: EdgeQueue, p: int) -> int:
    """Move the edge at place p of the heap up to where it belongs, and return its place."""
    heap, place, costs = queue.heap, queue.place, queue.costs
    edge = heap[p]
    while p > 0 and comes_first(costs, edge, heap[(p - 1) // 2]):
        heap[p] = heap[(p - 1) // 2]
        place[heap[p]] = p
        p = (p - 1) // 2
    heap[p] = edge
    place[edge] = p
    return p


@compiled
def sink(queue: EdgeQueue, p: int) -> None:
    """Move the edge at place p of the heap down to where it belongs."""
    heap, place, costs, left = queue.heap, queue.place, queue.costs, queue.left[0]
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
