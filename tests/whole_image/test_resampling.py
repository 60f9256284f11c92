import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.upsampling import upsample

from segjt.image import as_image
from segjt.whole_image import resampling
from segjt.whole_image.resampling import cell_indices, reduce_image, reduced_shape, upsample_labels, voted_labels


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((225, 300), (60, 80)),
        ((300, 225), (80, 60)),
        ((300, 300), (60, 60)),
        ((100, 800), (10, 80)),
        ((60, 80), (60, 80)),
        ((20, 30), (20, 30)),
        ((1, 5000), (1, 80)),
        ((4000, 6000), (53, 80)),
    ],
)
def test_at_most_80_x_60(shape, expected):
    assert reduced_shape(shape, 80) == expected


@given(st.integers(1, 3000), st.integers(1, 3000), st.integers(8, 112))
def test_reduced_shapes_are_within_bounds(height, width, working_size):
    upsampled = reduced_shape((height, width), working_size)
    assert 1 <= max(upsampled) <= working_size
    assert 1 <= min(upsampled) <= max(0.75 * working_size, 1)
    assert upsampled[0] <= height
    assert upsampled[1] <= width


def test_reducing_takes_the_means_of_cells():
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (30, 47, 3)).astype(np.uint8)
    mask = rng.random((30, 47)) < 0.7
    mask[:7, :12] = False  # a cell without pixels
    small = reduce_image(as_image(pixels, mask), (7, 11))
    row_of, column_of = cell_indices(30, 7), cell_indices(47, 11)
    for i in range(7):
        for j in range(11):
            inside = (row_of[:, None] == i) & (column_of[None, :] == j) & mask
            assert small.mask[i, j] == inside.any()
            if inside.any():
                np.testing.assert_allclose(small.pixels[i, j], pixels[inside].mean(0) / 255)


def test_nothing_to_reduce():
    image = as_image(np.random.default_rng(0).random((8, 9)))
    assert reduce_image(image, (8, 9)) is image


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("masked", [False, True])
def test_labels_are_those_of_the_obvious_version(channels, masked):
    rng = np.random.default_rng(3)
    pixels = rng.random((33, 41, channels))
    mask = rng.random((33, 41)) < 0.8 if masked else np.ones((33, 41), bool)
    image = as_image(pixels, mask)
    small = reduce_image(image, (9, 12))
    labels = np.where(small.mask, rng.integers(1, 6, (9, 12)), 0).astype(np.int32)
    voted = np.where(mask, voted_labels(image, small, labels), 0)
    np.testing.assert_array_equal(voted, upsample(image.colours(), mask, small.colours(), labels))
    upsampled = upsample_labels(image, small, labels)
    assert upsampled.dtype == np.int32
    assert ((upsampled == 0) == ~mask).all()


def test_rows_are_handled_in_parts(monkeypatch):
    rng = np.random.default_rng(3)
    image = as_image(rng.random((33, 41, 3)))
    small = reduce_image(image, (9, 12))
    labels = rng.integers(1, 6, (9, 12)).astype(np.int32)
    monkeypatch.setattr(resampling, "ROWS_AT_A_TIME", 7)
    np.testing.assert_allclose(reduce_image(image, (9, 12)).pixels, small.pixels)
    np.testing.assert_array_equal(
        voted_labels(image, small, labels), upsample(image.values(), image.mask, small.values(), labels)
    )


def test_a_real_photograph_is_as_in_the_obvious_version(crop):
    image = as_image(crop)
    small = reduce_image(image, (12, 16))
    labels = (1 + (small.values().mean(2) * 4).astype(np.int32)).astype(np.int32)
    voted = voted_labels(image, small, labels)
    assert (voted == upsample(image.values(), image.mask, small.values(), labels)).mean() > 0.999


def test_edges_follow_the_image():
    """A disc that is cut into 8 x 8 cells comes back with the edge it has in the image, not with steps."""
    y, x = np.mgrid[:120, :160]
    disc = np.hypot(y - 61, x - 77) < 40
    image = as_image(np.where(disc[:, :, None], [0.8, 0.5, 0.2], [0.2, 0.4, 0.6]))
    small = reduce_image(image, (15, 20))
    labels = np.where(small.values()[:, :, 0] > 0.5, 2, 1).astype(np.int32)
    blocky = labels[cell_indices(120, 15)[:, None], cell_indices(160, 20)[None, :]]
    upsampled = upsample_labels(image, small, labels)
    assert ((blocky == 2) != disc).mean() > 0.01
    assert ((upsampled == 2) == disc).all()


def test_no_label_is_lost():
    """A label that all pixels would vote away keeps its cells."""
    image = as_image(np.full((40, 40), 0.5))
    labels = np.ones((10, 10), np.int32)
    labels[5, 5] = 2
    upsampled = upsample_labels(image, reduce_image(image, (10, 10)), labels)
    assert (upsampled[20:24, 20:24] == 2).any()
    assert set(np.unique(upsampled)) == {1, 2}
    small = as_image(np.tile([[0.5, 0.5, 0.5, 0.5]], (4, 1)))
    wide = as_image(np.full((8, 8), 0.5))
    few = np.array([[1, 1, 1, 1], [1, 2, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]], np.int32)
    assert set(np.unique(upsample_labels(wide, small, few))) == {1, 2}
