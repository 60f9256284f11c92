"""What a user would reach for to find many alike things, such as nuclei: thresholds and watersheds of scikit-image.

Each takes an (H, W, 3) uint8 image and returns labels, 0 for the background and one for each object. Their parameters
are fixed ones that scikit-image's own examples use, or near them: none was tuned.

Nuclei are bright on a dark ground (fluorescence) or dark on a bright one (stained tissue). Otsu's threshold decides:
the objects are on the side that covers less of the image.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from segjt.datasets.items import Photo
from segjt.runtime.arrays import Floats, Mask

# scikit-image does not say that what it returns is an integer array.
Objects: TypeAlias = Any

# The local threshold stays within these multiples of Otsu's, as in CellProfiler: else it finds noise where nothing is.
LOCAL_RANGE = (0.7, 1.5)


def otsu_watershed(image: Photo, smoothing: float = 1.0, min_distance: int = 7, min_size: int = 20) -> Objects:
    """Otsu's threshold; what touches is split by the watershed of the distance to the background."""
    from skimage.filters import threshold_otsu

    bright = bright_objects(image, smoothing)
    return split(cleaned(bright > threshold_otsu(bright), min_size), min_distance)


def local_watershed(
    image: Photo, smoothing: float = 1.0, window: int = 101, min_distance: int = 7, min_size: int = 20
) -> Objects:
    """The weighted mean of the surroundings as threshold; split as in `otsu_watershed`."""
    from skimage.filters import threshold_local, threshold_otsu

    bright = bright_objects(image, smoothing)
    low, high = (factor * threshold_otsu(bright) for factor in LOCAL_RANGE)
    return split(cleaned(bright > np.clip(threshold_local(bright, window), low, high), min_size), min_distance)


def blob_watershed(
    image: Photo,
    smoothing: float = 1.0,
    min_sigma: float = 3.0,
    max_sigma: float = 15.0,
    num_sigma: int = 7,
    threshold: float = 0.1,
    min_size: int = 20,
) -> Objects:
    """Otsu's threshold, split by the watershed from blobs: maxima of the Laplacian of Gaussians over position and size.

    What is above the threshold and has no blob is left out.
    """
    from skimage.feature import blob_log
    from skimage.filters import threshold_otsu

    bright = bright_objects(image, smoothing)
    foreground = cleaned(bright > threshold_otsu(bright), min_size)
    if not foreground.any():
        return foreground.astype(np.int32)
    levels = (bright - bright.min()) / (bright.max() - bright.min())
    blobs = blob_log(levels, min_sigma, max_sigma, num_sigma, threshold, exclude_border=False)
    return flooded(foreground, distance_inside(foreground), blobs[:, :2].astype(np.intp))


def bright_objects(image: Photo, smoothing: float) -> Floats:
    """Return smoothed grey levels in [0, 1], turned round if the objects are dark."""
    from skimage.color import rgb2gray
    from skimage.filters import gaussian, threshold_otsu

    grey: Floats = gaussian(rgb2gray(image), smoothing)
    return grey if (grey > threshold_otsu(grey)).mean() <= 0.5 else 1 - grey


def cleaned(foreground: Mask, min_size: int) -> Mask:
    """Return a mask with its holes filled and without connected parts below a number of pixels."""
    from scipy import ndimage

    parts = ndimage.label(ndimage.binary_fill_holes(foreground))[0]
    large = np.bincount(parts.ravel()) >= min_size
    large[0] = False
    kept: Mask = large[parts]
    return kept


def distance_inside(foreground: Mask) -> Floats:
    """Return the distance of each pixel to the background, smoothed: a ragged outline makes many maxima."""
    from scipy import ndimage
    from skimage.filters import gaussian

    distance: Floats = gaussian(ndimage.distance_transform_edt(foreground), 1.0)
    return distance


def split(foreground: Mask, min_distance: int) -> Objects:
    """Return the parts of a mask, split by the watershed from the maxima of the distance to the background."""
    from scipy import ndimage
    from skimage.feature import peak_local_max

    distance = distance_inside(foreground)
    parts = ndimage.label(foreground)[0]
    peaks = peak_local_max(distance, min_distance=min_distance, labels=parts, exclude_border=False)
    return flooded(foreground, distance, peaks)


def flooded(foreground: Mask, distance: Floats, seeds: Objects) -> Objects:
    """Return the watershed of a mask from seeds (row, column)."""
    from skimage.segmentation import watershed

    markers = np.zeros(foreground.shape, np.int32)
    markers[tuple(seeds.T)] = np.arange(1, len(seeds) + 1)
    return watershed(-distance, markers, mask=foreground)


OBJECT_PEERS: dict[str, Callable[..., Objects]] = {
    "otsu_watershed": otsu_watershed,
    "local_watershed": local_watershed,
    "blob_watershed": blob_watershed,
}
OBJECT_TITLES = {
    "otsu_watershed": "Otsu + watershed (scikit-image)",
    "local_watershed": "local threshold + watershed (scikit-image)",
    "blob_watershed": "LoG blobs + watershed (scikit-image)",
}
