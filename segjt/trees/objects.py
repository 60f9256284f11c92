"""Many things of a kind: the best set of disjoint nodes, anywhere in the tree and not on one level."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from segjt.labels import compact
from segjt.runtime.arrays import Floats, Ints, Labels, Mask
from segjt.runtime.compiled import compiled
from segjt.trees.nodes import Nodes, all_nodes
from segjt.trees.object_options import SMALLEST, ObjectOptions
from segjt.trees.objectness import FIRST, SECOND, Model, likeness_features, own_features, probability

if TYPE_CHECKING:
    from segjt.trees.merge_tree import MergeTree

# A node that is less likely to be an object is none.
LEAST_PROBABLE = 0.45
# What covers more of the image is the ground.
LARGEST_SHARE = 0.5


@dataclasses.dataclass(frozen=True, eq=False)
class Objects:
    """The objects that were found in an image.

    Attributes
    ----------
    labels : (H, W) int32 array
        0 for the background, 1..n one object each.
    confidences : (n,) float array
        How likely each of them is an object, from 0 to 1.
    nodes : (n,) int array
        Their nodes in the tree.
    """

    labels: Labels
    confidences: Floats
    nodes: Ints

    def __len__(self) -> int:
        return len(self.nodes)


def find_objects(tree: MergeTree, min_size: int, max_size: int | None, polarity: str) -> Objects:
    """Return the objects of a tree; see `MergeTree.find_objects`."""
    wanted = ObjectOptions(min_size, max_size, polarity)
    if len(tree) == 0:
        return Objects(np.zeros_like(tree.initial), np.empty(0), np.empty(0, np.int64))
    chosen, confidences = choose_objects(all_nodes(tree), wanted.min_size, wanted.max_size, wanted.polarity)
    number = np.concatenate([np.zeros(1, np.int32), numbers_below(tree.merges, chosen)])[tree.initial]
    labels = compact(number)
    # Labels are in the order in which objects first occur.
    place = np.zeros(len(chosen) + 1, np.int64)
    place[labels.ravel()] = number.ravel() - 1
    return Objects(labels, confidences[place[1:]], chosen[place[1:]])


def choose_objects(
    nodes: Nodes, min_size: int = SMALLEST, max_size: int | None = None, polarity: str = "any"
) -> tuple[Ints, Floats]:
    """Return the nodes that are objects, and how likely each of them is one.

    The set of disjoint nodes with the largest sum of log odds, less those of `LEAST_PROBABLE`: two unlikely halves do
    not outweigh a likely whole. It is chosen twice: the first choice tells what the objects of this image look like.
    """
    possible = allowed(nodes, min_size, max_size, polarity)
    if not possible.any():
        return np.empty(0, np.int64), np.empty(0)
    features = own_features(nodes)
    first, alone = best_by(FIRST, features, nodes, possible)
    if len(first) == 0:
        first = np.array([int(alone.argmax())])
    features |= likeness_features(nodes, first, probability(alone[first]))
    chosen, odds = best_by(SECOND, features, nodes, possible)
    # What is too large is left out, not cut into parts that would fit.
    fits = (nodes.sizes[chosen] >= min_size) & (nodes.sizes[chosen] <= (max_size or nodes.sizes[-1]))
    return chosen[fits], probability(odds[chosen[fits]])


def best_by(model: Model, features: Mapping[str, Floats], nodes: Nodes, possible: Mask) -> tuple[Ints, Floats]:
    """Return the nodes that a model chooses among those that are possible, and the log odds of all."""
    odds = np.where(possible, model.log_odds(features), -np.inf)
    return best_disjoint(nodes.merges, odds - np.log(LEAST_PROBABLE / (1 - LEAST_PROBABLE))), odds


def allowed(nodes: Nodes, min_size: int, max_size: int | None, polarity: str) -> Mask:
    """Tell which nodes may be objects: by size, no narrower than the defaults, and by being brighter or darker."""
    largest = max(LARGEST_SHARE * nodes.sizes[-1], max_size or 0)
    possible: Mask = (nodes.sizes >= min(min_size, SMALLEST)) & (nodes.sizes <= largest)
    if polarity != "any":
        possible &= (nodes.brighter > 0) == (polarity == "bright")
    return possible


@compiled
def best_disjoint(merges: Ints, gains: Floats) -> Ints:
    """Return the set of nodes, none above another, with the largest sum of gains; nodes without a gain are left out.

    Bottom up: the best of a node is its own gain or what its two nodes have together; top down: which of them it is.
    """
    K = len(gains) - len(merges)
    best = np.maximum(gains, 0.0)
    itself = gains > 0
    for merge in range(len(merges)):
        below = best[merges[merge, 0]] + best[merges[merge, 1]]
        itself[K + merge] = gains[K + merge] > below
        best[K + merge] = max(gains[K + merge], below)
    reached, chosen = np.zeros(len(gains), np.bool_), np.zeros(len(gains), np.bool_)
    reached[-1] = True
    for node in range(len(gains) - 1, -1, -1):
        if reached[node] and itself[node]:
            chosen[node] = True
        elif reached[node] and node >= K:
            reached[merges[node - K]] = True
    return np.flatnonzero(chosen)


@compiled
def numbers_below(merges: Ints, chosen: Ints) -> Labels:
    """Return the number, from 1, of the chosen node that each small segment belongs to; 0 if to none."""
    N = 2 * len(merges) + 1
    number = np.zeros(N, np.int32)
    for place in range(len(chosen)):
        number[chosen[place]] = place + 1
    K = len(merges) + 1
    for merge in range(len(merges) - 1, -1, -1):
        if number[K + merge] > 0:
            number[merges[merge]] = number[K + merge]
    return number[:K]
