"""Grouping the small segments of all blocks into the final ones as the papers do.

Two methods, on the same graph: the Bhattacharyya coefficient of two touching segments, to a power, is
the weight of their edge; segments that do not touch have none.

- "spectral": eigenvectors of the graph and k-means, as in paper 000;
- "ncut": merge the neighbours that reduce the normalized cut most, as in paper 001.

The default, "cues", is in `segjt.merging.cues`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, eye_array
from scipy.sparse.csgraph import connected_components

from segjt.merging.greedy_ncut import greedy_merges
from segjt.region_graph.regions import RegionGraph, bhattacharyya
from segjt.runtime.compiled import compiled
from segjt.spectral.kmeans import kmeans
from segjt.spectral.ncut import unit_rows

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


def group_regions(graph: RegionGraph, method: str, n_segments: int, power: float, seed: int) -> Groups:
    """Return the group, from 0, of each segment of the graph.

    There are `n_segments` groups, or fewer if the graph has fewer segments.
    """
    return groupings(graph, method, [n_segments], power, seed)[0]


def groupings(graph: RegionGraph, method: str, numbers: Sequence[int], power: float, seed: int) -> list[Groups]:
    """Return the same for several numbers of segments; merges and eigenvectors are computed once for all of them."""
    K, weights = len(graph), weight_matrix(graph, power)
    if method == "spectral":
        return spectral(weights, numbers, seed)
    merges = greedy_ncut(weights, min(numbers))
    return [apply_merges(K, merges[: max(K - n, 0)]) for n in numbers]


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
    one, other = row_of_islands(part_of, graph.sizes, graph.histograms.reshape(len(graph), -1)).T
    products = np.sqrt(graph.histograms[one] * graph.histograms[other].astype(float)).sum((1, 2))
    alike = products / np.sqrt(graph.sizes[one] * graph.sizes[other]) / graph.histograms.shape[1]
    weak = np.maximum(LINK_WEIGHT * alike**power, SMALLEST_WEIGHT)
    added = csr_array((weak, (one, other)), shape=matrix.shape)
    return csr_array(matrix + added + added.T)


def row_of_islands(
    part_of: NDArray[np.integer], sizes: NDArray[np.int64], histograms: NDArray[np.signedinteger]
) -> NDArray[np.int64]:
    """Return links (P - 1, 2) between the largest segments of P parts that do not touch, put in a row by colour."""
    by_size = np.lexsort((sizes, part_of))
    largest = by_size[np.flatnonzero(np.diff(part_of[by_size], append=part_of.max() + 1))]
    roots = np.sqrt(histograms[largest] / sizes[largest, None])
    centred = roots - roots.mean(0)
    direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    row = largest[np.argsort(centred @ direction, kind="stable")]
    return np.stack([row[:-1], row[1:]], 1)


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
