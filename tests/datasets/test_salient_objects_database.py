import zipfile

import numpy as np
import pytest
from PIL import Image

from segjt.datasets import sod

MASK = np.array([[0, 0, 1], [0, 1, 1]], np.uint8)


def save(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def make_set(root, masks="sod/masks", names=("val/7", "train/20", "train/100")):
    for name in names:
        save(root / "bsds500" / "images" / f"{name}.jpg", np.full((2, 3, 3), 80, np.uint8))
        save(root / masks / f"{name.split('/')[1]}.png", MASK)
    return root


@pytest.mark.parametrize("masks", ["sod/masks", "masks", "SOD/Masks"])
def test_layouts(tmp_path, masks):
    make_set(tmp_path, masks)
    save(tmp_path / "bsds500" / "images" / "train" / "3.jpg", np.full((2, 3, 3), 80, np.uint8))  # not in SOD
    save(tmp_path / masks / "8.png", MASK)  # its image is not there
    items = sod(tmp_path)
    assert [item.name for item in items] == ["100", "20", "7"]
    assert items[0].truth().dtype == bool
    assert items[0].truth().tolist() == [(MASK > 0).tolist()]
    assert items[0].image().shape == (2, 3, 3)
    assert items[0].truth_kind == "objects"


def test_an_archive(tmp_path):
    make_set(tmp_path / "data")
    expected = [(item.name, item.digest()) for item in sod(tmp_path / "data")]
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        for file in (tmp_path / "data").rglob("*.*"):
            packed.write(file, file.relative_to(tmp_path).as_posix())
    assert [(item.name, item.digest()) for item in sod(tmp_path / "all.zip")] == expected


def test_masks_that_cannot_be_used_are_told_when_they_are_read(tmp_path):
    make_set(tmp_path)
    save(tmp_path / "sod" / "masks" / "100.png", np.zeros((2, 3), np.uint8))
    save(tmp_path / "sod" / "masks" / "20.png", MASK.T.copy())
    black, turned, good = sod(tmp_path)
    with pytest.raises(ValueError, match=r"100\.png: the whole mask is black, so there is no object; get it again"):
        black.truth()
    with pytest.raises(ValueError, match=r"20\.png: the truth has 3 x 2 pixels and the image .*20\.jpg 2 x 3"):
        turned.truth()
    assert good.truth().any()


def test_missing_data(tmp_path, monkeypatch):
    monkeypatch.delenv("SEGJT_DATA", raising=False)
    for data in (None, tmp_path / "nowhere", tmp_path):
        with pytest.raises(FileNotFoundError, match=r"as DATA/sod/masks/ID\.png, with Berkeley's images"):
            sod(data)
    save(tmp_path / "sod" / "masks" / "1.png", MASK)
    with pytest.raises(FileNotFoundError, match=r"holds no Berkeley \(BSDS\) images"):
        sod(tmp_path)
    save(tmp_path / "bsds500" / "images" / "train" / "2.jpg", np.full((2, 3, 3), 80, np.uint8))
    with pytest.raises(FileNotFoundError, match=r"none of its 1 masks of salient objects \(SOD\) has the name"):
        sod(tmp_path)


def test_real_images(data_folder):
    if not (data_folder / "sod").is_dir():
        pytest.skip("SEGJT_DATA has no salient objects")
    items = sod(data_folder)
    assert len(items) >= 100
    for item in items[::25]:
        assert 0.001 < item.truth().mean() < 0.9
