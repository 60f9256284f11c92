"""What a picture shows, one object, many of a kind or a scene, and the map of each: all of it read off the tree.

Whether things of a kind are meant is decided by what `segjt.trees.objects` finds: enough of them, and sure enough. The
constants are fitted by `segjt.evaluation.find_weights`. One object and a scene are not told apart: no feature of
the tree did so without losing objects (evaluation/ACCURACY.md), so that a scene must be asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from segjt.fields import Field
from segjt.merging.merges import groups_after
from segjt.parameters import FINDS
from segjt.runtime.arrays import Groups, Ints, Labels
from segjt.trees.nodes import all_nodes
from segjt.trees.objects import choose_objects, numbers_below

if TYPE_CHECKING:
    from segjt.trees.merge_tree import MergeTree

FIND = Field("what to look for", str, words=lambda: FINDS)
# A scene is cut at this height.
SCENE_HEIGHT = -4.45
# Things of a kind are at least so many, and in the mean at least so likely to be objects.
FEWEST, CONFIDENT = 5, 0.84


def kind_of(tree: MergeTree) -> str:
    """Return what "auto" takes a picture for: "objects" or "object"; the latter if the tree has no evidence."""
    if len(tree) == 0 or tree.evidence is None:
        return "object"
    return "objects" if are_objects(choose_objects(all_nodes(tree))[1].tolist()) else "object"


def are_objects(confidences: list[float]) -> bool:
    """Tell whether what was found, with these confidences, are many things of a kind."""
    return len(confidences) >= FEWEST and float(np.mean(confidences)) >= CONFIDENT


def groups_of_kind(tree: MergeTree, kind: str) -> Groups:
    """Return the number, from 0, of the segment that each small segment belongs to in the map of a kind."""
    if kind == "scene":
        return tree.groups_at(SCENE_HEIGHT)
    if kind == "objects" and len(tree) > 0:
        nodes = all_nodes(tree)
        assert tree.evidence is not None
        return objects_and_ground(numbers_below(tree.merges, choose_objects(nodes)[0]), tree.evidence.ends)
    return groups_after(len(tree), tree.merges, np.arange(len(tree.merges)) < len(tree) - tree.n_auto)


def objects_and_ground(numbers: Labels, ends: Ints) -> Groups:
    """Return groups, from 0: objects 1..n by their numbers, and the connected parts of what is 0 after them.

    Parameters
    ----------
    numbers : (K,) int array
        The object of each small segment; 0 if it belongs to none.
    ends : (E, 2) int array
        Pairs of small segments that touch.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    K = len(numbers)
    inside = ends[(numbers[ends] == 0).all(1)]
    touching = coo_matrix((np.ones(len(inside)), (inside[:, 0], inside[:, 1])), (K, K))
    part = connected_components(touching, directed=False)[1]
    # An object is one group however many small segments it has.
    together = np.where(numbers > 0, numbers - 1, numbers.max(initial=0) + part)
    groups: Groups = np.unique(together, return_inverse=True)[1].astype(np.intp)
    return groups
