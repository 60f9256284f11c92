"""`segjt segment` as users run it: a process, real files."""

import json
import os
import pty
import subprocess
import sys
import termios
import tomllib

import numpy as np
import pytest
import tifffile
from PIL import Image as pillow

import segjt
from segjt.cli import main
from segjt.io import read_labels
from segjt.parameters import Parameters


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_writes_labels_overlay_and_record(run, image_file, crop, tmp_path):
    done = run("segment", image_file, "-o", tmp_path / "out" / "deep", "--n-segments", 4)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "photo.png: 4 segments ->" in done.stdout
    out = tmp_path / "out" / "deep"
    assert names(out) == ["photo_labels.png", "photo_overlay.png", "photo_segments.json"]

    stored = pillow.open(out / "photo_labels.png")
    assert stored.mode == "I;16"
    expected = segjt.segment(crop, n_segments=4)
    assert (np.asarray(stored) == expected).all()
    overlay = np.asarray(pillow.open(out / "photo_overlay.png"))
    assert overlay.shape == crop.shape
    assert (overlay != crop).any()

    record = json.loads((out / "photo_segments.json").read_text())
    assert record["segjt"] == segjt.__version__
    assert record["parameters"] == Parameters(n_segments=4).to_dict()
    assert record["n_segments"] == 4
    assert record["n_initial_segments"] == segjt.oversegment(crop).max()
    assert (record["image"]["height"], record["image"]["width"], record["image"]["channels"]) == (48, 64, 3)
    assert len(record["image"]["sha256"]) == 64
    assert set(record["seconds"]) == {"read", "segment", "pictures"}


def test_writes_next_to_the_image_by_default(run, image_file):
    assert run("segment", image_file).returncode == 0
    assert names(image_file.parent) == ["photo.png", "photo_labels.png", "photo_overlay.png", "photo_segments.json"]


def test_show_stages(run, image_file, crop):
    assert run("segment", image_file, "--show-stages").returncode == 0
    initial = read_labels(image_file.parent / "photo_initial.png")
    assert (initial == segjt.hierarchy(crop).initial).all()
    assert (image_file.parent / "photo_initial_overlay.png").exists()


def test_record_config_and_toml_give_the_same_labels(run, image_file, tmp_path):
    options = [
        "--kernel",
        "jt2",
        "--q",
        "0.75",
        "--block-size",
        "24",
        "--n-segments",
        "5",
        "--rng",
        "7",
        "--merge-method",
        "spectral",
    ]
    assert run("segment", image_file, "-o", tmp_path / "a", *options).returncode == 0
    record = tmp_path / "a" / "photo_segments.json"
    assert run("segment", image_file, "-o", tmp_path / "b", "--config", record).returncode == 0

    config = run("config", "--config", record)
    assert tomllib.loads(config.stdout)["q"] == 0.75
    (tmp_path / "segjt.toml").write_text(config.stdout)
    assert (
        run("segment", image_file, "-o", tmp_path / "c", "--config", tmp_path / "segjt.toml", "--workers", 1).returncode
        == 0
    )

    maps = [(tmp_path / folder / "photo_labels.png").read_bytes() for folder in "abc"]
    assert maps[0] == maps[1] == maps[2]


def test_options_win_over_the_config_file(run, image_file, tmp_path):
    (tmp_path / "segjt.toml").write_text('kernel = "expjt2"\nt = 2.0\nn_segments = 3\n')
    done = run(
        "segment",
        image_file,
        "-o",
        tmp_path / "o",
        "--config",
        tmp_path / "segjt.toml",
        "--kernel",
        "jt2",
        "--n-segments",
        2,
    )
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "o" / "photo_segments.json").read_text())
    assert (record["parameters"]["kernel"], record["parameters"]["n_segments"]) == ("jt2", 2)
    assert "t" not in record["parameters"]


def test_existing_results_are_kept_without_overwrite(run, image_file):
    target = image_file.parent / "photo_labels.png"
    target.write_bytes(b"mine")
    done = run("segment", image_file)
    assert done.returncode == 2
    assert "photo_labels.png: exists and is kept" in done.stderr
    assert "--overwrite" in done.stderr
    assert target.read_bytes() == b"mine"
    assert names(image_file.parent) == ["photo.png", "photo_labels.png"]
    assert run("segment", image_file, "--overwrite").returncode == 0
    assert target.read_bytes() != b"mine"


def test_two_images_of_one_name_do_not_overwrite_each_other(run, image_file, tmp_path):
    twin = tmp_path / "photo.bmp"
    pillow.open(image_file).save(twin)
    done = run("segment", image_file, twin, "-o", tmp_path / "out", "--overwrite")
    assert done.returncode == 2
    assert "photo.bmp: its result" in done.stderr
    assert f"is also that of {image_file}" in done.stderr
    assert json.loads((tmp_path / "out" / "photo_segments.json").read_text())["image"]["path"] == str(image_file)


def test_an_input_is_never_overwritten(run, image_file, tmp_path):
    other = tmp_path / "photo_labels.png"
    other.write_bytes(image_file.read_bytes())
    done = run("segment", image_file, other, "--overwrite")
    assert done.returncode == 2
    assert "is the input" in done.stderr
    assert other.read_bytes() == image_file.read_bytes()


