import numpy as np
import pytest
from benchmark_data import cells

from segjt.evaluation import peers
from segjt.evaluation.instances import instance_score
from segjt.evaluation.object_peers import OBJECT_PEERS, bright_objects, cleaned
from segjt.evaluation.scorers import InstanceScorer
from segjt.evaluation.unit_of_work import Unit
from segjt.evaluation.units import label_map, run_unit


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", OBJECT_PEERS)
def test_bright_and_dark_cells_are_found(name, dark):
    image, truth = cells(3, dark=dark)
    labels = peers.peer_labels(image, name, {})
    assert (labels.shape, labels.dtype) == (truth.shape, np.int32)
    assert np.unique(labels).tolist() == list(range(labels.max() + 1))
    assert (labels == peers.peer_labels(image, name, {})).all()
    assert instance_score(labels, truth).f1() == 1
    assert name in peers.TITLES


@pytest.mark.parametrize("name", ["otsu_watershed", "local_watershed"])
def test_cells_that_touch_are_split(name):
    y, x = np.mgrid[:50, :60]
    truth = np.where((y - 25) ** 2 + (x - 20) ** 2 < 100, 1, 0) + np.where((y - 25) ** 2 + (x - 38) ** 2 < 90, 2, 0)
    truth[truth == 3] = 1
    image = np.repeat((30 + 150 * (truth > 0))[:, :, None], 3, axis=2).astype(np.uint8)
    assert instance_score(peers.peer_labels(image, name, {}), truth).f1(70) == 1


@pytest.mark.parametrize("name", OBJECT_PEERS)
@pytest.mark.parametrize("shape", [(24, 30), (1, 1), (1, 7)])
def test_one_colour_has_no_objects(name, shape):
    assert not peers.peer_labels(np.full((*shape, 3), 90, np.uint8), name, {}).any()


@pytest.mark.parametrize("name", OBJECT_PEERS)
def test_a_unit_is_scored_with_its_background(name):
    image, truth = cells(1)
    result = run_unit(image, Unit(name, {}, ({"min_size": [20, 5000]},)), InstanceScorer(truth[None]))
    expected = instance_score(label_map(image, name, {"min_size": 20}), truth)
    assert result.scores == [[expected.true, expected.found, *expected.matched], [5, 0, *[0] * 10]]


def test_objects_are_on_the_smaller_side_of_the_threshold():
    image, truth = cells(0)
    for dark in (False, True):
        bright = bright_objects(255 - image if dark else image, 1.0)
        assert bright[truth > 0].mean() > bright[truth == 0].mean()


def test_holes_and_specks_are_cleaned_away():
    mask = np.zeros((9, 12), bool)
    mask[1:6, 1:6], mask[3, 3], mask[7, 9:11] = True, False, True
    assert cleaned(mask, 3).sum() == 25
    assert cleaned(mask, 2).sum() == 27
    assert not cleaned(mask, 26).any()
