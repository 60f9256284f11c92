"""The weights of the papers' merges: the Bhattacharyya coefficient of two touching regions, to a power.

Regions that do not touch have none, and those that a mask has parted are linked weakly.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from segjt.region_graph.graph import RegionGraph
from segjt.region_graph.islands import island_links
from segjt.region_graph.pixel_levels import PARTS
from segjt.runtime.arrays import Counts, Floats, Ints
from segjt.runtime.compiled import compiled

# An edge never weighs nothing: where all neighbours have coefficient 0 (black next to white) the graph
# stays connected, and the number of edges decides.
SMALLEST_WEIGHT = 1e-12
# What links parts of the image that a mask has separated, times their coefficient to the power.
LINK_WEIGHT = 1e-2
# A region's weight with itself: one that resembles none of its neighbours stays on its own.
SELF_WEIGHT = 1e-3


def weight_matrix(graph: RegionGraph, power: float) -> csr_array:
    """Return the symmetric matrix of edge weights, connected, with nothing on its diagonal."""
    K = len(graph)
    weights = np.maximum(bhattacharyya_coefficients(graph, graph.ends) ** power, SMALLEST_WEIGHT)
    matrix = csr_array((weights, (graph.ends[:, 0], graph.ends[:, 1])), shape=(K, K))
    links = island_links(graph)
    weak = np.maximum(LINK_WEIGHT * bhattacharyya_coefficients(graph, links) ** power, SMALLEST_WEIGHT)
    matrix = matrix + csr_array((weak, (links[:, 0], links[:, 1])), shape=(K, K))
    return csr_array(matrix + matrix.T)


def bhattacharyya_coefficients(graph: RegionGraph, pairs: Ints) -> Floats:
    """Return the Bhattacharyya coefficient sum_b sqrt(p_b q_b) of pairs of regions, averaged over the channels."""
    sums = coefficient_sums(PARTS * graph.sizes, graph.histograms, pairs)
    coefficients: Floats = np.minimum(sums / len(graph.channels), 1.0)
    return coefficients


@compiled
def coefficient_sums(totals: Ints, histograms: Counts, pairs: Ints) -> Floats:
    """Return sum_b sqrt(p_b q_b) of pairs of histograms, divided by the totals of one of their channels.

    In flat parts of an image many edges are equally good and the last bit decides. So this adds in the order of numpy's
    einsum on x86-64, with which segjt began: even and odd bins apart, of each eight bins the last first.
    """
    products = np.empty(len(pairs))
    bins = histograms.shape[1]
    in_eights = bins // 8 * 8
    for pair in range(len(pairs)):
        i, j = pairs[pair]
        even = odd = 0.0
        for place in range(bins):
            b = place ^ 6 if place < in_eights else place
            if histograms[i, b] > 0 and histograms[j, b] > 0:
                product = np.sqrt(histograms[i, b] / totals[i]) * np.sqrt(histograms[j, b] / totals[j])
                if b % 2 == 0:
                    even += product
                else:
                    odd += product
        products[pair] = even + odd
    return products
