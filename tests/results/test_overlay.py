"""The overlay: colours, boundaries, masks."""

import numpy as np
import pytest

from segjt.image import as_image
from segjt.results.overlay import boundaries, object_overlay, overlay, segment_colours


def test_boundaries_by_hand():
    labels = np.array([[1, 1, 2], [1, 1, 2], [3, 3, 3]])
    assert boundaries(labels).astype(int).tolist() == [[0, 1, 0], [1, 1, 1], [0, 0, 0]]


def test_colours_of_neighbouring_labels_differ():
    colours = segment_colours(200)
    assert colours.shape == (201, 3)
    assert colours.min() >= 0
    assert colours.max() <= 1
    assert np.abs(np.diff(colours[1:], axis=0)).sum(1).min() > 0.3
    assert len(np.unique(colours.round(3), axis=0)) == 201


@pytest.mark.parametrize("channels", [1, 2, 3, 7])
def test_any_number_of_channels_becomes_rgb(channels):
    image = as_image(np.random.default_rng(0).random((6, 8, channels)), channel_axis=-1)
    labels = np.ones((6, 8), np.int32)
    labels[:, 4:] = 2
    picture = overlay(image, labels)
    assert picture.shape == (6, 8, 3)
    assert picture.dtype == np.uint8
    assert (picture[:, 3] == 255).all()


def test_masked_pixels_are_light_grey():
    labels = np.array([[0, 1], [0, 1]], np.int32)
    picture = overlay(as_image(np.zeros((2, 2))), labels)
    assert (picture[:, 0] == 235).all()
    assert (picture[:, 1] != 235).any()


def test_overlay_shows_the_image_through():
    grey = np.linspace(0, 1, 64).reshape(8, 8)
    picture = overlay(as_image(grey), np.ones((8, 8), np.int32)).astype(float)
    assert (np.diff(picture.reshape(-1, 3), axis=0) >= 0).all()


def test_the_background_of_objects_is_the_image():
    grey = np.random.default_rng(0).integers(0, 256, (12, 16), np.uint8)
    inside = np.ones(grey.shape, bool)
    inside[:, -2:] = False
    labels = np.zeros(grey.shape, np.int32)
    labels[3:8, 4:9] = 1
    picture = object_overlay(as_image(grey, inside), labels)
    background = (labels == 0) & ~boundaries(labels) & inside
    assert (picture[background] == grey[background][:, None]).all()
    assert (picture[boundaries(labels)] == 255).all()
    assert (picture[~inside] == 235).all()
    tinted = (labels == 1) & ~boundaries(labels)
    assert (np.ptp(picture[tinted].astype(int), axis=1) > 50).all()
