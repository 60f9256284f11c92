"""Explicit maps of kernels; `test_registry` holds every kernel to its own."""

import numpy as np
import pytest

from segjt.kernels import make_kernel
from segjt.kernels.feature_maps import ExponentialMap, factor


@pytest.mark.parametrize("q", [0.0, 1e-3, 0.5, 1.0, 1.0 + 1e-9, 1.5, 1.999, 2.0])
def test_exponential_map_is_exact_to_its_tolerance(q):
    """Over twelve powers of ten, zeros among them."""
    X = 10.0 ** np.random.default_rng(0).uniform(-9, 3, (60, 2))
    X[::7, 0] = 0.0
    U = ExponentialMap.of(X, q)(X)
    gram = make_kernel("jt2", q=q)(X)
    length = np.sqrt(np.diag(gram))
    assert (np.abs(U @ U.T - gram) <= 1e-11 * np.outer(length, length)).all()


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_factor_of_a_bordered_matrix(unit):
    """Whatever the units of its parts, and of a rank below its size."""
    A = np.random.default_rng(0).random((6, 4)) * np.array([1, 1, 1, 1, 1, unit])[:, None]
    B = A @ A.T
    L = factor(B[:-1, :-1], B[:-1, -1], B[-1, -1])
    scale = np.sqrt(np.outer(np.diag(B), np.diag(B)))
    np.testing.assert_allclose(L @ L.T / scale, B / scale, atol=1e-14)
    assert L.shape[1] <= 6


def test_factor_of_nothing():
    L = factor(np.zeros((2, 2)), np.zeros(2), 0.0)
    assert (L == 0).all()
    assert L.shape[1] >= 1


def test_too_many_columns_are_an_error_that_says_what_to_do():
    X = np.random.default_rng(0).random((3, 300))
    with pytest.raises(ValueError, match=r"300 columns make \d+ exponential features.*Nystroem features"):
        make_kernel("jt3").feature_map(X)
