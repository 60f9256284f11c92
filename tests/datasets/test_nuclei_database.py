import zipfile

import numpy as np
import pytest
from PIL import Image

from segjt.datasets import nuclei

LABELS = np.array([[0, 1, 1, 0], [300, 0, 1, 0], [300, 300, 0, 2]], np.uint16)


def save(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def save_image(path, shape=LABELS.shape):
    save(path, np.full((*shape, 3), 80, np.uint8))


def make_label_maps(root, names=("b", "a")):
    for name in names:
        save_image(root / "images" / f"{name}.png")
        save(root / "labels" / f"{name}.png", LABELS)
    return root


def make_official(root, names=("b", "a")):
    """The layout of BBBC038: a folder for each image, in it one mask for each nucleus, in no particular order."""
    for name in names:
        save(root / name / "images" / f"{name}.png", np.full((*LABELS.shape, 4), 80, np.uint8))
        for label in (300, 1, 2):
            save(root / name / "masks" / f"{label}f.png", (label == LABELS) * np.uint8(255))
    return root


@pytest.mark.parametrize("place", ["", "nuclei", "Nuclei/stage1"])
def test_label_maps(tmp_path, place):
    make_label_maps(tmp_path / place)
    items = nuclei(tmp_path)
    assert [item.name for item in items] == ["a", "b"]
    assert items[0].truth().dtype == np.int32
    assert items[0].truth().tolist() == [LABELS.tolist()]
    assert items[0].truth_kind == "instances"
    assert items[0].image().shape == (*LABELS.shape, 3)
    assert items[0].digest() == items[1].digest()


@pytest.mark.parametrize("place", ["", "stage1_train", "BBBC038"])
def test_masks_as_the_archive_has_them(tmp_path, place):
    make_official(tmp_path / place)
    first, second = nuclei(tmp_path)
    assert (first.name, second.name) == ("a", "b")
    truth = first.truth()
    assert truth.shape == (1, *LABELS.shape)
    assert len(np.unique(truth)) == len(np.unique(LABELS)) == len(set(zip(truth.ravel(), LABELS.ravel(), strict=True)))
    assert ((truth[0] > 0) == (LABELS > 0)).all()


def test_an_archive_in_a_folder_or_by_itself(tmp_path):
    make_official(tmp_path / "unpacked")
    expected = [(item.name, item.digest()) for item in nuclei(tmp_path / "unpacked")]
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "stage1_train.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for file in (tmp_path / "unpacked").rglob("*.png"):
            packed.write(file, file.relative_to(tmp_path / "unpacked").as_posix())
    for data in (path, tmp_path / "data"):
        assert [(item.name, item.digest()) for item in nuclei(data)] == expected
    assert nuclei(path)[0].truth().max() == 3


def test_one_nucleus_and_none(tmp_path):
    save_image(tmp_path / "a" / "images" / "a.png")
    save(tmp_path / "a" / "masks" / "1.png", (LABELS == 1) * np.uint8(255))
    save_image(tmp_path / "b" / "images" / "b.png")
    save(tmp_path / "b" / "masks" / "1.png", np.zeros(LABELS.shape, np.uint8))
    one, none = (item.truth()[0] for item in nuclei(tmp_path))
    assert ((one > 0) == (LABELS == 1)).all()
    assert not none.any()


def test_broken_files_are_told_when_they_are_read(tmp_path):
    make_label_maps(tmp_path, "abc")
    save_image(tmp_path / "images" / "d.png")
    save(tmp_path / "labels" / "a.png", np.zeros((*LABELS.shape, 3), np.uint8))
    save(tmp_path / "labels" / "b.png", LABELS.T.copy())
    (tmp_path / "labels" / "c.png").write_text("not a picture")
    a, b, c, d = nuclei(tmp_path)
    with pytest.raises(ValueError, match=r"a\.png: a label map has one channel of 8 or 16 bits; this has 3 of uint8"):
        a.truth()
    with pytest.raises(ValueError, match=r"b\.png: the truth has 4 x 3 pixels and the image .*b\.png 3 x 4"):
        b.truth()
    with pytest.raises(ValueError, match=r"c\.png: "):
        c.truth()
    with pytest.raises(FileNotFoundError, match=r"d\.png: has no truth; it belongs in labels/d\.png, or as one mask"):
        d.truth()


def test_missing_data(tmp_path, monkeypatch):
    monkeypatch.delenv("SEGJT_DATA", raising=False)
    save_image(tmp_path / "bsds500" / "images" / "train" / "1.jpg")  # of another set
    for data in (None, tmp_path / "nowhere", tmp_path):
        with pytest.raises(FileNotFoundError, match=r"Get stage1_train\.zip from bbbc\.broadinstitute\.org/BBBC038"):
            nuclei(data)


def test_real_images(data_folder):
    if not (data_folder / "nuclei").is_dir():
        pytest.skip("SEGJT_DATA has no nuclei")
    items = nuclei(data_folder)
    assert len(items) >= 60
    for item in items[::15]:
        truth = item.truth()[0]
        assert np.unique(truth).tolist() == list(range(truth.max() + 1))
        assert item.image().shape == (*truth.shape, 3)
