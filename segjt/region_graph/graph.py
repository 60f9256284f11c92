"""The region graph: what merging knows of regions and of the edges between them, as sums over pixels in whole numbers.

Sums of parts of an image add up to those of the whole, exactly, and those of a merged region are those of its parts.
`tests/reference/regions.py` is the obvious version.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from numpy.typing import NDArray

from segjt.region_graph.contacts import edge_sums
from segjt.region_graph.pixel_levels import GRADIENT_UNITS, PART_BITS, PARTS, Channel, PixelLevels
from segjt.runtime.arrays import Counts, Floats, Ints, Labels
from segjt.runtime.compiled import compiled


@dataclasses.dataclass(frozen=True)
class RegionGraph:
    """Regions 0..K-1 and the edges between those that touch.

    Attributes
    ----------
    channels : tuple of Channel
        What the histograms are of.
    sizes : (K,) int array
        Pixels of each region, n.
    histograms : (K, bins of all channels) int array
        Pixels per bin, in parts of `PARTS`.
    frame : (K,) int array
        Length of the region's edge on the frame of the image.
    ends : (E, 2) int array
        The two regions of each edge.
    lengths : (E,) int array
        Length of each edge, in pixel sides.
    gradients : (E,) int array
        Sum of the gradients of the two pixels at each of these sides, in units of 1 / `GRADIENT_UNITS`.
    """

    channels: tuple[Channel, ...]
    sizes: Ints
    histograms: Counts
    frame: Ints
    ends: Ints
    lengths: Ints
    gradients: Ints

    def __len__(self) -> int:
        return len(self.sizes)

    def bins_of(self) -> list[slice]:
        """Return where in a histogram each channel is."""
        return [slice(start, end) for start, end in itertools.pairwise(channel_starts(self.channels).tolist())]

    def distances(self) -> Floats:
        """Return 1 - BC of all pairs of regions: BC the Bhattacharyya coefficient, its mean over the channels."""
        roots = np.sqrt(self.histograms / (PARTS * len(self.channels) * self.sizes[:, None]))
        distances: Floats = np.clip(1 - roots @ roots.T, 0, 1)
        return distances

    def contrasts(self) -> Floats:
        """Return g of each edge, the mean gradient along it."""
        return self.gradients / (2.0 * GRADIENT_UNITS * self.lengths)

    def mean_values(self) -> Floats:
        """Return the mean of each channel of a region except the last, the gradient, (K, C - 1)."""
        means = [
            channel.low
            + (channel.high - channel.low)
            / (channel.bins - 1)
            * (self.histograms[:, where] @ np.arange(channel.bins))
            / (PARTS * self.sizes)
            for channel, where in zip(self.channels[:-1], self.bins_of(), strict=False)
        ]
        return np.stack(means, 1)


def region_graph(pixels: PixelLevels, labels: Labels) -> RegionGraph:
    """Return the region graph of compact labels 1..K; pixels with label 0 belong to no region."""
    K = int(labels.max(initial=0))
    labels = np.ascontiguousarray(labels)
    sizes = np.zeros(K, np.int64)
    starts = channel_starts(pixels.channels)
    room = np.int32 if labels.size * PARTS < 2**31 else np.int64
    histograms = np.zeros((K, starts[-1]), room)
    add_pixels(pixels.levels, labels, starts, sizes, histograms)
    sides = (labels[0], labels[-1], labels[:, 0], labels[:, -1])
    frame = sum(np.bincount(side, minlength=K + 1)[1:] for side in sides)
    return RegionGraph(pixels.channels, sizes, histograms, np.asarray(frame), *edge_sums(pixels.gradient, labels, K))


def channel_starts(channels: tuple[Channel, ...]) -> Ints:
    """Return where in a histogram each channel begins, and where the last one ends."""
    return np.cumsum([0, *(channel.bins for channel in channels)])


@compiled
def add_pixels(levels: NDArray[np.int16], labels: Labels, starts: Ints, sizes: Ints, histograms: Counts) -> None:
    """Add every pixel to the size and the histogram of its region."""
    for y in range(labels.shape[0]):
        for x in range(labels.shape[1]):
            region = labels[y, x] - 1
            if region >= 0:
                sizes[region] += 1
                share_out(levels, y, x, starts, histograms, region)


@compiled
def share_out(levels: NDArray[np.int16], y: int, x: int, starts: Ints, histograms: Counts, row: int) -> None:
    """Add a pixel to the two bins of each channel that it lies between, in one row of the histograms."""
    for channel in range(levels.shape[2]):
        lower, part = levels[y, x, channel] >> PART_BITS, levels[y, x, channel] & (PARTS - 1)
        histograms[row, starts[channel] + lower] += PARTS - part
        if part > 0:
            histograms[row, starts[channel] + lower + 1] += part
