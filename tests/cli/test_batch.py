"""`segjt batch` as users run it: processes, real files, and runs that are killed."""

import csv
import json
import os
import pty
import random
import select
import signal
import subprocess
import sys
import termios
import time

import numpy as np
import pytest
from PIL import Image as pillow

import segjt
from segjt.cli import main
from segjt.io import read_labels

QUICK = ("--n-segments", 3, "--workers", 1)


@pytest.fixture
def folder(tmp_path, photograph):
    """Four small photographs of different sizes."""
    path = tmp_path / "photos"
    path.mkdir()
    for i in range(4):
        save(path / f"{i}.png", photograph[60 + 10 * i : 100 + 10 * i, 100 : 150 + 6 * i])
    return path


def save(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    pillow.fromarray(np.ascontiguousarray(pixels)).save(path)


def summary(output):
    with open(output / "batch.csv", encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def contents(output):
    """All files of a folder by path, without what differs from run to run: times, and hence the summary."""
    files = {str(path.relative_to(output)): path for path in output.rglob("*") if path.is_file()}
    return {name: timeless(path) for name, path in sorted(files.items())}


def timeless(path):
    if path.name == "batch.csv":
        return [{**row, "seconds": ""} for row in summary(path.parent)]
    if path.name == "batch.html":
        return path.stat().st_size // 1000
    if path.suffix == ".json":
        record = json.loads(path.read_text())
        return {name: value for name, value in record.items() if name != "seconds"}
    return path.read_bytes()


def modified(output):
    return {path.name: path.stat().st_mtime_ns for path in output.rglob("*_*")}


def test_results_and_summary(run, folder, tmp_path):
    output = tmp_path / "out"
    done = run("batch", folder, "-o", output, *QUICK)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert f"{folder / '0.png'}: 3 segments -> {output / '0_overlay.png'}" in done.stdout
    assert done.stdout.endswith(f"4 images: 4 segmented, 0 finished before, 0 failed -> {output / 'batch.html'}\n")
    for i in range(4):
        image = np.asarray(pillow.open(folder / f"{i}.png"))
        assert (read_labels(output / f"{i}_labels.png") == segjt.segment(image, n_segments=3)).all()
    rows = summary(output)
    assert [row["file"] for row in rows] == ["0.png", "1.png", "2.png", "3.png"]
    assert [(row["width"], row["height"], row["segments"], row["status"], row["error"]) for row in rows] == [
        (str(50 + 6 * i), "40", "3", "done", "") for i in range(4)
    ]
    assert all(float(row["seconds"]) > 0 for row in rows)
    page = (output / "batch.html").read_text()
    assert page.count("<article") == 4
    assert 'href="0_overlay.png"' in page


def test_a_second_run_recomputes_nothing(run, folder, tmp_path):
    output = tmp_path / "out"
    assert run("batch", folder, "-o", output, *QUICK).returncode == 0
    before, first = contents(output), modified(output)
    texts = [(output / name).read_bytes() for name in ("batch.csv", "batch.html")]
    done = run("batch", folder, "-o", output, "--n-segments", 3, "--workers", 2)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 images: 0 segmented, 4 finished before" in done.stdout
    assert contents(output) == before
    assert modified(output) == first
    assert [(output / name).read_bytes() for name in ("batch.csv", "batch.html")] == texts


def test_killed_at_random_moments_and_resumed(folder, run, tmp_path, photograph):
    for i in range(4, 9):
        save(folder / f"{i}.png", photograph[20 * i : 20 * i + 40, 20 * i : 20 * i + 60])
    save(folder / "large.png", np.tile(photograph, (2, 2, 1)))  # takes long enough to be killed while being segmented
    assert run("batch", folder, "-o", tmp_path / "whole", *QUICK).returncode == 0
    output = tmp_path / "out"
    moments = random.Random(0)
    killed = 0
    while killed < 3 and len(list(output.glob("*.json"))) < 9:
        start_and_signal(folder, output, signal.SIGKILL, moments.uniform(0, 0.05))
        killed += 1
    finished = len(list(output.glob("*.json")))
    assert 1 <= finished < 10
    done = run("batch", folder, "-o", output, *QUICK)
    assert done.returncode == 0, done.stderr
    assert f"10 images: {10 - finished} segmented, {finished} finished before" in done.stdout
    assert contents(output) == contents(tmp_path / "whole")


def start_and_signal(folder, output, number, delay=0.0):
    """Start a batch, send it a signal a moment after it has finished an image, return exit code and errors."""
    before = len(list(output.glob("*.json")))
    command = [str(part) for part in (sys.executable, "-m", "segjt", "batch", folder, "-o", output, *QUICK, "--quiet")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and len(list(output.glob("*.json"))) <= before:
        time.sleep(0.002)
    time.sleep(delay)
    process.send_signal(number)
    return process.communicate(timeout=120)[1], process.returncode


def test_killed_while_writing_an_image(run, folder, tmp_path):
    """The state between two of the renames that end an image: some files in place, the rest still temporary."""
    output = tmp_path / "out"
    assert run("batch", folder, "-o", output, *QUICK).returncode == 0
    expected = contents(output)
    (output / "1_segments.json").rename(output / ".1_segments.json.4711.part")
    (output / "1_overlay.png").rename(output / ".1_overlay.png.4711.part")
    (output / "1_labels.png").write_bytes(b"of a run with other parameters")
    (output / ".batch.html.4711.part").write_bytes(b"<!DOC")
    # A record that matches cannot be trusted either while its image is being overwritten.
    (output / ".2_labels.png.4711.part").write_bytes(b"")
    (output / "2_overlay.png").write_bytes(b"of a run with other parameters")
    (output / ".mine.png.4711.part").write_bytes(b"of another program")
    done = run("batch", folder, "-o", output, *QUICK)
    assert done.returncode == 0, done.stderr
    assert "2 segmented, 2 finished before" in done.stdout
    assert contents(output) == expected | {".mine.png.4711.part": b"of another program"}


def test_interrupted_with_ctrl_c(folder, tmp_path, run, photograph):
    save(folder / "large.png", np.tile(photograph, (2, 2, 1)))
    output = tmp_path / "out"
    errors, code = start_and_signal(folder, output, signal.SIGINT)
    assert code == 130
    assert "of 5 images done; run the same command again to resume" in errors
    assert "Traceback" not in errors
    assert run("batch", folder, "-o", output, *QUICK).returncode == 0
    assert len(summary(output)) == 5


def test_other_parameters(run, folder, tmp_path):
    output = tmp_path / "out"
    assert run("batch", folder, "-o", output, *QUICK).returncode == 0
    before = contents(output)
    done = run("batch", folder, "-o", output, "--n-segments", 4)
    assert done.returncode == 2
    assert "4 of 4 images were made with other parameters (0.png: n_segments = 3, now 4)" in done.stderr
    assert "--overwrite" in done.stderr
    assert contents(output) == before
    done = run("batch", folder, "-o", output, "--n-segments", 4, "--overwrite")
    assert done.returncode == 0, done.stderr
    assert {row["segments"] for row in summary(output)} == {"4"}
    # Results that match are not recomputed, so that a run with --overwrite can be resumed as well.
    assert "4 finished before" in run("batch", folder, "-o", output, "--n-segments", 4, "--overwrite").stdout


def test_an_image_that_has_changed(run, folder, tmp_path, photograph):
    output = tmp_path / "out"
    assert run("batch", folder, "-o", output, *QUICK).returncode == 0
    save(folder / "2.png", photograph[:30, :30])
    done = run("batch", folder, "-o", output, *QUICK)
    assert done.returncode == 2
    assert "2.png: " in done.stderr
    assert "belongs to another image of that name" in done.stderr
    assert [row["status"] for row in summary(output)] == ["done", "done", "failed", "done"]
    assert run("batch", folder, "-o", output, *QUICK, "--overwrite").returncode == 0
    assert summary(output)[2]["width"] == "30"


def test_files_of_others_are_kept(run, folder, tmp_path):
    output = tmp_path / "out"
    output.mkdir()
    (output / "0_labels.png").write_bytes(b"mine")
    (output / "1_segments.json").write_text("[]")
    done = run("batch", folder, "-o", output, *QUICK)
    assert done.returncode == 2
    assert "0_labels.png: exists and is kept" in done.stderr
    assert "1_segments.json: exists and is kept" in done.stderr
    assert (output / "0_labels.png").read_bytes() == b"mine"
    assert [row["status"] for row in summary(output)] == ["failed", "failed", "done", "done"]


def test_a_broken_image_does_not_stop_the_others(run, folder, tmp_path):
    (folder / "1 <b>&.png").write_text("not a picture")
    (folder / "0.jpeg").touch()
    output = tmp_path / "out"
    done = run("batch", folder, "-o", output, *QUICK)
    assert done.returncode == 2
    assert "1 <b>&.png: not an image that can be read" in done.stderr
    assert "6 images: 4 segmented, 0 finished before, 2 failed" in done.stderr
    rows = {row["file"]: row for row in summary(output)}
    assert rows["1 <b>&.png"]["status"] == "failed"
    assert "not an image" in rows["1 <b>&.png"]["error"]
    assert "empty" in rows["0.jpeg"]["error"]
    page = (output / "batch.html").read_text()
    assert "1 &lt;b&gt;&amp;.png" in page
    assert page.index("1 &lt;b&gt;&amp;.png") < page.index(">0.png<")  # failures come first
    assert page.count("<article") == 4


def test_nested_folders_and_an_output_among_them(run, folder, tmp_path):
    output = folder / "sub" / "out"
    os.makedirs(folder / "sub" / "deep")
    (folder / "3.png").rename(folder / "sub" / "deep" / "0.png")
    (folder / "2.png").rename(folder / "sub" / "x.PNG")
    (folder / ".hidden").mkdir()
    (folder / "1.png").rename(folder / ".hidden" / "1.png")
    (folder / "notes.txt").write_text("no image")
    done = run("batch", folder, "-o", output, *QUICK, "--recursive")
    assert done.returncode == 0, done.stderr
    names = ["0.png", os.path.join("sub", "x.PNG"), os.path.join("sub", "deep", "0.png")]
    assert [row["file"] for row in summary(output)] == names
    assert (output / "0_labels.png").exists()
    assert (output / "sub" / "x_labels.png").exists()
    assert (output / "sub" / "deep" / "0_labels.png").exists()
    assert 'href="sub/deep/0_labels.png"' in (output / "batch.html").read_text()
    done = run("batch", folder, "-o", output, *QUICK, "--recursive")
    assert "3 images: 0 segmented, 3 finished before" in done.stdout
    # Without --recursive only what lies in the folder itself; results of other runs are recognized by their records.
    run("segment", folder / "0.png", "--quiet")
    done = run("batch", folder, "-o", tmp_path / "flat", *QUICK)
    assert [row["file"] for row in summary(tmp_path / "flat")] == ["0.png"]
    assert "2 results of segjt are left out" in done.stderr
    done = run("batch", folder, "-o", tmp_path / "other", *QUICK, "--recursive")
    assert len(summary(tmp_path / "other")) == 3


def test_names_that_collide(run, folder, tmp_path, photograph):
    for name in ("0.jpg", "0.png.bmp", "1_labels.png", "A.png", "a.bmp"):
        save(folder / name, photograph[:30, :40])
    output = tmp_path / "out"
    done = run("batch", folder, "-o", output, *QUICK)
    assert done.returncode == 0, done.stderr
    expected = ["0.jpg", "0.png", "0.png.bmp", "1", "1_labels", "2", "3", "A.png", "a.bmp"]
    assert sorted(path.name.removesuffix("_segments.json") for path in output.glob("*.json")) == sorted(expected)
    record = json.loads((output / "0.png_segments.json").read_text())
    assert record["image"]["path"] == str(folder / "0.png")
    assert "9 finished before" in run("batch", folder, "-o", output, *QUICK).stdout


def test_names_in_other_alphabets_and_names_that_are_not_text(run, folder, tmp_path):
    (folder / "0.png").rename(folder / "мой снимок é 写真#1?.png")
    os.rename(folder / "1.png", os.fsencode(folder) + b"/\xff.png")
    output = tmp_path / "aus gabe"
    assert run("batch", folder, "-o", output, *QUICK).returncode == 0
    assert (output / "мой снимок é 写真#1?_labels.png").exists()
    names = [row["file"] for row in summary(output)]
    assert "мой снимок é 写真#1?.png" in names
    assert "\\udcff.png" in names
    page = (output / "batch.html").read_text()
    assert "%23" in page
    assert "%FF_overlay.png" in page
    assert "4 finished before" in run("batch", folder, "-o", output, *QUICK).stdout


@pytest.mark.parametrize("where", ["photos", ".", "photos/../photos"])
def test_results_do_not_mix_with_images(capsys, folder, where):
    assert main(["batch", str(folder), "-o", str(folder.parent / where)]) == 2
    assert "results and images would mix" in capsys.readouterr().err
    assert len(list(folder.iterdir())) == 4


def test_nothing_to_do(capsys, tmp_path, folder):
    (tmp_path / "empty" / "sub").mkdir(parents=True)

    def errors(source):
        assert main(["batch", str(source), "-o", str(tmp_path / "out")]) == 2
        return capsys.readouterr().err

    assert errors(tmp_path / "empty").endswith("empty: has no images (PNG, JPEG, TIFF, BMP or WebP)\n")
    save(tmp_path / "empty" / "sub" / "a.png", np.zeros((9, 9), np.uint8))
    assert "its subfolders do: use --recursive" in errors(tmp_path / "empty")
    assert "no such folder" in errors(tmp_path / "none")
    assert "use segjt segment" in errors(folder / "0.png")
    assert not (tmp_path / "out").exists()


def test_only_one_batch_at_a_time(run, folder, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    output = tmp_path / "out"
    output.mkdir()
    handle = os.open(output, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    done = run("batch", folder, "-o", output, *QUICK)
    os.close(handle)
    assert done.returncode == 1
    assert "another segjt batch is writing there" in done.stderr
    assert list(output.iterdir()) == []


def test_quiet_and_progress(folder, tmp_path, run):
    done = run("batch", folder, "-o", tmp_path / "quiet", *QUICK, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (folder / "bad.png").touch()
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (25, 100))
    command = [sys.executable, "-m", "segjt", "batch", folder, "-o", tmp_path / "shown", *QUICK]
    subprocess.run([str(part) for part in command], stderr=theirs, stdout=subprocess.DEVNULL, check=False, timeout=120)
    # A terminal hands out at most 4095 bytes at a time.
    parts = []
    while select.select([ours], [], [], 0.5)[0]:
        parts.append(os.read(ours, 100_000))
    shown = b"".join(parts).decode()
    os.close(theirs)
    os.close(ours)
    assert "image" in shown
    assert "5/5" in shown
    assert "segjt: " in shown
    assert "bad.png: the file is empty" in shown
