"""Relaxed kernels (paper 004) on rows and on given Gaussians."""

import numpy as np
import pytest

from segjt.kernels import gaussians, make_kernel
from segjt.kernels.gaussians import Gaussians, local_gaussians

DISTANCES = {
    "relaxed_j": gaussians.jeffreys,
    "relaxed_h": gaussians.hellinger,
    "relaxed_b": gaussians.bhattacharyya,
    "relaxed_jr": gaussians.jeffreys_riemannian,
    "relaxed_br": gaussians.bhattacharyya_riemannian,
}
X = np.random.default_rng(0).random((30, 3))


@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize("mean", ["point", "neighbourhood"])
def test_is_the_exponential_of_the_distance(name, mean):
    local = local_gaussians(X, X, 5, 0.1, mean)
    far = DISTANCES[name](local, local)
    k = make_kernel(name, neighbours=5, gamma=0.1, mean=mean, sigma=0.7)
    np.testing.assert_allclose(k(X), np.exp(-far / 0.7), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(k(local), np.exp(-far / 0.7), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_quantile_rule(name, quantile):
    local = local_gaussians(X, X, 8, 1.0, "neighbourhood")
    far = DISTANCES[name](local, local)
    sigma = np.quantile(far[np.triu_indices(30, 1)], quantile)
    np.testing.assert_allclose(make_kernel(name, sigma="auto", quantile=quantile)(X), np.exp(-far / sigma), rtol=1e-9)


def test_the_bhattacharyya_kernel_is_the_coefficient():
    """K_B = rho, by default without a width (eq. 11 as it should read)."""
    k = make_kernel("relaxed_b")
    local = local_gaussians(X, X, 8, 1.0, "neighbourhood")
    hellinger = gaussians.hellinger(local, local)
    np.testing.assert_allclose(k(X), 1 - hellinger**2 / 2, rtol=1e-12)


@pytest.mark.parametrize("name", DISTANCES)
def test_new_points_take_their_neighbours_from_the_old(name):
    k = make_kernel(name, neighbours=4, gamma=0.01)
    new = np.random.default_rng(1).random((3, 3))
    local, others = local_gaussians(new, X, 4, 0.01, "neighbourhood"), local_gaussians(X, X, 4, 0.01, "neighbourhood")
    np.testing.assert_allclose(k(new, X), k(local, others), rtol=1e-12)


@pytest.mark.parametrize("name", DISTANCES)
def test_points_with_the_same_neighbourhood_are_the_same(name):
    few = X[:6]  # fewer points than neighbours: every neighbourhood is all of them
    np.testing.assert_allclose(make_kernel(name)(few), 1, rtol=1e-12)
    assert (make_kernel(name)(np.ones((5, 2))) == 1).all()


def test_rows_and_gaussians_do_not_mix():
    with pytest.raises(TypeError, match="rows and Gaussians"):
        make_kernel("relaxed_b")(X, Gaussians(X, np.ones((30, 3, 3)) + np.eye(3)))


def test_wrong_parameters_are_named():
    with pytest.raises(ValueError, match="neighbours = 1 is out of range; give a whole number of at least 2"):
        make_kernel("relaxed_b", neighbours=1)
    with pytest.raises(ValueError, match="gamma = 0 is out of range"):
        make_kernel("relaxed_b", gamma=0)
    with pytest.raises(ValueError, match="mean = 'middle' is unknown"):
        make_kernel("relaxed_b", mean="middle")
