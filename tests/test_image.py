import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from segjt.image import as_image


@pytest.mark.parametrize(
    ("array", "channels"),
    [
        (np.zeros((4, 5), np.uint8), 1),
        (np.zeros((4, 5, 1), np.uint16), 1),
        (np.zeros((4, 5, 3), np.float32), 3),
        (np.zeros((4, 5), bool), 1),
        ([[0.0, 0.5], [1.0, 0.25]], 1),
    ],
)
def test_grey_and_colour(array, channels):
    image = as_image(array)
    assert image.channels == channels
    assert image.shape == np.shape(array)[:2]
    assert image.mask.all()


def test_full_scale_of_each_type_is_one():
    for dtype, most in ((np.uint8, 255), (np.uint16, 65535), (np.float32, 1), (bool, True)):
        assert as_image(np.full((1, 1), most, dtype)).values().item() == 1.0


def test_alpha_zero_is_masked_and_not_a_colour():
    rgba = np.full((2, 2, 4), 200, np.uint8)
    rgba[0, 0, 3] = 0
    rgba[0, 1, 3] = 1
    image = as_image(rgba)
    assert image.channels == 3
    assert image.mask.tolist() == [[False, True], [True, True]]


def test_mask_and_alpha_combine():
    rgba = np.full((1, 3, 4), 9, np.uint8)
    rgba[0, 0, 3] = 0
    assert as_image(rgba, mask=[[True, False, True]]).mask.tolist() == [[False, False, True]]


def test_masked_out_pixels_may_hold_anything():
    image = np.array([[0.5, np.nan, 1e9], [0.25, -1.0, 1.0]])
    mask = np.array([[True, False, False], [True, False, True]])
    checked = as_image(image, mask)
    assert checked.values()[:, :, 0].tolist() == [[0.5, 0, 0], [0.25, 0, 1]]
    assert np.isnan(image[0, 1])
    with pytest.raises(ValueError, match=r"the image is -1.0 at row 1, column 1.* in \[-1, 1\]"):
        as_image(image, mask | (image < 0))


def test_channel_axis_makes_every_channel_data():
    assert as_image(np.zeros((4, 5, 4), np.uint8), channel_axis=-1).channels == 4
    bands = np.arange(7 * 4 * 5, dtype=np.uint16).reshape(7, 4, 5)
    image = as_image(bands, channel_axis=0)
    assert (image.shape, image.channels) == ((4, 5), 7)
    assert image.pixels[1, 2, 3] == bands[3, 1, 2]


@pytest.mark.parametrize(
    ("array", "options", "error", "words"),
    [
        (np.zeros((4, 5, 2)), {}, ValueError, ["(4, 5, 2)", "channel_axis"]),
        (np.zeros((4, 5, 7)), {}, ValueError, ["(4, 5, 7)", "channel_axis"]),
        (np.zeros((3, 40, 50)), {}, ValueError, ["(3, 40, 50)", "channel_axis"]),
        (np.zeros(5), {}, ValueError, ["(5,)", "(H, W)"]),
        (np.zeros((2, 2, 2, 2)), {}, ValueError, ["(2, 2, 2, 2)"]),
        (np.zeros((0, 5)), {}, ValueError, ["no pixels"]),
        (np.zeros((4, 5)), {"channel_axis": 0}, ValueError, ["channel_axis = 0", "(4, 5)"]),
        (np.zeros((4, 5, 3)), {"channel_axis": 3}, ValueError, ["channel_axis = 3"]),
        (np.array([[0.5, np.nan]]), {}, ValueError, ["nan", "row 0, column 1", "mask"]),
        (np.array([[0.5, np.inf]]), {}, ValueError, ["inf"]),
        (np.array([[0.5, 1.5]]), {}, ValueError, ["1.5", "[0.5, 1.5]", "scale"]),
        (np.array([[-0.1, 0.5]]), {}, ValueError, ["-0.1"]),
        (np.zeros((4, 5), np.int32), {}, TypeError, ["int32", "uint8"]),
        (np.zeros((4, 5), complex), {}, TypeError, ["complex128"]),
        (np.zeros((4, 5)), {"mask": np.ones((5, 4), bool)}, ValueError, ["(5, 4)", "(4, 5)"]),
        (np.zeros((4, 5)), {"mask": np.ones((4, 5))}, TypeError, ["float64", "bool"]),
    ],
)
def test_wrong_input_is_named(array, options, error, words):
    with pytest.raises(error) as caught:
        as_image(array, **options)
    for word in words:
        assert word in str(caught.value)


@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(0, 1)))
def test_float_values_pass_unchanged(array):
    assert (as_image(array).values()[:, :, 0] == array).all()


def test_round_off_outside_of_the_range_is_clipped():
    values = as_image(np.array([[-1e-7, 1 + 1e-7]])).values()
    assert values[0, :, 0].tolist() == [0.0, 1.0]
