"""`segjt segment --hierarchy`, `--contours` and `--preset` as users run them: a process, real files."""

import json

import numpy as np
import pytest
from PIL import Image as pillow

import segjt
from segjt.evaluation.weizmann import check_nested
from segjt.io import read_labels


def test_maps_of_a_hierarchy_and_contours(run, image_file, crop, tmp_path):
    done = run("segment", image_file, "-o", tmp_path / "o", "--hierarchy", "8,2,100000", "--contours")
    assert done.returncode == 0, done.stderr
    tree = segjt.hierarchy(crop)
    maps = [read_labels(tmp_path / "o" / f"photo_labels_{n}.png") for n in (2, 8, 100000)]
    assert [labels.max() for labels in maps] == [2, 8, len(tree)]
    check_nested(maps)
    assert (maps[1] == tree.cut(8)).all()
    assert (read_labels(tmp_path / "o" / "photo_labels.png") == tree.cut()).all()
    contours = np.asarray(pillow.open(tmp_path / "o" / "photo_contours.png"))
    assert contours.dtype == np.uint8
    assert (contours == np.rint(255 * tree.contours())).all()
    assert np.asarray(pillow.open(tmp_path / "o" / "photo_overlay_8.png")).shape == crop.shape
    record = json.loads((tmp_path / "o" / "photo_segments.json").read_text())
    assert record["hierarchy"] == {"2": 2, "8": 8, "100000": len(tree)}
    assert {"photo_labels_2.png", "photo_overlay_2.png", "photo_contours.png"} <= set(record["files"])
    assert record["n_segments"] == tree.n_auto


def test_results_of_a_hierarchy_are_not_segmented_again_nor_replaced(run, image_file):
    folder = image_file.parent
    assert run("segment", image_file, "--hierarchy", "2,3", "--contours").returncode == 0
    before = sorted(path.name for path in folder.iterdir())
    done = run("segment", *sorted(folder.glob("*.png")), "--overwrite", "--hierarchy", "2,3", "--contours")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("is a result of segjt and is left out") == 7
    assert sorted(path.name for path in folder.iterdir()) == before
    (folder / "photo_labels.png").unlink()
    (folder / "photo_overlay.png").unlink()
    (folder / "photo_segments.json").unlink()
    done = run("segment", image_file, "--hierarchy", "3")
    assert done.returncode == 2
    assert "photo_labels_3.png: exists and is kept" in done.stderr


def test_results_of_earlier_runs_stay_results(run, image_file):
    folder = image_file.parent
    assert run("segment", image_file, "--hierarchy", "2,3", "--contours").returncode == 0
    assert run("segment", image_file, "--hierarchy", "4", "--overwrite").returncode == 0
    (folder / "photo_labels_2.png").unlink()
    assert run("segment", image_file, "--overwrite").returncode == 0
    record = json.loads((folder / "photo_segments.json").read_text())
    assert record["files"] == ["photo_labels.png", "photo_overlay.png"]
    kept = {"labels_3", "labels_4", "overlay_2", "overlay_3", "overlay_4", "contours"}
    assert set(record["earlier_files"]) == {f"photo_{kind}.png" for kind in kept}
    done = run("segment", *sorted(folder.glob("*.png")), "-o", folder / "again")
    assert done.stderr.count("is a result of segjt and is left out") == 8
    assert len(list((folder / "again").iterdir())) == 3


@pytest.mark.parametrize("numbers", ["", "2,", "0,4", "-3", "two", "2 4"])
def test_wrong_numbers_of_segments(run, image_file, numbers):
    done = run("segment", image_file, f"--hierarchy={numbers}")
    assert done.returncode == 2
    assert "is not a list of numbers of segments; give one such as 2,4,8,16" in done.stderr


@pytest.mark.parametrize("option", [["--hierarchy", "2,4"], ["--contours"]])
def test_other_merge_methods_have_no_hierarchy(run, image_file, option):
    done = run("segment", image_file, *option, "--preset", "paper")
    assert done.returncode == 2
    assert "photo.png: merge_method = 'spectral' makes no hierarchy; choose merge_method = 'cues'" in done.stderr


def test_presets_and_what_changes_them(run, image_file, crop, tmp_path):
    (tmp_path / "my.toml").write_text("power = 20.0\n")
    done = run(
        *("segment", image_file, "-o", tmp_path / "o", "--preset", "paper", "--config", tmp_path / "my.toml"),
        *("--n-segments", 3),
    )
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "o" / "photo_segments.json").read_text())
    assert record["preset"] == "paper"
    chosen = segjt.Parameters.preset("paper").replace(power=20.0, n_segments=3)
    assert record["parameters"] == chosen.to_dict()
    assert (read_labels(tmp_path / "o" / "photo_labels.png") == segjt.segment(crop, parameters=chosen)).all()


def test_unknown_presets_are_named(run, image_file):
    done = run("segment", image_file, "--preset", "papr")
    assert done.returncode == 2
    assert "preset = 'papr' is unknown (did you mean 'paper'?)" in done.stderr
