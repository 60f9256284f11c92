"""Rows in the domain of a kernel, random or made from given ones."""

import numpy as np

from segjt.kernels.base import DISTRIBUTIONS, POSITIVE_MEASURES


def in_domain(kernel, X):
    """Rows changed such that the kernel takes them: without empty rows, or with sum 1, where it asks for that."""
    X = np.array(X, dtype=float)
    domain = kernel.innermost().domain
    if domain in (POSITIVE_MEASURES, DISTRIBUTIONS):
        X[X.sum(1) <= 1e-6] = 1.0
    if domain == DISTRIBUTIONS:
        X = X / X.sum(1, keepdims=True)
    return X


def points(seed=0, N=6, d=3, levels=True):
    """Random rows with some zeros, on 8-bit levels or not."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 256, (N, d)) / 255 if levels else rng.random((N, d))
    X[0] = 0
    X[1, 0] = 0
    return X
