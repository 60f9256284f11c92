import numpy as np
import pytest
from reference.matching import matching_size
from skimage.morphology import thin

from segjt.evaluation.pixel_matching import Matcher, thinned


@pytest.mark.parametrize("density", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_thinning_is_that_of_scikit_image(density):
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (1, 9), (17, 23), (40, 31)):
        for layout in (np.ascontiguousarray, np.asfortranarray):
            boundary = layout(rng.random(shape) < density)
            before = boundary.copy()
            assert (thinned(boundary) == thin(boundary)).all()
            assert (boundary == before).all()


@pytest.mark.parametrize("seed", range(12))
def test_as_many_pixels_are_matched_as_can_be(seed):
    rng = np.random.default_rng(seed)
    shape, distance = rng.integers(1, 16, 2), rng.choice([0.0, 1.0, 1.5, 2.3, 4.34])
    one, other = (rng.random(shape) < density for density in rng.uniform(0.05, 0.6, 2))
    drawn, true = np.argwhere(one), np.argwhere(other)
    partners = Matcher(other, distance).partners(drawn)
    matched = partners >= 0
    assert matched.sum() == matching_size(one, other, distance)
    assert len(np.unique(partners[matched])) == matched.sum()
    assert (((drawn[matched] - true[partners[matched]]) ** 2).sum(1) <= distance**2).all()


def test_the_nearer_of_two_pixels_is_matched():
    one, other = np.zeros((2, 5, 9), bool)
    one[2, [1, 6]], other[2, 4] = True, True
    assert Matcher(other, 4).partners(np.argwhere(one)).tolist() == [-1, 0]
    # A chain: the first pixel can only have the partner of the second, and so on; all three have one in the end.
    one, other = np.zeros((2, 1, 9), bool)
    one[0, [0, 3, 6]], other[0, [2, 5, 8]] = True, True
    assert Matcher(other, 2).partners(np.argwhere(one)).tolist() == [0, 1, 2]
