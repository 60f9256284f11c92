from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from segjt.evaluation.scores import (
    adjusted_rand_index,
    best_f_measure,
    f_measures,
    hungarian_accuracy,
    normalized_mutual_information,
    purity,
    region_f_measures,
)

CLUSTERING_SCORES = [adjusted_rand_index, normalized_mutual_information, purity, hungarian_accuracy]


def test_f_by_hand():
    labels = np.repeat([1, 2], [10, 10])
    truth = np.zeros(20, bool)
    truth[4:12] = True  # 6 pixels in segment 1, 2 in segment 2
    np.testing.assert_allclose(f_measures(labels, truth), [2 * 6 / 18, 2 * 2 / 18])
    assert best_f_measure(labels, truth) == 2 * 6 / 18


def test_segments_of_five_pixels_are_skipped():
    truth = np.repeat([True, False], [5, 20])
    assert best_f_measure(np.repeat([1, 2], [5, 20]), truth) == 0
    truth = np.repeat([True, False], [6, 20])
    assert best_f_measure(np.repeat([1, 2], [6, 20]), truth) == 1


def test_a_segment_need_not_be_connected_and_zero_is_one():
    labels = np.repeat([0, 1, 0], [10, 10, 10])
    assert best_f_measure(labels, labels == 0) == 1


def test_regions():
    truth = np.repeat([3, 7], [10, 30])
    assert region_f_measures(np.ones(40, int), truth) == {3: 20 / 50, 7: 60 / 70}


def test_wrong_truth():
    with pytest.raises(ValueError, match="no pixel"):
        best_f_measure(np.ones(4), np.zeros(4))
    with pytest.raises(ValueError, match=r"shape \(4,\) and the truth \(5,\)"):
        best_f_measure(np.ones(4), np.ones(5))


# Three clusters, two classes: [[3, 1], [0, 2], [2, 0]].
CLUSTERS = np.repeat([5, 7, 9], [4, 2, 2])
CLASSES = np.array(["a", "a", "a", "b", "b", "b", "a", "a"])


def test_nmi_by_hand():
    # Four clusters of one point (2 bits), two classes of two (1 bit): 1 bit is shared.
    assert normalized_mutual_information([0, 1, 2, 3], [0, 0, 1, 1]) == pytest.approx(1 / np.sqrt(2), rel=1e-14)


def test_purity_and_hungarian_accuracy_by_hand():
    assert purity(CLUSTERS, CLASSES) == (3 + 2 + 2) / 8
    assert hungarian_accuracy(CLUSTERS, CLASSES) == (3 + 2) / 8  # the third cluster has no class left
    assert hungarian_accuracy(CLASSES, CLUSTERS) == (3 + 2) / 8
    assert purity(np.arange(8), CLASSES) == 1
    assert hungarian_accuracy(np.arange(8), CLASSES) == 2 / 8


partitions = st.integers(1, 40).flatmap(lambda n: st.tuples(*2 * [st.lists(st.integers(0, 5), min_size=n, max_size=n)]))


@given(partitions)
def test_agrees_with_scikit_learn(pair):
    labels, truth = pair
    expected = normalized_mutual_info_score(truth, labels, average_method="geometric")
    assert normalized_mutual_information(labels, truth) == pytest.approx(expected, abs=1e-12)


@given(st.tuples(*2 * [st.lists(st.integers(0, 3), min_size=12, max_size=12)]))
def test_the_matching_is_the_best_of_all(pair):
    labels, truth = (np.array(part) for part in pair)
    best = max((np.array(names)[labels] == truth).mean() for names in permutations(range(4)))
    assert hungarian_accuracy(labels, truth) == pytest.approx(best)
    assert best <= purity(labels, truth) + 1e-12


@pytest.mark.parametrize("score", CLUSTERING_SCORES)
def test_names_of_clusters_do_not_matter(score):
    rng = np.random.default_rng(0)
    labels, truth = rng.integers(0, 4, 50), rng.integers(0, 3, 50)
    assert score(np.array([7, -1, 3, 0])[labels], truth.astype(str)) == pytest.approx(score(labels, truth))
    assert score(truth, np.array(list("xyz"))[truth]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("labels", "truth"),
    [
        ([0] * 6, [0] * 6),
        (range(6), range(6)),
        ([0] * 6, range(6)),
        ([0] * 6, [0, 0, 0, 1, 1, 1]),
        ([3], [4]),
        ([], []),
    ],
)
def test_trivial_partitions_are_as_in_scikit_learn(labels, truth):
    for first, second in ((list(labels), list(truth)), (list(truth), list(labels))):
        assert adjusted_rand_index(first, second) == adjusted_rand_score(second, first)
        expected = normalized_mutual_info_score(second, first, average_method="geometric")
        assert normalized_mutual_information(first, second) == pytest.approx(expected, abs=1e-15)
        assert 0 < hungarian_accuracy(first, second) <= purity(first, second) <= 1


@pytest.mark.parametrize("score", CLUSTERING_SCORES)
def test_labels_and_truth_of_different_length(score):
    with pytest.raises(ValueError, match="3 points and the truth 4"):
        score([0, 1, 2], [0, 1, 2, 3])
