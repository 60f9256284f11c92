import numpy as np
import pytest
from scipy.ndimage import gaussian_filter
from skimage.color import rgb2lab

from segjt.image import as_image
from segjt.region_graph import pixel_levels as pl


def random_pixels(dtype, shape=(23, 31, 3)):
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind == "u":
        return rng.integers(0, np.iinfo(dtype).max + 1, shape, dtype=dtype)
    return rng.random(shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_lab_is_that_of_scikit_image(dtype):
    pixels = random_pixels(dtype)
    pixels[0, :3] = [0, 0, 0], [1, 0, 0], np.array([1, 1, 1]) * (np.iinfo(dtype).max if pixels.dtype.kind == "u" else 1)
    ours = pl.lab_of_linear(pl.linear_light(pixels))
    theirs = rgb2lab(as_image(pixels).values())
    np.testing.assert_allclose(np.moveaxis(ours, 0, -1), theirs, atol=2e-4 if dtype == np.float32 else 1e-6)


def test_grey_is_rgb_of_equal_parts():
    grey = random_pixels(np.uint8, (20, 30))
    one, three = pl.lab_levels(as_image(grey)), pl.lab_levels(as_image(np.dstack([grey] * 3)))
    assert (one.levels == three.levels).all()
    assert (one.gradient == three.gradient).all()


@pytest.mark.parametrize("shape", [(3, 40, 50), (1, 1, 1), (2, 3, 1), (1, 1, 60), (4, 2, 9)])
def test_gradient_is_that_of_gaussian_derivatives(shape):
    values = np.random.default_rng(1).normal(0, 30, shape)
    squares = sum(gaussian_filter(c, 1.0, order) ** 2 for c in values for order in ((0, 1), (1, 0)))
    np.testing.assert_allclose(pl.gaussian_gradient(values), np.sqrt(squares), atol=1e-9)


@pytest.mark.parametrize("masked", [False, True])
def test_bands_do_not_matter(photograph, monkeypatch, masked):
    mask = np.ones(photograph.shape[:2], bool)
    if masked:
        mask[40:90, 20:200] = False
        mask[::3, 250] = False
    image = as_image(photograph, mask)
    whole = pl.lab_levels(image)
    monkeypatch.setattr(pl, "PIXELS_AT_A_TIME", 17 * photograph.shape[1])
    parts = pl.lab_levels(image)
    assert (whole.levels[mask] == parts.levels[mask]).all()
    assert (whole.gradient[mask] == parts.gradient[mask]).all()


def test_levels_and_gradient_of_a_pixel(photograph):
    levels = pl.lab_levels(as_image(photograph))
    lab = rgb2lab(photograph)
    G = np.sqrt(sum(gaussian_filter(lab[..., c], 1.0, order) ** 2 for c in range(3) for order in ((0, 1), (1, 0))))
    np.testing.assert_allclose(levels.gradient / pl.GRADIENT_UNITS, G / 100, atol=1 / pl.GRADIENT_UNITS)
    seen = [*np.moveaxis(lab, -1, 0), np.log(G + 0.3)]
    for place, (low, high, bins) in enumerate([(0, 100, 16), (-60, 60, 24), (-60, 60, 24), (-1.2, 4, 12)]):
        expected = np.clip((seen[place] - low) / (high - low) * (bins - 1), 0, bins - 1)
        np.testing.assert_allclose(levels.levels[..., place] / pl.PARTS, expected, atol=0.51 / pl.PARTS)


def test_masked_pixels_do_not_matter(photograph):
    mask = np.ones(photograph.shape[:2], bool)
    mask[50:70] = False
    painted = photograph.copy()
    painted[~mask] = [255, 0, 255]
    one, other = (pl.lab_levels(as_image(pixels, mask)) for pixels in (photograph, painted))
    assert (one.levels[mask] == other.levels[mask]).all()
    assert (one.gradient[mask] == other.gradient[mask]).all()


def test_channels_that_are_no_colours_are_lightnesses():
    data = np.random.default_rng(0).random((12, 15, 5))
    levels = pl.lab_levels(as_image(data, channel_axis=-1))
    assert len(levels.channels) == 6
    np.testing.assert_allclose(levels.levels[..., :5] / pl.PARTS, data * 15, atol=0.51 / pl.PARTS)
    # Five times the same channel has the gradient of that channel.
    same = pl.lab_levels(as_image(np.repeat(data[..., :1], 5, 2), channel_axis=-1))
    once = pl.gaussian_gradient(100 * data[None, ..., 0])
    np.testing.assert_allclose(same.gradient / pl.GRADIENT_UNITS, once / 100, atol=1 / pl.GRADIENT_UNITS)
