import numpy as np
import pytest
from sklearn.metrics import rand_score

from segjt.datasets import bsds
from segjt.evaluation.berkeley import (
    RegionScore,
    berkeley_score,
    covering,
    mean_score,
    rand_index,
    region_score,
    variation_of_information,
)
from segjt.evaluation.scores import contingency

# Six pixels: segments of 4 and 2, regions of 3 and 3.
LABELS = np.array([[1, 1, 1, 1, 2, 2]])
TRUTH = np.array([[5, 5, 5, 6, 6, 6]])
TABLE = contingency(LABELS, TRUTH)


def test_covering_by_hand():
    # Region 5: 3 / 4 of segment 1. Region 6: max(1 / 6, 2 / 3). Covering is not symmetric.
    assert covering(TABLE) == pytest.approx((3 * 3 / 4 + 3 * 2 / 3) / 6)
    assert covering(TABLE.T) == pytest.approx((4 * 3 / 4 + 2 * 2 / 3) / 6)


def test_rand_index_by_hand():
    # 15 pairs: 3 + 1 together in both, 3 together in LABELS only, 2 in TRUTH only.
    assert rand_index(TABLE) == pytest.approx((15 - 3 - 2) / 15)
    assert rand_index(TABLE) == rand_index(TABLE.T)


def test_variation_of_information_is_in_bits():
    two, four = np.array([0, 0, 1, 1]), np.arange(4)
    assert variation_of_information(contingency(four, two)) == pytest.approx(1)
    assert variation_of_information(contingency(four, np.zeros(4))) == pytest.approx(2)
    assert variation_of_information(contingency([0, 0, 1, 1], [0, 1, 0, 1])) == pytest.approx(2)
    assert variation_of_information(TABLE) == pytest.approx(variation_of_information(TABLE.T))


def test_equal_maps_and_a_single_pixel():
    labels = np.random.default_rng(0).integers(0, 9, (7, 8))
    score = region_score(labels, np.stack([labels + 3, labels]))
    assert score == RegionScore(covering=1, pri=1, voi=0, weight=112)
    assert region_score([[4]], [[[2]]]) == RegionScore(1, 1, 0, 1)


def test_score_is_the_mean_over_people():
    score = region_score(LABELS, np.stack([TRUTH, LABELS]))
    assert score.covering == pytest.approx((covering(TABLE) + 1) / 2)
    assert score.pri == pytest.approx((rand_index(TABLE) + 1) / 2)
    assert score.voi == pytest.approx(variation_of_information(TABLE) / 2)
    assert score.weight == 12


def test_wrong_shapes():
    for labels, truth in ((np.ones((2, 3)), np.ones((2, 3))), (np.ones((2, 3)), np.ones((4, 3, 2)))):
        with pytest.raises(ValueError, match=r"give \(H, W\) and \(people, H, W\)"):
            region_score(labels, truth)
    with pytest.raises(ValueError, match=r"truth \(0, 2, 3\)"):
        region_score(np.ones((2, 3)), np.ones((0, 2, 3)))


def test_ods_and_ois_by_hand():
    # Two images; the second has three times the pixels times people. Each score has its own best setting.
    scores = {
        "coarse": [RegionScore(0.5, 0.9, 2.0, 100), RegionScore(0.7, 0.6, 1.0, 300)],
        "fine": [RegionScore(0.9, 0.7, 1.5, 100), RegionScore(0.6, 0.7, 1.7, 300)],
    }
    total = berkeley_score(scores)
    assert total.images == 2
    # Covering is pooled over regions: (0.5 + 3 * 0.7) / 4 = 0.65 and (0.9 + 3 * 0.6) / 4 = 0.675.
    assert (total.covering.setting, total.covering.ods) == ("fine", pytest.approx(0.675))
    assert total.covering.ois == pytest.approx((0.9 + 3 * 0.7) / 4)
    assert (total.pri.setting, total.pri.ods, total.pri.ois) == ("coarse", pytest.approx(0.75), pytest.approx(0.8))
    assert (total.voi.setting, total.voi.ods, total.voi.ois) == ("coarse", pytest.approx(1.5), pytest.approx(1.25))
    only = berkeley_score({4: scores["fine"]})
    assert (only.covering.ods, only.pri.ods, only.voi.ods) == (only.covering.ois, only.pri.ois, only.voi.ois)
    assert mean_score(scores["fine"]) == RegionScore(pytest.approx(0.675), pytest.approx(0.7), pytest.approx(1.6), 400)


