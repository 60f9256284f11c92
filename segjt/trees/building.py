"""From merges to a `MergeTree`: one numbering of nodes, rising heights, outlines on pixels, the number for "auto"."""

from __future__ import annotations

import numpy as np

from segjt.labels import compact
from segjt.merging.merges import Merges, joined_pairs, top_nodes
from segjt.region_graph.contacts import edge_sums
from segjt.region_graph.evidence import collect_evidence
from segjt.region_graph.pixel_levels import PixelLevels
from segjt.runtime.arrays import Floats, Ints, Labels
from segjt.runtime.compiled import compiled
from segjt.trees.merge_tree import MergeTree
from segjt.trees.number_of_segments import Candidates, candidates, choose_number
from segjt.trees.outlines import strip_histograms
from segjt.trees.refinement import refine_outlines


def build_tree(
    labels: Labels, pixels: PixelLevels, first: Merges, last: Merges, sweeps: int, workers: int
) -> MergeTree:
    """Return the tree of small segments, compact labels 1..K, from their merges to regions and those to one.

    Outlines are refined in so many sweeps by so many workers; the segments of the tree are those after that.
    """
    pairs, heights = merges_and_heights(first, last)
    number = choose_number(object_candidates(labels, pixels, first, last))
    refined, pairs = in_order(refine_outlines(labels, pairs, heights, pixels, sweeps, workers), pairs)
    ends, lengths, _ = edge_sums(pixels.gradient, refined, len(pairs) + 1)
    return MergeTree(refined, pairs, heights, number, collect_evidence(pixels, refined, ends, lengths))


def merges_and_heights(first: Merges, last: Merges) -> tuple[Ints, Floats]:
    """Return all merges as those of one tree, with heights that never fall."""
    pairs = joined_pairs(first, last)
    return pairs, never_falling(pairs, np.concatenate([first.heights, last.heights]))


def in_order(labels: Labels, pairs: Ints) -> tuple[Labels, Ints]:
    """Return segments 1..K numbered in the order in which they first occur, and their merges by these numbers."""
    K = len(pairs) + 1
    ordered = compact(labels)
    new = np.arange(K + len(pairs))
    new[labels[labels > 0] - 1] = ordered[labels > 0] - 1
    return ordered, new[pairs]


def object_candidates(labels: Labels, pixels: PixelLevels, first: Merges, last: Merges) -> Candidates:
    """Return the nodes above the regions that the first merges leave, with what tells whether they are an object."""
    strips = strip_histograms(pixels, region_map(labels, first), first.left)
    return candidates(first.left, last, strips)


def region_map(labels: Labels, first: Merges) -> Labels:
    """Return the map of the regions that the first merges leave: labels from 1 in their order, 0 stays 0."""
    K = len(first.nodes) + len(first.pairs)
    number = np.zeros(K + len(first.pairs), np.int32)
    number[first.nodes] = np.arange(1, len(first.nodes) + 1)
    of_segment = number[top_nodes(K, first.pairs)]
    return np.concatenate([np.zeros(1, np.int32), of_segment])[labels]


@compiled
def never_falling(pairs: Ints, heights: Floats) -> Floats:
    """Return heights that are never less than those of the merges below."""
    K = len(pairs) + 1
    raised = heights.copy()
    for merge in range(len(pairs)):
        for node in pairs[merge]:
            if node >= K:
                raised[merge] = max(raised[merge], raised[node - K])
    return raised
