"""Every node of a tree at once: size, shape, colour and outline, added up from its small segments and their edges."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from segjt.region_graph.evidence import STEP_UNITS, STRIP, Evidence
from segjt.runtime.arrays import Floats, Ints, Labels
from segjt.runtime.compiled import compiled
from segjt.trees.contours import joining_merge, joins

if TYPE_CHECKING:
    from segjt.trees.merge_tree import MergeTree

# A pixel is a square, whose own second moment is this.
PIXEL_MOMENT = 1 / 12


@dataclasses.dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a tree: small segments 0..K-1, then what each merge makes; 2 K - 1 of them.

    Attributes
    ----------
    merges : (K - 1, 2) int array
        The two nodes of each merge.
    parents : int array
        The node that each is merged into; the last one, the root, is its own.
    sizes, frames, outlines : int arrays
        Pixels, and the lengths of what is on the frame of the image and of the rest of its outline, in pixel sides.
    fills : float array
        Size over the area of the ellipse with the same second moments: 1 for an ellipse, 0.95 for a square, less for
        what is not convex or falls apart.
    colours, outer : (., C) float arrays
        Mean colour inside, and of the strip around the outline.
    spreads : float array
        Standard deviation of the colours inside.
    steps : (., C) float array
        How much brighter (and so on) the strip inside the outline is than the one outside, in the mean.
    brighter : float array
        How much brighter the strip inside is.
    unlike, evenness : float arrays
        How far the two strips are apart, pixel side by pixel side, in the mean: the length of the mean step is at most
        that. And how even that is along the outline, (mean of roots)^2 / mean: 1 if it is the same everywhere, less
        where a part of the outline follows no edge.
    seams, seam_steps : float arrays
        Length of the common edge of the two nodes that it was made of, and how far the strips along it are apart in
        the mean; 0 for small segments and where the two do not touch.
    made_at, merged_at : float arrays
        Heights of the merges that made it (-inf for small segments) and that it is part of (inf for the root).
    """

    merges: Ints
    parents: Ints
    sizes: Ints
    frames: Ints
    outlines: Ints
    fills: Floats
    colours: Floats
    outer: Floats
    spreads: Floats
    steps: Floats
    brighter: Floats
    unlike: Floats
    evenness: Floats
    seams: Floats
    seam_steps: Floats
    made_at: Floats
    merged_at: Floats

    def __len__(self) -> int:
        return len(self.parents)


def all_nodes(tree: MergeTree) -> Nodes:
    """Return the nodes of a tree with at least one small segment; a ValueError if it has kept nothing of the pixels."""
    evidence = tree.evidence
    if evidence is None:
        raise ValueError("the tree has no evidence of the pixels; make it with segjt.hierarchy")
    K, merges = len(tree), tree.merges
    N = K + len(merges)
    parents = np.arange(N)
    parents[merges] = np.arange(K, N)[:, None]
    made_at, merged_at = np.full(N, -np.inf), np.full(N, np.inf)
    made_at[K:] = tree.heights
    merged_at[merges] = tree.heights[:, None]

    geometry = added_up(segment_geometry(tree.initial, K), merges)
    sizes, frames = geometry[:, 0], geometry[:, 6]
    colours = added_up(evidence.colours, merges) / sizes[:, None]
    squares = added_up(evidence.squares, merges) / sizes[:, None]
    variance = np.maximum(squares - colours**2, 0.0) @ evidence.units**2

    lengths, apart, roots, inner, outer = outline_sums(tree, evidence)
    unlike = apart / (STEP_UNITS * np.maximum(lengths, 1))
    mean_root = roots / (STEP_UNITS * np.maximum(lengths, 1))
    seams, seam_steps = common_edges(lengths, merges), common_edges(apart, merges)
    across = np.maximum(lengths, 1)[:, None] * STRIP
    steps = (inner - outer) / across * evidence.units
    return Nodes(
        merges,
        parents,
        sizes,
        frames,
        lengths,
        ellipse_fills(geometry),
        colours * evidence.units,
        outer / across * evidence.units,
        np.sqrt(variance),
        steps,
        steps @ evidence.lightness,
        unlike,
        np.where(unlike > 0, mean_root**2 / np.where(unlike > 0, unlike, 1.0), 1.0),
        seams,
        seam_steps / (STEP_UNITS * np.maximum(seams, 1)),
        made_at,
        merged_at,
    )


