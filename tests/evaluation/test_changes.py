"""Changes of a picture: each is what its name says, and maps come back to where they were."""

import numpy as np
import pytest

from segjt.evaluation.changes import ALL_CHANGES, CHANGES, HALF_A_BLOCK, Change, grey
from segjt.parameters import Parameters

SHAPE = (31, 46)


@pytest.fixture
def image():
    return np.random.default_rng(0).integers(0, 256, (*SHAPE, 3), dtype=np.uint8)


MOVES = [change for change in ALL_CHANGES if change.name.split()[0] in ("flip", "rotate", "shift", "crop")]


@pytest.mark.parametrize("change", MOVES, ids=lambda change: change.name)
def test_what_moves_pixels_brings_them_back(change):
    """Numbers of pixels go through the change as a picture would: what comes back is what there was before."""
    numbers = np.arange(1, 1 + SHAPE[0] * SHAPE[1], dtype=np.int32).reshape(SHAPE)
    before = change.before(numbers)
    back = change.back(change.after(numbers), before.shape)
    assert np.array_equal(back[back > 0], before[back > 0])
    lost = {f"shift by {HALF_A_BLOCK}": 2 * HALF_A_BLOCK, "crop by 1": 1}.get(change.name, 0)
    assert np.count_nonzero(back) == (SHAPE[0] - lost) * (SHAPE[1] - lost)


@pytest.mark.parametrize("name", ["scale 1.5", "scale 2"])
def test_an_enlarged_map_comes_back_by_nearest_neighbours(name, image):
    numbers = np.arange(1, 1 + SHAPE[0] * SHAPE[1], dtype=np.int32).reshape(SHAPE)
    enlarged = CHANGES[name].after(image).shape[:2]
    nearest = [(2 * np.arange(new) + 1) * old // (2 * new) for new, old in zip(enlarged, SHAPE, strict=True)]
    assert np.array_equal(CHANGES[name].back(numbers[np.ix_(*nearest)], SHAPE), numbers)


@pytest.mark.parametrize("change", ALL_CHANGES, ids=lambda change: change.name)
def test_pictures_are_what_every_tool_takes(change, image):
    before, after = change.before(image), change.after(image)
    assert before.dtype == after.dtype == np.uint8
    assert after.ndim == (2 if change.channels == 1 else 3)
    assert before.flags.c_contiguous
    assert after.flags.c_contiguous
    if change not in MOVES and "scale" not in change.name:
        labels = np.ones(SHAPE, np.int32)
        assert after.shape[:2] == before.shape[:2] == SHAPE
        assert change.back(labels, SHAPE) is labels


def test_half_a_block_is_that_of_the_defaults():
    assert Parameters.block_size == 2 * HALF_A_BLOCK


def test_changes_of_values(image):
    assert np.array_equal(CHANGES["BGR"].after(image)[..., 0], image[..., 2])
    assert np.array_equal(CHANGES["1 level brighter"].after(image), np.minimum(image, 254) + 1)
    noise = CHANGES["noise of 1 level"].after(image).astype(int) - image
    assert set(np.unique(noise)) == {-1, 0, 1}
    assert abs(noise.mean()) < 0.05
    assert CHANGES["light +10 %"].after(np.full((1, 1, 3), 100, np.uint8)).tolist() == [[[110] * 3]]
    assert CHANGES["light -10 %"].after(np.full((1, 1, 3), 100, np.uint8)).tolist() == [[[90] * 3]]
    assert CHANGES["light +10 %"].after(np.full((1, 1, 3), 250, np.uint8)).tolist() == [[[255] * 3]]
    smooth = np.repeat(np.linspace(0, 255, 32).astype(np.uint8)[None, :, None], 32, 0).repeat(3, 2)
    assert 0 < np.abs(CHANGES["JPEG 90"].after(smooth).astype(int) - smooth).max() < 12
    assert CHANGES["scale 1.5"].after(image).shape == (46, 69, 3)
    assert np.array_equal(CHANGES["grey for RGB"].before(image)[:, :, 1], grey(image))


def test_agreement_leaves_out_what_only_one_picture_shows():
    before = np.ones((4, 4), np.int32)
    before[2:] = 2
    change = Change("crop", back=CHANGES["crop by 1"].back)
    assert change.agreement(before, before[1:, 1:]) == 1.0
    assert change.agreement(before, np.ascontiguousarray(before[:3, :3])) < 1.0
