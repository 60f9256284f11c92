"""The top eigenvectors of a dense symmetric matrix by Lanczos' method, judged before they are trusted.

The affinity of a block has few large eigenvalues and many small ones, so that a Krylov space of some 30
dimensions holds the top 8 eigenvectors to all digits, at a tenth of the dense solver's time.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from segjt.compiled import compiled

Array = NDArray[np.float64]
Matrix = NDArray[np.float64]

# The dimension of the Krylov space when it is first judged, and the largest, as multiples of the number of
# eigenvectors; in between it grows by a third.
FIRST_DIMENSION = 3
LARGEST_DIMENSION = 16
# The largest residual of an eigenvector, as a share of the gap to the first eigenvalue that is left out.
RESIDUAL = 1e-7
# A direction shorter than this after orthogonalisation is round-off.
BREAKDOWN = 1e-12
# Steps of the second look.
SECOND_LOOK = 8


def krylov_eigenpairs(Z: Matrix, k: int) -> tuple[Array, Matrix] | None:
    """Return the k largest eigenvalues of Z, largest first, and their unit eigenvectors, or None if in doubt.

    In doubt, because the residuals are not small against the gap to the next eigenvalue, or because the space is
    exhausted. The next eigenvalue is looked for a second time, from another start: where an eigenvalue is multiple, one
    starting vector sees one eigenvector only.
    """
    first, second = starting_vectors(len(Z))
    dimensions = krylov_dimensions(len(Z), k)
    values, vectors, found = judged_lanczos(np.ascontiguousarray(Z), first, second, k, *dimensions)
    return (values, vectors) if found else None


def krylov_dimensions(N: int, k: int) -> tuple[int, int]:
    """Return the dimension of the Krylov space when it is first judged, and the largest."""
    largest = min(LARGEST_DIMENSION * k, N // 2)
    return min(max(FIRST_DIMENSION * k, k + 2), largest), largest


@functools.lru_cache(maxsize=64)
def starting_vectors(N: int) -> tuple[Array, Array]:
    """Return two fixed random vectors."""
    first, second = np.random.default_rng(N).standard_normal((2, N))
    return first, second


@compiled
def judged_lanczos(
    Z: Matrix, first: Array, second: Array, k: int, dimension: int, largest: int
) -> tuple[Array, Matrix, bool]:
    """Return the top k eigenvalues and eigenvectors of Z, and whether they can be trusted."""
    N = len(Z)
    Q = np.empty((largest + 1, N))
    alpha, beta = np.empty(largest), np.empty(largest)
    Q[0] = first / np.sqrt(np.dot(first, first))
    done = 0
    values, vectors = np.zeros(k), np.zeros((N, k))
    while True:
        done = extend(Z, Q, alpha, beta, done, dimension)
        if done < dimension:
            return values, vectors, False
        ritz, S = np.linalg.eigh(tridiagonal(alpha[:done], beta[:done]))
        # |Z u - theta u| of a Ritz vector is the last entry of its coordinates times the next beta.
        residual = np.abs(beta[done - 1] * S[done - 1, done - k :]).max()
        if residual <= RESIDUAL * (ritz[done - k] - ritz[done - k - 1]):
            values = ritz[done - k :][::-1].copy()
            rows = np.dot(np.ascontiguousarray(S[:, done - k :].T[::-1]), Q[:done])
            left_out = largest_besides(Z, rows, second)
            return values, rows.T.copy(), residual <= RESIDUAL * (values[k - 1] - left_out)
        if dimension == largest:
            break
        dimension = min(dimension + max(dimension // 3, 1), largest)
    return values, vectors, False


@compiled
def extend(Z: Matrix, Q: Matrix, alpha: Array, beta: Array, done: int, dimension: int) -> int:
    """Extend the orthonormal rows of Q to `dimension` + 1 of the Krylov space; return how many it came to."""
    for j in range(done, dimension):
        w = np.dot(Z, Q[j])
        alpha[j] = np.dot(w, Q[j])
        # In exact numbers these two rows are all that w has to be freed of ...
        w -= alpha[j] * Q[j]
        if j > done:
            w -= beta[j - 1] * Q[j - 1]
        # ... but round-off would bring converged eigenvectors back in: against all rows once more.
        w -= np.dot(np.dot(Q[: j + 1], w), Q[: j + 1])
        beta[j] = np.sqrt(np.dot(w, w))
        if beta[j] < BREAKDOWN:
            return j
        Q[j + 1] = w / beta[j]
    return dimension


@compiled
def tridiagonal(alpha: Array, beta: Array) -> Matrix:
    """Return the symmetric tridiagonal matrix with this diagonal and this off-diagonal."""
    m = len(alpha)
    T = np.zeros((m, m))
    for j in range(m):
        T[j, j] = alpha[j]
        if j + 1 < m:
            T[j, j + 1] = T[j + 1, j] = beta[j]
    return T


@compiled
def largest_besides(Z: Matrix, U: Matrix, start: Array) -> float:
    """Return, from below, the largest eigenvalue of Z beside those of the rows of U: a few steps from `start`."""
    steps = min(SECOND_LOOK, len(Z) - len(U))
    Q = np.empty((len(U) + steps + 1, len(Z)))
    Q[: len(U)] = U
    v = start.copy()
    for _ in range(2):
        v -= np.dot(np.dot(U, v), U)
    Q[len(U)] = v / np.sqrt(np.dot(v, v))
    alpha, beta = np.zeros(len(Q)), np.zeros(len(Q))
    done = max(extend(Z, Q, alpha, beta, len(U), len(U) + steps), len(U) + 1)
    largest: float = np.linalg.eigh(tridiagonal(alpha[len(U) : done], beta[len(U) : done]))[0][-1]
    return largest
