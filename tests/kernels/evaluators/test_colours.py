"""Distinct 8-bit colours: the same as numpy's, in the order of their first pixels."""

import numpy as np
import pytest
from reference.rows import block

from segjt.kernels.evaluators.colours import colours_of, distinct_colours


@pytest.mark.parametrize("name", ["cup", "dark", "random", "few", "black and white", "one channel", "one bright"])
@pytest.mark.parametrize("side", [1, 3, 16])
def test_distinct_colours_make_up_all_rows(name, side, photograph):
    rows = block(name, photograph, side)
    distinct = distinct_colours(rows)
    np.testing.assert_array_equal(distinct.rows[distinct.inverse][:, : rows.shape[1]], rows)
    assert (distinct.rows[:, rows.shape[1] :] == 0).all()
    assert len(distinct.rows) == len(np.unique(rows, axis=0))
    np.testing.assert_array_equal(distinct.counts, np.bincount(distinct.inverse))


def test_every_colour_of_a_cube_has_a_place():
    rows = np.stack(np.meshgrid(*[np.arange(0, 256, 15)] * 3), -1).reshape(-1, 3)
    assert len(distinct_colours(rows).rows) == len(rows)


def test_arrays_that_are_one_share_their_colours():
    X, Y = np.zeros((2, 3)), np.ones((4, 3))
    colours = colours_of(X, X, Y)
    assert colours.x is colours.z
    assert colours.y is not colours.x


def test_what_is_not_8_bit_or_has_more_channels_has_no_colours():
    assert colours_of(*[np.full((2, 3), 0.1234)] * 3) is None
    assert colours_of(*[np.zeros((2, 4))] * 3) is None
