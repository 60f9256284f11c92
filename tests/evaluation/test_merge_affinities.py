import os
import subprocess
import sys

import numpy as np
import pytest
from benchmark_data import make_weizmann

from segjt.datasets import weizmann
from segjt.evaluation import merge_affinities
from segjt.evaluation.grid import read_grid
from segjt.evaluation.units import label_map
from segjt.evaluation.weizmann import one_segment

GRID = """
[[kernel]]
kernel = "jt2"
[[merge]]
merge_method = ["spectral", "ncut"]
merge_affinity = ["bhattacharyya", "jensen_tsallis", "jensen_tsallis_neighbours"]
bins = 8
power = [4, 16]
n_segments = [2, 4]
"""


@pytest.fixture
def grid(tmp_path):
    path = tmp_path / "affinities.toml"
    path.write_text(GRID)
    return path


def test_scores_are_those_of_segment(tmp_path, grid):
    make_weizmann(tmp_path)
    items = weizmann(tmp_path)
    (unit,) = read_grid(str(grid)).rows()[0].units
    f = merge_affinities.object_scores(items, unit)
    assert f.shape == (3, 24)
    for place, setting in list(enumerate(unit.settings()))[::5]:
        labels = label_map(items[1].image(), "segjt", setting)
        assert f[1, place] == pytest.approx(one_segment(labels, items[1].truth()[0]).f, abs=1e-6)


def test_settings_are_chosen_on_other_images():
    f = np.random.default_rng(0).random((20, 6))
    for image, setting in enumerate(merge_affinities.chosen_settings(f)):
        others = np.arange(20) % merge_affinities.FOLDS != image % merge_affinities.FOLDS
        assert f[others].mean(0)[setting] == f[others].mean(0).max()


def test_the_command_compares_every_affinity(tmp_path, grid):
    make_weizmann(tmp_path)
    command = [sys.executable, "-m", "segjt.evaluation.merge_affinities", "--grid", str(grid)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env=os.environ | {"SEGJT_DATA": str(tmp_path)}
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "3 images" in lines[0]
    assert sorted(line.split()[:2] for line in lines[2:]) == sorted(
        [merge, affinity]
        for merge in ("spectral", "ncut")
        for affinity in ("bhattacharyya", "jensen_tsallis", "jensen_tsallis_neighbours")
    )
