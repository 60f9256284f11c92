"""Scores of object maps against their definition, which searches for the best matching."""

import numpy as np
import pytest
from reference import instances as reference

from segjt.evaluation.instances import THRESHOLDS, InstanceScore, instance_score, matches


def random_maps(seed):
    """A few rectangles, and the same moved and changed a little, with labels far from one another."""
    rng = np.random.default_rng(seed)
    labels, truth = np.zeros((2, 14, 17), np.int32)
    for number in range(rng.integers(6)):
        y, x, height, width = *rng.integers(0, 12, 2), *rng.integers(1, 8, 2)
        dy, dx, dh, dw = np.maximum(rng.integers(-1, 2, 4), [-y, -x, 1 - height, 1 - width])
        truth[y : y + height, x : x + width] = 3 * number + 2
        if rng.random() < 0.8:
            labels[y + dy : y + dy + height + dh, x + dx : x + dx + width + dw] = 40 - 7 * number
    return labels, truth


@pytest.mark.parametrize("seed", range(40))
def test_the_definition(seed):
    labels, truth = random_maps(seed)
    score = instance_score(labels, truth)
    precisions = []
    for threshold in THRESHOLDS:
        TP, FP, FN = reference.counts(labels, truth, threshold)
        assert score.matched[THRESHOLDS.index(threshold)] == TP
        assert score.f1(threshold) == (2 * TP / (2 * TP + FP + FN) if TP + FP + FN else 1)
        precisions.append(TP / (TP + FP + FN) if TP + FP + FN else 1)
        assert sorted(matches(labels, truth, threshold).items()) == sorted(
            reference.pairs_above(labels, truth, threshold)
        )
    assert score.average_precision == pytest.approx(np.mean(precisions))
    assert (score.found, score.true) == (len(np.unique(labels[labels > 0])), len(np.unique(truth[truth > 0])))


@pytest.mark.parametrize("seed", range(20))
def test_a_match_above_one_half_is_unique(seed):
    rng = np.random.default_rng(seed)
    labels, truth = np.repeat(np.repeat(rng.integers(0, 4, (2, 3, 3)), 2, axis=1), 2, axis=2)
    pairs = reference.pairs_above(labels, truth, 50)
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)


def test_an_iou_of_one_half_is_no_match():
    truth = np.array([[1, 1, 0, 2, 2, 2]])
    labels = np.array([[5, 0, 0, 7, 7, 0]])
    score = instance_score(labels, truth)
    assert matches(labels, truth) == {7: 2}  # 1/2 and 2/3
    assert score == InstanceScore(2, 2, (1, 1, 1, 1, *[0] * 6))
    assert (score.f1(), score.f1(65), score.f1(70)) == (0.5, 0.5, 0)
    assert score.average_precision == pytest.approx(4 * (1 / 3) / 10)


def test_thresholds_are_exact():
    """11 of 20 pixels are an IoU of 0.55, which round-off must not put above the threshold."""
    truth = np.ones((1, 20), int)
    labels = np.zeros((1, 20), int)
    labels[0, :11] = 1
    assert instance_score(labels, truth).matched == (1, *[0] * 9)
    for threshold in THRESHOLDS[1:]:
        labels[0] = np.arange(20) < threshold // 5
        at = THRESHOLDS.index(threshold)
        assert instance_score(labels, truth).matched[at - 1 : at + 1] == (1, 0)


def test_pieces_of_an_object_do_not_match_it():
    truth = np.ones((4, 4), int)
    labels = np.repeat([[1, 2, 3, 4]], 4, axis=0)
    score = instance_score(labels, truth)
    assert (score.f1(), score.average_precision, score.count_error, score.relative_count_error) == (0, 0, 3, 3)
    assert instance_score(truth, labels).relative_count_error == 0.75


def test_nothing_to_find_and_nothing_found():
    nothing, one = np.zeros((3, 4), int), np.ones((3, 4), int)
    assert instance_score(nothing, nothing) == InstanceScore(0, 0, (0,) * 10)
    for score, value in (
        (instance_score(nothing, nothing), 1),
        (instance_score(one, nothing), 0),
        (instance_score(nothing, one), 0),
        (instance_score(one, one), 1),
    ):
        assert {score.f1(threshold) for threshold in THRESHOLDS} == {score.average_precision} == {value}
    assert instance_score(one, nothing).relative_count_error == instance_score(one, nothing).count_error == 1
    assert instance_score(nothing, one).relative_count_error == 1
    assert matches(nothing, one) == matches(nothing, nothing) == {}


def test_mistakes():
    with pytest.raises(ValueError, match=r"labels have the shape \(2, 3\) and the truth \(3, 2\)"):
        instance_score(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="threshold = 40 is out of range: below 50 percent an object could match sev"):
        matches(np.ones((2, 3)), np.ones((2, 3)), 40)
