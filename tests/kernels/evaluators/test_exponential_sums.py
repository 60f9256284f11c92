"""Exponential features: their inner products are the kernel, and their products are those of all rows."""

import numpy as np

from segjt.kernels import make_kernel
from segjt.kernels.evaluators.exponential_sums import exponential_features


def test_products_by_distinct_values_are_those_of_all_rows(crop):
    X = crop[20:28, 30:38].reshape(-1, 3) / 255
    (features,), g = exponential_features([X], 1.0)
    U, A = features.full(), np.random.default_rng(0).random((len(g), 4))
    np.testing.assert_allclose(U @ U.T, make_kernel("jt2")(X), rtol=1e-10)
    np.testing.assert_allclose(features.times(A, A[0]), U @ A + A[0], rtol=1e-12)
    np.testing.assert_allclose(features.transposed_times(U), U.T @ U, rtol=1e-12, atol=1e-15)
