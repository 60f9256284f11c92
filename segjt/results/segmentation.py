"""One segmented image, or the objects of one, from which every export is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from segjt.image import Image
from segjt.runtime.arrays import Floats, Labels

if TYPE_CHECKING:
    from segjt.trees.merge_tree import MergeTree


@dataclass(frozen=True)
class Segmentation:
    """An image with its segments.

    Attributes
    ----------
    image : Image
        The image that was segmented.
    initial : (H, W) int32 array
        The initial segments, before merging.
    labels : (H, W) int32 array
        The segments, or the objects on a background of 0.
    tree : MergeTree or None
        The merges from `initial` to `labels` and beyond; None if it was not needed or the merge method makes none.
    found : str or None
        What "auto" looked for: "object", "objects" or "scene"; None if the number was given or there was no tree.
    cuts : dict of int to (H, W) int32 array
        The cuts of the tree that have been asked for, by their number of segments.
    confidences : (n,) float array or None
        How likely each of the objects is one, if `labels` are objects.
    """

    image: Image
    initial: Labels
    labels: Labels
    tree: MergeTree | None = None
    found: str | None = None
    cuts: dict[int, Labels] = field(default_factory=dict)
    confidences: Floats | None = None

    def required_tree(self) -> MergeTree:
        """Return the tree; a ValueError if there is none."""
        if self.tree is None:
            raise ValueError("the segmentation has no merge tree; an export that uses it says needs_tree=True")
        return self.tree

    def required_confidences(self) -> Floats:
        """Return the confidences of objects; a ValueError if the labels are segments."""
        if self.confidences is None:
            raise ValueError("the segmentation has segments and no objects; segjt objects finds some")
        return self.confidences

    def cut(self, n: int) -> Labels:
        """Return the map of n segments, and keep it in `cuts`."""
        if n not in self.cuts:
            self.cuts[n] = self.required_tree().cut(n)
        return self.cuts[n]
