"""Pictures of segments: coloured regions and their boundaries over the image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from segjt.image import Image
from segjt.runtime.arrays import Floats, Labels, Mask

GOLDEN_RATIO = 0.618033988749895
MASKED_COLOUR = 0.92
OPACITY = 0.45


def overlay(image: Image, labels: Labels, opacity: float = OPACITY) -> NDArray[np.uint8]:
    """Return the image in RGB with its segments tinted and their boundaries drawn.

    Masked-out pixels (label 0) are light grey.
    """
    return painted(image, labels, np.full(labels.shape, opacity), labels == 0)


def object_overlay(image: Image, labels: Labels, opacity: float = OPACITY) -> NDArray[np.uint8]:
    """Return the image in RGB with its objects tinted and their boundaries drawn; the background is as it is.

    Masked-out pixels are light grey.
    """
    return painted(image, labels, np.where(labels > 0, opacity, 0.0), ~image.mask)


def painted(image: Image, labels: Labels, opacity: Floats, hidden: Mask) -> NDArray[np.uint8]:
    """Return the image in RGB under the colours of labels, of an opacity each pixel, and their boundaries."""
    tint = opacity[:, :, None]
    picture = (1 - tint) * as_rgb(image) + tint * segment_colours(int(labels.max(initial=0)))[labels]
    picture[boundaries(labels)] = 1.0
    picture[hidden] = MASKED_COLOUR
    return np.rint(picture * 255).astype(np.uint8)


def as_rgb(image: Image) -> Floats:
    """Return any image as RGB in [0, 1]: grey repeated, of many channels the first three."""
    values = image.values()
    return values[:, :, :3] if image.channels >= 3 else values[:, :, [0, -1, 0]]


def segment_colours(K: int) -> Floats:
    """Return an RGB colour for each label from 0 (black) to K; consecutive labels differ clearly in hue."""
    k = np.arange(1, K + 1)
    hue = k * GOLDEN_RATIO % 1.0
    saturation = np.where(k % 2, 0.95, 0.65)
    # HSV with value 1: each of red, green and blue is a trapezoid over the hue circle.
    offset = np.array([0, 2, 1]) / 3
    trapezoid = np.clip(np.abs((hue[:, None] + offset) % 1.0 * 6 - 3) - 1, 0, 1)
    return np.concatenate([np.zeros((1, 3)), 1 - saturation[:, None] * (1 - trapezoid)])


def boundaries(labels: NDArray[Any]) -> Mask:
    """Return a mask of the pixels whose right or lower neighbour has another label."""
    edge = np.zeros(labels.shape, bool)
    edge[:, :-1] |= labels[:, :-1] != labels[:, 1:]
    edge[:-1] |= labels[:-1] != labels[1:]
    return edge
