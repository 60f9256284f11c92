import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from segjt.labels import adjusted_rand_index, contingency, numbered

# Three clusters, two classes: [[3, 1], [0, 2], [2, 0]].
CLUSTERS = np.repeat([5, 7, 9], [4, 2, 2])
CLASSES = np.array(["a", "a", "a", "b", "b", "b", "a", "a"])

partitions = st.integers(1, 40).flatmap(lambda n: st.tuples(*2 * [st.lists(st.integers(0, 5), min_size=n, max_size=n)]))


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(0).integers(-5, 9, (7, 8)),
        np.array([3, 10**12, 3]),
        np.array([2**64 - 1, 0, 5], np.uint64),
        np.array([200, 100], np.uint8),
        np.arange(-128, 128).astype(np.int8),
        [5],
        np.array([True, False]),
        np.array([0.5, -1.0, 0.5]),
        np.array(["b", "a"]),
        np.array([], int),
    ],
)
def test_numbers_are_those_of_unique(values):
    names, place = numbered(values)
    expected, expected_place = np.unique(values, return_inverse=True)
    assert names.tolist() == expected.tolist()
    assert place.tolist() == expected_place.reshape(-1).tolist()


def test_contingency_by_hand():
    assert contingency(CLUSTERS, CLASSES).tolist() == [[3, 1], [0, 2], [2, 0]]


def test_ari_by_hand():
    # Pairs: 3 + 0 + 1 + 1 = 5 in both, 6 + 1 + 1 = 8 in the clusters, 10 + 3 = 13 in the classes, 28 in all.
    chance = 8 * 13 / 28
    assert adjusted_rand_index(CLUSTERS, CLASSES) == pytest.approx((5 - chance) / ((8 + 13) / 2 - chance), rel=1e-14)


@given(partitions)
def test_ari_agrees_with_scikit_learn(pair):
    labels, truth = pair
    assert adjusted_rand_index(labels, truth) == pytest.approx(adjusted_rand_score(truth, labels), abs=1e-12)


def test_ari_of_a_large_image_does_not_overflow():
    labels = np.repeat(np.arange(4), 250_000)
    assert adjusted_rand_index(labels, labels // 2) == pytest.approx(adjusted_rand_score(labels // 2, labels), rel=1e-9)