def added_up(of_segments: Ints, merges: Ints) -> Ints:
    """Return sums of every node, (2 K - 1, k), from those of its small segments (K, k)."""
    sums = np.concatenate([of_segments, np.zeros((len(merges), of_segments.shape[1]), np.int64)])
    add_children(sums, merges)
    return sums


@compiled
def add_children(sums: Ints, merges: Ints) -> None:
    """Add to every merged node what its two nodes have."""
    K = len(sums) - len(merges)
    for merge in range(len(merges)):
        for k in range(sums.shape[1]):
            sums[K + merge, k] += sums[merges[merge, 0], k] + sums[merges[merge, 1], k]


@compiled
def segment_geometry(labels: Labels, K: int) -> Ints:
    """Return pixels, sums of x, y, x^2, y^2 and x y, and the length on the frame of segments 1..K, (K, 7)."""
    height, width = labels.shape
    sums = np.zeros((K, 7), np.int64)
    for y in range(height):
        for x in range(width):
            segment = labels[y, x] - 1
            if segment >= 0:
                of = sums[segment]
                of[0] += 1
                of[1] += x
                of[2] += y
                of[3] += x * x
                of[4] += y * y
                of[5] += x * y
                of[6] += np.int64(x == 0) + np.int64(x == width - 1) + np.int64(y == 0) + np.int64(y == height - 1)
    return sums


def ellipse_fills(geometry: Ints) -> Floats:
    """Return n / (4 pi sqrt(det M)), M the second moments: an ellipse with half axes a, b has a^2 / 4 and b^2 / 4."""
    n = geometry[:, 0].astype(np.float64)
    x, y = geometry[:, 1] / n, geometry[:, 2] / n
    xx = geometry[:, 3] / n - x * x + PIXEL_MOMENT
    yy = geometry[:, 4] / n - y * y + PIXEL_MOMENT
    xy = geometry[:, 5] / n - x * y
    fills: Floats = n / (4 * np.pi * np.sqrt(np.maximum(xx * yy - xy * xy, PIXEL_MOMENT**2)))
    return fills


def outline_sums(tree: MergeTree, evidence: Evidence) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return lengths, steps, roots, and inner and outer strips (., C) of the outlines of all nodes without the frame.

    An edge is part of the outline of the nodes below the merge that joins its ends, on either side.
    """
    ends, C = evidence.ends, len(evidence.units)
    common = np.stack([evidence.lengths, evidence.steps, evidence.roots], 1)
    first, second = evidence.strips[:, 0], evidence.strips[:, 1]
    of_first, of_second = np.concatenate([common, first, second], 1), np.concatenate([common, second, first], 1)
    K = len(tree)
    sums = np.zeros((K + len(tree.merges), 3 + 2 * C), np.int64)
    np.add.at(sums, ends[:, 0], of_first)
    np.add.at(sums, ends[:, 1], of_second)
    np.subtract.at(sums, K + joining_merges(ends, *joins(K, tree.merges)), of_first + of_second)
    add_children(sums, tree.merges)
    return sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3 : 3 + C], sums[:, 3 + C :]


def common_edges(of_outlines: Ints, merges: Ints) -> Floats:
    """Return sums along the common edge of the two nodes that each was made of: what its own outline lacks of both."""
    K = len(of_outlines) - len(merges)
    common = np.zeros(len(of_outlines))
    common[K:] = (of_outlines[merges].sum(1) - of_outlines[K:]) / 2
    return common


@compiled
def joining_merges(ends: Ints, up: Ints, when: Ints) -> Ints:
    """Return the merge that joins the two small segments of each edge."""
    merges = np.empty(len(ends), np.int64)
    for edge in range(len(ends)):
        merges[edge] = joining_merge(ends[edge, 0], ends[edge, 1], up, when)
    return merges
