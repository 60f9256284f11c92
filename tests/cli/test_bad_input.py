"""Every mistake ends with one clear line, an exit code, no traceback and no half-written file."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import tifffile
from PIL import Image as pillow


def text_called_png(folder):
    path = folder / "text.png"
    path.write_text("this is not a picture")
    return path, ["text.png", "not an image"]


def truncated_jpeg(folder):
    path = folder / "cut.jpg"
    rng = np.random.default_rng(0)
    pillow.fromarray(rng.integers(0, 256, (60, 80, 3), dtype=np.uint8)).save(path)
    path.write_bytes(path.read_bytes()[:2000])
    return path, ["cut.jpg", "damaged or cut short"]


def empty_file(folder):
    path = folder / "empty.png"
    path.touch()
    return path, ["empty.png", "empty"]


def missing_file(folder):
    return folder / "missing.png", ["missing.png", "no such file"]


def a_folder(folder):
    path = folder / "images.png"
    path.mkdir()
    return path, ["images.png", "is a folder"]


def empty_tiff(folder):
    path = folder / "zero.tif"
    path.touch()
    return path, ["zero.tif", "empty"]


def three_pages(folder):
    path = folder / "pages.tif"
    tifffile.imwrite(path, np.zeros((3, 20, 20), np.uint8), photometric="minisblack")
    return path, ["pages.tif", "3 pages", "--page"]


def float_out_of_range(folder):
    path = folder / "float.tif"
    tifffile.imwrite(path, np.full((20, 20), 7.5, np.float32))
    return path, ["float.tif", "7.5", "[0, 1]", "scale"]


BAD = [text_called_png, truncated_jpeg, empty_file, missing_file, a_folder, empty_tiff, three_pages, float_out_of_range]


@pytest.mark.parametrize("make", BAD)
def test_bad_image(run, image_file, tmp_path, make):
    bad, words = make(tmp_path)
    out = tmp_path / "out"
    done = run("segment", bad, image_file, "-o", out)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    for word in words:
        assert word in lines[0]
    assert lines[1] == "segjt: 1 of 2 images segmented"
    # The good image of the same call is there, and nothing else.
    assert sorted(path.name for path in out.iterdir()) == [
        "photo_labels.png",
        "photo_overlay.png",
        "photo_segments.json",
    ]
    alone = run("segment", bad, "-o", tmp_path / "alone")
    assert alone.returncode == 2
    assert len(alone.stderr.splitlines()) == 1
    assert not (tmp_path / "alone").exists()


def test_page_can_be_chosen(run, tmp_path):
    path, _ = three_pages(tmp_path)
    assert run("segment", path, "--page", 2).returncode == 0
    done = run("segment", path, "--page", 3, "--overwrite")
    assert done.returncode == 2
    assert "page 3 does not exist" in done.stderr


def without_root_privileges():
    """Root may write anywhere; tests that need a refusal drop that privilege."""
    if os.geteuid() != 0:
        return ()
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("running as root, and setpriv (util-linux) is not installed to drop its privileges")
    return (setpriv, "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")


def test_read_only_output_folder(run, image_file, tmp_path):
    out = tmp_path / "locked"
    out.mkdir()
    out.chmod(0o555)
    done = run("segment", image_file, "-o", out, prefix=without_root_privileges())
    assert done.returncode in (1, 2)
    assert len(done.stderr.splitlines()) == 1
    assert "locked" in done.stderr
    assert "Permission denied" in done.stderr
    assert list(out.iterdir()) == []


def test_unreadable_image(run, image_file):
    image_file.chmod(0)
    done = run("segment", image_file, prefix=without_root_privileges())
    assert done.returncode in (1, 2)
    assert "photo.png: Permission denied" in done.stderr


def test_output_is_a_file(run, image_file, tmp_path):
    (tmp_path / "out").write_text("a file")
    done = run("segment", image_file, "-o", tmp_path / "out")
    assert done.returncode in (1, 2)
    assert len(done.stderr.splitlines()) == 1
    assert "out" in done.stderr
    assert (tmp_path / "out").read_text() == "a file"


def test_quota(run, image_file, tmp_path):
    """The system refuses files of more than 2 kB, as a full quota does."""
    out = tmp_path / "out"
    # Coverage could not write its own file under this limit, and would say so.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # noqa: E731
    done = run("segment", image_file, "-o", out, preexec_fn=limit, env=environment)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "File too large" in done.stderr
    assert "photo" in done.stderr
    assert list(out.iterdir()) == []


def test_full_disk(run, image_file, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("mounting a tiny tmpfs needs root; the quota test covers the same path")
    try:
        done = run("segment", image_file, "-o", disk)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "No space left on device" in done.stderr
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["segment", "x.png", "--blok-size", "8"], ["--blok-size", "did you mean '--block-size'"]),
        (["segment", "x.png", "--kernal=jt2"], ["--kernal", "did you mean '--kernel'"]),
        (["segmnt", "x.png"], ["'segmnt'", "did you mean 'segment'"]),
        (["segment", "x.png", "--kernel", "expjt"], ["'expjt'", "did you mean 'expjt", "nlin"]),
        (["segment", "x.png", "--block-size", "2"], ["block_size = 2", "at least 4"]),
        (["segment", "x.png", "--block-size", "big"], ["block_size = 'big'", "whole number"]),
        (["segment", "x.png", "--q", "3"], ["q = 3", "from 0 to 2"]),
        (["segment", "x.png", "--kernel", "gaussian", "--t", "1"], ["'gaussian' has no parameter 't'", "sigma"]),
        (["segment", "x.png", "--page", "first"], ["'first'", "page number"]),
        (["segment", "x.png", "--config", "none.toml"], ["none.toml", "No such file"]),
        (["segment", "x.png", "--n-segments", "9" * 400], ["n_segments", "whole number"]),
        (["segment", "--hlep"], ["'--hlep'", "did you mean '--help'"]),
        (["--verison"], ["'--verison'", "did you mean '--version'"]),
        (["segment"], ["IMAGE"]),
        ([], ["COMMAND"]),
    ],
)
def test_bad_use(run, arguments, words, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr


def test_ctrl_c_leaves_no_files_and_no_traceback(tmp_path):
    rng = np.random.default_rng(0)
    pillow.fromarray(rng.integers(0, 256, (1500, 1500, 3), dtype=np.uint8)).save(tmp_path / "large.png")
    command = [sys.executable, "-m", "segjt", "segment", str(tmp_path / "large.png"), "-o", str(tmp_path / "out")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr == "segjt: interrupted\n"
    assert not (tmp_path / "out").exists()


def test_wrong_values_in_a_config_file_name_the_file(run, tmp_path):
    (tmp_path / "my.toml").write_text("\ufeffbins = 99\n", encoding="utf-8")
    done = run("config", "--config", tmp_path / "my.toml")
    assert done.returncode == 2
    assert "my.toml: bins = 99 is out of range" in done.stderr
