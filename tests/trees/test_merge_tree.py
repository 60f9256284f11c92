import numpy as np
import pytest

import segjt
from segjt.evaluation.weizmann import check_nested
from segjt.labels import connected_parts
from segjt.trees.merge_tree import FAINT, STRONG, MergeTree


@pytest.fixture(scope="module")
def tree(photograph):
    return segjt.hierarchy(photograph)


def small_tree():
    """Five segments in a row; merges (1 2), (4 5), (3 with 4 5), all."""
    initial = np.array([[1, 2, 3, 4, 5]], np.int32)
    return MergeTree(initial, np.array([[0, 1], [3, 4], [2, 6], [5, 7]]), np.array([-9.0, -7.0, -5.0, -1.0]), 2)


def test_cuts_of_a_small_tree():
    tree = small_tree()
    assert len(tree) == 5
    assert tree.cut(1).tolist() == [[1, 1, 1, 1, 1]]
    assert tree.cut(2).tolist() == [[1, 1, 2, 2, 2]]
    assert tree.cut(3).tolist() == [[1, 1, 2, 3, 3]]
    assert tree.cut(4).tolist() == [[1, 1, 2, 3, 4]]
    assert tree.cut(5).tolist() == tree.cut(99).tolist() == [[1, 2, 3, 4, 5]]
    assert tree.cut().tolist() == tree.cut("auto").tolist() == tree.cut(2).tolist()


def test_every_cut_is_exact_and_nested(tree, photograph):
    numbers = [1, 2, 3, 5, 8, 32, 99, 100, 101, 500, len(tree)]
    maps = tree.cuts(numbers)
    for n, labels in zip(numbers, maps, strict=True):
        assert labels.dtype == np.int32
        assert labels.shape == photograph.shape[:2]
        assert np.unique(labels).tolist() == list(range(1, n + 1))
    check_nested(maps)
    assert (tree.cut(len(tree) + 7) == tree.initial).all()


def test_segments_are_connected(tree):
    for n in (2, 6, 30, 200, len(tree)):
        assert connected_parts(tree.cut(n)).max() == n


@pytest.mark.parametrize("n", [0, -1, 2.5, "many", True, None])
def test_no_number_of_segments(n):
    with pytest.raises((ValueError, TypeError), match="give 'auto' or a whole number of at least 1"):
        small_tree().cut(n)


def test_heights_never_fall_and_cut_at_obeys_them(tree):
    K = len(tree)
    for merge, pair in enumerate(tree.merges):
        for node in pair:
            assert node < K or tree.heights[node - K] <= tree.heights[merge]
    maps = [tree.cut_at(height) for height in np.quantile(tree.heights, [0, 0.5, 0.9, 0.99, 1])]
    check_nested(maps)
    for height, labels in zip(np.quantile(tree.heights, [0, 0.5, 0.9, 0.99, 1]), maps, strict=True):
        assert labels.max() == K - (tree.heights <= height).sum()
    assert (tree.cut_at(-np.inf) == tree.initial).all()
    assert tree.cut_at(np.inf).max() == 1
    with pytest.raises(ValueError, match="height = nan is not valid"):
        tree.cut_at(np.nan)


def test_contours_above_a_threshold_are_boundaries_of_a_cut(tree):
    from segjt.results.overlay import boundaries

    contours = tree.contours()
    assert contours.shape == tree.initial.shape
    assert contours.min() == 0
    assert contours.max() <= 1
    for height in (FAINT, -5.0, -4.3, -3.5):
        strength = (height - FAINT) / (STRONG - FAINT)
        assert ((contours > strength) == boundaries(tree.cut_at(height))).all()
        assert (contours > strength).any()


def test_contours_of_a_small_tree():
    # Those of height -9 are not seen; the boundary of 3 with (4 5) is stronger than that between 4 and 5.
    tree = MergeTree(small_tree().initial, small_tree().merges, np.array([-9.0, -5.0, -4.0, -1.0]), 2)
    assert tree.contours().tolist() == [[0, 1, 0.5, 0.25, 0]]


def test_contours_leave_out_what_is_masked():
    initial = np.array([[1, 0, 2], [1, 2, 2]], np.int32)
    tree = MergeTree(initial, np.array([[0, 1]]), np.array([0.0]), 1)
    assert tree.contours().tolist() == [[0, 0, 0], [1, 0, 0]]
