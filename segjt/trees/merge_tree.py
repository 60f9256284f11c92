"""`MergeTree`: all nested segmentations of an image, and the answers to questions about them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from segjt.fields import Field
from segjt.labels import regroup
from segjt.merging.merges import groups_after
from segjt.region_graph.evidence import Evidence, check_evidence
from segjt.runtime.arrays import Floats, Groups, Ints, Labels, Mask
from segjt.trees.contours import contour_map, joins
from segjt.trees.kinds import FIND, groups_of_kind, kind_of
from segjt.trees.object_options import SMALLEST
from segjt.trees.objects import Objects, find_objects

SEGMENTS = Field("number of segments", int, low=1, words=lambda: ["auto"])
# Contours of this height and below are not seen, and from the other on they are as strong as can be.
FAINT, STRONG = -6.0, -2.0


@dataclasses.dataclass(frozen=True, eq=False)
class MergeTree:
    """Nested segmentations of one image, from `segjt.hierarchy`.

    Attributes
    ----------
    initial : (H, W) int32 array
        The small segments 1..K that are merged, with their outlines refined; 0 where a pixel is masked out.
    merges : (K - 1, 2) int array
        The two nodes of each merge, in order: small segment k is node k - 1, and merge m makes node K + m.
    heights : (K - 1,) float array
        How different the two are; never less than the heights of the merges that made them.
    n_auto : int
        The number of segments whose map can be expected to show one object best.
    evidence : Evidence, optional
        Sums over the pixels of small segments and along their edges, which `objects` needs.

    Examples
    --------
    >>> import numpy as np, segjt
    >>> image = np.zeros((32, 32, 3), np.uint8)
    >>> image[:, 16:] = 200
    >>> tree = segjt.hierarchy(image)
    >>> [int(labels.max()) for labels in tree.cuts([1, 2])]
    [1, 2]
    """

    initial: Labels
    merges: Ints
    heights: Floats
    n_auto: int
    evidence: Evidence | None = None

    def __len__(self) -> int:
        """Return the number of small segments, which is the largest number of segments that a cut can have."""
        return int(self.initial.max(initial=0))

    def cut(self, n: int | str = "auto", find: str = "auto") -> Labels:
        """Return the map of n segments (all small segments, if there are fewer), or the one for `find` if n is "auto".

        Parameters
        ----------
        n : int or "auto"
            Number of segments, which overrides `find`.
        find : "auto", "object", "objects" or "scene"
            "object" is the map of `n_auto` segments; "objects" has every one of `objects` as a segment, and after them
            the connected parts of the ground; "scene" is a cut at one height, as fine as the contrast of the image;
            "auto" is the one that `kind` says.

        Returns
        -------
        (H, W) int32 array
            Labels 1..n, compact; 0 where a pixel is masked out.
        """
        return regroup(self.initial, self.groups(n, find))

    @property
    def kind(self) -> str:
        """What ``find="auto"`` takes the picture for: "objects" if many of a kind are surely there, else "object"."""
        return kind_of(self)

    def cuts(self, numbers: Iterable[int | str]) -> list[Labels]:
        """Return the maps of several numbers of segments; coarser ones join whole segments of finer ones."""
        return [self.cut(n) for n in numbers]

    def cut_at(self, height: float) -> Labels:
        """Return the map in which everything is merged that differs by at most that height.

        Unlike `cut`, it has more segments in an image with more contrast.
        """
        return regroup(self.initial, self.groups_at(height))

    def groups(self, n: int | str = "auto", find: str = "auto") -> Groups:
        """Return the number, from 0, of the segment of ``cut(n, find)`` that each small segment belongs to."""
        FIND.check("find", find)
        if SEGMENTS.check("n", n) == "auto":
            return groups_of_kind(self, self.kind if find == "auto" else find)
        return self._joined(np.arange(len(self.merges)) < len(self) - int(n))

    def groups_at(self, height: float) -> Groups:
        """Return the number, from 0, of the segment of ``cut_at(height)`` that each small segment belongs to."""
        if np.isnan(height):
            raise ValueError("height = nan is not valid; give a number, such as one of MergeTree.heights")
        return self._joined(self.heights <= height)

    def objects(self, min_size: int = SMALLEST, max_size: int | None = None, polarity: str = "any") -> Labels:
        """Return the map of many things of a kind, such as nuclei or coins: 0 is background, 1..n one object each.

        Parameters
        ----------
        min_size, max_size : int, optional
            Fewest and most pixels of an object, by default 15 and half of the image; others are left out.
        polarity : "any", "bright" or "dark"
            Whether objects are brighter or darker than what is around them.
        """
        return self.find_objects(min_size, max_size, polarity).labels

    def find_objects(self, min_size: int = SMALLEST, max_size: int | None = None, polarity: str = "any") -> Objects:
        """Return what `objects` finds, with the confidence and the node of each object.

        Examples
        --------
        >>> import segjt, skimage.data
        >>> found = segjt.hierarchy(skimage.data.coins()).find_objects()
        >>> len(found), bool(found.confidences.min() > 0.9)
        (24, True)
        """
        return find_objects(self, min_size, max_size, polarity)

    def contours(self) -> Floats:
        """Return the ultrametric contour map (H, W): the strength of the boundary of each pixel to the right or below.

        From 0, no boundary, to 1. It grows with the height h of the merge that removes the boundary, from -6 to -2, so
        that pixels above a threshold are the boundaries of one of the maps of `cut_at`: those above (h + 6) / 4 of
        ``cut_at(h)``. Boundaries of merges below that are not seen, and those above are all 1.
        """
        strength = np.clip((self.heights - FAINT) / (STRONG - FAINT), 0.0, 1.0)
        return contour_map(self.initial, *joins(len(self), self.merges), strength)

    def save(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the tree to an .npz file; a file that exists is kept unless `overwrite`."""
        from segjt.io import save_tree

        save_tree(self, path, overwrite)

    @classmethod
    def load(cls, path: str | Path) -> MergeTree:
        """Read a tree that `save` wrote."""
        from segjt.io import load_tree

        return load_tree(path)

    def _joined(self, done: Mask) -> Groups:
        """Return the groups after some of the merges; with one, those below it must be done too."""
        return groups_after(len(self), self.merges, done)


def check_tree(tree: MergeTree) -> None:
    """Raise a ValueError if the parts of a tree do not fit each other."""
    K = len(tree)
    M = max(K - 1, 0)
    if tree.initial.ndim != 2 or tree.initial.dtype != np.int32 or tree.initial.min(initial=0) < 0:
        raise ValueError("its labels are not a label map")
    if tree.merges.shape != (M, 2) or tree.heights.shape != (M,):
        raise ValueError(f"{K} segments need {M} merges")
    if len(np.unique(tree.initial[tree.initial > 0])) != K:
        raise ValueError(f"some of the labels 1 to {K} are missing")
    if (
        tree.merges.dtype != np.int64
        or (tree.merges >= K + np.arange(M)[:, None]).any()
        or len(np.unique(tree.merges)) != 2 * M
        or tree.merges.min(initial=0) < 0
    ):
        raise ValueError("its merges are of nodes that are not there")
    below = np.concatenate([np.full(K, -np.inf), tree.heights])
    if not np.isfinite(tree.heights).all() or (below[tree.merges] > tree.heights[:, None]).any():
        raise ValueError("its heights fall, or are not finite")
    if tree.evidence is not None:
        check_evidence(tree.evidence, K)
    if not 1 <= tree.n_auto <= max(K, 1):
        raise ValueError(f"{tree.n_auto} is not a valid number of segments for {K} small ones")
