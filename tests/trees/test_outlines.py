"""Strips along the edges of regions, against counting pixel by pixel."""

import numpy as np
from reference.regions import soft_counts

from segjt import oversegment
from segjt.image import as_image
from segjt.labels import compact
from segjt.region_graph.graph import region_graph
from segjt.region_graph.pixel_levels import lab_levels
from segjt.trees.outlines import STRIP_RADIUS, strip_histograms


def test_strips_are_what_lies_along_an_edge(crop):
    labels = oversegment(crop)
    labels = compact(np.where(labels % 9 == 0, 0, labels))
    pixels = lab_levels(as_image(crop, labels > 0))
    coarse = np.minimum(labels, 6)  # a few regions with long edges
    regions = region_graph(pixels, coarse)
    strips = strip_histograms(pixels, coarse, regions)
    y, x = np.mgrid[: labels.shape[0], : labels.shape[1]]
    expected = np.zeros_like(strips, dtype=float)
    for edge, (i, j) in enumerate(regions.ends.tolist()):
        for down, right in ((0, 1), (1, 0)):
            here = coarse[: labels.shape[0] - down, : labels.shape[1] - right]
            there = coarse[down:, right:]
            for v, u in np.argwhere(((here == i + 1) & (there == j + 1)) | ((here == j + 1) & (there == i + 1))):
                near = (y - v - down / 2) ** 2 + (x - u - right / 2) ** 2 <= STRIP_RADIUS**2
                for side, region in enumerate((i, j)):
                    expected[edge, side] += soft_counts(pixels, near & (coarse == region + 1))
    np.testing.assert_allclose(strips, expected)


def strips_by_regions(image, labels):
    """Return the strips of every edge by the regions that it lies between."""
    pixels = lab_levels(as_image(image))
    regions = region_graph(pixels, labels)
    strips = strip_histograms(pixels, labels, regions)
    return {tuple(ends): strips[edge].tolist() for edge, ends in enumerate(regions.ends.tolist())}


def test_strips_of_a_flipped_or_rotated_image_are_the_same():
    rng = np.random.default_rng(0)
    labels = np.kron(np.arange(1, 13).reshape(3, 4), np.ones((9, 7), np.int32)).astype(np.int32)
    labels = np.where(rng.random(labels.shape) < 0.2, np.roll(labels, 1, 1), labels)
    # Grey of few levels: gradients of a flipped image differ in the last bits, and must not fall on another level.
    image = rng.integers(0, 8, labels.shape).astype(np.uint8) * 30
    expected = strips_by_regions(image, labels)
    for change in (np.fliplr, np.flipud, np.rot90):
        changed = strips_by_regions(np.ascontiguousarray(change(image)), np.ascontiguousarray(change(labels)))
        assert changed == expected
