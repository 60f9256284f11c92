"""One block from similarities to segments in one compiled function: affinity, normalisation, eigenvectors, k-means.

`ncut.partition` of `affinity.weight_by_distance` is the same in steps that can be looked at. It takes over where the
compiled function is in doubt.
"""

from __future__ import annotations

import numpy as np

from segjt.runtime.arrays import Floats, Ints
from segjt.runtime.compiled import compiled, compiled_reordering
from segjt.runtime.vector_math import exponentials
from segjt.spectral import ncut
from segjt.spectral.kmeans import best_run, consecutive, draw_starts
from segjt.spectral.lanczos import judged_lanczos, krylov_dimensions, starting_vectors
from segjt.superpixels.affinity import weight_by_distance


def cut_block(
    log_V: Floats, positions: Floats, lam: float, sigma: float, k: int, seed: list[int], iterations: int = 100
) -> Ints:
    """Return the segment, from 0, of each pixel of a block: at most k.

    Parameters
    ----------
    log_V : (N, N) array
        Logarithm of the kernel's similarity of the pixels. It is overwritten: memory is what large blocks wait for.
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
        labels, trusted, normalised = cut_in_one(
            log_V, positions, 1 - lam, lam / sigma**2, first, second, k, *dimensions, starts, iterations
        )
        if trusted:
            return labels
        if normalised:
            return ncut.cluster(ncut.meaningful(*ncut.dense_eigenpairs(log_V, k)), np.random.default_rng(seed))
    return ncut.partition(weight_by_distance(log_V, positions, lam, sigma), k, np.random.default_rng(seed))


@compiled
def cut_in_one(
    log_V: Floats,
    positions: Floats,
    colour: float,
    distance: float,
    first: Floats,
    second: Floats,
    k: int,
    dimension: int,
    largest: int,
    starts: Floats,
    iterations: int,
) -> tuple[Ints, bool, bool]:
    """Return the segments of a block, whether they can be trusted, and whether log_V has become Z."""
    if not to_normalised_affinity(log_V, positions, colour, distance):
        return np.zeros(0, np.int64), False, False
    values, vectors, trusted = judged_lanczos(log_V, first, second, k, dimension, largest)
    if not trusted or values[k - 1] <= ncut.SMALLEST_EIGENVALUE:
        return np.zeros(0, np.int64), False, True
    to_unit_columns(vectors)
    return consecutive(best_run(vectors, starts, iterations), k), True, True


@compiled
def to_unit_columns(columns: Floats) -> None:
    """Bring the columns to length 1, in place; those of (nearly) 0 become 0."""
    squared = np.zeros(columns.shape[1])
    for j in range(len(columns)):
        squared += columns[j] * columns[j]
    for i in range(len(squared)):
        squared[i] = 1 / np.sqrt(squared[i]) if squared[i] > 1e-24 else 0.0
    for j in range(len(columns)):
        columns[j] *= squared


@compiled
def to_normalised_affinity(log_V: Floats, positions: Floats, colour: float, distance: float) -> bool:
    """Overwrite the lower half of log_V with Z = D^(-1/2) W D^(-1/2), W = V^colour exp(-distance d^2).

    Rows of W that have no affinity at all are 0. False, and nothing is done, if rows would be lost to underflow.
    """
    N = len(log_V)
    row_top = log_V[0].copy()
    for i in range(1, N):
        for j in range(N):  # V is symmetric, so the largest of a column is that of the row
            row_top[j] = log_V[i, j] if log_V[i, j] > row_top[j] else row_top[j]
    top, lowest = -np.inf, np.inf
    for row in row_top:
        if row > -np.inf:
            top, lowest = max(top, row), min(lowest, row)
    if top == -np.inf or colour * (top - lowest) > ncut.SAFE_EXPONENT:
        return False
    degree, exponent = np.zeros(N), np.empty(N)
    Z = log_V
    y, x = positions[:, 0].copy(), positions[:, 1].copy()
    for i in range(N):
        y_i, x_i = y[i], x[i]
        for j in range(i + 1):
            squared = (y[j] - y_i) * (y[j] - y_i) + (x[j] - x_i) * (x[j] - x_i)
            exponent[j] = colour * (log_V[i, j] - top) - distance * squared
        exponentials(exponent[: i + 1], Z[i, : i + 1])
        degree[i] += add_row(Z[i], i, degree)
    for i in range(N):
        degree[i] = 1 / np.sqrt(degree[i]) if degree[i] > 0 else 0.0
    for i in range(N):
        for j in range(i + 1):
            Z[i, j] *= degree[i] * degree[j]
    return True


@compiled_reordering
def add_row(row: Floats, i: int, degree: Floats) -> float:
    """Add the first i numbers of a row to the degrees; return the sum of these and the next."""
    total: float = row[i]
    for j in range(i):
        degree[j] += row[j]
        total += row[j]
    return total
