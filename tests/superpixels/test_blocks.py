import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from segjt.labels import SMALL_TABLE, compact, regroup
from segjt.superpixels.blocks import cut_points, stitch, tile


@given(st.integers(1, 500), st.integers(4, 64))
def test_pieces_cover_and_differ_by_at_most_one(length, block_size):
    lengths = np.diff(cut_points(length, -(-length // block_size)))
    assert lengths.sum() == length
    assert lengths.max() <= block_size
    assert lengths.max() - lengths.min() <= 1


@given(st.integers(1, 70), st.integers(1, 70), st.integers(4, 32))
def test_every_pixel_is_in_one_block(height, width, block_size):
    seen = np.zeros((height, width), int)
    tiles = tile((height, width), block_size)
    for block in tiles:
        seen[block.rows, block.columns] += 1
    assert (seen == 1).all()
    assert [block.index for block in tiles] == list(range(len(tiles)))


def test_stitch_numbers_on_and_keeps_zero():
    tiles = tile((2, 8), 4)
    parts = [np.array([[0, 1, 1, 2]] * 2, np.int32), np.array([[1, 0, 2, 3]] * 2, np.int32)]
    assert stitch((2, 8), tiles, parts)[0].tolist() == [0, 1, 1, 2, 3, 0, 4, 5]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([[7, 7, 3]], [[1, 1, 2]]), ([[0, 9, 0]], [[0, 1, 0]]), ([[5, 0, 2]], [[1, 0, 2]]), ([[0, 0, 0]], [[0, 0, 0]])],
)
def test_compact_by_hand(labels, expected):
    assert compact(np.array(labels)).tolist() == expected


@given(hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.integers(0, 5)))
def test_compact_keeps_the_partition_and_zero(labels):
    result = compact(labels)
    assert result.dtype == np.int32
    assert ((result == 0) == (labels == 0)).all()
    positive = result[result > 0]
    assert set(positive.tolist()) == set(range(1, len(set(positive.tolist())) + 1))
    for value in np.unique(labels):
        assert len(np.unique(result[labels == value])) == 1
    assert len(np.unique(result)) == len(np.unique(labels))
    assert (compact(result) == result).all()


def in_order(labels):
    """Renumber by a dictionary, pixel by pixel."""
    number = {0: 0}
    return [[number.setdefault(label, len(number)) for label in row] for row in labels.tolist()]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_compact_of_every_type(dtype):
    highest = min(np.iinfo(dtype).max, 2**63 - 1)
    for labels in ([[9, 0, 7], [7, 9, 1]], [[highest, 3, 0], [highest - 1, 3, highest]]):
        labels = np.array(labels, dtype)
        assert compact(labels).tolist() == in_order(labels)
        assert compact(labels.T).tolist() == in_order(labels.T)


def test_compact_of_labels_that_are_far_apart_or_negative():
    rng = np.random.default_rng(0)
    labels = rng.choice([0, 1, -1, -(2**40), 2**62, SMALL_TABLE, 10 * SMALL_TABLE], (40, 50))
    assert compact(labels).tolist() == in_order(labels)


def test_compact_of_nothing():
    assert compact(np.zeros((0, 3), int)).shape == (0, 3)


def test_regroup_by_hand():
    labels = np.array([[2, 2, 0], [1, 3, 4]], np.int32)
    assert regroup(labels, np.array([0, 3, 0, 3])).tolist() == [[1, 1, 0], [2, 2, 1]]


def test_parts_are_stitched_as_they_arrive():
    tiles = tile((4, 4000), 4)
    alive = []

    def parts():
        for _ in tiles:
            part = np.ones((4, 4), np.int32)
            alive.append(weakref.ref(part))
            yield part
            del part
            assert sum(reference() is not None for reference in alive) <= 1

    assert stitch((4, 4000), tiles, parts()).max() == 1000
