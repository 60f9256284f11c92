"""What a picture is taken for, and the map of each kind."""

import dataclasses

import numpy as np
import pytest
from skimage import data
from skimage.draw import disk

import segjt
from segjt.labels import connected_parts
from segjt.trees.kinds import CONFIDENT, FEWEST, are_objects, objects_and_ground
from segjt.trees.merge_tree import MergeTree


def discs(number):
    """Return a noisy grey picture of bright discs, and their map."""
    rng = np.random.default_rng(1)
    truth = np.zeros((120, 160), np.int32)
    for k in range(number):
        truth[disk((20 + 40 * (k // 4), 20 + 40 * (k % 4)), 11)] = k + 1
    image = np.where(truth > 0, 190, 60) + rng.normal(0, 4, truth.shape)
    return np.rint(image).astype(np.uint8), truth


@pytest.fixture(scope="module")
def coins():
    return segjt.hierarchy(data.coins())


def test_coins_are_objects_and_each_is_a_segment(coins):
    assert coins.kind == "objects"
    labels, objects = coins.cut(), coins.objects()
    assert (labels == coins.cut(find="objects")).all()
    assert labels.min() == 1
    assert np.unique(labels).tolist() == list(range(1, labels.max() + 1))
    for k in range(1, 25):
        inside = labels[objects == k]
        assert (inside == inside[0]).all()
        assert (labels == inside[0]).sum() == (objects == k).sum()
    assert connected_parts(labels).max() == labels.max()


def test_a_photograph_is_of_an_object_and_changes_nothing(photograph):
    tree = segjt.hierarchy(photograph)
    assert tree.kind == "object"
    assert (tree.cut() == tree.cut(tree.n_auto)).all()
    assert (segjt.segment(photograph) == tree.cut(find="object")).all()
    scene = tree.cut(find="scene")
    assert (scene == tree.cut_at(-4.45)).all()
    assert (segjt.segment(photograph, find="scene") == scene).all()
    assert (segjt.segment(photograph, 3, find="scene") == tree.cut(3)).all()


def test_discs_are_objects_in_a_file_too(tmp_path):
    image, _ = discs(12)
    tree = segjt.hierarchy(image)
    assert tree.kind == "objects"
    tree.save(tmp_path / "tree.npz")
    loaded = MergeTree.load(tmp_path / "tree.npz")
    assert loaded.kind == "objects"
    for find in ("auto", "object", "objects", "scene"):
        assert (loaded.cut(find=find) == tree.cut(find=find)).all()


def test_a_number_overrides_what_is_looked_for(coins):
    assert (coins.cut(5, find="objects") == coins.cut(5)).all()


@pytest.mark.parametrize("method", ["spectral", "ncut"])
def test_ways_to_merge_without_a_tree_take_the_number(crop, method):
    tree = segjt.hierarchy(crop)
    number = tree.cut(find="scene").max()
    assert segjt.segment(crop, find="scene", merge_method=method).max() == number
    assert segjt.segment(crop, merge_method=method).max() == tree.n_auto


def test_masked_pixels_stay_0_and_part_the_ground():
    image, truth = discs(12)
    mask = np.ones(truth.shape, bool)
    mask[:, 79:81] = False
    labels = segjt.segment(image, find="objects", mask=mask)
    assert ((labels == 0) == ~mask).all()
    assert labels[0, 0] != labels[0, -1]


def test_nothing_at_all():
    image = np.zeros((20, 20), np.uint8)
    for find in ("auto", "object", "objects", "scene"):
        assert segjt.segment(image, find=find).max() == 1
        assert segjt.segment(image, find=find, mask=np.zeros((20, 20), bool)).max() == 0


def test_a_tree_without_evidence_shows_an_object(photograph):
    bare = dataclasses.replace(segjt.hierarchy(photograph), evidence=None)
    assert bare.kind == "object"
    with pytest.raises(ValueError, match="no evidence"):
        bare.cut(find="objects")


def test_an_unknown_kind_names_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'scene'"):
        segjt.segment(np.zeros((9, 9)), find="scenes")


def test_few_or_unsure_are_no_objects():
    assert are_objects([CONFIDENT + 0.01] * FEWEST)
    assert not are_objects([CONFIDENT + 0.01] * (FEWEST - 1))
    assert not are_objects([CONFIDENT - 0.01] * FEWEST)
    assert not are_objects([])


def test_ground_falls_into_connected_parts():
    """A row of segments 0 1 2 3 4 5, of which 2 and 3 are an object: the ground has two parts."""
    ends = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    groups = objects_and_ground(np.array([0, 0, 1, 1, 0, 0], np.int32), ends)
    assert groups.tolist() == [1, 1, 0, 0, 2, 2]
