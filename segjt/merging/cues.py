"""From small segments to the tree of their merges: sums, merges, cues, more merges, and the number to choose."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from segjt.image import Image
from segjt.merging.agglomeration import Merges, agglomerate
from segjt.merging.figure_ground import POWERS, cues
from segjt.merging.grouping import row_of_islands
from segjt.region_graph.pixel_levels import GRADIENT_UNITS, PixelLevels, pixel_levels
from segjt.region_graph.sums import RegionSums, region_sums, strip_histograms
from segjt.runtime.compiled import compiled
from segjt.trees.merge_tree import Labels, MergeTree, follow, parents
from segjt.trees.number_of_segments import choose_number

Ints = NDArray[np.int64]

# From here on regions are large enough for the cues of `segjt.merging.figure_ground`.
CUES_DECIDE_FROM = 100
# The gradient, G / 100, along the edge of one pixel side that parts of the image which do not touch are given.
LINK_GRADIENT = 0.05


def build_tree(image: Image, labels: Labels) -> MergeTree:
    """Return the tree of merges of small segments, compact labels 1..K."""
    K = int(labels.max(initial=0))
    if K == 0:
        return MergeTree(labels, np.empty((0, 2), np.int64), np.empty(0), 1)
    pixels = pixel_levels(image)
    first, last = merge_twice(pixels, labels)
    strips = strip_histograms(pixels, regions_of(labels, first), first.left)
    n_auto = choose_number(first.left, last.pairs, last.heights, strips)
    merges = np.concatenate([first.pairs, nodes_of(last, first, K)])
    heights = never_falling(merges, np.concatenate([first.heights, last.heights]))
    return MergeTree(labels, merges, heights, n_auto)


def merge_twice(pixels: PixelLevels, labels: Labels) -> tuple[Merges, Merges]:
    """Return the merges of small segments to 100 regions, and of those, with their cues, to one."""
    first = agglomerate(link_islands(region_sums(pixels, labels)), CUES_DECIDE_FROM)
    # The merges use up the sums, and those of the regions are wanted once more.
    return first, agglomerate(copy.deepcopy(first.left), 1, cues(first.left), POWERS)


def link_islands(regions: RegionSums) -> RegionSums:
    """Return the regions with an edge between parts that do not touch, which a mask can leave.

    It is one pixel side long, so that parts are merged late, unless they are alike.
    """
    K = len(regions)
    contacts = csr_array((np.ones(len(regions.ends)), (regions.ends[:, 0], regions.ends[:, 1])), shape=(K, K))
    parts, part_of = connected_components(contacts, directed=False)
    if parts == 1:
        return regions
    links = row_of_islands(part_of, regions.sizes, regions.histograms)
    gradients = np.full(len(links), round(2 * GRADIENT_UNITS * LINK_GRADIENT))
    return dataclasses.replace(
        regions,
        ends=np.concatenate([regions.ends, links]),
        lengths=np.concatenate([regions.lengths, np.ones(len(links), np.int64)]),
        gradients=np.concatenate([regions.gradients, gradients]),
    )


def regions_of(labels: Labels, first: Merges) -> Labels:
    """Return the map of the regions that the first merges leave: labels from 1 in their order, 0 stays 0."""
    K = len(first.nodes) + len(first.pairs)
    number = np.zeros(K + len(first.pairs), np.int32)
    number[first.nodes] = np.arange(1, len(first.nodes) + 1)
    of_segment = number[follow(parents(K, first.pairs))[:K]]
    return np.concatenate([np.zeros(1, np.int32), of_segment])[labels]


def nodes_of(last: Merges, first: Merges, K: int) -> Ints:
    """Return the last merges with the numbers that nodes have in the tree of K small segments."""
    new = K + len(first.pairs) + np.arange(len(last.pairs))
    return np.concatenate([first.nodes, new])[last.pairs]


@compiled
def never_falling(merges: Ints, heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return heights that are never less than those of the merges below."""
    K = len(merges) + 1
    raised = heights.copy()
    for merge in range(len(merges)):
        for node in merges[merge]:
            if node >= K:
                raised[merge] = max(raised[merge], raised[node - K])
    return raised
