import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import segjt
from segjt.evaluation.scores import best_f_measure
from segjt.image import as_image
from segjt.kernels import make_kernel
from segjt.superpixels.features import count_distinct, extract

COLOUR = make_kernel("jt2")


def window(image, y, x, mask=None):
    """The colours of a pixel and its 8 neighbours that there are, the pixel first."""
    height, width = image.shape[:2]
    around = [(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)]
    places = [(y, x), *around]
    return np.array(
        [
            image[i, j]
            for i, j in places
            if 0 <= i < height and 0 <= j < width and (mask is None or mask[i, j])
        ]
    )  # fmt: skip


def histogram(values):
    """16 equal bins of [0, 1], channel after channel, as shares."""
    counts = [np.histogram(channel, 16, (0, 1))[0] for channel in values.T]
    return np.concatenate(counts) / (len(values) * values.shape[1])


@pytest.fixture(scope="module")
def picture():
    return np.random.default_rng(0).random((9, 11, 3))


@pytest.fixture(scope="module")
def mask():
    mask = np.random.default_rng(1).random((9, 11)) < 0.8
    mask[4, 4] = True
    return mask


def test_colour(picture, mask):
    rows_seen = extract(as_image(picture, mask), slice(2, 6), slice(3, 8), "colour", COLOUR)
    np.testing.assert_array_equal(rows_seen, picture[2:6, 3:8][mask[2:6, 3:8]])


@pytest.mark.parametrize(("rows", "columns"), [((0, 9), (0, 11)), ((2, 6), (3, 8)), ((0, 1), (10, 11))])
@pytest.mark.parametrize("name", ["colour_histogram", "texture"])
def test_histograms_look_beyond_the_block_but_not_behind_the_mask(picture, mask, rows, columns, name):
    rows_seen = extract(as_image(picture, mask), slice(*rows), slice(*columns), name, COLOUR)
    seen = picture if name == "colour_histogram" else picture.mean(2, keepdims=True)
    expected = [histogram(window(seen, y, x, mask)) for y in range(*rows) for x in range(*columns) if mask[y, x]]
    np.testing.assert_allclose(rows_seen, np.array(expected).reshape(rows_seen.shape))
    np.testing.assert_allclose(rows_seen.sum(1), 1)
    assert rows_seen.shape[1] == (48 if name == "colour_histogram" else 16)


@pytest.mark.parametrize("mean", ["point", "neighbourhood"])
@pytest.mark.parametrize(("rows", "columns"), [((0, 9), (0, 11)), ((2, 6), (3, 8))])
def test_gaussians_of_the_neighbourhood(picture, mask, mean, rows, columns):
    kernel = make_kernel("relaxed_b", gamma=0.01, mean=mean)
    rows_seen = extract(as_image(picture, mask), slice(*rows), slice(*columns), "neighbourhood", kernel)
    places = [(y, x) for y in range(*rows) for x in range(*columns) if mask[y, x]]
    for (y, x), centre, covariance in zip(places, rows_seen.means, rows_seen.covariances, strict=True):
        values = window(picture, y, x, mask)
        m = len(values) - 1
        expected = values[0] if mean == "point" else values.mean(0)
        np.testing.assert_allclose(centre, expected)
        apart = values - expected
        divisor = max(m - 1 if mean == "point" else m, 1)
        np.testing.assert_allclose(covariance, apart.T @ apart / divisor + 0.01 * np.eye(3), atol=1e-15)


def test_grey_values_of_8_bits_fall_into_the_right_bins():
    image = np.array([[0, 15, 16, 255]], np.uint8)
    rows_seen = extract(as_image(image), slice(0, 1), slice(0, 4), "texture", COLOUR)
    assert rows_seen[0].nonzero()[0].tolist() == [0]
    assert rows_seen[1].nonzero()[0].tolist() == [0, 1]
    assert rows_seen[3].nonzero()[0].tolist() == [1, 15]


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 30), st.integers(1, 3)), elements=st.sampled_from([0.0, 0.5, 1.0]))
)
def test_count_distinct(X):
    for most in (1, 3, 8, 40):
        assert count_distinct(X, most) == min(len(np.unique(X, axis=0)), most)


def test_count_distinct_gaussians():
    image = np.zeros((6, 6))
    image[:, 3:] = 1
    kernel = make_kernel("relaxed_b")
    assert count_distinct(extract(as_image(image), slice(0, 6), slice(0, 6), "neighbourhood", kernel), 40) > 2
    flat = extract(as_image(np.zeros((6, 6))), slice(0, 6), slice(0, 6), "neighbourhood", kernel)
    assert count_distinct(flat, 40) == 1


@pytest.mark.parametrize("name", ["colour", "colour_histogram", "texture"])
@pytest.mark.parametrize("kernel", ["jt2", "gaussian", "relaxed_h", "weighted_jt"])
def test_features_in_segmentation(crop, name, kernel):
    labels = segjt.segment(crop[:24, :32], n_segments=3, kernel=kernel, features=name)
    assert labels.max() == 3


@pytest.mark.parametrize("kernel", ["js", "relaxed_br", "heat", "relaxed_j"])
def test_masked_flat_and_tiny_images(kernel):
    image = np.zeros((20, 20, 3))
    image[:, 10:] = 0.7
    mask = np.ones((20, 20), bool)
    mask[5:9, 5:15] = False
    labels = segjt.segment(image, n_segments=2, kernel=kernel, mask=mask)
    assert ((labels == 0) == ~mask).all()
    assert labels.max() == 2
    assert (segjt.segment(np.full((17, 17), 0.3), kernel=kernel) == 1).all()
    assert segjt.segment(np.full((1, 1), 0.3), kernel=kernel).tolist() == [[1]]
    assert segjt.segment(np.zeros((1, 40)), kernel=kernel).max() == 1


@pytest.mark.parametrize("features", ["colour", "colour_histogram", "texture", "neighbourhood"])
def test_blocks_without_pixels(features):
    image = np.random.default_rng(0).integers(0, 256, (32, 32, 3), np.uint8)
    mask = np.ones((32, 32), bool)
    mask[:16, :16] = False
    kernel = "relaxed_h" if features == "neighbourhood" else "jt2"
    labels = segjt.segment(image, n_segments=3, mask=mask, kernel=kernel, features=features)
    assert ((labels == 0) == ~mask).all()
    assert not segjt.segment(image, mask=np.zeros((32, 32), bool), kernel=kernel, features=features).any()


def test_texture_tells_apart_what_colour_does_not():
    """A chequered half next to a plain one, of one of its two greys."""
    y, x = np.mgrid[:32, :32]
    image = np.where((x < 16) & ((x + y) % 2 == 0), 0.75, 0.25)
    options = {"block_size": 32, "segments_per_block": 2, "distance_lambda": 0.01}
    by_texture = segjt.oversegment(image, kernel="js", features="texture", **options)
    assert best_f_measure(by_texture, x < 16) > 0.95
    by_colour = segjt.oversegment(image, kernel="gaussian", **options)
    assert best_f_measure(by_colour, x < 16) < 0.8
