"""What merging sees of a pixel: the bins of a histogram that it falls into, and how much the colour changes around it.

`lab_levels`, for the default merge: every channel is cut into a few bins, and a pixel lies between the centres of two
of them: it is shared out between both, in whole parts of `PARTS`, so that sums over pixels are exact and do not depend
on their order. The channels are

- RGB: L, a, b. Grey is RGB of equal parts, so a and b are the same everywhere.
- Other data: each channel, times 100, is treated as a lightness.
- The last channel is ln(G + 0.3), G the gradient of all channels together: sqrt(sum of the squared derivatives of a
  Gaussian with sigma 1). G of data that are not RGB is divided by the root of the number of channels.

Pixels outside the mask take the colour of the nearest one inside, so that they do not matter.

`colour_levels`, for the papers' merges: a pixel falls into one of equal bins of each of its own channels.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segjt.image import FULL_SCALE, Image
from segjt.runtime.arrays import Floats
from segjt.runtime.compiled import compiled

# A pixel counts for this much in a histogram, shared out between two bins.
PART_BITS = 5
PARTS = 2**PART_BITS
# Gradients, divided by 100, are stored in these units.
GRADIENT_UNITS = 2**15
# The derivatives of a Gaussian with sigma 1 are cut off here.
RADIUS = 4
# Pixels handled at a time, so that float copies of a large image never exist whole.
PIXELS_AT_A_TIME = 2**19
# CIE XYZ of the sRGB primaries, and the white of D65.
XYZ_OF_RGB = np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]])
WHITE = np.array([0.95047, 1.0, 1.08883])


@dataclasses.dataclass(frozen=True)
class Channel:
    """The range of a channel, from the centre of its first bin to that of its last."""

    low: float
    high: float
    bins: int

    @property
    def unit(self) -> float:
        """What a level is worth: a part of a bin."""
        return (self.high - self.low) / float(PARTS * (self.bins - 1))


LIGHTNESS = Channel(0, 100, 16)
COLOUR = Channel(-60, 60, 24)
LOG_GRADIENT = Channel(-1.2, 4, 12)


@dataclasses.dataclass(frozen=True)
class PixelLevels:
    """The pixels of an image as merging sees them.

    Attributes
    ----------
    channels : tuple of Channel
        What the levels are of.
    levels : (H, W, C) int16 array
        Place of each pixel in the range of each channel: `PARTS` times the number of bins from its low end.
    gradient : (H, W) uint16 array
        G / 100 in units of 1 / `GRADIENT_UNITS`.
    """

    channels: tuple[Channel, ...]
    levels: NDArray[np.int16]
    gradient: NDArray[np.uint16]


def pixel_levels(image: Image, seen: str, bins: int) -> PixelLevels:
    """Return what merging sees of every pixel: "lab", or the "colour" in so many bins per channel."""
    return lab_levels(image) if seen == "lab" else colour_levels(image, bins)


def lab_levels(image: Image) -> PixelLevels:
    """Return the levels in Lab and the gradient of every pixel."""
    height, width = image.shape
    colour = image.channels in (1, 3)
    channels = (LIGHTNESS, COLOUR, COLOUR) if colour else (LIGHTNESS,) * image.channels
    channels += (LOG_GRADIENT,)
    levels = np.empty((height, width, len(channels)), np.int16)
    gradient = np.empty((height, width), np.uint16)
    rows = max(PIXELS_AT_A_TIME // width, 4 * RADIUS)
    for top in range(0, height, rows):
        bottom = min(top + rows, height)
        band = slice(max(top - 2 * RADIUS, 0), min(bottom + 2 * RADIUS, height))
        values = channel_values(image, band)
        inside = slice(top - band.start, bottom - band.start)
        G = gaussian_gradient(values)[inside] / (1.0 if colour else np.sqrt(image.channels))
        for place, channel in enumerate(channels):
            seen = values[place, inside] if place + 1 < len(channels) else np.log(G + 0.3)
            levels[top:bottom, :, place] = level_of(seen, channel)
        gradient[top:bottom] = np.minimum(np.rint(G / 100 * GRADIENT_UNITS), np.iinfo(np.uint16).max)
    return PixelLevels(channels, levels, gradient)


def colour_levels(image: Image, bins: int) -> PixelLevels:
    """Return which of `bins` equal bins of [0, 1] each value of a pixel falls into; 1 belongs to the last. No gradient.

    A pixel counts fully for its bin (papers 000 and 001), so its level is a whole number of bins. Grey is RGB of equal
    parts.
    """
    pixels = image.pixels
    if pixels.dtype.kind == "u":
        level_of_value = bin_levels(np.arange(np.iinfo(pixels.dtype).max + 1) / FULL_SCALE[pixels.dtype.name], bins)
        levels = level_of_value[pixels]
    else:
        levels = np.empty(pixels.shape, np.int16)
        rows = max(PIXELS_AT_A_TIME // image.shape[1], 1)
        for top in range(0, image.shape[0], rows):
            levels[top : top + rows] = bin_levels(image.values(slice(top, top + rows)), bins)
    if image.channels == 1:
        levels = np.repeat(levels, 3, 2)
    channels = (Channel(50 / bins, 100 - 50 / bins, bins),) * levels.shape[2]
    return PixelLevels(channels, levels, np.zeros(image.shape, np.uint16))


def bin_levels(values: Floats, bins: int) -> NDArray[np.int16]:
    """Return the level of the bin of each value in [0, 1]."""
    levels: NDArray[np.int16] = np.minimum(values * bins, bins - 1).astype(np.int16) << PART_BITS
    return levels


def level_of(values: Floats, channel: Channel) -> NDArray[np.int16]:
    """Return the place of values in the range of a channel, in parts of a bin."""
    steps = PARTS * (channel.bins - 1)
    scaled = (values - channel.low) * (steps / (channel.high - channel.low))
    levels: NDArray[np.int16] = np.rint(np.clip(scaled, 0, steps)).astype(np.int16)
    return levels


def channel_values(image: Image, rows: slice) -> Floats:
    """Return Lab, or the channels times 100, of some rows as (C, h, w)."""
    if image.channels in (1, 3):
        values = lab_of_linear(linear_light(image.pixels[rows]))
    else:
        values = np.ascontiguousarray(np.moveaxis(100 * image.values(rows), -1, 0))
    mask = image.mask[rows]
    if mask.any() and not mask.all():
        from scipy.ndimage import distance_transform_edt

        nearest = distance_transform_edt(~mask, return_distances=False, return_indices=True)
        values = values[:, nearest[0], nearest[1]]
    return values


def linear_light(pixels: NDArray[Any]) -> Floats:
    """Return RGB (or grey) values of sRGB as amounts of light, from 0 to 1."""
    whole_numbers = pixels.dtype.kind == "u"
    scale = FULL_SCALE[pixels.dtype.name]
    values = (np.arange(scale + 1) if whole_numbers else np.asarray(pixels, np.float64)) / scale
    linear = np.where(values > 0.04045, ((np.maximum(values, 0.04045) + 0.055) / 1.055) ** 2.4, values / 12.92)
    return np.asarray(linear[pixels] if whole_numbers else linear)


@compiled
def lab_of_linear(light: Floats) -> Floats:
    """Return CIE Lab (3, h, w) of light (h, w, 3), or (h, w, 1) for grey."""
    height, width, given = light.shape
    lab = np.empty((3, height, width))
    f = np.empty(3)
    for y in range(height):
        for x in range(width):
            for k in range(3):
                t = 0.0
                for c in range(3):
                    t += XYZ_OF_RGB[k, c] * light[y, x, min(c, given - 1)]
                t /= WHITE[k]
                f[k] = np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116
            lab[0, y, x] = 116 * f[1] - 16
            lab[1, y, x] = 500 * (f[0] - f[1])
            lab[2, y, x] = 200 * (f[1] - f[2])
    return lab


def gaussian_gradient(values: Floats) -> Floats:
    """Return sqrt(sum of the squared derivatives of a Gaussian with sigma 1) of channels (C, h, w)."""
    x = np.arange(-RADIUS, RADIUS + 1.0)
    smooth = np.exp(-(x**2) / 2)
    smooth /= smooth.sum()
    squares = np.zeros(values.shape[1:])
    for channel in values:
        # Beyond the frame the image is mirrored.
        add_squared_gradient(np.pad(channel, RADIUS, mode="symmetric"), smooth, x * smooth, squares)
    return np.sqrt(squares)


@compiled
def add_squared_gradient(padded: Floats, smooth: Floats, derive: Floats, squares: Floats) -> None:
    """Add both squared derivatives of a channel with a margin of RADIUS pixels."""
    height, width = squares.shape
    taps = len(smooth)
    smoothed, derived = np.empty((taps, width)), np.empty((taps, width))
    across, down = np.empty(width), np.empty(width)
    for row in range(height + taps - 1):
        # Each row is filtered along x once; the last few rows are kept.
        s, d = smoothed[row % taps], derived[row % taps]
        s[:] = 0
        d[:] = 0
        for k in range(taps):
            for x in range(width):
                s[x] += smooth[k] * padded[row, x + k]
                d[x] += derive[k] * padded[row, x + k]
        y = row - taps + 1
        if y < 0:
            continue
        across[:] = 0
        down[:] = 0
        for k in range(taps):
            s, d = smoothed[(y + k) % taps], derived[(y + k) % taps]
            for x in range(width):
                across[x] += smooth[k] * d[x]
                down[x] += derive[k] * s[x]
        for x in range(width):
            squares[y, x] += across[x] ** 2 + down[x] ** 2
