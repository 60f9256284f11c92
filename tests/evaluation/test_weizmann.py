import numpy as np
import pytest

from segjt.datasets import weizmann
from segjt.datasets.weizmann_database import painted
from segjt.evaluation.scores import best_f_measure
from segjt.evaluation.weizmann import (
    ImageScore,
    SegmentScore,
    best_segment,
    database_score,
    fragmentation,
    one_segment,
    score_fixed,
    score_hierarchy,
    score_tuned,
)


def row(*runs):
    """A map one pixel high, of runs (label, length)."""
    return np.repeat([label for label, _ in runs], [length for _, length in runs])[None]


def test_one_segment_by_hand():
    # 8 of the 10 pixels of segment 7 are of the object, which has 16: precision and recall are not the same.
    labels = row((3, 10), (7, 10), (4, 10))
    truth = row((False, 2), (True, 6), (False, 2), (True, 8), (False, 10), (True, 2))
    assert one_segment(labels, truth) == SegmentScore(f=2 * 8 / 26, precision=8 / 10, recall=8 / 16, label=7)


def test_precision_and_recall_are_not_swapped():
    labels = row((1, 10), (2, 30))
    inside = one_segment(labels, row((True, 20), (False, 20)))
    assert (inside.label, inside.precision, inside.recall) == (1, 1, 0.5)
    around = one_segment(labels, row((False, 10), (True, 20), (False, 10)))
    assert (around.label, around.precision, around.recall) == (2, 2 / 3, 1)


def test_segments_of_five_pixels_are_skipped():
    truth = row((True, 5), (False, 20))
    score = one_segment(row((1, 5), (2, 20)), truth)
    assert score == SegmentScore(0, 0, 0, None)
    assert one_segment(row((1, 6), (2, 19)), truth) == SegmentScore(10 / 11, 5 / 6, 1, 1)
    # A skipped segment does not hide the next best one.
    assert one_segment(row((1, 5), (2, 20)), row((True, 6), (False, 19))) == SegmentScore(2 / 26, 1 / 20, 1 / 6, 2)


def test_label_zero_and_negative_labels_are_segments():
    for label in (0, -4, 70000):
        labels = np.where(row((True, 8), (False, 12)), label, 1)
        assert one_segment(labels, labels == label) == SegmentScore(1, 1, 1, label)


def test_a_disconnected_segment_is_one():
    labels = row((5, 4), (1, 10), (5, 4))
    assert one_segment(labels, labels == 5) == SegmentScore(1, 1, 1, 5)


def test_a_tie_goes_to_the_lowest_label_and_the_first_map():
    labels = row((9, 10), (2, 10))
    truth = row((True, 20))
    assert one_segment(labels, truth).label == 2
    assert best_segment([labels, labels], truth).place == 0


def test_several_maps():
    truth = row((True, 10), (False, 10))
    maps = [row((1, 20)), row((1, 4), (2, 7), (3, 9)), row((1, 11), (2, 9)), row((4, 12), (5, 8))]
    score = best_segment(iter(maps), truth)
    assert score == SegmentScore(20 / 21, 10 / 11, 1, 1, place=2)
    with pytest.raises(ValueError, match="nothing to choose"):
        best_segment([], truth)


def test_fragmentation_by_hand():
    # Of the object's 20 pixels segment 1 has 8 of 8, 2 has 6 of 10, 3 has 5 of 10 (not more than half), 4 has 1 of 1.
    labels = row((1, 8), (2, 10), (3, 10), (4, 1), (0, 11))
    truth = row((True, 14), (False, 4), (True, 5), (False, 5), (True, 1), (False, 11))
    score = fragmentation(labels, truth)
    assert (score.segments, score.precision, score.recall) == (3, 15 / 19, 15 / 20)
    assert score.f == 2 * 15 / (19 + 20)
    assert fragmentation(row((1, 40)), row((True, 20), (False, 20))).segments == 0
    assert fragmentation(truth, truth).f == 1


def test_fragments_may_be_tiny():
    labels = np.arange(30)[None]
    score = fragmentation(labels, row((True, 12), (False, 18)))
    assert (score.f, score.segments) == (1, 12)


def test_two_objects_are_scored_separately():
    red, blue = row((True, 10), (False, 30)), row((False, 20), (True, 20))
    labels = row((1, 10), (2, 10), (3, 10), (4, 10))
    score = score_fixed(labels, np.stack([red, blue]))
    assert [(segment.label, segment.f) for segment in score.objects] == [(1, 1), (3, 20 / 30)]
    assert score.f == pytest.approx((1 + 20 / 30) / 2)
    # Each object has the best segment of all maps.
    best = score_tuned([score, score_fixed(row((1, 20), (2, 20)), np.stack([red, blue]))])
    assert [(segment.label, segment.f, segment.place) for segment in best.objects] == [(1, 1, 0), (2, 1, 1)]
    assert best.f == 1


