"""What is special about PNG and JPEG files: previews, transparent levels, 16 bits, EXIF."""

import cv2
import numpy as np
import pytest
from PIL import Image as pillow

from segjt.io import read_image
from segjt.io.decoding import orient


def test_camera_jpeg_with_previews_is_its_first_frame(tmp_path, photograph):
    first, preview = pillow.fromarray(photograph), pillow.fromarray(photograph[::4, ::4])
    first.save(tmp_path / "a.jpg", format="MPO", save_all=True, append_images=[preview])
    assert read_image(tmp_path / "a.jpg").shape == photograph.shape[:2]
    assert read_image(tmp_path / "a.jpg", page=1).shape == photograph[::4, ::4].shape[:2]


def test_transparent_level_of_a_16_bit_grey_png(tmp_path):
    values = np.array([[7, 9], [9, 60000]], np.uint16)
    pillow.fromarray(values).save(tmp_path / "a.png", transparency=9)
    image = read_image(tmp_path / "a.png")
    assert (image.pixels[:, :, 0] == values).all()
    assert (image.mask == (values != 9)).all()


def test_a_missing_library_is_not_a_damaged_image(tmp_path, monkeypatch):
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((11, 17, 3), np.uint16))
    monkeypatch.setitem(__import__("sys").modules, "cv2", None)
    with pytest.raises(ImportError):
        read_image(tmp_path / "a.png")


def test_transparent_palette_entry_is_masked(tmp_path):
    rgb = np.random.default_rng(0).integers(0, 256, (11, 17, 3), dtype=np.uint8)
    paletted = pillow.fromarray(rgb).quantize(8)
    paletted.save(tmp_path / "p.png", transparency=3)
    assert (read_image(tmp_path / "p.png").mask == (np.asarray(paletted) != 3)).all()


def test_alpha_turns_with_the_image(tmp_path):
    rgba = np.full((8, 16, 4), 200, np.uint8)
    rgba[:4, :4, 3] = 0
    exif = pillow.Exif()
    exif[274] = 6
    pillow.fromarray(rgba).save(tmp_path / "a.png", exif=exif)
    assert (read_image(tmp_path / "a.png").mask == orient(rgba[:, :, 3] > 0, 6)).all()
