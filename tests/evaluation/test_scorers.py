import numpy as np
import pytest
from benchmark_data import make_bsds, make_nuclei, make_weizmann

from segjt.datasets import bsds, nuclei, weizmann
from segjt.evaluation import berkeley, instances
from segjt.evaluation.boundaries import BoundaryTruth
from segjt.evaluation.scorers import InstanceScorer, ObjectScorer, RegionScorer, merged, scorer_of


def test_overlaps_add_up_for_regions():
    rng = np.random.default_rng(0)
    small = rng.integers(1, 40, (30, 20))
    people = rng.integers(1, 6, (3, 30, 20)).astype(np.int32)
    people[1] += 4
    scorer = RegionScorer(people)
    small = np.unique(small, return_inverse=True)[1].reshape(small.shape) + 1
    groups = rng.integers(0, 5, small.max())
    labels = groups[small - 1]
    regions, boundaries = berkeley.region_score(labels, people), BoundaryTruth(people).counts(labels)
    scores = scorer.score(scorer.count(small.astype(np.int32)).merged(groups))
    assert scores[:4] == pytest.approx([regions.covering, regions.pri, regions.voi, regions.weight], abs=1e-6)
    assert scores[4:] == [boundaries.precise, boundaries.drawn, boundaries.recalled, boundaries.true]


def test_merged_segments_are_numbered_as_they_first_occur():
    overlap = np.array([[5, 1], [7, 2], [2, 0], [4, 4]])
    assert merged(overlap, np.array([3, 0, 0, 3])).tolist() == [[9, 5], [9, 2]]


def object_map(rng, shape=(24, 20)):
    """An object map, with 0 for the background: squares of four pixels each, in the corners of larger ones."""
    labels = np.zeros(shape, np.int32)
    labels[::4, ::4] = rng.integers(0, 12, (shape[0] // 4, shape[1] // 4))
    return np.maximum(labels, np.roll(labels, 1, axis=1))


def test_overlaps_add_up_for_many_objects():
    """The largest of the merged segments is the background."""
    rng = np.random.default_rng(1)
    truth = object_map(rng)
    scorer = InstanceScorer(truth[None])
    small = np.arange(1, truth.size + 1).reshape(truth.shape)
    labels = np.where(rng.random(truth.shape) < 0.1, 0, truth)
    assert np.bincount(labels.ravel()).argmax() == 0
    expected = instances.instance_score(labels, truth)
    scores = scorer.score(scorer.count(small.astype(np.int32)).merged(labels.ravel().astype(np.intp)))
    assert scores == [expected.true, expected.found, *expected.matched]
    assert expected.matched[0] > expected.matched[-1]
    assert len(scores) == len(scorer.columns)


def test_an_object_map_says_which_pixels_are_background():
    truth = object_map(np.random.default_rng(2))
    scorer = InstanceScorer(truth[None])
    for labels in (truth, np.ones_like(truth), np.zeros_like(truth), truth + 1):
        expected = instances.instance_score(labels, truth)
        assert scorer.score_objects(labels) == [expected.true, expected.found, *expected.matched]
    # Where there are no objects every pixel is background; of segments the largest one is.
    whole = InstanceScorer(np.zeros((1, 3, 4), np.int32))
    assert whole.score_objects(np.zeros((3, 4))) == whole.score(whole.count(np.ones((3, 4), np.int32))) == [0] * 12
    assert whole.score_objects(np.ones((3, 4))) == [0, 1, *[0] * 10]


def test_background_is_a_segment_like_any_other_for_other_truths():
    labels = np.array([[0, 0, 2], [0, 1, 2]], np.int32)
    for scorer in (ObjectScorer((labels == 2)[None]), RegionScorer(labels[None])):
        assert scorer.score_objects(labels) == scorer.score(scorer.count(labels + 1))


def test_the_kind_of_truth_decides(tmp_path):
    make_weizmann(tmp_path, ("a",))
    make_bsds(tmp_path / "bsds500", ("train/1",))
    make_nuclei(tmp_path / "nuclei", ("a",))
    items = [weizmann(tmp_path)[0], bsds(tmp_path)[0], nuclei(tmp_path)[0]]
    assert [type(scorer_of(item)) for item in items] == [ObjectScorer, RegionScorer, InstanceScorer]
