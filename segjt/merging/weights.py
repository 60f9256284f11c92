"""The weights of the papers' merges: the affinity of two touching regions, to a power.

Regions that do not touch have none, and those that a mask has parted are linked weakly.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from segjt.merging.registry import MergeSettings, merge_affinity
from segjt.region_graph.graph import RegionGraph
from segjt.region_graph.islands import island_links

# An edge never weighs nothing: where all neighbours have affinity 0 (black next to white) the graph
# stays connected, and the number of edges decides.
SMALLEST_WEIGHT = 1e-12
# What links parts of the image that a mask has separated, times their affinity to the power.
LINK_WEIGHT = 1e-2
# A region's weight with itself: one that resembles none of its neighbours stays on its own.
SELF_WEIGHT = 1e-3


def weight_matrix(graph: RegionGraph, settings: MergeSettings) -> csr_array:
    """Return the symmetric matrix of edge weights, connected, with nothing on its diagonal."""
    K, affinity, power = len(graph), merge_affinity(settings.affinity), settings.power
    links = island_links(graph)
    strengths = np.concatenate(
        [affinity(graph, graph.ends) ** power, LINK_WEIGHT * affinity(graph, links) ** power], dtype=np.float64
    )
    weights = np.maximum(strengths, SMALLEST_WEIGHT)
    i, j = np.concatenate([graph.ends, links]).T
    return csr_array((np.tile(weights, 2), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(K, K))
