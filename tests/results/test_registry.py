"""Exports: the built-in ones, and one from outside that the command line writes without another file being touched."""

import io
import json

import numpy as np
import pytest
from PIL import Image as pillow

import segjt
from segjt.cli import main
from segjt.image import as_image
from segjt.results import (
    OBJECT_EXPORTS,
    Export,
    Segmentation,
    choose_exports,
    export_names,
    find_export,
    register_export,
)
from segjt.results.registry import EXPORTS


@pytest.fixture
def registered(monkeypatch):
    """An export from outside: the size of each segment as a text file."""
    monkeypatch.setattr("segjt.results.registry.EXPORTS", dict(EXPORTS))

    def encode(segmentation):
        return b"\n".join(b"%d" % size for size in np.bincount(segmentation.labels.ravel())[1:])

    export = Export("sizes", (".txt",), "number of pixels of each segment", encode)
    register_export(export)
    return export


def segmentation(crop, n=4):
    tree = segjt.hierarchy(crop)
    return Segmentation(as_image(crop), tree.initial, tree.cut(n), tree)


def test_an_export_from_outside_is_written_and_recorded(registered, image_file, crop):
    assert main(["segment", str(image_file), "--export", "sizes", "--n-segments", "4", "--quiet"]) == 0
    sizes = [int(line) for line in (image_file.parent / "photo_sizes.txt").read_text().split()]
    assert sizes == np.bincount(segjt.segment(crop, 4).ravel())[1:].tolist()
    record = json.loads((image_file.parent / "photo_segments.json").read_text())
    assert record["files"] == ["photo_labels.png", "photo_overlay.png", "photo_sizes.txt"]


def test_an_export_from_outside_is_a_result_and_is_not_replaced(registered, image_file, capsys):
    arguments = ["segment", str(image_file), "--export", "sizes", "--quiet"]
    (image_file.parent / "photo_sizes.txt").write_text("mine")
    assert main(arguments) == 2
    assert "photo_sizes.txt: exists and is kept" in capsys.readouterr().err
    assert main([*arguments, "--overwrite"]) == 0
    assert main(["segment", str(image_file.parent / "photo_sizes.txt")]) == 0
    assert "photo_sizes.txt: is a result of segjt and is left out" in capsys.readouterr().err


def test_an_unknown_export_is_named_before_any_work(registered, image_file, capsys):
    assert main(["segment", str(image_file), "--export", "contours,size"]) == 2
    assert "export = 'size' is unknown (did you mean 'sizes'?); choose one of labels" in capsys.readouterr().err
    assert [path.name for path in image_file.parent.iterdir()] == ["photo.png"]


def test_an_export_that_needs_the_tree_gets_it(registered, image_file, crop):
    export = Export("height", (".txt",), "last height", lambda s: b"%f" % s.tree.heights[-1], needs_tree=True)
    register_export(export)
    assert main(["segment", str(image_file), "--export", "height, sizes", "--quiet"]) == 0
    assert (image_file.parent / "photo_sizes.txt").exists()
    assert float((image_file.parent / "photo_height.txt").read_text()) == pytest.approx(
        segjt.hierarchy(crop).heights[-1]
    )


def test_the_record_has_the_hierarchy_that_was_asked_for_and_no_other_cuts(registered, image_file):
    register_export(Export("five", (".txt",), "five", lambda s: b"%d" % s.cut(5).max(), needs_tree=True))
    arguments = ["segment", str(image_file), "--export", "five", "--quiet", "--overwrite"]
    assert main(arguments) == 0
    record = image_file.parent / "photo_segments.json"
    assert "hierarchy" not in json.loads(record.read_text())
    assert main([*arguments, "--hierarchy", "2,3"]) == 0
    assert json.loads(record.read_text())["hierarchy"] == {"2": 2, "3": 3}


def test_the_order_of_files_and_each_once(registered):
    names = [export.name for export in choose_exports(True, (2, 8), True, ["sizes", "contours", "labels"])]
    assert names == [
        *("labels", "initial", "labels_2", "labels_8"),
        *("overlay", "initial_overlay", "overlay_2", "overlay_8", "contours", "sizes"),
    ]
    assert [export.name for export in choose_exports()] == ["labels", "overlay"]


def test_built_in_exports_hold_what_they_say(crop):
    given = segmentation(crop)
    for export in choose_exports(stages=True, cuts=(2, 3), contours=True):
        assert export.doc
        assert export.suffix(given) == ".png"
        picture = np.asarray(pillow.open(io.BytesIO(export.encode(given))))
        assert picture.shape[:2] == crop.shape[:2]
        if "labels" in export.name:
            n = int(export.name.partition("_")[2] or 4)
            assert picture.max() == n
    assert sorted(given.cuts) == [2, 3]


def test_many_labels_choose_the_other_suffix():
    labels = np.arange(1, 70001, dtype=np.int32).reshape(700, 100)
    given = Segmentation(as_image(np.zeros((700, 100))), labels, labels)
    export = find_export("labels")
    assert export.suffix(given) == ".tif"
    assert export.encode(given).startswith((b"II*\0", b"MM\0*"))


def test_exports_of_a_tree_without_one(crop):
    given = Segmentation(as_image(crop), np.ones(crop.shape[:2], np.int32), np.ones(crop.shape[:2], np.int32))
    with pytest.raises(ValueError, match="has no merge tree; an export that uses it says needs_tree=True"):
        find_export("contours").encode(given)
    with pytest.raises(ValueError, match="has segments and no objects"):
        OBJECT_EXPORTS[-1].encode(given)


@pytest.mark.parametrize(
    ("name", "suffixes", "reason"),
    [
        ("sizes", (".txt",), "exists already"),
        ("labels", (".png",), "exists already"),
        ("segments", (".json",), "is not a name for an export"),
        ("objects", (".json",), "other than segments, objects, objects_overlay"),
        ("labels_2", (".png",), "is not a name for an export"),
        ("../x", (".png",), "is not a name for an export"),
        ("", (".png",), "is not a name for an export"),
        ("mine", (), "give one such as"),
        ("mine", ("png",), "give one such as"),
    ],
)
def test_wrong_exports_are_refused(registered, name, suffixes, reason):
    with pytest.raises(ValueError, match=reason):
        register_export(Export(name, suffixes, "", lambda segmentation: b""))
    assert "mine" not in export_names()
