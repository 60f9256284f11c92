import numpy as np
import pytest

from segjt.evaluation import berkeley
from segjt.evaluation.boundaries import BoundaryTruth
from segjt.evaluation.scorers import RegionScorer, merged, scorer_of


def test_overlaps_add_up_for_regions():
    rng = np.random.default_rng(0)
    small = rng.integers(1, 40, (30, 20))
    people = rng.integers(1, 6, (3, 30, 20)).astype(np.int32)
    people[1] += 4
    scorer = scorer_of(people)
    assert isinstance(scorer, RegionScorer)
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
