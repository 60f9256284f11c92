"""What the merge knows of regions and of the edges between them: sums over pixels, in whole numbers.

Sums of parts of an image add up to those of the whole, exactly, and those of a merged region are those of its parts.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from numpy.typing import NDArray

from segjt.region_graph.pixel_levels import GRADIENT_UNITS, PART_BITS, PARTS, Channel, PixelLevels
from segjt.region_graph.regions import NOTHING, find_place, twice_as_large
from segjt.runtime.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# How far from an edge pixels belong to its strips.
STRIP_RADIUS = 4


@dataclasses.dataclass(frozen=True)
class RegionSums:
    """Regions 0..K-1 and the edges between those that touch.

    Attributes
    ----------
    channels : tuple of Channel
        What the histograms are of.
    sizes : (K,) int array
        Pixels of each region, n.
    histograms : (K, bins of all channels) int array
        Pixels by bin, in parts of `PARTS`.
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
    histograms: NDArray[np.signedinteger]
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
        """Return 1 - BC of all pairs: BC the Bhattacharyya coefficient, its mean over the channels."""
        roots = np.sqrt(self.histograms / (PARTS * len(self.channels) * self.sizes[:, None]))
        distances: Floats = np.clip(1 - roots @ roots.T, 0, 1)
        return distances

    def contrasts(self) -> Floats:
        """Return g of each edge, the mean gradient along it."""
        return self.gradients / (2.0 * GRADIENT_UNITS * self.lengths)

    def mean_values(self) -> Floats:
        """Return the mean of each channel but that of the gradient, (K, C - 1)."""
        means = [
            channel.low
            + (channel.high - channel.low)
            / (channel.bins - 1)
            * (self.histograms[:, where] @ np.arange(channel.bins))
            / (PARTS * self.sizes)
            for channel, where in zip(self.channels[:-1], self.bins_of(), strict=False)
        ]
        return np.stack(means, 1)


def region_sums(pixels: PixelLevels, labels: NDArray[np.int32]) -> RegionSums:
    """Return the sums of compact labels 1..K; 0 is no region."""
    K = int(labels.max(initial=0))
    labels = np.ascontiguousarray(labels)
    sizes = np.zeros(K, np.int64)
    starts = channel_starts(pixels.channels)
    room = np.int32 if labels.size * PARTS < 2**31 else np.int64
    histograms = np.zeros((K, starts[-1]), room)
    add_pixels(pixels.levels, labels, starts, sizes, histograms)
    keys, sums = add_sides(pixels.gradient, labels, K)
    taken = np.flatnonzero(keys != NOTHING)
    order = taken[np.argsort(keys[taken])]
    ends = np.stack(np.divmod(keys[order], max(K, 1)), 1)
    lengths, gradients = np.ascontiguousarray(sums[order].T)
    sides = (labels[0], labels[-1], labels[:, 0], labels[:, -1])
    frame = sum(np.bincount(side, minlength=K + 1)[1:] for side in sides)
    return RegionSums(pixels.channels, sizes, histograms, np.asarray(frame), ends, lengths, gradients)


def channel_starts(channels: tuple[Channel, ...]) -> Ints:
    """Return where in a histogram each channel begins, and where the last one ends."""
    return np.cumsum([0, *(channel.bins for channel in channels)])


@compiled
def add_pixels(
    levels: NDArray[np.int16],
    labels: NDArray[np.int32],
    starts: Ints,
    sizes: Ints,
    histograms: NDArray[np.signedinteger],
) -> None:
    """Add every pixel to the size and the histogram of its region."""
    for y in range(labels.shape[0]):
        for x in range(labels.shape[1]):
            region = labels[y, x] - 1
            if region >= 0:
                sizes[region] += 1
                share_out(levels, y, x, starts, histograms, region)


@compiled
def share_out(
    levels: NDArray[np.int16], y: int, x: int, starts: Ints, histograms: NDArray[np.signedinteger], row: int
) -> None:
    """Add a pixel to the two bins of each channel that it lies between, in one of the histograms."""
    for channel in range(levels.shape[2]):
        lower, part = levels[y, x, channel] >> PART_BITS, levels[y, x, channel] & (PARTS - 1)
        histograms[row, starts[channel] + lower] += PARTS - part
        if part > 0:
            histograms[row, starts[channel] + lower + 1] += part


@compiled
def add_sides(gradient: NDArray[np.uint16], labels: NDArray[np.int32], K: int) -> tuple[Ints, Ints]:
    """Return a table of edges: keys a K + b with a < b, and for each its length and the sum of gradients."""
    keys, sums, used = np.full(1024, NOTHING), np.zeros((1024, 2), np.int64), 0
    for y in range(labels.shape[0]):
        for x in range(labels.shape[1]):
            for down in range(2):
                if x + 1 - down == labels.shape[1] or y + down == labels.shape[0]:
                    continue
                one, other = labels[y, x], labels[y + down, x + 1 - down]
                if one == other or one == 0 or other == 0:
                    continue
                key = (min(one, other) - 1) * K + max(one, other) - 1
                place = find_place(keys, key)
                if keys[place] == NOTHING:
                    keys[place] = key
                    used += 1
                sums[place, 0] += 1
                sums[place, 1] += np.int64(gradient[y, x]) + np.int64(gradient[y + down, x + 1 - down])
                if 2 * used > len(keys):
                    keys, sums = twice_as_large(keys, sums)
    return keys, sums


def strip_histograms(pixels: PixelLevels, labels: NDArray[np.int32], regions: RegionSums) -> Ints:
    """Return the histograms (E, 2, bins) of the pixels near each edge, on either side of it.

    Every piece of an edge adds the pixels of its two regions within `STRIP_RADIUS`.
    """
    starts = channel_starts(regions.channels)
    edge_of = np.full((len(regions), len(regions)), NOTHING)
    edge_of[regions.ends[:, 0], regions.ends[:, 1]] = edge_of[regions.ends[:, 1], regions.ends[:, 0]] = np.arange(
        len(regions.ends)
    )
    strips = np.zeros((2 * len(regions.ends), starts[-1]), np.int64)
    add_strips(pixels.levels, labels, starts, edge_of, regions.ends, strips)
    return strips.reshape(-1, 2, starts[-1])


@compiled
def add_strips(
    levels: NDArray[np.int16],
    labels: NDArray[np.int32],
    starts: Ints,
    edge_of: Ints,
    ends: Ints,
    strips: Ints,
) -> None:
    """Add the pixels near every piece of an edge e to its strips, 2 e and 2 e + 1."""
    height, width = labels.shape
    r = STRIP_RADIUS
    for y in range(height):
        for x in range(width):
            for down in range(2):
                if x + 1 - down == width or y + down == height:
                    continue
                one, other = labels[y, x], labels[y + down, x + 1 - down]
                if one == other or one == 0 or other == 0:
                    continue
                edge = edge_of[one - 1, other - 1]
                for v in range(max(y - r, 0), min(y + r + 1, height)):
                    for u in range(max(x - r, 0), min(x + r + 1, width)):
                        if (v - y) ** 2 + (u - x) ** 2 <= r * r and (labels[v, u] == one or labels[v, u] == other):
                            side = 0 if labels[v, u] - 1 == ends[edge, 0] else 1
                            share_out(levels, v, u, starts, strips, 2 * edge + side)
