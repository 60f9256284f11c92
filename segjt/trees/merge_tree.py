"""A hierarchy of segments: the binary tree of all merges, from the small segments of the blocks to the whole image."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from segjt.fields import Field
from segjt.labels import regroup
from segjt.runtime.compiled import compiled

Labels = NDArray[np.int32]
SEGMENTS = Field("number of segments", int, low=1, words=lambda: ["auto"])
# Contours of this height and below are not seen, and from the other on they are as strong as can be.
FAINT, STRONG = -6.0, -2.0


@dataclasses.dataclass(frozen=True, eq=False)
class MergeTree:
    """Nested segmentations of one image, from `segjt.hierarchy`.

    Attributes
    ----------
    initial : (H, W) int32 array
        The small segments 1..K that are merged; 0 where a pixel is masked out.
    merges : (K - 1, 2) int array
        The two nodes of each merge, in order: small segment k is node k - 1, and merge m makes node K + m.
    heights : (K - 1,) float array
        How different the two are; never less than the heights of the merges that made them.
    n_auto : int
        The number of segments that was chosen for the image.

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
    merges: NDArray[np.int64]
    heights: NDArray[np.float64]
    n_auto: int

    def __len__(self) -> int:
        """Return the number of small segments, which is the largest number of segments that a cut can have."""
        return int(self.initial.max(initial=0))

    def cut(self, n: int | str = "auto") -> Labels:
        """Return the map of n segments (all small segments, if there are fewer), or of `n_auto` if n is "auto".

        Labels are 1..n, compact; 0 where a pixel is masked out.
        """
        return regroup(self.initial, self.groups(n))

    def cuts(self, numbers: Iterable[int | str]) -> list[Labels]:
        """Return the maps of several numbers of segments; coarser ones join whole segments of finer ones."""
        return [self.cut(n) for n in numbers]

    def cut_at(self, height: float) -> Labels:
        """Return the map in which everything is merged that differs by at most that height.

        Unlike `cut`, it has more segments in an image with more contrast.
        """
        return regroup(self.initial, self.groups_at(height))

    def groups(self, n: int | str = "auto") -> NDArray[np.intp]:
        """Return what `cut` does for each small segment: the number, from 0, of its segment."""
        n = SEGMENTS.check("n", self.n_auto if n == "auto" else n)
        return self._joined(np.arange(len(self.merges)) < len(self) - int(n))

    def groups_at(self, height: float) -> NDArray[np.intp]:
        """Return what `cut_at` does for each small segment."""
        if np.isnan(height):
            raise ValueError("height = nan is not valid; give a number, such as one of MergeTree.heights")
        return self._joined(self.heights <= height)

    def contours(self) -> NDArray[np.float64]:
        """Return the ultrametric contour map (H, W): how strong the boundary to the right or below of a pixel is.

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

    def _joined(self, done: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return the groups after some of the merges; with one, those below it must be done too."""
        K = len(self)
        return np.unique(follow(parents(K, self.merges, done))[:K], return_inverse=True)[1].reshape(-1)


def check_tree(tree: MergeTree) -> None:
    """Raise a ValueError if the parts of a tree do not fit each other."""
    K = len(tree)
    M = max(K - 1, 0)
    if tree.initial.ndim != 2 or tree.initial.dtype != np.int32 or tree.initial.min(initial=0) < 0:
        raise ValueError("its labels are no label map")
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
        raise ValueError("its heights fall, or are no numbers")
    if not 1 <= tree.n_auto <= max(K, 1):
        raise ValueError(f"{tree.n_auto} is no number of segments for {K} small ones")


def parents(K: int, merges: NDArray[np.int64], done: NDArray[np.bool_] | slice = slice(None)) -> NDArray[np.int64]:
    """Return the node that each node is merged into by the merges that are done; others are their own."""
    up = np.arange(K + len(merges))
    up[merges[done]] = up[K:][done][:, None]
    return up


@compiled
def follow(up: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the topmost node above each node; nodes above have higher numbers."""
    top = up.copy()
    for node in range(len(up) - 1, -1, -1):
        top[node] = top[up[node]]
    return top


@compiled
def joins(K: int, merges: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each small segment which other one it is joined to, and by which merge; the last one to none.

    A merge joins a segment of the smaller side to one of the larger, so that no way up has more than log2(K) steps.
    """
    up, when = np.arange(K), np.full(K, len(merges))
    of_node, size = np.arange(K + len(merges)), np.ones(K, np.int64)
    for merge in range(len(merges)):
        a, b = of_node[merges[merge, 0]], of_node[merges[merge, 1]]
        if size[a] < size[b]:
            a, b = b, a
        up[b], when[b], of_node[K + merge] = a, merge, a
        size[a] += size[b]
    return up, when


@compiled
def contour_map(
    labels: Labels, up: NDArray[np.int64], when: NDArray[np.int64], strength: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the strength of the merge that joins each pixel with its right or lower neighbour, the larger one."""
    height, width = labels.shape
    contours = np.zeros((height, width))
    for y in range(height):
        for x in range(width):
            for down in range(2):
                if x + 1 - down == width or y + down == height:
                    continue
                one, other = labels[y, x], labels[y + down, x + 1 - down]
                if one == 0 or other == 0:
                    continue
                a, b, merge = np.int64(one - 1), np.int64(other - 1), -1
                # Merges on the way up come in order: the earlier step of the two is taken until both are together.
                while a != b:
                    if when[a] < when[b]:
                        a, merge = up[a], when[a]
                    else:
                        b, merge = up[b], when[b]
                if merge >= 0:
                    contours[y, x] = max(contours[y, x], strength[merge])
    return contours
