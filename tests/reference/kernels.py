"""The kernels straight from the papers' sums: the oracle of `segjt.kernels`."""

import decimal
import itertools
import math
from decimal import Decimal

import numpy as np


def phi(u, q):
    """phi_q(u) = (u^q - u) / (q - 1); u ln u at q = 1."""
    if u == 0:
        return 0.0
    return u * math.log(u) if q == 1 else (u**q - u) / (q - 1)


def phi_exactly(u, q):
    """phi_q(u) of decimal numbers, to the digits of their context."""
    if u == 0:
        return Decimal(0)
    return u * u.ln() if q == 1 else (u**q - u) / (q - 1)


def jt(points, q):
    """K_{q,n}(x_1..x_n) of paper 000, eq. 9 and 10 (eq. 7 for two points)."""
    return sum(phi(sum(values), q) - sum(phi(v, q) for v in values) for values in zip(*points, strict=True))


def exp_jt(points, q, t):
    """Eq. 8 and 11."""
    return math.exp(t * jt(points, q))


def n_linear(points):
    """Eq. 14."""
    return 2 * sum(float(np.dot(x, y)) for x, y in itertools.combinations(points, 2))


def extension(points, k):
    """Eq. 16: the n-point extension of a kernel k of two points."""
    return sum(k(x, y) for x, y in itertools.combinations(points, 2))


def gram(k, X, Y):
    return np.array([[k([x, y]) for y in Y] for x in X])


def flatten(k, X, n, Y=None):
    """V / N^(n-1) of eq. 12: every tuple of n - 1 points of Y, one by one."""
    Y = X if Y is None else Y
    return flatten_tuples(k, X, Y, list(itertools.product(Y, repeat=n - 1)))


def flatten_jt_exactly(X, q, n):
    """V / N^(n-1) of K_{q,n} for floats as they are, in 40 digits: near q = 1 eq. 9 loses those of float64."""
    with decimal.localcontext() as context:
        context.prec = 40
        rows, order = [[Decimal(float(value)) for value in row] for row in X], Decimal(q)

        def k(points):
            features = list(zip(*points, strict=True))
            among = sum(phi_exactly(value, order) for values in features for value in values)
            return sum(phi_exactly(sum(values), order) for values in features) - among

        tuples = list(itertools.product(rows, repeat=n - 1))
        A = [[k([x, *rest]) for rest in tuples] for x in rows]
        V = [[sum(a * b for a, b in zip(x, y, strict=True)) / len(tuples) for y in A] for x in A]
    return np.array(V, dtype=float)


def flatten_tuples(k, X, Y, tuples):
    """The mean of K(x, ...) K(y, ...) over given tuples of points (eq. 13)."""
    A = np.array([[k([x, *rest]) for rest in tuples] for x in X])
    B = np.array([[k([y, *rest]) for rest in tuples] for y in Y])
    return A @ B.T / len(tuples)


def closed_form_as_printed(K, n):
    """V of Proposition 5 with every coefficient as published, divided by N^(n-1); K is the Gram matrix of k."""
    N = len(K)
    one = np.ones((N, 1))
    ones = one @ one.T
    total = (one.T @ K @ one).item()
    c1, c2, c3 = (math.comb(n - 1, i) for i in (1, 2, 3))
    last = math.comb(n - 3, 2) if n >= 3 else 0
    V = c1 * float(N) ** (n - 2) * K @ K + 2 * c2 * float(N) ** (n - 3) * K @ ones @ K
    V = V + 2 * c2 * float(N) ** (n - 3) * (K @ K @ ones + ones @ K @ K)
    V = V + 3 * c3 * float(N) ** (n - 4) * total * (K @ ones + ones @ K)
    bracket = N**2 * (K * K).sum() + 2 * (n - 3) * N * (one.T @ K @ K @ one).item() + 2 * last * total**2
    return (V + c2 * float(N) ** (n - 5) * bracket * ones) / float(N) ** (n - 1)
