"""The table of regions: a row for each segment or object, with what can be read off its pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from segjt.image import Image
from segjt.io import encode_csv
from segjt.results.segmentation import Segmentation
from segjt.runtime.arrays import Floats, Ints, Labels

# Enough for a place to a hundredth of a pixel and for 16-bit values, few enough to read.
DIGITS = 7
COLOURS = ("red", "green", "blue")


def region_table(image: Image, labels: Labels) -> dict[str, Ints | Floats]:
    """Return the columns of the table of regions 1..n by name, each with n values.

    Parameters
    ----------
    image : Image
        The image that the regions belong to.
    labels : (H, W) int32 array
        The regions, compact 1..n; 0 is left out.

    Returns
    -------
    dict of str to array
        label; area in pixels; centroid_row and centroid_column; top, left, bottom and right: the rows from top up to
        but not including bottom, the columns likewise; the mean value of each channel, as it is in the file:
        mean for one channel, mean_red, mean_green and mean_blue for three, else mean_1, mean_2 and so on.
    """
    from scipy.ndimage import find_objects

    n, flat = int(labels.max(initial=0)), labels.ravel()
    areas = np.bincount(flat, minlength=n + 1)[1:]

    def means(values: NDArray[Any]) -> Floats:
        return np.bincount(flat, values.ravel().astype(np.float64), n + 1)[1:] / areas

    rows, columns = (np.broadcast_to(places, labels.shape) for places in np.ogrid[: labels.shape[0], : labels.shape[1]])
    boxes = np.array([(y.start, x.start, y.stop, x.stop) for y, x in find_objects(labels)], np.int64).reshape(n, 4)
    return {
        "label": np.arange(1, n + 1),
        "area": areas,
        "centroid_row": means(rows),
        "centroid_column": means(columns),
        **dict(zip(("top", "left", "bottom", "right"), boxes.T, strict=True)),
        **{name: means(image.pixels[:, :, channel]) for channel, name in enumerate(mean_names(image.channels))},
    }


def mean_names(channels: int) -> list[str]:
    """Return the names of the columns for the means of an image's channels."""
    if channels == 1:
        return ["mean"]
    return [f"mean_{name}" for name in (COLOURS if channels == len(COLOURS) else range(1, channels + 1))]


def encode_object_table(segmentation: Segmentation) -> bytes:
    """Return the table of objects as a CSV file: that of regions, with the confidence after the label."""
    table = region_table(segmentation.image, segmentation.labels)
    label = table.pop("label")
    columns = {"label": label, "confidence": segmentation.required_confidences(), **table}
    return encode_csv([list(columns), *zip(*(rounded(values) for values in columns.values()), strict=True)])


def rounded(values: Ints | Floats) -> list[int | float]:
    """Return values as plain numbers, those that are not whole to `DIGITS` digits."""
    return [value if isinstance(value, int) else float(f"{value:.{DIGITS}g}") for value in values.tolist()]
