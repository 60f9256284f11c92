"""The table of regions, compared with scikit-image's."""

import numpy as np
import pytest
from skimage.measure import regionprops_table

from segjt.image import as_image
from segjt.results import Segmentation, region_table
from segjt.results.region_table import encode_object_table

NAMES = {
    "label": "label",
    "area": "area",
    "centroid_row": "centroid-0",
    "centroid_column": "centroid-1",
    "top": "bbox-0",
    "left": "bbox-1",
    "bottom": "bbox-2",
    "right": "bbox-3",
}


@pytest.mark.parametrize(
    ("channels", "means"),
    [(1, ["mean"]), (2, ["mean_1", "mean_2"]), (3, ["mean_red", "mean_green", "mean_blue"])],
)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_the_same_as_scikit_image(channels, means, dtype):
    rng = np.random.default_rng(channels)
    pixels = rng.integers(0, np.iinfo(dtype).max, (30, 41, channels), dtype, endpoint=True)
    labels = np.zeros((30, 41), np.int32)
    labels[2:9, 3:20], labels[10:30, 0:5], labels[20:28, 30:41], labels[11, 38] = 1, 2, 3, 4
    labels[5:7, 6:9] = 0
    table = region_table(as_image(pixels, channel_axis=-1), labels)
    assert list(table) == [*NAMES, *means]
    wanted = ("label", "area", "centroid", "bbox", "intensity_mean")
    expected = regionprops_table(labels, pixels.astype(float), properties=wanted)
    for name, theirs in NAMES.items():
        np.testing.assert_allclose(table[name], expected[theirs], rtol=1e-12)
    for channel, name in enumerate(means):
        np.testing.assert_allclose(table[name], expected[f"intensity_mean-{channel}"], rtol=1e-12)


def test_no_objects():
    nothing = np.zeros((4, 5), np.int32)
    given = Segmentation(as_image(np.zeros((4, 5))), nothing, nothing, confidences=np.empty(0))
    header = b"label,confidence,area,centroid_row,centroid_column,top,left,bottom,right,mean\n"
    assert encode_object_table(given) == header
