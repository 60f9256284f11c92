import numpy as np

from segjt.superpixels.affinity import weight_by_distance


def test_is_eq_17():
    rng = np.random.default_rng(0)
    V = rng.random((6, 6)) + 0.1
    positions = rng.integers(0, 9, (6, 2)).astype(float)
    log_W = weight_by_distance(np.log(V), positions, 0.08, 2.0)
    for i in range(6):
        for j in range(6):
            d2 = np.sum((positions[i] - positions[j]) ** 2)
            expected = V[i, j] ** (1 - 0.08) * np.exp(-0.08 * d2 / 2.0**2)
            np.testing.assert_allclose(np.exp(log_W[i, j]), expected, rtol=1e-12)


def test_no_affinity_stays_none_for_every_lambda():
    log_V = np.array([[0.0, -np.inf], [-np.inf, -np.inf]])
    for lam in (0.0, 0.08, 1.0):
        log_W = weight_by_distance(log_V, np.zeros((2, 2)), lam, 2.0)
        assert (np.isneginf(log_W) == np.isneginf(log_V)).all()


def test_exponents_beyond_float64_survive():
    log_W = weight_by_distance(np.array([[5000.0, 1.0], [1.0, 0.0]]), np.zeros((2, 2)), 0.08, 2.0)
    np.testing.assert_allclose(log_W, [[4600.0, 0.92], [0.92, 0.0]])
