"""`segjt objects` as users run it: a process, real files."""

import csv
import json

import numpy as np
import pytest
import tifffile
from object_pictures import picture
from PIL import Image as pillow
from skimage import data

import segjt
from segjt.evaluation.instances import instance_score
from segjt.io import read_labels
from segjt.parameters import Parameters
from segjt.results.overlay import boundaries

RESULTS = ["objects.csv", "objects.json", "objects.png", "objects_overlay.png"]


def results_of(stem):
    return [f"{stem}_{name}" for name in RESULTS]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def table_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def record_of(path):
    return json.loads(path.read_text())


@pytest.fixture
def things():
    """Dark and bright things on grey, and their truth."""
    image, truth = picture(128, (40, 220))
    return image[:80, :110], truth[:80, :110]


@pytest.fixture
def things_file(things, tmp_path):
    path = tmp_path / "things.png"
    pillow.fromarray(things[0]).save(path)
    return path


def test_coins(run, tmp_path):
    coins = data.coins()
    pillow.fromarray(coins).save(tmp_path / "coins.png")
    done = run("objects", tmp_path / "coins.png", "-o", tmp_path / "out" / "deep")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out" / "deep"
    assert done.stdout == f"{tmp_path / 'coins.png'}: 24 objects -> {out / 'coins_objects_overlay.png'}\n"
    assert done.stderr == ""
    assert names(out) == results_of("coins")

    assert pillow.open(out / "coins_objects.png").mode == "I;16"
    labels = read_labels(out / "coins_objects.png")
    found = segjt.hierarchy(coins).find_objects()
    assert (labels == found.labels).all()
    overlay = np.asarray(pillow.open(out / "coins_objects_overlay.png"))
    background = (labels == 0) & ~boundaries(labels)
    assert (overlay[background] == coins[background][:, None]).all()

    table = table_of(out / "coins_objects.csv")
    assert [int(row["label"]) for row in table] == list(range(1, 25))
    assert [int(row["area"]) for row in table] == np.bincount(labels.ravel())[1:].tolist()
    confidences = [float(row["confidence"]) for row in table]
    assert confidences == pytest.approx(found.confidences, abs=1e-6)
    assert float(table[0]["mean"]) == pytest.approx(coins[labels == 1].mean(), rel=1e-6)

    record = record_of(out / "coins_objects.json")
    assert (record["segjt"], record["command"]) == (segjt.__version__, "objects")
    assert record["options"] == {"min_size": 15, "max_size": None, "polarity": "any"}
    assert record["parameters"] == Parameters().to_dict()
    assert (record["n_objects"], record["confidences"]) == (24, confidences)
    assert record["files"] == ["coins_objects.png", "coins_objects_overlay.png", "coins_objects.csv"]
    assert set(record["seconds"]) == {"read", "objects", "pictures"}


