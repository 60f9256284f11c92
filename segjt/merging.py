"""Grouping the small segments of all blocks into the final ones.

Three methods, on the same graph: the Bhattacharyya coefficient of two touching segments, to a power, is
the weight of their edge; segments that do not touch have none.

- "spectral": eigenvectors of the graph and k-means, as in paper 000;
- "ncut": merge the neighbours that reduce the normalized cut most, as in paper 001;
- "histograms", the default: the same until 24 segments are left, then merge the neighbours whose own
  histograms differ least for their size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, eye_array
from scipy.sparse.csgraph import connected_components

from segjt.compiled import compiled
from segjt.greedy import greedy_merges
from segjt.kmeans import kmeans
from segjt.ncut import unit_rows
from segjt.regions import RegionGraph, bhattacharyya

Groups = NDArray[np.intp]
Merges = NDArray[np.int64]

# An edge never weighs nothing: where all neighbours have coefficient 0 (black next to white) the graph
# stays connected, and the number of edges decides.
SMALLEST_WEIGHT = 1e-12
# What links parts of the image that a mask has separated, times their coefficient to the power.
LINK_WEIGHT = 1e-2
# A segment's weight with itself: one that resembles none of its neighbours stays on its own.
SELF_WEIGHT = 1e-3
# Up to this many segments, all eigenvectors at once are as fast as a few, and more robust.
DENSE_UP_TO = 400
# What rounding leaves of the residual in the dense solver.
DENSE_RESIDUAL = 1e-14
# Up to so many segments the dense solver decides between equal eigenvalues, too.
FLAT_DENSE_UP_TO = 1000
# From here on segments are large enough for sharp histograms, and those decide.
HISTOGRAMS_DECIDE_FROM = 24
# A merge that costs this much joins two different things (fitted on the 59 Weizmann training images)...
AUTO_COST = 0.02
# ... and one that costs less than this does not: textures and noise stay below it.
NOISE_COST = 0.008


def group_regions(graph: RegionGraph, method: str, n_segments: int | str, power: float, seed: int) -> Groups:
    """Return the group, from 0, of each segment of the graph.

    There are `n_segments` groups, or fewer if the graph has fewer segments; "auto" is `choose_number`.
    """
    return groupings(graph, method, [n_segments], power, seed)[0]


def groupings(graph: RegionGraph, method: str, numbers: Sequence[int | str], power: float, seed: int) -> list[Groups]:
    """Return the same for several numbers of segments; merges and eigenvectors are computed once for all of them."""
    K, weights = len(graph), weight_matrix(graph, power)
    decided = [n for n in numbers if n == "auto" or (method == "histograms" and int(n) <= HISTOGRAMS_DECIDE_FROM)]
    if decided:
        coarse = apply_merges(K, greedy_ncut(weights, HISTOGRAMS_DECIDE_FROM))
        last_merges, costs = histogram_merges(graph, coarse)
    counts = [choose_number(costs) if n == "auto" else int(n) for n in numbers]
    if method == "spectral":
        return spectral(weights, counts, seed)
    left = len(last_merges) + 1 if decided and method == "histograms" else 0
    greedy = [n for n in counts if n > HISTOGRAMS_DECIDE_FROM or method == "ncut"]
    merges = greedy_ncut(weights, min(greedy, default=K))
    return [
        apply_merges(K, merges[: max(K - n, 0)])
        if n in greedy
        else apply_merges(left, last_merges[: max(left - n, 0)])[coarse]
        for n in counts
    ]


def weight_matrix(graph: RegionGraph, power: float) -> csr_array:
    """Return the symmetric matrix of edge weights, connected, with nothing on its diagonal."""
    K = len(graph)
    weights = np.maximum(bhattacharyya(graph) ** power, SMALLEST_WEIGHT)
    matrix = csr_array((weights, graph.indices, graph.indptr), shape=(K, K))
    return link_islands(graph, matrix, power)


def link_islands(graph: RegionGraph, matrix: csr_array, power: float) -> csr_array:
    """Return the matrix with a weak edge between parts that do not touch, which a mask can leave.

    The parts are put in a row by colour, along the direction in which their colours differ most, and each is
    linked to the next, largest segment to largest segment: any number of segments can be reached.
    """
    part_of = islands(graph)
    parts = int(part_of.max()) + 1
    if parts == 1:
        return matrix
    by_size = np.lexsort((graph.sizes, part_of))
    largest = by_size[np.flatnonzero(np.diff(part_of[by_size], append=parts))]
    roots = np.sqrt(graph.histograms[largest] / graph.sizes[largest, None, None]).reshape(parts, -1)
    centred = roots - roots.mean(0)
    direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    row = np.argsort(centred @ direction, kind="stable")
    one, other = row[:-1], row[1:]
    alike = (roots[one] * roots[other]).sum(1) / graph.histograms.shape[1]
    weak = np.maximum(LINK_WEIGHT * alike**power, SMALLEST_WEIGHT)
    added = csr_array((weak, (largest[one], largest[other])), shape=matrix.shape)
    return csr_array(matrix + added + added.T)


def islands(graph: RegionGraph) -> NDArray[np.int32]:
    """Return which of the parts that do not touch, from 0, each segment belongs to."""
    contacts = csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(len(graph), len(graph)))
    found: NDArray[np.int32] = connected_components(contacts, directed=False)[1]
    return found


def spectral(weights: csr_array, numbers: Sequence[int], seed: int) -> list[Groups]:
    """Return for each n groups by n top eigenvectors of D^(-1/2) W D^(-1/2), unit rows, k-means (paper 000, VI-C)."""
    K = weights.shape[0]
    looped = csr_array(weights + SELF_WEIGHT * eye_array(K))
    scale = 1 / np.sqrt(looped.sum(1))
    Z = csr_array(looped * scale[:, None] * scale[None, :])
    vectors = embeddings(Z, [n for n in numbers if n < K])
    return [kmeans(unit_rows(vectors[n]), n, np.random.default_rng(seed)) if n < K else np.arange(K) for n in numbers]


def top_eigenvectors(Z: csr_array, n: int) -> NDArray[np.float64]:
    """Return the eigenvectors of the n largest eigenvalues of a sparse matrix whose largest is 1."""
    return embeddings(Z, [n])[n]


def embeddings(Z: csr_array, numbers: Sequence[int]) -> dict[int, NDArray[np.float64]]:
    """Return for each n the eigenvectors of the n largest eigenvalues of a sparse matrix whose largest is 1.

    Lanczos on (1 + shift - Z)^-1 with a fixed start, once for the largest n; the shift is small, for in a graph that
    nearly falls apart many eigenvalues lie within 1e-9 of 1. Its vectors are judged: where the residual is not small
    against the gap to the next eigenvalue, nor as small as that of the dense solver would be, that one decides. Where
    eigenvalues are equal, as in flat images, there is no gap, and any of their eigenvectors are as good as others: in
    large graphs the dense solver is not asked then.
    """
    few = [n for n in numbers if Z.shape[0] > DENSE_UP_TO and 3 * n < Z.shape[0]]
    found = judged_eigenvectors(Z, few) if few else {}
    rest = [n for n in numbers if n not in found]
    if rest:
        vectors = dense_eigenvectors(Z, max(rest))
        found |= {n: vectors[:, :n] for n in rest}
    return found


def judged_eigenvectors(Z: csr_array, numbers: Sequence[int]) -> dict[int, NDArray[np.float64]]:
    """Return the eigenvectors by Lanczos' method for those n for which they can be trusted."""
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    K = Z.shape[0]
    try:
        # More restarts than that take longer than the dense solver, and seldom end well.
        values, vectors = eigsh(Z.tocsc(), max(numbers) + 1, sigma=1 + 1e-9, v0=np.ones(K), maxiter=20 + K // 100)
    except ArpackNoConvergence:
        return {}
    order = np.argsort(-values)
    values, vectors = values[order], vectors[:, order]
    residuals = np.sqrt(((Z @ vectors - vectors * values) ** 2).sum(0))
    found = {}
    for n in numbers:
        residual, gap = residuals[:n].max(), values[n - 1] - values[n]
        if residual < 1e-6 * gap or (residual < DENSE_RESIDUAL and (gap > 10 * DENSE_RESIDUAL or K > FLAT_DENSE_UP_TO)):
            found[n] = vectors[:, :n]
    return found


def dense_eigenvectors(Z: csr_array, n: int) -> NDArray[np.float64]:
    """Return the eigenvectors of the n largest eigenvalues by the solver for dense matrices."""
    from scipy.linalg import eigh

    K = Z.shape[0]
    found: NDArray[np.float64] = eigh(Z.toarray(), subset_by_index=[K - n, K - 1])[1]
    return found[:, ::-1]


def greedy_ncut(weights: csr_array, n: int, within: NDArray[np.float64] | None = None) -> Merges:
    """Return the merges (kept, absorbed) down to n groups that each reduce the normalized cut most (paper 001).

    `within` is the weight of each node with itself, `SELF_WEIGHT` if not given.
    """
    if within is None:
        within = np.full(weights.shape[0], SELF_WEIGHT)
    return greedy_merges(weights.indptr, weights.indices, weights.data, within, n)


def apply_merges(K: int, merges: ArrayLike) -> Groups:
    """Return the group, from 0, of each of K nodes after these merges (kept, absorbed)."""
    parent = np.arange(K)
    follow_back(parent, np.asarray(merges, np.int64).reshape(-1, 2))
    return np.unique(parent, return_inverse=True)[1].reshape(-1)


@compiled
def follow_back(parent: NDArray[np.int64], merges: Merges) -> None:
    """Give every node the name of the group that it ends up in."""
    # Backwards, what a group was merged into is already known.
    for merge in range(len(merges) - 1, -1, -1):
        parent[merges[merge, 1]] = parent[merges[merge, 0]]


def histogram_merges(graph: RegionGraph, groups: Groups) -> tuple[list[tuple[int, int]], list[float]]:
    """Return the merges (kept, absorbed) of neighbouring groups until one is left, cheapest first, and their costs.

    A merge costs (1 - BC) share, with BC the Bhattacharyya coefficient of the groups' own histograms, which
    sharpen as groups grow, and share = 2 n_1 n_2 / ((n_1 + n_2) N) of their sizes in the image's N pixels. The
    costs returned never fall: a merge costs at least what those before it did.
    """
    n = int(groups.max()) + 1
    sizes = np.bincount(groups, graph.sizes, n)
    columns = graph.histograms.reshape(len(graph), -1).T
    histograms = np.stack([np.bincount(groups, column, n) for column in columns], 1)
    histograms = histograms.reshape(n, *graph.histograms.shape[1:])
    # Neighbours can be merged, and so can groups on different islands of a mask, which have no neighbours.
    island = np.zeros(n, np.int64)
    island[groups] = islands(graph)
    touching = island[:, None] != island[None, :]
    touching[groups[graph.sources()], groups[graph.indices]] = True
    alive = np.ones(n, bool)
    merges: list[tuple[int, int]] = []
    costs: list[float] = []
    for _ in range(n - 1):
        candidates = np.triu(np.outer(alive, alive), 1) & touching
        cost = np.where(candidates, merge_costs(sizes, histograms, int(graph.sizes.sum())), np.inf)
        kept, absorbed = divmod(int(cost.argmin()), n)
        merges.append((kept, absorbed))
        costs.append(max(float(cost[kept, absorbed]), costs[-1] if costs else 0.0))
        sizes[kept] += sizes[absorbed]
        histograms[kept] += histograms[absorbed]
        touching[kept] |= touching[absorbed]
        touching[:, kept] |= touching[:, absorbed]
        alive[absorbed] = False
    return merges, costs


def choose_number(costs: list[float]) -> int:
    """Return how many segments an image has, from its merge cost curve: one more than the merges that cost much.

    Much is `AUTO_COST`; in an image of low contrast half of the highest cost, but never under `NOISE_COST`.
    """
    much = min(AUTO_COST, max(NOISE_COST, max(costs, default=0.0) / 2))
    return 1 + sum(cost >= much for cost in costs)


def merge_costs(sizes: NDArray[Any], histograms: NDArray[Any], N: int) -> NDArray[np.float64]:
    """Return (1 - BC) share for all pairs of groups of an image of N pixels."""
    roots = np.sqrt(histograms / sizes[:, None, None]).reshape(len(sizes), -1)
    coefficient = roots @ roots.T / histograms.shape[1]
    share = 2 * sizes[:, None] * sizes[None, :] / (sizes[:, None] + sizes[None, :]) / N
    cost: NDArray[np.float64] = (1 - np.minimum(coefficient, 1.0)) * share
    return cost
