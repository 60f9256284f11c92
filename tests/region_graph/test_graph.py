import numpy as np
import pytest
from reference.regions import soft_counts

from segjt import oversegment
from segjt.image import as_image
from segjt.region_graph.graph import region_graph
from segjt.region_graph.pixel_levels import GRADIENT_UNITS, PARTS, lab_levels


@pytest.fixture(scope="module")
def parts(crop):
    labels = oversegment(crop)
    labels = np.where(labels % 9 == 0, 0, labels)
    labels = np.unique(labels, return_inverse=True)[1].reshape(labels.shape).astype(np.int32)
    return lab_levels(as_image(crop, labels > 0)), labels


def test_sums_are_those_of_the_pixels(parts):
    pixels, labels = parts
    regions = region_graph(pixels, labels)
    assert len(regions) == labels.max()
    for k in range(1, len(regions) + 1, 7):
        where = labels == k
        assert regions.sizes[k - 1] == where.sum()
        np.testing.assert_allclose(regions.histograms[k - 1], soft_counts(pixels, where))
        sides = (where[0], where[-1], where[:, 0], where[:, -1])
        assert regions.frame[k - 1] == sum(int(side.sum()) for side in sides)


def test_edges_are_all_contacts(parts):
    pixels, labels = parts
    expected = {}
    height, width = labels.shape
    for y in range(height):
        for x in range(width):
            for v, u in ((y, x + 1), (y + 1, x)):
                if v < height and u < width and 0 != labels[y, x] != labels[v, u] != 0:
                    pair = tuple(sorted((int(labels[y, x]) - 1, int(labels[v, u]) - 1)))
                    length, gradient = expected.get(pair, (0, 0))
                    expected[pair] = length + 1, gradient + int(pixels.gradient[y, x]) + int(pixels.gradient[v, u])
    regions = region_graph(pixels, labels)
    edges = zip(map(tuple, regions.ends.tolist()), regions.lengths.tolist(), regions.gradients.tolist(), strict=True)
    assert {pair: (length, gradient) for pair, length, gradient in edges} == expected
    assert regions.ends.tolist() == sorted(map(list, expected))
    np.testing.assert_allclose(
        regions.contrasts(),
        [gradient / length / 2 / GRADIENT_UNITS for length, gradient in expected_in_order(expected)],
    )


def expected_in_order(expected):
    return [expected[pair] for pair in sorted(expected)]


def test_distances_and_means(parts):
    pixels, labels = parts
    regions = region_graph(pixels, labels)
    D = regions.distances()
    for i, j in ((0, 1), (3, 40), (17, 17)):
        bc = 0
        for where in regions.bins_of():
            p, q = (regions.histograms[k, where] / regions.histograms[k, where].sum() for k in (i, j))
            bc += np.sqrt(p * q).sum() / 4
        assert D[i, j] == pytest.approx(1 - bc, abs=1e-12)
    at = pixels.levels[labels == 5][:, :3] / PARTS
    expected = at.mean(0) * [100 / 15, 120 / 23, 120 / 23] + [0, -60, -60]
    np.testing.assert_allclose(regions.mean_values()[4], expected)


def test_no_region():
    image = as_image(np.zeros((3, 4)), np.zeros((3, 4), bool))
    assert len(region_graph(lab_levels(image), np.zeros((3, 4), np.int32))) == 0