def test_polarity_sizes_and_the_record_as_config(run, things, things_file, tmp_path):
    image, truth = things
    options = ("--polarity", "dark", "--min-size", 150, "--max-size", 400, "--rng", 3)
    done = run("objects", things_file, "-o", tmp_path / "dark", *options)
    assert done.returncode == 0, done.stderr
    dark = read_labels(tmp_path / "dark" / "things_objects.png")
    assert instance_score(dark, np.where(image < 80, truth, 0)).f1() == 1
    assert all(150 <= int(row["area"]) <= 400 for row in table_of(tmp_path / "dark" / "things_objects.csv"))

    # A record repeats its run; what is given wins over it.
    record = tmp_path / "dark" / "things_objects.json"
    done = run("objects", things_file, "-o", tmp_path / "bright", "--config", record, "--polarity", "bright", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    expected = {"min_size": 150, "max_size": 400, "polarity": "bright"}
    assert record_of(tmp_path / "bright" / "things_objects.json")["options"] == expected
    assert record_of(tmp_path / "bright" / "things_objects.json")["parameters"]["rng"] == 3
    bright = read_labels(tmp_path / "bright" / "things_objects.png")
    assert instance_score(bright, np.where(image > 180, truth, 0)).f1() == 1


def test_a_16_bit_tiff_is_measured_in_its_own_values(run, things, tmp_path):
    image, truth = things
    tifffile.imwrite(tmp_path / "deep.tif", np.stack([image.astype(np.uint16) * 200] * 2), photometric="minisblack")
    done = run("objects", tmp_path / "deep.tif", "--page", 1)
    assert done.returncode == 0, done.stderr
    assert names(tmp_path) == ["deep.tif", *results_of("deep")]
    labels = read_labels(tmp_path / "deep_objects.png")
    assert instance_score(labels, truth).f1() > 0.9
    means = [float(row["mean"]) for row in table_of(tmp_path / "deep_objects.csv")]
    assert means == pytest.approx([200 * image[labels == k].mean() for k in range(1, len(means) + 1)], rel=1e-6)
    record = record_of(tmp_path / "deep_objects.json")
    assert (record["image"]["dtype"], record["image"]["page"]) == ("uint16", 1)


def test_nothing_to_find_beside_a_bad_image(run, tmp_path):
    (tmp_path / "text.png").write_text("this is not a picture")
    pillow.fromarray(np.full((40, 50, 3), 90, np.uint8)).save(tmp_path / "flat.png")
    done = run("objects", tmp_path / "text.png", tmp_path / "flat.png", "-o", tmp_path / "out")
    assert done.returncode == 2
    first, last = done.stderr.splitlines()
    assert "text.png" in first
    assert "not an image" in first
    assert last == "segjt: 1 of 2 images searched"
    assert "flat.png: 0 objects ->" in done.stdout
    assert names(tmp_path / "out") == results_of("flat")
    assert table_of(tmp_path / "out" / "flat_objects.csv") == []
    assert record_of(tmp_path / "out" / "flat_objects.json")["confidences"] == []


def test_existing_results_are_kept_and_left_out(run, things_file):
    folder = things_file.parent
    (folder / "things_objects.csv").write_bytes(b"mine")
    done = run("objects", things_file)
    assert done.returncode == 2
    assert "things_objects.csv: exists and is kept" in done.stderr
    assert "--overwrite" in done.stderr
    assert (folder / "things_objects.csv").read_bytes() == b"mine"
    assert names(folder) == ["things.png", "things_objects.csv"]
    assert run("objects", things_file, "--overwrite").returncode == 0
    assert (folder / "things_objects.csv").read_bytes() != b"mine"

    # Segments go beside objects, and neither is taken for an image by the other.
    objects = {name: (folder / name).read_bytes() for name in results_of("things")}
    done = run("segment", *sorted(folder.glob("*.png")))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("is a result of segjt and is left out") == 2
    assert {name: (folder / name).read_bytes() for name in objects} == objects
    before = names(folder)
    assert len(before) == 8
    done = run("objects", *sorted(folder.glob("*.png")), "--overwrite")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("is a result of segjt and is left out") == 4
    assert names(folder) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--polarity", "brigth"], ["polarity = 'brigth' is unknown (did you mean 'bright'?)", "any, bright, dark"]),
        (["--min-size", "0"], ["min_size = 0 is out of range; give a whole number of at least 1"]),
        (["--max-size", "big"], ["max_size = 'big' is not valid"]),
        (["--min-size", "9", "--max-size", "5"], ["max_size = 5 is below min_size = 9", "give a larger max_size"]),
        (["--min-sice", "9"], ["did you mean '--min-size'"]),
        (["--preset", "paper"], ["merge_method = 'spectral' makes no hierarchy; choose merge_method = 'cues'"]),
        (["--config", "wrong.json"], ["wrong.json: min_size = 'many' is not valid"]),
    ],
)
def test_bad_use(run, tmp_path, arguments, words):
    (tmp_path / "wrong.json").write_text('{"parameters": {}, "options": {"min_size": "many"}}')
    done = run("objects", "x.png", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr
