"""Parts of a region graph that do not touch, which a mask can leave, and links between them."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from segjt.region_graph.graph import RegionGraph
from segjt.region_graph.pixel_levels import PARTS
from segjt.runtime.arrays import Ints


def island_links(graph: RegionGraph) -> Ints:
    """Return links (P - 1, 2) between P islands, parts of the graph that do not touch: none if all is connected.

    The islands are put in a row by colour, along the direction in which their colours differ most, and each is linked
    to the next, largest region to largest region: with the links any number of segments can be reached.
    """
    K = len(graph)
    contacts = csr_array((np.ones(len(graph.ends)), (graph.ends[:, 0], graph.ends[:, 1])), shape=(K, K))
    islands, island_of = connected_components(contacts, directed=False)
    if islands <= 1:
        return np.empty((0, 2), np.int64)
    by_size = np.lexsort((graph.sizes, island_of))
    largest = by_size[np.flatnonzero(np.diff(island_of[by_size], append=islands))]
    roots = np.sqrt(graph.histograms[largest] / (PARTS * graph.sizes[largest, None]))
    centred = roots - roots.mean(0)
    direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    row = largest[np.argsort(centred @ direction, kind="stable")]
    return np.stack([row[:-1], row[1:]], 1)
