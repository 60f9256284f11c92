import numpy as np
import pytest
from reference import affinity as obvious

from segjt.kernels import make_kernel
from segjt.spectral.ncut import normalise, normalise_in_logarithms, partition, top_eigenpairs, unit_rows
from segjt.superpixels.affinity import weight_by_distance


def log(W):
    with np.errstate(divide="ignore"):
        return np.log(W)


def test_normalise_is_the_textbook_formula():
    W = np.random.default_rng(0).random((7, 7))
    W = W + W.T
    d = W.sum(1)
    np.testing.assert_allclose(normalise(log(W)), W / np.sqrt(np.outer(d, d)), rtol=1e-12)


@pytest.mark.parametrize("kernel", ["jt2", "expjt2", "gaussian", "jt3"])
def test_affinity_and_normalisation_on_a_real_block(crop, kernel):
    X = crop[:16, :16].reshape(-1, 3) / 255
    k, positions = make_kernel(kernel), np.argwhere(np.ones((16, 16)))
    expected = obvious.normalise(obvious.weight_by_distance(k(X), positions, 0.08, 2.0))
    log_W = weight_by_distance(k.log_affinity(X), positions.astype(float), 0.08, 2.0)
    np.testing.assert_allclose(normalise(log_W), expected, rtol=1e-10)
    np.testing.assert_allclose(normalise_in_logarithms(log_W), expected, rtol=1e-10)


def test_both_ways_to_normalise_agree_with_rows_of_zeros():
    W = np.random.default_rng(0).random((9, 9))
    W = W + W.T
    W[3], W[:, 3] = 0, 0
    np.testing.assert_allclose(normalise(log(W)), normalise_in_logarithms(log(W)), rtol=1e-12)
    # A row of e^-700 would be lost without logarithms.
    r = np.zeros(9)
    r[4] = -700.0
    Z = normalise(log(W) + r[:, None] + r[None, :])
    np.testing.assert_allclose(Z, normalise_in_logarithms(log(W) + r[:, None] + r[None, :]))
    assert Z[4, 0] > 0


def test_normalise_takes_exponents_beyond_float64():
    W = np.random.default_rng(0).random((5, 5)) + 0.5
    W = W + W.T
    np.testing.assert_allclose(normalise(log(W) + 2000), normalise(log(W)), rtol=1e-9)
    # A different factor for every pixel is not lost either, though W itself goes down to e^-1200.
    r = -150.0 * np.arange(5)
    Z = normalise(log(W) + r[:, None] + r[None, :])
    assert np.isfinite(Z).all()
    assert (np.diag(Z)[1:] > 0).all()


def test_rows_without_affinity_are_zero():
    W = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    Z = normalise(log(W))
    assert (Z[2] == 0).all()
    np.testing.assert_allclose(Z[:2, :2].sum(1), 1.0)
    assert (normalise(log(np.zeros((3, 3)))) == 0).all()


def test_top_eigenvectors_are_eigenvectors_in_order(crop):
    X = crop[:8, :8].reshape(-1, 3) / 255
    Z = normalise(make_kernel("gaussian").log_affinity(X))
    _, U = top_eigenpairs(Z, 5)
    values = np.linalg.eigvalsh(Z)[::-1][:5]
    np.testing.assert_allclose(Z @ U, U * values, atol=1e-10)
    np.testing.assert_allclose(U.T @ U, np.eye(5), atol=1e-10)


def test_unit_rows_guards_zero():
    U = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert U.tolist() == [[0.6, 0.8], [0.0, 0.0]]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_separate_parts_are_found_exactly(k):
    sizes = np.arange(3, 3 + k)
    truth = np.repeat(np.arange(k), sizes)
    W = (truth[:, None] == truth[None, :]).astype(float)
    labels = partition(log(W), k, np.random.default_rng(0))
    assert [len(set(labels[truth == part])) for part in range(k)] == [1] * k
    assert len(set(labels.tolist())) == k


def test_nothing_to_cut():
    rng = np.random.default_rng(0)
    assert partition(np.zeros((1, 1)), 8, rng).tolist() == [0]
    assert set(partition(np.full((6, 6), -np.inf), 4, rng).tolist()) <= {0, 1, 2, 3}
    assert partition(np.zeros((5, 5)), 1, rng).tolist() == [0] * 5
