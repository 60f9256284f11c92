import numpy as np
import pytest
from PIL import Image

from segjt.datasets import folder

MASK = np.array([[0, 0, 1], [0, 1, 1]], bool)


def save(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    return path


def picture(path):
    return save(path, np.full((2, 3, 3), 80, np.uint8))


def test_masks_in_a_folder_and_beside(tmp_path):
    picture(tmp_path / "b.JPG")
    save(tmp_path / "Masks" / "B.png", MASK.astype(np.uint8))
    picture(tmp_path / "A.png")
    save(tmp_path / "A_mask.png", MASK.astype(np.uint8) * 255)
    (tmp_path / "notes.txt").write_text("no image")
    items = folder(tmp_path)
    assert [item.name for item in items] == ["A", "b"]
    for item in items:
        assert item.image().shape == (2, 3, 3)
        assert item.truth().dtype == bool
        assert item.truth().tolist() == [MASK.tolist()]
        assert len(item.digest()) == 64


def test_masks_elsewhere(tmp_path):
    picture(tmp_path / "images" / "a.png")
    picture(tmp_path / "images" / "b.png")
    save(tmp_path / "truth" / "a.tif", MASK.astype(np.uint8))
    save(tmp_path / "truth" / "b_MASK.bmp", np.repeat(MASK[:, :, None] * np.uint8(3), 3, axis=2))
    for item in folder(tmp_path / "images", masks=tmp_path / "truth"):
        assert item.truth().tolist() == [MASK.tolist()]


def test_an_image_called_mask_is_an_image(tmp_path):
    picture(tmp_path / "iron_mask.png")
    save(tmp_path / "masks" / "iron_mask.png", MASK.astype(np.uint8))
    assert [item.name for item in folder(tmp_path)] == ["iron_mask"]


def test_masks_of_all_kinds(tmp_path):
    big = np.kron(MASK, np.ones((13, 13))).astype(np.uint8) * 255
    stored = save(tmp_path / "masks" / "jpeg.jpg", big)
    assert ((np.asarray(Image.open(stored)) > 0) != (big > 0)).any()  # it rings
    save(tmp_path / "jpeg.png", np.zeros((26, 39), np.uint16) + 65535)
    (item,) = folder(tmp_path)
    assert (item.truth()[0] == (big > 0)).all()
    assert (item.image() == 255).all()  # 16-bit grey to 8-bit colour
    transparent = np.dstack([np.full((2, 3, 3), 200, np.uint8), MASK * np.uint8(255)])
    picture(tmp_path / "alpha.png")
    save(tmp_path / "masks" / "alpha.png", transparent)
    assert folder(tmp_path)[0].truth().tolist() == [MASK.tolist()]


def test_an_image_without_mask_is_told_when_it_is_read(tmp_path):
    picture(tmp_path / "a.png")
    picture(tmp_path / "b.png")
    save(tmp_path / "masks" / "b.png", MASK.astype(np.uint8))
    first, second = folder(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"a\.png: has no truth; The mask of NAME\.png"):
        first.truth()
    assert second.truth().any()


def test_odd_channels_and_values(tmp_path):
    import tifffile

    tifffile.imwrite(
        tmp_path / "five.tif", np.zeros((2, 3, 5), np.uint8), photometric="minisblack", planarconfig="contig"
    )
    tifffile.imwrite(tmp_path / "whole.tif", np.zeros((2, 3), np.int32))
    save(tmp_path / "masks" / "five.png", MASK.astype(np.uint8))
    five, whole = folder(tmp_path)
    with pytest.raises(ValueError, match=r"five\.tif: .*5"):
        five.image()
    with pytest.raises(ValueError, match=r"whole\.tif: .*int32"):
        whole.image()


def test_missing_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere: no such folder"):
        folder(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"holds no image\. The mask of"):
        folder(tmp_path)
    picture(tmp_path / "a.png")
    with pytest.raises(FileNotFoundError, match="holds no mask for any of the 1 images"):
        folder(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere: no such folder"):
        folder(tmp_path, masks=tmp_path / "nowhere")
    picture(tmp_path / "a.jpg")
    with pytest.raises(ValueError, match=r"has the same name as a\.jpg"):
        folder(tmp_path)
