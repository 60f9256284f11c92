"""The top eigenvectors of a dense symmetric matrix by Lanczos' method, judged before they are trusted.

The affinity of a block has few large eigenvalues and many small ones, so that a Krylov space of some 30
dimensions holds the top 8 eigenvectors to all digits. Hand-written: in a block of 16 x 16 pixels LAPACK's `eigh` takes
11 times as long and ARPACK's `eigsh` 3.5 times, and neither can be called from compiled code.
"""

from __future__ import annotations

import functools

import numpy as np

from segjt.runtime.arrays import Floats
from segjt.runtime.compiled import compiled, compiled_reordering
from segjt.runtime.vector_math import add_multiple

# The dimension of the Krylov space when it is first judged, and the largest, as multiples of the number of
# eigenvectors; in between it grows by two.
FIRST_DIMENSION = 2.25
LARGEST_DIMENSION = 16
# The largest residual of an eigenvector, as a share of the gap to the first eigenvalue that is left out.
RESIDUAL = 1e-7
# A direction shorter than this after orthogonalisation is round-off.
BREAKDOWN = 1e-12
# An off-diagonal entry smaller than this share of its neighbours on the diagonal is 0.
EPSILON = 2.0**-52
# Steps of the second look.
SECOND_LOOK = 8


def krylov_eigenpairs(Z: Floats, k: int) -> tuple[Floats, Floats] | None:
    """Return the k largest eigenvalues of Z, largest first, and their unit eigenvectors; None if in doubt.

    They are in doubt if the residuals are not small against the gap to the next eigenvalue, or the space is exhausted.
    The next eigenvalue is looked for a second time, from another start: where an eigenvalue is multiple, one
    starting vector sees one eigenvector only.
    """
    first, second = starting_vectors(len(Z))
    dimensions = krylov_dimensions(len(Z), k)
    values, vectors, trusted = judged_lanczos(np.ascontiguousarray(Z), first, second, k, *dimensions)
    return (values, np.ascontiguousarray(vectors.T)) if trusted else None


