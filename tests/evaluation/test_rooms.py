import re
import subprocess
import sys

import pytest
from conftest import REPOSITORY
from PIL import Image

from segjt.datasets import SAMPLES_FOLDER
from segjt.evaluation.rooms import Visit, room_of, trace
from segjt.merging import cues
from segjt.runtime import threads

# The path of an image in ARCHITECTURE.md.
ORDER = ["io", "superpixels", "region_graph", "merging", "trees", "results", "io"]


@pytest.fixture(scope="module")
def visits(tmp_path_factory, crop):
    path = tmp_path_factory.mktemp("trace") / "photo.png"
    Image.fromarray(crop).save(path)
    return trace(str(path), "--workers", "2")


def test_an_image_enters_each_room_once_and_in_order(visits):
    assert [visit.room for visit in visits] == ORDER


def test_kernels_and_spectral_are_entered_from_superpixels_only(visits):
    for visit in visits:
        within = {inner.room for inner in visit.visits}
        assert ({"kernels", "spectral"} <= within) == (visit.room == "superpixels")
        assert not {"kernels", "spectral"} & within or visit.room == "superpixels"


def test_blocks_of_all_threads_are_counted(visits):
    """A crop of 48 x 64 pixels has 24 blocks of 12 x 12; the kernel compares the pixels of each once."""
    (superpixels,) = [visit for visit in visits if visit.room == "superpixels"]
    (kernels,) = [visit for visit in superpixels.visits if visit.room == "kernels"]
    assert kernels.entries >= 24


def test_architecture_shows_this_trace():
    """Rooms and indents of the listing in ARCHITECTURE.md; counts and functions may differ."""

    def rooms(lines):
        return [re.match(r" *\w+", line)[0] for line in lines]

    guide = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (listing,) = re.findall(r"<!-- trace -->\n```\n(.*?)```", guide, re.S)
    visits = trace(str(SAMPLES_FOLDER / "landscape.png"))
    assert rooms(listing.splitlines()) == rooms(line for visit in visits for line in visit.lines())


def test_repeated_visits_are_one_line():
    outside = Visit("outside")
    outside.enter("io", "read", in_order=True)
    blocks = outside.enter("superpixels", "cut", in_order=True)
    for _ in range(3):
        blocks.enter("kernels", "affinity", in_order=False)
        blocks.enter("spectral", "eigenvectors", in_order=False)
    outside.enter("io", "encode", in_order=True)
    outside.enter("io", "write", in_order=True)
    assert [line for visit in outside.visits for line in visit.lines()] == [
        "io: read",
        "superpixels: cut",
        "    kernels (3 times): affinity",
        "    spectral (3 times): eigenvectors",
        "io (2 times): encode, write",
    ]


def test_rooms_are_folders():
    assert room_of(cues.__file__) == "merging"
    assert room_of(threads.__file__) is None
    assert room_of(subprocess.__file__) is None


def test_on_the_command_line(image_file, tmp_path):
    command = [sys.executable, "-m", "segjt.evaluation.rooms"]
    done = subprocess.run([*command, image_file], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("io")
    assert "    kernels (" in done.stdout
    missing = subprocess.run([*command, tmp_path / "none.png"], capture_output=True, text=True, check=False)
    assert missing.returncode == 2
    assert "none.png: no such file" in missing.stderr
    assert missing.stdout == ""
