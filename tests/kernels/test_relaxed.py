"""Relaxed kernels (paper 004) on rows and on given Gaussians."""

import functools
import itertools

import numpy as np
import pytest

from segjt.kernels import gaussians, make_kernel
from segjt.kernels.gaussians import COVARIANCE_DISTANCES, MEAN_DISTANCES, Gaussians, distances, local_gaussians

DISTANCES = {
    "relaxed_j": gaussians.jeffreys,
    "relaxed_h": gaussians.hellinger,
    "relaxed_b": gaussians.bhattacharyya,
    "relaxed_jr": gaussians.jeffreys_riemannian,
    "relaxed_br": gaussians.bhattacharyya_riemannian,
    "relaxed_mu": functools.partial(distances, of_means="bhattacharyya"),
    "relaxed_sigma": functools.partial(distances, of_covariances="bhattacharyya"),
    "relaxed_r": gaussians.riemannian,
    "relaxed_product": functools.partial(distances, of_means="bhattacharyya", of_covariances="riemannian"),
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


@pytest.mark.parametrize(("means", "covariances"), list(itertools.product(MEAN_DISTANCES, COVARIANCE_DISTANCES)))
def test_the_product_kernel_is_the_product(means, covariances):
    """Eq. 4, 14 and 15: K_X = K_mu K_Sigma."""
    common = {"neighbours": 5, "gamma": 0.1, "sigma": 0.7}
    K_mu = make_kernel("relaxed_mu", mean_distance=means, **common)(X)
    K_sigma = make_kernel("relaxed_sigma", covariance_distance=covariances, **common)(X)
    product = make_kernel("relaxed_product", mean_distance=means, covariance_distance=covariances, **common)
    np.testing.assert_allclose(product(X), K_mu * K_sigma, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "means", "covariances"),
    [
        ("relaxed_j", "jeffreys", "jeffreys"),
        ("relaxed_b", "bhattacharyya", "bhattacharyya"),
        ("relaxed_jr", "root_jeffreys", "riemannian"),
        ("relaxed_br", "root_bhattacharyya", "riemannian"),
    ],
)
def test_named_kernels_are_products(name, means, covariances):
    product = make_kernel("relaxed_product", mean_distance=means, covariance_distance=covariances, sigma=2)
    np.testing.assert_array_equal(product(X), make_kernel(name, sigma=2)(X))
    assert product.is_psd == make_kernel(name, sigma=2).is_psd


def test_the_riemannian_kernel_is_one_of_covariances():
    np.testing.assert_array_equal(
        make_kernel("relaxed_r")(X), make_kernel("relaxed_sigma", covariance_distance="riemannian")(X)
    )


def test_the_kernel_of_means_is_gaussian_for_equal_covariances():
    local = Gaussians(X, np.tile(np.eye(3), (30, 1, 1)))
    for word, width in (("jeffreys", 1 / np.sqrt(2)), ("bhattacharyya", 2.0)):
        k = make_kernel("relaxed_mu", mean_distance=word, sigma=1)
        np.testing.assert_allclose(k(local), make_kernel("gaussian", sigma=width)(X), rtol=1e-12)


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
    with pytest.raises(
        ValueError, match=r"mean_distance = 'euclid' is unknown.*jeffreys, bhattacharyya, root_jeffreys"
    ):
        make_kernel("relaxed_mu", mean_distance="euclid")
    with pytest.raises(ValueError, match=r"covariance_distance = 'rieman' is unknown \(did you mean 'riemannian'"):
        make_kernel("relaxed_product", covariance_distance="rieman")
    with pytest.raises(ValueError, match="'relaxed_r' has no parameter 'covariance_distance'"):
        make_kernel("relaxed_r", covariance_distance="jeffreys")