def krylov_dimensions(N: int, k: int) -> tuple[int, int]:
    """Return the dimension of the Krylov space when it is first judged, and the largest."""
    largest = min(LARGEST_DIMENSION * k, N // 2)
    return min(max(int(FIRST_DIMENSION * k), k + 2), largest), largest


@functools.lru_cache(maxsize=64)
def starting_vectors(N: int) -> tuple[Floats, Floats]:
    """Return two fixed random vectors."""
    first, second = np.random.default_rng(N).standard_normal((2, N))
    return first, second


@compiled
def judged_lanczos(
    Z: Floats, first: Floats, second: Floats, k: int, dimension: int, largest: int
) -> tuple[Floats, Floats, bool]:
    """Return the top k eigenvalues, the eigenvectors as rows, and whether they can be trusted."""
    N = len(Z)
    Q = np.empty((largest + 1, N))
    alpha, beta = np.empty(largest), np.empty(largest)
    Q[0] = first / np.sqrt(np.dot(first, first))
    done = 0
    last = np.zeros((largest, 1))
    while True:
        done = extend(Z, Q, alpha, beta, done, dimension)
        if done < dimension:
            break
        # |Z u - theta u| of a Ritz vector is the last entry of its coordinates times the next beta.
        last[: done - 1], last[done - 1] = 0.0, 1.0
        ritz, entries = tridiagonal_eigenpairs(alpha[:done], beta[:done], last[:done])
        residual = np.abs(beta[done - 1] * entries[:k]).max()
        if residual <= RESIDUAL * (ritz[k - 1] - ritz[k]):
            _, S = tridiagonal_eigenpairs(alpha[:done], beta[:done], np.eye(done))
            rows = np.dot(S[:k], Q[:done])
            left_out = largest_besides(Z, rows, second)
            return ritz[:k], rows, residual <= RESIDUAL * (ritz[k - 1] - left_out)
        if dimension == largest:
            break
        dimension = min(dimension + 2, largest)
    return np.zeros(k), np.zeros((k, N)), False


@compiled
def extend(Z: Floats, Q: Floats, alpha: Floats, beta: Floats, done: int, dimension: int) -> int:
    """Extend the orthonormal rows of Q to `dimension` + 1 of the Krylov space; return how many it came to."""
    for j in range(done, dimension):
        w = symmetric_product(Z, Q[j])
        alpha[j] = np.dot(w, Q[j])
        # In exact numbers these two rows are all that w has to be freed of ...
        add_multiple(w, -alpha[j], Q[j])
        if j > done:
            add_multiple(w, -beta[j - 1], Q[j - 1])
        # ... but round-off would bring converged eigenvectors back in: against all rows once more.
        add_multiple(w, -1.0, np.dot(np.dot(Q[: j + 1], w), Q[: j + 1]))
        beta[j] = np.sqrt(np.dot(w, w))
        if beta[j] < BREAKDOWN:
            return j
        Q[j + 1] = w / beta[j]
    return dimension


@compiled_reordering
def symmetric_product(Z: Floats, x: Floats) -> Floats:
    """Return Z x of a symmetric matrix, whose lower half is read only: the time is that of reading Z.

    Four rows at a time, each number of which is used twice, for z_ij x_j and for z_ji x_i.
    """
    N = len(Z)
    y = np.zeros(N)
    for i in range(0, N - 3, 4):
        a, b, c, d = Z[i], Z[i + 1], Z[i + 2], Z[i + 3]
        x_a, x_b, x_c, x_d = x[i], x[i + 1], x[i + 2], x[i + 3]
        y_a = y_b = y_c = y_d = 0.0
        for j in range(i):
            y_a += a[j] * x[j]
            y_b += b[j] * x[j]
            y_c += c[j] * x[j]
            y_d += d[j] * x[j]
            y[j] += a[j] * x_a + b[j] * x_b + c[j] * x_c + d[j] * x_d
        y[i] += y_a + a[i] * x_a + b[i] * x_b + c[i] * x_c + d[i] * x_d
        y[i + 1] += y_b + b[i] * x_a + b[i + 1] * x_b + c[i + 1] * x_c + d[i + 1] * x_d
        y[i + 2] += y_c + c[i] * x_a + c[i + 1] * x_b + c[i + 2] * x_c + d[i + 2] * x_d
        y[i + 3] += y_d + d[i] * x_a + d[i + 1] * x_b + d[i + 2] * x_c + d[i + 3] * x_d
    for i in range(N - N % 4, N):
        for j in range(i):
            y[i] += Z[i, j] * x[j]
            y[j] += Z[i, j] * x[i]
        y[i] += Z[i, i] * x[i]
    return y


@compiled
def tridiagonal_eigenpairs(diagonal: Floats, off: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues, largest first, of a symmetric tridiagonal matrix, and S' `rows`, S its eigenvectors.

    So the unit matrix gives the eigenvectors as rows, and its last column their last entries, which is much less
    work. QL iteration with implicit shifts. The last number of `off` is not used.
    """
    m = len(diagonal)
    d, e, V = diagonal.copy(), off.copy(), rows.copy()
    e[m - 1] = 0.0
    for low in range(m):
        while True:
            end = low
            while end < m - 1 and abs(e[end]) > EPSILON * (abs(d[end]) + abs(d[end + 1])):
                end += 1
            if end == low:
                break
            # One sweep of rotations from `end` up to `low`, shifted by an eigenvalue of the top 2 x 2 matrix.
            half = (d[low + 1] - d[low]) / (2 * e[low])
            root = np.sqrt(half * half + 1)
            g = d[end] - d[low] + e[low] / (half + root if half >= 0 else half - root)
            s, c, shift = 1.0, 1.0, 0.0
            i = end - 1
            while i >= low:
                f, b = s * e[i], c * e[i]
                length = np.sqrt(f * f + g * g)
                e[i + 1] = length
                if length == 0:  # the matrix falls into two
                    break
                s, c = f / length, g / length
                g = d[i + 1] - shift
                turn = (d[i] - g) * s + 2 * c * b
                shift = s * turn
                d[i + 1] = g + shift
                g = c * turn - b
                for j in range(V.shape[1]):
                    upper, lower = V[i, j], V[i + 1, j]
                    V[i + 1, j] = s * upper + c * lower
                    V[i, j] = c * upper - s * lower
                i -= 1
            if i >= low:
                d[i + 1] -= shift
            else:
                d[low] -= shift
                e[low] = g
            e[end] = 0.0
    order = np.argsort(-d)
    return d[order], V[order]


@compiled
def largest_besides(Z: Floats, U: Floats, start: Floats) -> float:
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
    values, _ = tridiagonal_eigenpairs(alpha[len(U) : done], beta[len(U) : done], np.zeros((done - len(U), 0)))
    largest: float = values[0]
    return largest
