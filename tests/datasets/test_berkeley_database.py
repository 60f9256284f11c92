import shutil
import zipfile

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from segjt.datasets import bsds

MAPS = [np.array([[1, 1, 2], [3, 3, 2]], np.uint16), np.array([[1, 2, 2], [1, 2, 2]], np.uint16)]


def save_image(path, size=(2, 3)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((*size, 3), 80, np.uint8)).save(path)


def save_truth(path, maps):
    path.parent.mkdir(parents=True, exist_ok=True)
    people = np.empty((1, len(maps)), object)
    for person, labels in enumerate(maps):
        people[0, person] = {"Segmentation": labels, "Boundaries": np.zeros_like(labels)}
    savemat(path, {"groundTruth": people})


def make_set(root, ids=("val/7", "train/20", "train/100", "test/3")):
    for name in ids:
        save_image(root / "images" / f"{name}.jpg")
        save_truth(root / "groundTruth" / f"{name}.mat", MAPS)
    return root


@pytest.mark.parametrize("place", ["", "bsds500", "BSDS500/data", "BSR/BSDS500/data", "BSDS500-master/BSDS500/data"])
def test_layouts(tmp_path, place):
    make_set(tmp_path / place)
    items = bsds(tmp_path)
    assert [(item.split, item.name) for item in items] == [
        ("train", "100"),
        ("train", "20"),
        ("val", "7"),
        ("test", "3"),
    ]
    truth = items[0].truth()
    assert truth.dtype == np.int32
    assert truth.tolist() == [labels.tolist() for labels in MAPS]
    assert items[0].image().shape == (2, 3, 3)
    assert [item.name for item in bsds(tmp_path, split="val")] == ["7"]


def test_contour_maps_come_with_their_images(tmp_path):
    make_set(tmp_path)
    path = tmp_path / "ucm2" / "val" / "7.mat"
    path.parent.mkdir(parents=True)
    contours = np.arange(35.0).reshape(5, 7)
    savemat(path, {"ucm2": contours})
    other, _, item, _ = bsds(tmp_path)
    assert (item.contours() == contours).all()
    assert item.digest() != item.digest(contours=True)
    assert other.digest() == other.digest(contours=True)
    with pytest.raises(FileNotFoundError, match=r"100\.jpg: no contour map comes with it"):
        other.contours()
    savemat(path, {"ucm2": contours[1:]})
    with pytest.raises(
        ValueError, match=r"7\.mat: the contour map has 4 x 7 places and the image .*7\.jpg 2 x 3 pixels"
    ):
        item.contours()
    path.write_bytes(b"not a contour map")
    with pytest.raises(ValueError, match=r"7\.mat: has no ucm2 that can be read \(.+\); get it again"):
        item.contours()


def test_names_in_any_case_and_in_an_archive(tmp_path):
    make_set(tmp_path / "data")
    expected = [(item.name, item.digest()) for item in bsds(tmp_path)]
    with zipfile.ZipFile(tmp_path / "bsds.zip", "w") as packed:
        for path in (tmp_path / "data").rglob("*.*"):
            packed.write(path, f"BSDS500/{path.relative_to(tmp_path / 'data').as_posix().upper()}")
    items = bsds(tmp_path / "bsds.zip")
    assert [(item.name, item.digest()) for item in items] == expected
    assert items[0].truth().shape == (2, 2, 3)


