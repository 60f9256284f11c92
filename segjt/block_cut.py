"""One block from similarities to segments in one compiled function: affinity, normalisation, eigenvectors, k-means.

`ncut.partition` of `affinity.weight_by_distance` is the same in steps that can be looked at. It takes over where the
compiled function is in doubt.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segjt import ncut
from segjt.affinity import weight_by_distance
from segjt.compiled import compiled
from segjt.kmeans import best_run, draw_starts
from segjt.lanczos import judged_lanczos, krylov_dimensions, starting_vectors

Array = NDArray[np.float64]
Matrix = NDArray[np.float64]


def cut_block(
    log_V: Matrix, positions: Matrix, lam: float, sigma: float, k: int, seed: list[int], iterations: int = 100
) -> NDArray[np.int64]:
    """Return the segment, from 0, of each pixel of a block: at most k.

    Parameters
    ----------
    log_V : (N, N) array
        Logarithm of the kernel's similarity of the pixels.
    positions : (N, 2) array
        Row and column of each pixel.
    lam, sigma : float
        How much the distance of pixels counts (paper 000, eq. 17).
    k : int
        Number of eigenvectors and segments.
    seed : list of int
        Seed of k-means.
    """
    if len(log_V) >= ncut.LANCZOS_FROM * k:
        first, second = starting_vectors(len(log_V))
        starts = draw_starts(k, np.random.default_rng(seed))
        dimensions = krylov_dimensions(len(log_V), k)
        labels, trusted = cut_in_one(
            log_V, positions, 1 - lam, lam / sigma**2, first, second, k, *dimensions, starts, iterations
        )
        if trusted:
            return np.unique(labels, return_inverse=True)[1].reshape(-1)
    return ncut.partition(weight_by_distance(log_V, positions, lam, sigma), k, np.random.default_rng(seed))


@compiled
def cut_in_one(
    log_V: Matrix,
    positions: Matrix,
    colour: float,
    distance: float,
    first: Array,
    second: Array,
    k: int,
    dimension: int,
    largest: int,
    starts: Matrix,
    iterations: int,
) -> tuple[NDArray[np.int64], bool]:
    """Return the segments of a block, and whether they can be trusted."""
    Z, safe = normalised_affinity(log_V, positions, colour, distance)
    if not safe:
        return np.zeros(0, np.int64), False
    values, U, trusted = judged_lanczos(Z, first, second, k, dimension, largest)
    if not trusted or values[k - 1] <= ncut.SMALLEST_EIGENVALUE:
        return np.zeros(0, np.int64), False
    columns = np.empty((k, len(U)))
    for i in range(len(U)):
        length = np.sqrt((U[i] * U[i]).sum())
        for j in range(k):
            columns[j, i] = U[i, j] / length if length > 1e-12 else 0.0
    return best_run(columns, starts, iterations), True


@compiled
def normalised_affinity(log_V: Matrix, positions: Matrix, colour: float, distance: float) -> tuple[Matrix, bool]:
    """Return Z = D^(-1/2) W D^(-1/2), W = V^colour exp(-distance d^2), and whether no row was lost.

    Each pair is computed once. Rows of W that have no affinity at all are 0.
    """
    N = len(log_V)
    top = -np.inf
    lowest = np.inf
    for i in range(N):
        row = log_V[i].max()
        if row > -np.inf:
            top, lowest = max(top, row), min(lowest, row)
    Z = np.empty((N, N))
    if top == -np.inf or colour * (top - lowest) > ncut.SAFE_EXPONENT:
        return Z, False
    degree = np.zeros(N)
    for i in range(N):
        for j in range(i + 1):
            squared = (positions[i, 0] - positions[j, 0]) ** 2 + (positions[i, 1] - positions[j, 1]) ** 2
            weight = np.exp(colour * (log_V[i, j] - top) - distance * squared)
            Z[i, j] = weight
            degree[i] += weight
            if i != j:
                degree[j] += weight
    for i in range(N):
        degree[i] = 1 / np.sqrt(degree[i]) if degree[i] > 0 else 0.0
    for i in range(N):
        for j in range(i + 1):
            Z[i, j] *= degree[i] * degree[j]
            Z[j, i] = Z[i, j]
    return Z, True
