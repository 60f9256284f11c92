"""Angles, ratios of norms and distances in the feature space of a kernel, and power means (paper 002)."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from reference.rows import in_domain, points

from segjt.kernels import make_kernel
from segjt.kernels.feature_space import angles, norm_ratios, normalized_distances, power_mean

ORDERS = [0, 0.01, 0.5, 1, 2, 10, 100, "inf"]
RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(8, 3)) * RNG.uniform(0.1, 5, (8, 1)), RNG.normal(size=(5, 3))
# Explicit maps phi: of the linear kernel, of (x . y)^2 and of the Boolean kernel.
MAPS = {
    "linear": (make_kernel("linear"), lambda x: x),
    "square": (make_kernel("polynomial", c=0), lambda x: np.outer(x, x).ravel()),
    "boolean": (make_kernel("boolean"), lambda x: (x > 0).astype(float)),
}


@pytest.mark.parametrize("name", MAPS)
def test_angles_and_ratios_of_explicit_features(name):
    k, phi = MAPS[name]
    A, B = (np.maximum(rows, 0) if name == "boolean" else rows for rows in (X, Y))
    for first, second in ((A, B), (B, A), (A, A)):
        theta, gamma = angles(k, first, second), norm_ratios(k, first, second)
        for i, j in np.ndindex(theta.shape):
            u, v = phi(first[i]), phi(second[j])
            norms = sorted(np.linalg.norm(w) for w in (u, v))
            if norms[0] > 0:
                np.testing.assert_allclose(np.cos(theta[i, j]), u @ v / (norms[0] * norms[1]), atol=1e-12)
                np.testing.assert_allclose(gamma[i, j], norms[1] / norms[0], rtol=1e-12)
    assert (angles(k, A).diagonal() == 0).all()
    assert (norm_ratios(k, A).diagonal() == 1).all()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("base", ["linear", "polynomial", "jt2", "gaussian", "expjt2", "nlin"])
def test_the_normalised_kernel_in_angles_and_ratios(order, base):
    """Eq. 7 and 9, K^t = cos(theta) / M^t(gamma, 1/gamma), and eq. 11 for t = inf."""
    rows = points(0, 7) + 0.01
    K = make_kernel("normalized", kernel=base, order=order)(rows)
    theta, gamma = angles(base, rows), norm_ratios(base, rows)
    t = float(order)
    np.testing.assert_allclose(np.cos(theta) / power_mean(np.stack([gamma, 1 / gamma], -1), t), K, atol=1e-12)
    if order == "inf":
        np.testing.assert_allclose(np.cos(theta) / gamma, K, atol=1e-12)
    elif 0 < t <= 10:
        printed = np.cos(theta) * 2 ** (1 / t) * gamma / (1 + gamma ** (2 * t)) ** (1 / t)
        np.testing.assert_allclose(printed, K, atol=1e-9)
    expected = np.sqrt(2 * np.maximum(1 - K, 0))
    np.testing.assert_allclose(normalized_distances(base, rows, order=order), expected, atol=1e-7)


@pytest.mark.parametrize("t", [0.5, 1, 3])
@pytest.mark.parametrize("cosine", [-0.7, 0.4, 1.0])
def test_the_derivative_by_the_ratio(t, cosine):
    """Eq. 10, by differences; its sign is that of -cos(theta)."""

    def K(gamma):
        return cosine / power_mean([gamma, 1 / gamma], t)

    for gamma in (1.2, 2.0, 7.0):
        g = gamma ** (2 * t)
        printed = cosine * 2 ** (1 / t) * (1 + g) ** (1 / t) * (1 - 2 * g / (1 + g)) / (1 + g) ** (2 / t)
        slope = (K(gamma + 1e-6) - K(gamma - 1e-6)) / 2e-6
        np.testing.assert_allclose(slope, printed, rtol=1e-6)
        assert np.sign(slope) == -np.sign(cosine)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("base", ["linear", "jt2", "expjt3", "relaxed_h"])
def test_distances_obey_the_triangle_inequality(order, base):
    """Property 8."""
    k = make_kernel(base)
    far = normalized_distances(k, in_domain(k, points(0, 10)), order=order)
    for i, j, m in itertools.product(range(10), repeat=3):
        assert far[i, j] <= far[i, m] + far[m, j] + 1e-7
    np.testing.assert_allclose(far, far.T, atol=1e-7)
    assert (far.diagonal() == 0).all()


def test_distances_of_order_0_are_those_on_the_sphere():
    on_sphere = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (X, Y)]
    expected = np.linalg.norm(on_sphere[0][:, None] - on_sphere[1], axis=2)
    np.testing.assert_allclose(normalized_distances("linear", X, Y, order=0), expected, rtol=1e-10)


@pytest.mark.parametrize("order", [0.5, 1, 10, "inf"])
def test_distances_keep_their_digits_where_only_norms_differ(order):
    """K^t rounds to 1; D^t = sqrt(2 (1 - cosh(t e)^(-1/t))) of norms 1 and 1 + e is e sqrt(t), sqrt(2 e) at inf."""
    e = 2.0**-40
    far = normalized_distances("linear", [[1.0]], [[1 + e]], order=order).item()
    np.testing.assert_allclose(far, math.sqrt(2 * e) if order == "inf" else e * math.sqrt(order), rtol=1e-6)


def test_same_features_of_different_points():
    """Property 4 says x = y where K^t = 1; it is phi(x) = phi(y) that follows."""
    k = make_kernel("polynomial", c=0, degree=2)
    np.testing.assert_allclose(make_kernel("normalized", kernel=k, order=1)(X, -X).diagonal(), 1)
    np.testing.assert_allclose(normalized_distances(k, X, -X).diagonal(), 0, atol=1e-7)


def test_points_of_norm_0():
    rows = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 2.0]])
    right = math.pi / 2
    np.testing.assert_allclose(angles("jt2", rows), [[0, 0, right], [0, 0, right], [right, right, 0]])
    assert norm_ratios("jt2", rows).tolist() == [[1, 1, math.inf], [1, 1, math.inf], [math.inf, math.inf, 1]]
    for order in ORDERS:
        far = normalized_distances("jt2", rows, order=order)
        np.testing.assert_allclose(far, np.sqrt(2) * np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]]))
        np.testing.assert_array_equal(normalized_distances("jt2", rows[:1], rows, order=order), far[:1])


def test_norms_of_any_size():
    rows = np.array([[1e-150, 0.0], [1e150, 0.0], [1.0, 1.0]])
    gamma = norm_ratios("linear", rows)
    np.testing.assert_allclose(gamma[0, 1], 1e300, rtol=1e-10)
    for order in ORDERS:
        assert np.isfinite(normalized_distances("linear", rows, order=order)).all()


def exact_mean(values, t):
    """Eq. 5 for a whole number t, its sum exact."""
    power_sum = sum(Fraction(value) ** t for value in values) / len(values)
    return float(power_sum) ** (1 / t)


@pytest.mark.parametrize("p", [1, 2, 3, 7])
@pytest.mark.parametrize("t", [-3, -1, 1, 2, 5])
def test_power_means(p, t):
    values = RNG.uniform(0.01, 9, (4, p))
    np.testing.assert_allclose(power_mean(values, t), [exact_mean(row, t) for row in values], rtol=1e-13)


def test_power_means_at_their_limits():
    values = RNG.uniform(0.01, 9, (6, 5))
    geometric = np.exp(np.log(values).mean(1))
    np.testing.assert_allclose(power_mean(values, 0), geometric)
    for t in (1e-12, -1e-12):
        np.testing.assert_allclose(power_mean(values, t), geometric, rtol=1e-10)
    for t, limit in ((np.inf, values.max(1)), (1e9, values.max(1)), (-np.inf, values.min(1)), (-1e9, values.min(1))):
        np.testing.assert_allclose(power_mean(values, t), limit, rtol=1e-8)


def test_power_means_grow_with_the_exponent():
    """Before Section 3.2: strictly, as printed, only where the values differ."""
    exponents = [-np.inf, -2, -1, -0.01, 0, 0.3, 1, 2.5, 30, np.inf]
    means = [power_mean([0.5, 1.0, 4.0], t) for t in exponents]
    assert all(a < b for a, b in itertools.pairwise(means))
    np.testing.assert_allclose([power_mean([3.0, 3.0, 3.0], t) for t in exponents], 3)


def test_power_means_of_zeros_and_of_any_size():
    assert [power_mean([0.0, 2.0], t) for t in (-np.inf, -1, 0, 1, np.inf)] == [0, 0, 0, 1, 2]
    assert [power_mean([0.0, 0.0, 0.0], t) for t in (-2, 0, 0.5, np.inf)] == [0, 0, 0, 0]
    for t in (-5, 0, 3, 100):
        np.testing.assert_allclose(power_mean([1e-300, 1e-300], t), 1e-300, rtol=1e-12)
        np.testing.assert_allclose(power_mean([1e300, 1e300, 1e300], t), 1e300, rtol=1e-12)


@pytest.mark.parametrize("values", [[-1.0, 2.0], [np.nan], [np.inf, 1.0]])
def test_power_means_of_wrong_values(values):
    with pytest.raises(ValueError, match="exponent 1 or a value is out of range; give a number, and finite values"):
        power_mean(values, 1)


def test_errors_name_what_is_wrong():
    with pytest.raises(ValueError, match=r"values have shape \(2, 0\); give at least one"):
        power_mean(np.empty((2, 0)), 1)
    with pytest.raises(ValueError, match="exponent nan"):
        power_mean([1.0], np.nan)
    with pytest.raises(ValueError, match="order = -1 is out of range"):
        normalized_distances("linear", X, order=-1)
    with pytest.raises(ValueError, match="X has 3 columns and Y has 2"):
        angles("linear", X, Y[:, :2])
    with pytest.raises(ValueError, match="'lineal' is unknown"):
        norm_ratios("lineal", X)
