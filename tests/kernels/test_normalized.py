"""Normalised kernels (paper 002)."""

import math

import numpy as np
import pytest
from reference.rows import in_domain, points

from segjt.kernels import kernel_names, make_kernel
from segjt.kernels.registry import COMPOSITES

ORDERS = [0, 0.01, 0.5, 1, 2, 10, 100, "inf"]
SIGNED = np.random.default_rng(5).standard_normal((7, 3))


def power_mean(a, b, t):
    """Eq. 5, with its limits."""
    if t == 0:
        return math.sqrt(a * b)
    largest = max(a, b)
    return largest if t == "inf" else largest * (((a / largest) ** t + (b / largest) ** t) / 2) ** (1 / t)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("base", ["linear", "polynomial", "jt2", "nlin", "expjt2"])
def test_is_eq_6(order, base):
    k = make_kernel(base)
    X = SIGNED if base in ("linear", "polynomial") else np.abs(SIGNED)
    K = k(X)
    expected = [[K[i, j] / power_mean(K[i, i], K[j, j], order) for j in range(7)] for i in range(7)]
    np.testing.assert_allclose(make_kernel("normalized", kernel=k, order=order)(X), expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("order", [1, 10, 100])
def test_is_eq_9(order):
    """K^t = cos(theta) 2^(1/t) gamma / (1 + gamma^(2t))^(1/t); 0.8 at gamma = 2, t = 1, where the paper says 0.85."""
    X = np.array([[1.0, 0.0], [2.0, 0.0]])
    similarity = make_kernel("normalized", kernel="linear", order=order)(X)[0, 1]
    gamma = 2.0
    expected = 2 ** (1 / order) * gamma / (1 + gamma ** (2 * order)) ** (1 / order)
    np.testing.assert_allclose(similarity, expected)
    if order == 1:
        np.testing.assert_allclose(similarity, 0.8)


def test_orders_go_to_the_cosine_and_to_the_maximum():
    k = {order: make_kernel("normalized", kernel="linear", order=order)(SIGNED) for order in (0, 1e-12, 1e12, "inf")}
    np.testing.assert_allclose(k[1e-12], k[0], atol=1e-10)
    np.testing.assert_allclose(k[1e12], k["inf"], atol=1e-10)
    lengths = np.linalg.norm(SIGNED, axis=1)
    np.testing.assert_allclose(k[0], SIGNED @ SIGNED.T / np.outer(lengths, lengths), atol=1e-14)


def test_infinity_is_a_number_too():
    assert make_kernel("normalized", order=math.inf) == make_kernel("normalized", order="inf")
    assert make_kernel("normalized", order=np.inf).order == "inf"


@pytest.mark.parametrize("order", ORDERS)
def test_properties_of_a_similarity_index(order):
    """Properties 1 to 7 of Section 3.1."""
    K = make_kernel("normalized", kernel="linear", order=order)(SIGNED)
    assert np.abs(K).max() <= 1 + 1e-12
    np.testing.assert_allclose(np.diag(K), 1)
    np.testing.assert_array_equal(K, K.T)
    cosine = make_kernel("normalized", kernel="linear", order=0)(SIGNED)
    assert (np.sign(K) == np.sign(cosine)).all()
    assert (np.abs(K) <= np.abs(cosine) + 1e-12).all()


@pytest.mark.parametrize("base", [name for name in kernel_names() if name not in COMPOSITES])
@pytest.mark.parametrize("order", [0, 1, "inf"])
def test_any_kernel_can_be_normalised(base, order):
    k = make_kernel("normalized", kernel=base, order=order)
    X, Y = in_domain(k, points(0, 8)), in_domain(k, points(1, 5))
    K = k(X)
    zero = np.exp(k.base.log_diagonal(X, X)) == 0
    np.testing.assert_allclose(np.diag(K), np.where(zero, 0.0, 1.0), rtol=1e-9)
    assert np.abs(K).max() <= 1 + 1e-9
    # New points against old: their own K(x, x) is taken in the company of the old ones.
    np.testing.assert_allclose(k(Y[2:], Y), k(Y)[2:], rtol=1e-8, atol=1e-12)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(np.exp(k.log_affinity(X)), np.maximum(K, 0), rtol=1e-9, atol=1e-12)


def test_zero_rows_resemble_nothing():
    K = make_kernel("normalized", kernel="linear", order=1)(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]]))
    assert K.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert np.isneginf(make_kernel("normalized", kernel="linear").log_affinity(np.zeros((2, 2)))).all()


def test_norms_of_any_size():
    X = np.array([[1e-150, 0.0], [1e150, 0.0], [1.0, 1.0]])
    for order in ORDERS:
        K = make_kernel("normalized", kernel="linear", order=order)(X)
        assert np.isfinite(K).all()
        np.testing.assert_allclose(np.diag(K), 1)
    np.testing.assert_allclose(make_kernel("normalized", kernel="linear", order=0)(X)[0, 1], 1)


def test_normalising_cures_the_overflow_of_exponentials():
    k = make_kernel("normalized", kernel="expjt2", t=5000, order=0)
    K = k(points(0))
    np.testing.assert_allclose(np.diag(K), 1)
    assert np.isfinite(K).all()


def test_of_a_composite():
    k = make_kernel("normalized", kernel=make_kernel("npoint", kernel="jt2", q=0.5, n=5), order=2)
    X = points(0)
    V = make_kernel("npoint", kernel="jt2", q=0.5, n=5)(X)
    expected = [[V[i, j] / power_mean(V[i, i], V[j, j], 2) for j in range(6)] for i in range(6)]
    np.testing.assert_allclose(k(X), expected, rtol=1e-10)
    assert make_kernel("normalized", **k.parameters()) == k
