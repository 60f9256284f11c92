"""Merging as in paper 001: again and again the two touching groups whose merge reduces the normalized cut most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segjt.merging.greedy_ncut import greedy_merges
from segjt.merging.merges import groups_after, tree_pairs
from segjt.merging.registry import MergeMethod, MergeSettings
from segjt.merging.weights import SELF_WEIGHT, weight_matrix
from segjt.region_graph.graph import RegionGraph
from segjt.runtime.arrays import Groups


def group_by_ncut(graph: RegionGraph, numbers: Sequence[int], settings: MergeSettings) -> list[Groups]:
    """Return the groups for each number of segments: the merges are computed once, down to the smallest number."""
    K, W = len(graph), weight_matrix(graph, settings)
    merges = greedy_merges(W.indptr, W.indices, W.data, np.full(K, SELF_WEIGHT), min(numbers))
    pairs = tree_pairs(K, merges)
    return [groups_after(K, pairs[: max(K - n, 0)]) for n in numbers]


METHOD = MergeMethod("ncut", sees="colour", group=group_by_ncut)
