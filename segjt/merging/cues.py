"""The default way to merge: by colour and edges down to 100 regions, then by cues of figure and ground as well.

All merges together are a tree, so this way makes hierarchies.
"""

from __future__ import annotations

import copy
import dataclasses

import numpy as np

from segjt.merging.agglomeration import agglomerate
from segjt.merging.figure_ground import POWERS, cues
from segjt.merging.merges import Merges
from segjt.merging.registry import MergeMethod
from segjt.region_graph.graph import RegionGraph
from segjt.region_graph.islands import island_links
from segjt.region_graph.pixel_levels import GRADIENT_UNITS

# From here on regions are large enough for the cues of `segjt.merging.figure_ground`.
CUES_DECIDE_FROM = 100
# G / 100 along the edge, one pixel side long, that links two islands.
LINK_GRADIENT = 0.05


def merge_by_cues(graph: RegionGraph) -> tuple[Merges, Merges]:
    """Return the merges of small segments to 100 regions, and of those, with their cues, to one.

    The arrays of the graph are used up: they become those of the regions that are left.
    """
    first = agglomerate(link_islands(graph), CUES_DECIDE_FROM)
    # `first.left` is needed to build the tree, so a copy is used up.
    return first, agglomerate(copy.deepcopy(first.left), 1, cues(first.left), POWERS)


def link_islands(graph: RegionGraph) -> RegionGraph:
    """Return the graph with an edge between parts that do not touch.

    It is one pixel side long, so that parts are merged late, unless they are alike.
    """
    links = island_links(graph)
    if len(links) == 0:
        return graph
    gradients = np.full(len(links), round(2 * GRADIENT_UNITS * LINK_GRADIENT))
    return dataclasses.replace(
        graph,
        ends=np.concatenate([graph.ends, links]),
        lengths=np.concatenate([graph.lengths, np.ones(len(links), np.int64)]),
        gradients=np.concatenate([graph.gradients, gradients]),
    )


METHOD = MergeMethod("cues", sees="lab", merge=merge_by_cues)