def test_paths_with_spaces_and_other_alphabets(run, image_file, tmp_path):
    odd = tmp_path / "мой снимок é 写真.png"
    image_file.rename(odd)
    assert run("segment", odd, "-o", tmp_path / "aus gabe").returncode == 0
    assert (tmp_path / "aus gabe" / "мой снимок é 写真_labels.png").exists()


def test_alpha_is_masked_out(run, crop, tmp_path):
    alpha = np.full(crop.shape[:2], 255, np.uint8)
    alpha[:, :20] = 0
    pillow.fromarray(np.dstack([crop, alpha])).save(tmp_path / "a.png")
    assert run("segment", tmp_path / "a.png").returncode == 0
    assert ((read_labels(tmp_path / "a_labels.png") == 0) == (alpha == 0)).all()


def test_more_than_65535_labels_become_a_tiff(run, tmp_path):
    rng = np.random.default_rng(0)
    pillow.fromarray(rng.integers(0, 256, (370, 370, 3), dtype=np.uint8)).save(tmp_path / "a.png")
    done = run(
        "segment",
        tmp_path / "a.png",
        "--block-size",
        4,
        "--n-segments",
        70000,
        "--segments-per-block",
        10,
        "--merge-method",
        "ncut",
    )
    assert done.returncode == 0, done.stderr
    labels = tifffile.imread(tmp_path / "a_labels.tif")
    assert labels.dtype == np.uint32
    assert labels.max() == 70000


def test_quiet_prints_nothing(run, image_file):
    done = run("segment", image_file, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("quiet", [True, False])
def test_progress_bar_only_on_a_terminal(image_file, tmp_path, quiet):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (25, 80))
    command = [sys.executable, "-m", "segjt", "segment", str(image_file), "-o", str(tmp_path / "o")]
    subprocess.run(
        [*command, "--quiet"] if quiet else command, stderr=theirs, stdout=subprocess.DEVNULL, check=True, timeout=120
    )
    os.set_blocking(ours, False)
    try:
        shown = os.read(ours, 100_000).decode()
    except BlockingIOError:
        shown = ""
    os.close(theirs)
    os.close(ours)
    assert ("block" in shown) is not quiet


def test_a_bad_image_does_not_block_a_good_one_of_the_same_name(run, image_file, tmp_path):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "photo.png").write_text("not a picture")
    done = run("segment", tmp_path / "bad" / "photo.png", image_file, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert (tmp_path / "out" / "photo_labels.png").exists()


def test_results_are_not_segmented_again(run, image_file):
    folder = image_file.parent
    assert run("segment", image_file, "--show-stages").returncode == 0
    before = names(folder)
    done = run("segment", *sorted(folder.glob("*.png")), "--overwrite", "--show-stages")
    assert done.returncode == 0, done.stderr
    assert names(folder) == before
    assert done.stderr.count("is a result of segjt and is left out") == 4


def test_the_record_has_the_hash_of_what_was_read(run, image_file, tmp_path):
    import hashlib

    expected = hashlib.sha256(image_file.read_bytes()).hexdigest()
    with open(image_file, "rb") as stream:
        done = run("segment", "/dev/stdin", "-o", tmp_path / "out", stdin=stream)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out" / "stdin_segments.json").read_text())["image"]["sha256"] == expected


def test_names_that_are_not_text(run, image_file, tmp_path):
    odd = os.fsencode(tmp_path) + b"/\xff.png"
    os.rename(image_file, odd)
    done = run("segment", os.fsdecode(odd))
    assert done.returncode == 0, done.stderr
    assert os.path.exists(os.fsencode(tmp_path) + b"/\xff_labels.png")


def test_closed_stderr_does_not_matter(image_file, tmp_path):
    command = f"{sys.executable} -m segjt segment {image_file} -o {tmp_path / 'out'} 2>&-"
    subprocess.run(["bash", "-c", command], check=True, timeout=120, stdout=subprocess.DEVNULL)
    assert (tmp_path / "out" / "photo_labels.png").exists()


def test_seed_is_an_alias_of_rng(run):
    assert "rng = 9" in run("config", "--seed", 9).stdout


def test_an_empty_list_of_exports(run, image_file):
    done = run("segment", image_file, "--export", "")
    assert done.returncode == 2
    assert "--export '': is empty; give comma-separated values" in done.stderr


def test_help_names_the_exports(capsys):
    from segjt.results import choose_exports, export_names

    with pytest.raises(SystemExit):
        main(["segment", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    optional = set(export_names()) - {export.name for export in choose_exports()}
    listed = text.partition("also write these results, comma-separated: ")[2].partition(", or what")[0]
    assert set(listed.split(", ")) == optional


def test_the_record_says_what_was_found(run, image_file):
    record = image_file.parent / "photo_segments.json"
    assert run("segment", image_file, "--find", "scene").returncode == 0
    assert json.loads(record.read_text())["found"] == "scene"
    assert json.loads(record.read_text())["parameters"]["find"] == "scene"
    assert run("segment", image_file, "--overwrite").returncode == 0
    assert json.loads(record.read_text())["found"] == "object"
    assert run("segment", image_file, "--overwrite", "--n-segments", 3).returncode == 0
    assert "found" not in json.loads(record.read_text())