def test_modes_are_kept_apart():
    truth = row((True, 10), (False, 10))[None]
    fine, coarse, other = row((1, 6), (2, 6), (3, 8)), row((1, 12), (2, 8)), row((1, 10), (2, 10))
    one = score_fixed(fine, truth)
    tree = score_hierarchy([coarse, fine, row((1, 20))], truth)
    best = score_tuned([one, score_fixed(other, truth)])
    assert [score.mode for score in (one, tree, best)] == ["fixed", "hierarchy", "tuned"]
    assert [score.f for score in (one, tree, best)] == [12 / 16, 20 / 22, 1]
    assert (tree.objects[0].place, best.objects[0].place) == (0, 1)
    with pytest.raises(ValueError, match="not a hierarchy: a segment of a finer map lies in several"):
        score_hierarchy([fine, other], truth)
    with pytest.raises(ValueError, match="these are of fixed, tuned"):
        database_score([one, best])
    with pytest.raises(ValueError, match="20 and 19 pixels"):
        score_hierarchy([fine, row((1, 19))], truth)
    with pytest.raises(ValueError, match="different numbers of objects"):
        score_tuned([one, ImageScore("fixed", one.objects * 2)])
    with pytest.raises(ValueError, match="these are of none"):
        database_score([])


def test_mean_and_standard_error():
    def score(f):
        return ImageScore("fixed", (SegmentScore(f, 1, 1, 1),))

    total = database_score([score(0.5), score(0.7), score(0.9)])
    assert (total.mode, total.images) == ("fixed", 3)
    assert total.f == pytest.approx(0.7)
    assert total.standard_error == pytest.approx(0.2 / np.sqrt(3))
    assert np.isnan(database_score([score(0.5)]).standard_error)


def test_wrong_truth():
    with pytest.raises(ValueError, match=r"shape \(2, 3\) and the truth \(3, 2\)"):
        one_segment(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="no pixel that belongs to the object"):
        fragmentation(np.ones((2, 3)), np.zeros((2, 3)))
    for truth in (np.ones((2, 3), bool), np.ones((1, 2, 3), int), np.ones((0, 2, 3), bool)):
        with pytest.raises(ValueError, match=r"give bool masks of shape \(objects, H, W\)"):
            score_fixed(np.ones((2, 3), int), truth)


def slow_one_segment(labels, truth):
    """The rule in plain words: sets of pixels."""
    pixels = {}
    object_ = set()
    for y in range(labels.shape[0]):
        for x in range(labels.shape[1]):
            pixels.setdefault(int(labels[y, x]), set()).add((y, x))
            if truth[y, x]:
                object_.add((y, x))
    best = (0.0, 0.0, 0.0, None)
    for label in sorted(pixels):
        segment = pixels[label]
        if len(segment) > 5 and segment & object_:
            precision = len(segment & object_) / len(segment)
            recall = len(segment & object_) / len(object_)
            f = 2 * precision * recall / (precision + recall)
            if f > best[0] + 1e-12:
                best = (f, precision, recall, label)
    fragments = [segment for segment in pixels.values() if len(segment & object_) / len(segment) > 0.5]
    union = set().union(*fragments)
    return best, 2 * len(union & object_) / (len(union) + len(object_)), len(fragments)


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_an_independent_check_on_random_maps(seed):
    rng = np.random.default_rng(seed)
    height, width = rng.integers(5, 25, 2)
    labels = rng.integers(-3, rng.choice([2, 10, 60]), (height, width))
    truth = rng.random((height, width)) < rng.choice([0.1, 0.4, 0.9])
    truth |= labels == labels[0, 0]
    (f, precision, recall, label), union_f, fragments = slow_one_segment(labels, truth)
    score = one_segment(labels, truth)
    assert (score.f, score.precision, score.recall) == pytest.approx((f, precision, recall), abs=1e-12)
    assert score.label == label
    assert best_f_measure(labels, truth) == score.f
    pieces = fragmentation(labels, truth)
    assert pieces.f == pytest.approx(union_f, abs=1e-12)
    assert pieces.segments == fragments


def test_one_person_against_the_majority(data_folder):
    """Alpert et al. give 0.97 for all 100 images: loader and score together reproduce it."""
    scores = []
    for item in weizmann(data_folder):
        for file in item.truth_files:
            scores.append(score_fixed(painted(file, 1)[0], item.truth()))
    assert database_score(scores).f == pytest.approx(0.97, abs=0.01)
