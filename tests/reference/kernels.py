"""The kernels straight from the papers' sums: the oracle of `segjt.kernels`."""

import itertools
import math

import numpy as np


def phi(u, q):
    """phi_q(u) = (u^q - u) / (q - 1); u ln u at q = 1."""
    if u == 0:
        return 0.0
    return u * math.log(u) if q == 1 else (u**q - u) / (q - 1)


def jt(points, q):
    """K_{q,n}(x_1..x_n) of paper 000, eq. 9 and 10 (eq. 7 for two points)."""
    return sum(phi(sum(values), q) - sum(phi(v, q) for v in values) for values in zip(*points, strict=True))


def exp_jt(points, q, t):
    """Eq. 8 and 11."""
    return math.exp(t * jt(points, q))


def n_linear(points):
    """Eq. 14."""
    return 2 * sum(float(np.dot(x, y)) for x, y in itertools.combinations(points, 2))


def gram(k, X, Y):
    return np.array([[k([x, y]) for y in Y] for x in X])


def flatten(k, X, n, Y=None):
    """V / N^(n-1) of eq. 12: every tuple of n - 1 points of Y, one by one."""
    Y = X if Y is None else Y
    tuples = list(itertools.product(Y, repeat=n - 1))
    A = np.array([[k([x, *rest]) for rest in tuples] for x in X])
    B = np.array([[k([y, *rest]) for rest in tuples] for y in Y])
    return A @ B.T / len(tuples)
