"""What lies along the outlines of regions: histograms of the strips on either side of every edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segjt.region_graph.graph import RegionGraph, channel_starts, share_out
from segjt.region_graph.pixel_levels import PixelLevels
from segjt.runtime.arrays import Ints, Labels
from segjt.runtime.compiled import compiled

# How far from the middle of a pixel side on an edge pixels belong to its strips.
STRIP_RADIUS = 4


def strip_histograms(pixels: PixelLevels, labels: Labels, regions: RegionGraph) -> Ints:
    """Return the histograms (E, 2, bins) of the pixels near each edge, on either side of it.

    Every pixel side of an edge adds the pixels of its two regions within `STRIP_RADIUS`.
    """
    starts = channel_starts(regions.channels)
    edge_of = np.full((len(regions), len(regions)), -1)
    edge_of[regions.ends[:, 0], regions.ends[:, 1]] = edge_of[regions.ends[:, 1], regions.ends[:, 0]] = np.arange(
        len(regions.ends)
    )
    strips = np.zeros((2 * len(regions.ends), starts[-1]), np.int64)
    add_strips(pixels.levels, labels, starts, edge_of, regions.ends, strips)
    return strips.reshape(-1, 2, starts[-1])


@compiled
def add_strips(
    levels: NDArray[np.int16],
    labels: Labels,
    starts: Ints,
    edge_of: Ints,
    ends: Ints,
    strips: Ints,
) -> None:
    """Add the pixels near every pixel side of an edge e to its strips, 2 e and 2 e + 1.

    Distances are from the middle of the side, so that a flipped image has the same strips.
    """
    height, width = labels.shape
    r = STRIP_RADIUS
    furthest = 4 * r * r  # of distances that are counted in half pixels
    for y in range(height):
        for x in range(width):
            for down in range(2):
                if x + 1 - down == width or y + down == height:
                    continue
                one, other = labels[y, x], labels[y + down, x + 1 - down]
                if one == other or one == 0 or other == 0:
                    continue
                edge = edge_of[one - 1, other - 1]
                for v in range(max(y - r, 0), min(y + r + 2, height)):
                    for u in range(max(x - r, 0), min(x + r + 2, width)):
                        squared = (2 * (v - y) - down) ** 2 + (2 * (u - x) - 1 + down) ** 2
                        if squared <= furthest and (labels[v, u] == one or labels[v, u] == other):
                            side = 0 if labels[v, u] - 1 == ends[edge, 0] else 1
                            share_out(levels, v, u, starts, strips, 2 * edge + side)
