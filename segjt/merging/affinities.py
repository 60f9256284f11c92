"""How alike neighbouring regions are by their histograms, from 0 to 1, which is the same.

What ``merge_affinity=`` names, for the papers' merges. `registry.AFFINITIES` lists them.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from segjt.kernels.tsallis import weighted_jt_normalized
from segjt.region_graph.graph import RegionGraph
from segjt.region_graph.pixel_levels import PARTS
from segjt.runtime.arrays import Counts, Floats, Ints
from segjt.runtime.compiled import compiled

# Histograms compared at a time: a few times this many numbers per bin are held.
HISTOGRAMS_AT_A_TIME = 2**14


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


def jensen_tsallis_affinities(graph: RegionGraph, pairs: Ints) -> Floats:
    """Return the weighted Jensen-Tsallis kernel of pairs of regions (paper 003, Definition 3), see `alikeness`."""
    return alikeness(graph, pairs)


def neighbourhood_affinities(graph: RegionGraph, pairs: Ints) -> Floats:
    """Return the mean of the weighted Jensen-Tsallis kernel of three regions: a pair, and each of those around it.

    Paper 003 ends with the wish to use that the kernel takes more than two measures. The third region is, in turn, each
    common neighbour of the two, mostly those at both ends of their edge, and each of the two itself: tuples with
    repetition, as where paper 000 flattens a kernel of three points into a matrix (eq. 12). So pairs that have nothing
    in common keep an affinity, of 2 ln 2 / 3 ln 3.
    """
    K = len(graph)
    contacts = csr_array((np.ones(len(graph.ends)), (graph.ends[:, 0], graph.ends[:, 1])), shape=(K, K))
    touching = csr_array(contacts + contacts.T)
    common = csr_array(touching[pairs[:, 0]].multiply(touching[pairs[:, 1]]))
    every = np.arange(len(pairs))
    edge = np.concatenate([every, every, np.repeat(every, np.diff(common.indptr))])
    third = np.concatenate([pairs[:, 0], pairs[:, 1], common.indices])
    sums = np.bincount(edge, alikeness(graph, np.column_stack([pairs[edge], third])), len(pairs))
    affinities: Floats = sums / np.bincount(edge, minlength=len(pairs))
    return affinities


def alikeness(graph: RegionGraph, sets: Ints) -> Floats:
    """Return the weighted Jensen-Tsallis kernel, with q = 1, of sets of m regions (rows), as a share of its largest.

    The measures are the histograms of all channels with their sums made equal, so that it is 1 - JS / ln m, with JS
    the Jensen-Shannon divergence: 1 for equal histograms and 0 where none shares a bin with another.
    """
    shares = graph.histograms / (PARTS * len(graph.channels) * graph.sizes[:, None])
    affinities = np.empty(len(sets))
    rows = max(HISTOGRAMS_AT_A_TIME // sets.shape[1], 1)
    for start in range(0, len(sets), rows):
        some = slice(start, start + rows)
        affinities[some] = weighted_jt_normalized(shares[sets[some]], 1.0)
    shared: Floats = np.clip(affinities / np.log(sets.shape[1]), 0.0, 1.0)
    return shared
