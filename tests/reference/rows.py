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


def block(name, photograph, side):
    """8-bit levels of a block, (side^2, channels): of a photograph, or made up."""
    rng = np.random.default_rng(5)
    N = side * side
    made = {
        "cup": lambda: photograph[100 : 100 + side, 140 : 140 + side].reshape(N, 3),
        "dark": lambda: photograph[:side, :side].reshape(N, 3),
        "random": lambda: rng.integers(0, 256, (N, 3)),
        "few": lambda: rng.integers(0, 256, (5, 3))[rng.integers(0, 5, N)],
        "black and white": lambda: np.repeat(rng.integers(0, 2, (N, 1)) * 255, 3, 1),
        "grey": lambda: np.repeat(photograph[100 : 100 + side, 140 : 140 + side, 1].reshape(N, 1), 3, 1),
        "one channel": lambda: photograph[100 : 100 + side, 140 : 140 + side, 1].reshape(N, 1),
        "one bright": lambda: np.where(np.arange(N)[:, None] == 7, 255, rng.integers(0, 20, (N, 3))),
    }
    return made[name]().astype(np.intp)
