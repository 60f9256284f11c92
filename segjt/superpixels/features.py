"""What a kernel sees of a pixel: its colour, or the colours around it."""

from __future__ import annotations

import functools

import numpy as np

from segjt.image import Image
from segjt.kernels.base import Kernel
from segjt.kernels.gaussians import Gaussians
from segjt.runtime.arrays import Floats, Mask
from segjt.runtime.compiled import compiled

# Bins of the histogram of a pixel and its 8 neighbours (paper 001, Section 5).
BINS = 16


def extract(image: Image, rows: slice, columns: slice, name: str, kernel: Kernel) -> Floats | Gaussians:
    """Return the features of the unmasked pixels of a part of an image, one row per pixel.

    Parameters
    ----------
    image : Image
        The whole image: windows look beyond the edges of the part.
    rows, columns : slice
        The part, with both ends given.
    name : str
        - "colour": the channels, grey as three equal ones;
        - "colour_histogram": for each channel the 16-bin histogram of the pixel and its 8 neighbours; rows sum to 1;
        - "texture": such histograms of the grey values alone (paper 001, Section 5);
        - "neighbourhood": mean and covariance of the colours of the pixel and its 8 neighbours, for relaxed kernels.
    kernel : Kernel
        Relaxed kernels say how a local Gaussian is estimated.
    """
    mask = image.mask[rows, columns]
    if name == "colour":
        values = image.colours(rows, columns)
        return values.reshape(-1, values.shape[2]) if mask.all() else values[mask]
    values, inside = windows(image, rows, columns)
    values, inside = values[:, mask], inside[:, mask]
    if name == "neighbourhood":
        relaxed = kernel.innermost().parameters()
        return neighbourhood_gaussians(values, inside, relaxed["gamma"], relaxed["mean"])
    if name == "texture":
        values = values.mean(2, keepdims=True)
    return window_histograms(values, inside)


def windows(image: Image, rows: slice, columns: slice) -> tuple[Floats, Mask]:
    """Return the colours (9, h, w, C) of each pixel, first, and its 8 neighbours, and which of these take part."""
    top, left = max(rows.start - 1, 0), max(columns.start - 1, 0)
    wide = slice(top, rows.stop + 1), slice(left, columns.stop + 1)
    height, width = rows.stop - rows.start, columns.stop - columns.start
    there = image.colours(*wide)
    # One pixel on each side; beyond the edge of the image nothing takes part.
    values = np.zeros((height + 2, width + 2, there.shape[2]))
    inside = np.zeros((height + 2, width + 2), bool)
    y, x = top - rows.start + 1, left - columns.start + 1
    values[y : y + there.shape[0], x : x + there.shape[1]] = there
    inside[y : y + there.shape[0], x : x + there.shape[1]] = image.mask[wide]
    offsets = sorted(((dy, dx) for dy in (0, 1, 2) for dx in (0, 1, 2)), key=lambda offset: offset != (1, 1))
    parts = [(slice(dy, dy + height), slice(dx, dx + width)) for dy, dx in offsets]
    return np.stack([values[part] for part in parts]), np.stack([inside[part] for part in parts])


def window_histograms(values: Floats, inside: Mask) -> Floats:
    """Return the histograms of windows (9, N, C), by channel, as probability vectors of C x 16 entries."""
    bins = np.minimum((values * BINS).astype(np.intp), BINS - 1)
    counts = ((bins[..., None] == np.arange(BINS)) & inside[:, :, None, None]).sum(0)
    flat = counts.reshape(len(counts), values.shape[2] * BINS)
    rows: Floats = flat / flat.sum(1, keepdims=True)
    return rows


def neighbourhood_gaussians(values: Floats, inside: Mask, gamma: float, mean: str) -> Gaussians:
    """Return the Gaussians of windows (9, N, C), the pixel first (paper 004, eq. 1 to 3, the neighbours in space)."""
    weights = inside[:, :, None].astype(np.float64)
    neighbours = weights[1:].sum(0)
    if mean == "point":
        centres, divisor = values[0], np.maximum(neighbours - 1, 1)
    else:
        centres, divisor = (weights * values).sum(0) / (neighbours + 1), np.maximum(neighbours, 1)
    apart = weights * (values - centres)
    covariances = np.einsum("wni,wnj->nij", apart, apart) / divisor[:, :, None]
    return Gaussians(centres, covariances + gamma * np.eye(values.shape[2]))


def count_distinct(X: Floats | Gaussians, most: int) -> int:
    """Return how many different rows there are, or `most` if there are as many or more."""
    if isinstance(X, Gaussians):
        X = np.hstack([X.means, X.covariances.reshape(len(X), -1)])
    return count_distinct_rows(np.ascontiguousarray(X), most)


@compiled
def count_distinct_rows(X: Floats, most: int) -> int:
    """Return how many different rows there are, up to `most`: each row is compared with the distinct ones before it."""
    seen = np.empty(most, np.int64)
    count = 0
    for i in range(len(X)):
        known = False
        for s in range(count):
            known = True
            for j in range(X.shape[1]):
                if X[i, j] != X[seen[s], j]:
                    known = False
                    break
            if known:
                break
        if not known:
            seen[count] = i
            count += 1
            if count == most:
                break
    return count


def coordinates(mask: Mask) -> Floats:
    """Return (row, column) of the unmasked pixels of a block, one row per pixel."""
    return grid(*mask.shape) if mask.all() else np.argwhere(mask).astype(np.float64)


@functools.lru_cache(maxsize=64)
def grid(height: int, width: int) -> Floats:
    """Return (row, column) of all pixels of a block."""
    return np.argwhere(np.ones((height, width), bool)).astype(np.float64)
