import numpy as np
import pytest
from reference.rows import points

from segjt.kernels import make_kernel
from segjt.kernels.classic import quantile_rule


def test_gaussian():
    X, Y = points(0), points(1, 4)
    expected = [[np.exp(-np.sum((x - y) ** 2) / (2 * 0.3**2)) for y in Y] for x in X]
    np.testing.assert_allclose(make_kernel("gaussian", sigma=0.3)(X, Y), expected, rtol=1e-12)


def test_gaussian_does_not_see_a_common_offset():
    X = np.array([[1e8], [1e8 + 1]])
    np.testing.assert_allclose(make_kernel("gaussian", sigma=1.0)(X)[0, 1], np.exp(-0.5), rtol=1e-6)


def test_linear_and_polynomial():
    X, Y = points(0), points(1, 4)
    np.testing.assert_allclose(make_kernel("linear")(X, Y), X @ Y.T)
    np.testing.assert_allclose(make_kernel("polynomial", degree=3, c=0.5)(X, Y), (X @ Y.T + 0.5) ** 3)
    assert make_kernel("polynomial", degree=1, c=0)(X, Y).tolist() == (X @ Y.T).tolist()


def test_exponential():
    X, Y = points(0), points(1, 4)
    expected = [[np.exp(-np.linalg.norm(x - y) / 0.3) for y in Y] for x in X]
    np.testing.assert_allclose(make_kernel("exponential", sigma=0.3)(X, Y), expected, rtol=1e-12)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_exponential_takes_a_quantile_of_the_distances(quantile):
    Y = points(1, 9)
    apart = [np.linalg.norm(Y[i] - Y[j]) for i in range(9) for j in range(i)]
    k = make_kernel("exponential", quantile=quantile)
    fixed = make_kernel("exponential", sigma=float(np.quantile(apart, quantile)))
    np.testing.assert_allclose(k(points(0), Y), fixed(points(0), Y))
    # It has no scale of its own.
    np.testing.assert_allclose(k(1000 * Y), k(Y))


def test_quantile_of_equal_points():
    assert quantile_rule(np.zeros((5, 5)), 0.5) == 1
    assert quantile_rule(np.zeros((1, 1)), 0.5) == 1
    far = np.zeros((9, 9))
    far[0, 1:] = far[1:, 0] = 3.0  # one of nine points is elsewhere: the median is 0, the mean is not
    assert quantile_rule(far, 0.5) == 3 * 8 / 36


@pytest.mark.parametrize("neighbour", [1, 3, 7, 99])
def test_self_tuning(neighbour):
    X = points(3, 12)
    far = np.array([[np.linalg.norm(x - y) for y in X] for x in X])
    width = [sorted(row)[min(neighbour, 11)] for row in far]  # the first is the point itself
    expected = np.exp(-(far**2) / np.outer(width, width))
    np.testing.assert_allclose(make_kernel("self_tuning", neighbour=neighbour)(X), expected, rtol=1e-10)


def test_self_tuning_of_new_points():
    Y = points(3, 12)
    x = np.array([[0.21, 0.43, 0.65]])
    far = np.linalg.norm(Y - x, axis=1)
    width = np.sort(far)[6]
    y_width = np.sort([[np.linalg.norm(a - b) for b in Y] for a in Y], axis=1)[:, 7]
    np.testing.assert_allclose(make_kernel("self_tuning")(x, Y)[0], np.exp(-(far**2) / (width * y_width)))


def test_self_tuning_of_duplicates():
    # Eight equal points: the seventh neighbour is at distance 0, the nearest other point decides.
    X = np.array([[0.0]] * 8 + [[1.0], [3.0]])
    gram = make_kernel("self_tuning")(X)
    assert (gram[:8, :8] == 1).all()
    np.testing.assert_allclose(gram[0, 8], np.exp(-1 / (1 * 1)))
    assert (make_kernel("self_tuning")(np.ones((5, 2))) == 1).all()
    assert make_kernel("self_tuning")(np.ones((1, 2))).tolist() == [[1.0]]