def write_seg(path, runs, header="format ascii cr\nimage 9\nuser 1\nwidth 3\nheight 2\nsegments 2\ngray 0\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header + "data\n" + "".join(f"{s} {r} {a} {b}\n" for s, r, a, b in runs))


RUNS = [(0, 0, 0, 1), (1, 1, 0, 2), (1, 0, 2, 2)]


def test_bsds300(tmp_path):
    root = tmp_path / "BSDS300"
    save_image(root / "images" / "train" / "9.jpg")
    write_seg(root / "human" / "color" / "1102" / "9.seg", RUNS)
    write_seg(root / "human" / "color" / "1105" / "9.seg", [(0, 0, 0, 2), (0, 1, 0, 2)])
    write_seg(root / "human" / "gray" / "1102" / "9.seg", [(0, 0, 0, 2), (1, 1, 0, 2)])
    (item,) = bsds(tmp_path)
    assert item.truth().tolist() == [[[1, 1, 2], [2, 2, 2]], [[1, 1, 1], [1, 1, 1]]]
    with pytest.raises(FileNotFoundError, match=r"no images of the split val \(there: train\)"):
        bsds(tmp_path, split="val")
    make_set(tmp_path / "bsds500")
    assert len(bsds(tmp_path)) == 4  # the larger set is taken
    assert len(bsds(root)) == 1


@pytest.mark.parametrize(
    "runs",
    [RUNS[:-1], [*RUNS, RUNS[0]], [(0, 0, 0, 2), (0, 2, 0, 2)], [(0, 0, 0, 3), (0, 1, 0, 1)], [(-1, 0, 0, 2)], []],
    ids=["pixel without segment", "twice", "row outside", "column outside", "negative", "empty"],
)
def test_seg_files_that_are_no_partition(tmp_path, runs):
    save_image(tmp_path / "images" / "train" / "9.jpg")
    write_seg(tmp_path / "human" / "color" / "1" / "9.seg", runs)
    with pytest.raises(ValueError, match=r"9\.seg: does not give every pixel to one segment"):
        bsds(tmp_path)[0].truth()


@pytest.mark.parametrize("header", ["width 3\n", "width 3\nheight x\n", "\x89"])
def test_seg_files_that_are_something_else(tmp_path, header):
    save_image(tmp_path / "images" / "train" / "9.jpg")
    write_seg(tmp_path / "human" / "color" / "1" / "9.seg", RUNS, header)
    with pytest.raises(ValueError, match=r"9\.seg: is not a segmentation"):
        bsds(tmp_path)[0].truth()


def test_broken_files_are_told_when_they_are_read(tmp_path):
    make_set(tmp_path, ["train/a", "train/b", "train/c", "train/d", "train/e"])
    truth = tmp_path / "groundTruth" / "train"
    content = (truth / "a.mat").read_bytes()
    (truth / "a.mat").write_bytes(content[: len(content) // 2])
    savemat(truth / "b.mat", {"something": 1})
    (truth / "c.mat").unlink()
    save_truth(truth / "d.mat", [MAPS[0].T])
    (tmp_path / "images" / "train" / "e.jpg").write_bytes(b"\xff\xd8 cut")
    a, b, c, d, e = bsds(tmp_path)
    for item, text in ((a, r"a\.mat: has no groundTruth"), (b, r"b\.mat: has no groundTruth")):
        with pytest.raises(ValueError, match=text):
            item.truth()
        assert item.image().any()
    with pytest.raises(FileNotFoundError, match=r"c\.jpg: has no truth; it belongs in groundTruth/train/c\.mat"):
        c.truth()
    with pytest.raises(ValueError, match=r"d\.mat: the truth has 3 x 2 pixels and the image .*d\.jpg 2 x 3"):
        d.truth()
    with pytest.raises(ValueError, match=r"e\.jpg: "):
        e.image()


def test_missing_data(tmp_path, monkeypatch):
    monkeypatch.delenv("SEGJT_DATA", raising=False)
    for data in (None, tmp_path / "nowhere", tmp_path):
        with pytest.raises(FileNotFoundError, match=r"www2\.eecs\.berkeley\.edu/.*/resources\.html"):
            bsds(data)
    with pytest.raises(ValueError, match="split = 'valid' is not valid; choose from train, val, test"):
        bsds(tmp_path, split="valid")


def test_all_real_images(data_folder, tmp_path):
    items = bsds(data_folder)
    assert len(items) == len(bsds(data_folder, split="train")) + len(bsds(data_folder, split="val"))
    assert len(items) >= 100
    for item in items[::20]:
        truth = item.truth()
        assert len(truth) >= 4
        assert truth.min() == 1
        assert item.image().shape == (*truth.shape[1:], 3)
    shutil.copytree(data_folder / "bsds500" / "images" / "val", tmp_path / "images" / "val")
    assert not bsds(tmp_path)[0].truth_files
