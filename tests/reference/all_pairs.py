"""Three-point kernels flattened over all N^2 pairs in plain numpy: the oracle where single tuples take too long."""

import numpy as np


def phi(u, q):
    """phi_q(u) = (u^q - u) / (q - 1); u ln u at q = 1; 0 at 0."""
    positive = np.where(u > 0, u, 1.0)
    value = positive * np.log(positive) if q == 1 else (positive**q - positive) / (q - 1)
    return np.where(u > 0, value, 0.0)


def jt3(X, Y, q):
    """K_{q,3} of each row of X and all pairs of rows of Y (paper 000, eq. 9)."""
    a, b = (part.reshape(-1, Y.shape[1]) for part in np.broadcast_arrays(Y[:, None], Y[None, :]))
    constant = (phi(a, q) + phi(b, q)).sum(1)
    return np.array([phi(x + a + b, q).sum(1) - phi(x, q).sum() - constant for x in X])


def linear3(X, Y):
    """2 (x.a + x.b + a.b) of each row of X and all pairs of rows of Y (paper 000, eq. 14)."""
    a, b = (part.reshape(-1, Y.shape[1]) for part in np.broadcast_arrays(Y[:, None], Y[None, :]))
    return 2 * (X @ (a + b).T + (a * b).sum(1))


def flatten(A, B):
    """V / N^2 of eq. 12 from the values for all pairs."""
    return A @ B.T / A.shape[1]


def log_flatten(A, B):
    """The same of exp(A) and exp(B), in logarithms; no common factor leaves the range of float64."""
    log_V = np.empty((len(A), len(B)))
    for i in range(len(A)):
        exponents = A[i] + B
        top = exponents.max(1)
        log_V[i] = top + np.log(np.exp(exponents - top[:, None]).mean(1))
    return log_V