def test_pooled_covering_is_that_of_all_regions_together():
    """The mean with weights against Berkeley's way: sums over all regions of all people of all images."""
    rng = np.random.default_rng(3)
    images = [
        (rng.integers(0, 4, (6, 5)), rng.integers(0, 3, (3, 6, 5))),
        (rng.integers(0, 5, (9, 8)), rng.integers(0, 6, (2, 9, 8))),
    ]
    covered = area = 0
    for labels, people in images:
        for person in people:
            for region in np.unique(person):
                inside = person == region
                overlaps = [
                    (inside & (labels == label)).sum() / (inside | (labels == label)).sum()
                    for label in np.unique(labels)
                ]
                covered += inside.sum() * max(overlaps)
                area += inside.sum()
    assert mean_score([region_score(*image) for image in images]).covering == pytest.approx(covered / area, rel=1e-12)


def test_settings_with_different_images():
    score = RegionScore(0.5, 0.5, 1.0, 10)
    with pytest.raises(ValueError, match=r"scores of \[1, 2\] images"):
        berkeley_score({1: [score], 2: [score, score]})
    with pytest.raises(ValueError, match="scores of different images"):
        berkeley_score({1: [score], 2: [RegionScore(0.5, 0.5, 1.0, 11)]})
    for empty in ({}, {1: []}):
        with pytest.raises(ValueError, match="give every setting"):
            berkeley_score(empty)


def slow_scores(labels, truth):
    """Covering, Rand index and VoI by their definitions, over all pairs of pixels, on a small map."""
    a, b = labels.ravel(), truth.ravel()
    covered = sum(
        max((np.sum((a == s) & (b == t)) / np.sum((a == s) | (b == t))) for s in set(a)) * np.sum(b == t)
        for t in set(b)
    )
    agree = [(a[i] == a[j]) == (b[i] == b[j]) for i in range(len(a)) for j in range(i)]
    voi = 0.0
    for s in set(a):
        for t in set(b):
            p = np.mean((a == s) & (b == t))
            if p:
                voi -= p * (np.log2(p / np.mean(a == s)) + np.log2(p / np.mean(b == t)))
    return covered / len(a), np.mean(agree), voi


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_an_independent_check_on_random_maps(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 12, 2))
    labels, truth = rng.integers(-2, 6, shape), rng.integers(0, rng.integers(1, 9), shape)
    score = region_score(labels, truth[None])
    assert (score.covering, score.pri, score.voi) == pytest.approx(slow_scores(labels, truth), abs=1e-12)


def test_agrees_with_scikit_image_on_real_truth(data_folder):
    from skimage.metrics import variation_of_information as both_entropies

    for item in bsds(data_folder)[::12]:
        truth = item.truth()
        y, x = np.mgrid[: truth.shape[1], : truth.shape[2]]
        for labels in (truth[0], truth[1], (y // 60) * 20 + x // 60):
            score = region_score(labels, truth[2:])
            voi = np.mean([sum(both_entropies(person, labels)) for person in truth[2:]])
            rand = np.mean([rand_score(person.ravel(), labels.ravel()) for person in truth[2:]])
            assert score.voi == pytest.approx(voi, rel=1e-9)
            assert score.pri == pytest.approx(rand, rel=1e-12)
