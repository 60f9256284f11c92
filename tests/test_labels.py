import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import adjusted_rand_score

from segjt.labels import (
    adjusted_rand_index,
    compact,
    connected_parts,
    connected_segments,
    contingency,
    joined_strays,
    numbered,
)

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


label_maps = hnp.arrays(np.int32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=12), elements=st.integers(0, 3))


@given(label_maps)
def test_connected_parts_are_those_of_scikit_image(labels):
    from skimage.measure import label

    expected = label(labels, connectivity=1, background=0)
    assert (connected_parts(labels) == compact(expected)).all()


@given(label_maps, st.integers(0, 200))
def test_connected_segments_are_connected_and_not_small(labels, smallest):
    segments = connected_segments(compact(labels), smallest)
    assert ((segments == 0) == (labels == 0)).all()
    parts = connected_parts(segments)
    assert (parts == segments).all()
    # What is left of small parts is the largest of its label, or touches nothing.
    split = connected_parts(labels)
    assert segments.max() <= split.max()
    for part in range(1, split.max() + 1):
        if (split == part).sum() >= smallest:
            assert len(np.unique(segments[split == part])) == 1


def test_a_small_part_joins_what_it_touches_most():
    labels = np.array([[1, 1, 2, 2], [1, 2, 3, 3], [1, 3, 3, 3]], np.int32)  # one pixel of 2 is cut off
    assert connected_segments(labels, 2).tolist() == [[1, 1, 2, 2], [1, 1, 3, 3], [1, 3, 3, 3]]
    assert connected_segments(labels, 1).tolist() == [[1, 1, 2, 2], [1, 3, 4, 4], [1, 4, 4, 4]]
    assert joined_strays(labels, labels > 0).tolist() == [[1, 1, 2, 2], [1, 1, 3, 3], [1, 3, 3, 3]]


def test_strays_keep_the_labels_of_the_others():
    labels = np.array([[3, 3, 3, 1], [2, 3, 1, 1], [2, 2, 3, 1]], np.int32)
    assert joined_strays(labels, labels > 0).tolist() == [[3, 3, 3, 1], [2, 3, 1, 1], [2, 2, 1, 1]]
    # Size is counted inside the mask: the larger part of 1 is masked out but for one pixel.
    row = np.array([[1, 1, 1, 2, 1, 1]], np.int32)
    mask = np.array([[0, 0, 1, 1, 1, 1]], bool)
    assert joined_strays(row, mask).tolist() == [[2, 2, 2, 2, 1, 1]]


def test_small_parts_beside_small_parts_only():
    labels = np.array([[1, 2, 1, 2, 1, 1, 1, 2, 2, 2]], np.int32)
    assert joined_strays(labels, labels > 0).tolist() == [[1] * 7 + [2] * 3]
    islands = np.array([[1, 0, 1, 0, 1, 1]], np.int32)
    assert joined_strays(islands, islands > 0).tolist() == islands.tolist()
