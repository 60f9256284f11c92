"""How many segments an image has: the number whose map can be expected to show its object best.

Every node of the tree may be the object. Its log odds are a sum of `WEIGHTS` times features: the size, how much of its
outline is on the frame of the image, how unlike the two sides of its outline are, and how long it stays unmerged. The
number chosen maximises the expected Dice coefficient of the object and the segment most like it, minus a price for
every segment; of numbers that are nearly as good it is the smallest. The weights were fitted on the 59 Weizmann
training images (`segjt.evaluation.accuracy`).

Two limits matter in images of noise, or of a few clear colours, and hardly ever in photographs: a node that differs too
little from what it is merged with is not an object, and nodes that differ very much are not merged.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from segjt.merging.agglomeration import DIFFERENT
from segjt.merging.merges import Merges
from segjt.region_graph.graph import RegionGraph
from segjt.runtime.arrays import Floats, Ints

# Of ln(share of the image), its square, share of the outline on the frame, ln(0.02 + 1 - BC of the strips along the
# outline), ln(number of segments at which the node is merged away).
WEIGHTS = np.array([1.0, -0.066, -10.0, 1.8, -0.42])
# The most segments that are looked at, and what each costs.
MOST_SEGMENTS = 32
PRICE = 0.01
# A map that is worth so much less than the best is as good. Of such maps the one with the fewest segments is chosen:
# after a change that leaves the picture the same, that is more often the same map than the best one is.
AS_GOOD = 0.01
# Heights of merges: up to here noise joins noise, and so it does this far below the highest.
NOISE, BELOW_HIGHEST = -5.5, 2.2


@dataclasses.dataclass(frozen=True)
class Nodes:
    """All nodes of the tree above some regions: the N regions, then what each merge makes.

    Attributes
    ----------
    merges : (N - 1, 2) int array
        The two nodes of each merge.
    members : (2 N - 1, N) float array
        1 where a region belongs to a node.
    sizes : (2 N - 1,) float array
        Pixels.
    """

    merges: Ints
    members: Floats
    sizes: Floats


def nodes_above(regions: RegionGraph, merges: Ints) -> Nodes:
    """Return all nodes of the tree that merges make of regions."""
    members = np.concatenate([np.eye(len(regions)), np.zeros((len(merges), len(regions)))])
    for merge, (one, other) in enumerate(merges):
        members[len(regions) + merge] = members[one] + members[other]
    return Nodes(merges, members, members @ regions.sizes)


@dataclasses.dataclass(frozen=True)
class Candidates:
    """Nodes that may be the object.

    Attributes
    ----------
    nodes : Nodes
        All nodes above some regions.
    features : (2 N - 2, 5) float array
        Features of every node but the root, in the order of `WEIGHTS`; nan where a node cannot be chosen.
    heights : (N - 1,) float array
        Heights of the merges.
    """

    nodes: Nodes
    features: Floats
    heights: Floats


def candidates(regions: RegionGraph, merges: Merges, strips: Ints) -> Candidates:
    """Return the candidates of a tree above regions; one that differs too little from what it joins is left out."""
    nodes = nodes_above(regions, merges.pairs)
    features = node_features(regions, nodes, strips)
    merged_by = np.empty(len(features))
    merged_by[nodes.merges] = merges.heights[:, None]
    features[merged_by < max(NOISE, merges.heights.max(initial=NOISE) - BELOW_HIGHEST)] = np.nan
    return Candidates(nodes, features, merges.heights)


def choose_number(candidates: Candidates, weights: Floats = WEIGHTS) -> int:
    """Return the number of segments, up to 32, by some weights of the features."""
    features, heights = candidates.features, candidates.heights
    if np.isnan(features).all():
        return 1
    worth = expected_dice(candidates.nodes, object_probabilities(features, weights))
    worth -= PRICE * np.arange(2, 2 + len(worth))
    n = 2 + int(np.argmax(worth >= worth.max() - AS_GOOD))
    different = np.flatnonzero(heights > DIFFERENT)
    return n if len(different) == 0 else max(n, min(len(heights) + 1 - int(different[0]), MOST_SEGMENTS))


def node_features(regions: RegionGraph, nodes: Nodes, strips: Ints) -> Floats:
    """Return the features of every node but the root, in the order of `WEIGHTS`; nan where it cannot be chosen."""
    N = len(regions)
    one, other = nodes.members[:-1, regions.ends[:, 0]], nodes.members[:-1, regions.ends[:, 1]]
    one_inside, other_inside = one * (1 - other), other * (1 - one)
    outline = (one_inside + other_inside) @ regions.lengths
    frame = nodes.members[:-1] @ regions.frame
    inner = one_inside @ strips[:, 0] + other_inside @ strips[:, 1]
    outer = one_inside @ strips[:, 1] + other_inside @ strips[:, 0]
    norm = np.sqrt(inner.sum(1) * outer.sum(1))
    unlike = np.where(norm > 0, 1 - np.sqrt(inner * outer).sum(1) / np.maximum(norm, 1), 0.0)
    merged_at = np.empty(2 * N - 2)
    merged_at[nodes.merges] = np.arange(N - 1, 0, -1)[:, None]
    share = np.log(nodes.sizes[:-1] / nodes.sizes[-1])
    on_frame = frame / np.maximum(frame + outline, 1)
    features = np.stack([share, share**2, on_frame, np.log(0.02 + np.maximum(unlike, 0)), np.log(merged_at)], 1)
    features[merged_at > MOST_SEGMENTS] = np.nan
    return features


def object_probabilities(features: Floats, weights: Floats) -> Floats:
    """Return the probability of every node to be the object: exp(weighted features) over their sum."""
    odds = features @ weights
    p = np.exp(np.where(np.isnan(odds), -np.inf, odds - np.nanmax(odds)))
    probabilities: Floats = p / p.sum()
    return probabilities


def expected_dice(nodes: Nodes, probabilities: Floats) -> Floats:
    """Return sum_u P(u) max_v Dice(u, v), v the segments of the map, for maps of 2, 3, ... up to 32 segments."""
    N = len(nodes.merges) + 1
    common = (nodes.members * nodes.sizes[:N]) @ nodes.members.T
    dice = 2 * common[:-1] / (nodes.sizes[:-1, None] + nodes.sizes[None])
    segments = [2 * N - 2]
    worth = []
    for _ in range(2, min(MOST_SEGMENTS, N) + 1):
        # The last merge that is not undone yet is that of the highest node.
        last = max(segments)
        segments.remove(last)
        segments += nodes.merges[last - N].tolist()
        worth.append(float(probabilities @ dice[:, segments].max(1)))
    return np.array(worth)
