"""Scores of a unit are those of `segjt.segment` with the same parameters, however much was shared to get them."""

import numpy as np
import pytest
from benchmark_data import cells, picture

import segjt
from segjt import pipeline
from segjt.evaluation import weizmann
from segjt.evaluation.instances import instance_score
from segjt.evaluation.scorers import InstanceScorer, ObjectScorer
from segjt.evaluation.unit_of_work import Unit
from segjt.evaluation.units import label_map, run_unit

MERGES = (
    {"merge_method": ["spectral"], "bins": [2, 32], "power": [4, 32.0], "n_segments": [9, "auto", 2, 4]},
    {"merge_method": ["cues", "ncut"], "bins": [8], "power": [12], "n_segments": [2, 3, 30, "auto", 7]},
    {"merge_method": ["cues"], "height": [-4.0, -3.0]},
)


def check_against_segment(image, truth, unit, every=1):
    result = run_unit(image, unit, ObjectScorer(truth))
    settings = unit.settings()
    assert len(result.scores) == len(result.seconds) == len(settings)
    for scores, setting in list(zip(result.scores, settings, strict=True))[::every]:
        labels = label_map(image, "segjt", setting)
        for number, mask in enumerate(truth):
            best, pieces = weizmann.one_segment(labels, mask), weizmann.fragmentation(labels, mask)
            expected = [best.f, best.precision, best.recall, best.label or 0, pieces.f, pieces.segments]
            assert scores[6 * number : 6 * number + 6] == pytest.approx(expected, abs=1e-6), setting


@pytest.mark.parametrize("stage_one", [{}, {"kernel": "jt2", "q": 1.5, "block_size": 32}, {"kernel": "gaussian"}])
def test_a_unit_scores_what_segment_gives(stage_one):
    image, disc, square = picture(1)
    check_against_segment(image, np.stack([disc, square]), Unit("segjt", stage_one, MERGES))


def test_shared_eigenvectors_of_a_large_graph(photograph):
    """A photograph has segments enough for Lanczos' method, and at bins = power = 32 gaps too small for it."""
    truth = np.zeros((1, *photograph.shape[:2]), bool)
    truth[0, 60:160, 80:220] = True
    merges = {"merge_method": ["spectral"], "bins": [8, 32], "power": [8, 32], "n_segments": [2, 3, 6, 12, 32]}
    check_against_segment(photograph, truth, Unit("segjt", {"kernel": "jt2"}, (merges,)), every=2)


def test_defaults_are_what_segment_does_without_parameters():
    image, disc, _ = picture(2)
    result = run_unit(image, Unit("segjt", {}, ({"n_segments": ["auto"]},)), ObjectScorer(disc[None]))
    assert result.scores[0][0] == pytest.approx(weizmann.one_segment(segjt.segment(image), disc).f, abs=1e-6)


def test_a_peer_scores_what_its_label_map_gives():
    image, disc, _ = picture(0)
    unit = Unit("felzenszwalb", {}, ({"scale": [20, 300], "min_size": [10]}, {"sigma": [2.0]}))
    result = run_unit(image, unit, ObjectScorer(disc[None]))
    assert unit.settings() == [{"min_size": 10, "scale": 20}, {"min_size": 10, "scale": 300}, {"sigma": 2.0}]
    for scores, setting in zip(result.scores, unit.settings(), strict=True):
        best = weizmann.one_segment(label_map(image, "felzenszwalb", setting), disc)
        assert scores[:4] == pytest.approx([best.f, best.precision, best.recall, best.label], abs=1e-6)


def test_of_a_map_without_background_the_largest_segment_is_it():
    image, truth = cells(0)
    unit = Unit("segjt", {}, ({"n_segments": ["auto", 2, 6]},))
    result = run_unit(image, unit, InstanceScorer(truth[None]))
    for scores, setting in zip(result.scores, unit.settings(), strict=True):
        labels = label_map(image, "segjt", setting)
        largest = np.bincount(labels.ravel()).argmax()
        expected = instance_score(np.where(labels == largest, 0, labels), truth)
        assert scores == [expected.true, expected.found, *expected.matched]
    assert result.scores[-1][2] == 5


def test_objects_are_scored_with_their_background(monkeypatch):
    """By a threshold in place of `segjt.objects`, whose own tests are elsewhere."""
    image, truth = cells(0)

    def by_threshold(image, q=1.0, workers=None):
        return np.where(image[:, :, 0] > 100 * q, truth, 0).astype(np.int32)

    monkeypatch.setattr(pipeline, "objects", by_threshold)
    result = run_unit(image, Unit("segjt objects", {}, ({"q": [1.0, 2.0]},)), InstanceScorer(truth[None]))
    assert result.scores == [[5, 5, *[5] * 10], [5, 0, *[0] * 10]]
    assert (label_map(image, "segjt objects", {"q": 1.0}) == truth).all()
