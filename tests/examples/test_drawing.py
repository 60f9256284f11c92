"""What the scripts of examples/ share: which images they draw, how maps are compared, and where pictures stand."""

import runpy
import sys

import numpy as np
import pytest
from conftest import REPOSITORY
from PIL import Image

from segjt.datasets import SAMPLES_FOLDER
from segjt.image import as_image


@pytest.fixture(scope="module")
def drawing():
    """The names of examples/drawing.py."""
    return runpy.run_path(str(REPOSITORY / "examples" / "drawing.py"))


def test_own_images_are_reduced_and_grey_ones_get_three_channels(drawing, photograph):
    chosen = drawing["chosen_images"]([], {"cup": photograph, "grey": photograph[:, :, 0]}, 120)
    assert {name: image.pixels.shape for name, image in chosen.items()} == {"cup": (90, 120, 3), "grey": (90, 120, 3)}


def test_images_of_files_and_folders(drawing, image_file):
    (image_file.parent / "notes.txt").write_text("not an image")
    chosen = drawing["chosen_images"]([image_file.parent, SAMPLES_FOLDER / "cells.png"], {"unused": None}, 64)
    assert list(chosen) == ["photo", "cells"]
    assert chosen["photo"].shape == (48, 64)


def test_a_folder_without_images_is_an_error(drawing, tmp_path):
    with pytest.raises(SystemExit, match=r"no images \(.*\); give files, or folders that hold some"):
        drawing["chosen_images"]([tmp_path], {}, 64)


def test_labels_are_matched_whatever_their_numbers(drawing, samples):
    _, truth = samples["landscape"]
    mixed = np.random.default_rng(0).permutation(truth.max())[truth - 1] + 1
    assert (mixed != truth).any()
    np.testing.assert_array_equal(drawing["match_labels"](mixed, truth), truth)
    assert drawing["match_labels"](np.ones_like(truth), truth).max() <= truth.max()


def test_the_true_segments_tell_colours_apart_best(drawing, samples):
    image, truth = samples["landscape"]
    stripes = np.arange(truth.size).reshape(truth.shape) * truth.max() // truth.size + 1
    maps = {"one": np.ones_like(truth), "stripes": stripes, "true": truth}
    assert drawing["best_by_colour"](as_image(image), maps) == "true"
    assert drawing["best_by_colour"](as_image(image), {"one": maps["one"], "stripes": stripes}) == "stripes"


def test_pictures_are_drawn_pixel_by_pixel(drawing, tmp_path, crop):
    panel, target = drawing["Panel"], tmp_path / "grid.png"
    grid = drawing["draw_grid"]([[panel(crop, "title"), panel(crop[:, ::-1])], [panel(crop[::-1], caption="caption")]])
    drawing["save"](grid, target)
    pixels = np.asarray(Image.open(target).convert("RGB")).astype(int)
    space, line = drawing["SPACE"], drawing["LINE"]
    height, width = crop.shape[:2]
    assert pixels.shape == (3 * space + 2 * line + 2 * height, 3 * space + 2 * width, 3)
    for picture, top, left in (
        (crop, space + line, space),
        (crop[:, ::-1], space + line, 2 * space + width),
        (crop[::-1], 2 * space + line + height, space),
    ):
        assert np.abs(pixels[top : top + height, left : left + width] - picture).max() <= 1


def test_options(drawing, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["script", "--images", "a.png", "b", "--segments", "3", "--longest", "50"])
    options = drawing["image_options"](str(tmp_path / "figure.py"), segments=6)
    assert options.target == tmp_path / "figure.jpg"
    assert [str(path) for path in options.images] == ["a.png", "b"]
    assert (options.segments, options.longest) == (3, 50)
