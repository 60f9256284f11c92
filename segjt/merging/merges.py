"""Merges as a binary tree of nodes, and the one way to follow them.

Regions are the nodes 0..K-1, and merge m makes node K + m of two nodes.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from segjt.region_graph.graph import RegionGraph
from segjt.runtime.arrays import Floats, Groups, Ints, Mask
from segjt.runtime.compiled import compiled


@dataclasses.dataclass(frozen=True)
class Merges:
    """Merges of the regions of a graph, and what they leave.

    Attributes
    ----------
    pairs : (M, 2) int array
        The two nodes of each merge; regions are the nodes 0..K-1 and merge m makes node K + m.
    heights : (M,) float array
        How different the two are.
    left : RegionGraph
        The regions that are left.
    nodes : int array
        Their nodes.
    """

    pairs: Ints
    heights: Floats
    left: RegionGraph
    nodes: Ints


def top_nodes(K: int, pairs: Ints, done: Mask | slice = slice(None)) -> Ints:
    """Return the node that each of K regions ends up in after the merges that are done.

    Merges below one that is done must be done too.
    """
    parent = np.arange(K + len(pairs))
    parent[pairs[done]] = parent[K:][done][:, None]
    return follow(parent)[:K]


@compiled
def follow(parent: Ints) -> Ints:
    """Return the topmost node above each node; parents have higher numbers than their children."""
    top = parent.copy()
    for node in range(len(parent) - 1, -1, -1):
        top[node] = top[parent[node]]
    return top


def groups_after(K: int, pairs: Ints, done: Mask | slice = slice(None)) -> Groups:
    """Return the group, from 0, of each of K regions after the merges that are done."""
    return np.unique(top_nodes(K, pairs, done), return_inverse=True)[1].reshape(-1)


def tree_pairs(K: int, kept_and_absorbed: Ints) -> Ints:
    """Return merges (kept, absorbed) of regions, in which a group goes by one of its regions, as merges of nodes."""
    pairs = np.empty_like(kept_and_absorbed)
    node = np.arange(K)
    for merge, (kept, absorbed) in enumerate(kept_and_absorbed.tolist()):
        pairs[merge] = node[kept], node[absorbed]
        node[kept] = K + merge
    return pairs


def joined_pairs(first: Merges, last: Merges) -> Ints:
    """Return merges, and those of the regions that they leave, as merges of one tree."""
    made_first = len(first.nodes) + 2 * len(first.pairs)
    new = made_first + np.arange(len(last.pairs))
    return np.concatenate([first.pairs, np.concatenate([first.nodes, new])[last.pairs]])
