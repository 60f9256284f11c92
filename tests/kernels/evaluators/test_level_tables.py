import numpy as np
import pytest
from reference.rows import points

from segjt.kernels.evaluators.level_tables import MOST_POINTS, jt_by_levels, levels, squared_distances_by_levels
from segjt.kernels.jensen import jt, sum_over_features
from segjt.kernels.tsallis import jt_term


@pytest.mark.parametrize("q", [0.0, 0.3, 1.0, 1.7, 2.0])
@pytest.mark.parametrize("n", [1, 2, 5, MOST_POINTS])
def test_tables_are_exact(q, n):
    """Points against sums of n points, looked up and computed: the same to the last bit but one."""
    X, Y = points(0, 9), sum(points(seed, 7) for seed in range(n))
    computed = sum_over_features(lambda x, y: jt_term(x, y, q), X, Y)
    np.testing.assert_allclose(jt_by_levels(X, Y, q), computed, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(jt(X, Y, q), computed, rtol=1e-14, atol=1e-15)


def test_squared_distances_are_exact():
    X, Y = points(0, 9), points(1, 7)
    expected = [[((x - y) ** 2).sum() for y in Y] for x in X]
    np.testing.assert_allclose(squared_distances_by_levels(X, Y), expected, rtol=1e-12)
    assert (np.diag(squared_distances_by_levels(X, X)) == 0).all()
    assert squared_distances_by_levels(points(0, levels=False), X) is None


def test_on_a_real_block(crop):
    X = crop[:16, :16].reshape(-1, 3) / 255
    computed = sum_over_features(lambda x, y: jt_term(x, y, 1.0), X, X)
    np.testing.assert_allclose(jt_by_levels(X, X, 1.0), computed, rtol=1e-14)


def test_values_that_are_not_8_bit_levels_are_computed():
    X = points(0, levels=False)
    assert jt_by_levels(X, X, 1.0) is None
    assert jt_by_levels(points(0), 9 * points(0), 1.0) is None  # a sum of more points than there are tables for
    assert jt_by_levels(2 * points(0), points(0), 1.0) is None
    np.testing.assert_allclose(jt(X, X, 2.0), 2 * X @ X.T, atol=1e-14)


def test_levels():
    assert levels(np.arange(256)[None] / 255, 255).tolist() == [list(range(256))]
    assert levels(np.arange(65536)[None] / 65535, 255) is None
    assert levels((np.arange(256, dtype=np.float32)[None] / 255).astype(float), 255) is None
