"""k-means with k-means++ starts, seeded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def kmeans(X: Matrix, k: int, rng: np.random.Generator, restarts: int = 4, iterations: int = 100) -> NDArray[np.intp]:
    """Return the cluster, from 0, of each row of X: the best of several seeded runs of Lloyd's algorithm.

    Rows that have fewer than k distinct values get fewer clusters.
    """
    best, best_inertia = np.zeros(len(X), np.intp), np.inf
    for _ in range(restarts):
        labels, inertia = lloyd(X, plus_plus(X, k, rng), iterations)
        # A later run must win clearly, so that round-off does not decide between equal results.
        if inertia < best_inertia * (1 - 1e-9):
            best, best_inertia = labels, inertia
        if best_inertia == 0:
            break
    return np.unique(best, return_inverse=True)[1].reshape(-1)


def squared_distances(X: Matrix, centres: Matrix) -> Matrix:
    """Return |x - c|^2 for every row and every centre."""
    expanded = (X * X).sum(1)[:, None] + (centres * centres).sum(1)[None, :] - 2 * X @ centres.T
    distances: Matrix = np.maximum(expanded, 0.0)
    return distances


def plus_plus(X: Matrix, k: int, rng: np.random.Generator) -> Matrix:
    """Return k starting centres: each drawn with a chance proportional to its squared distance to the others."""
    chosen = [int(rng.integers(len(X)))]
    nearest = squared_distances(X, X[chosen])[:, 0]
    for _ in range(k - 1):
        cumulative = np.cumsum(nearest)
        if cumulative[-1] <= 0:
            break
        chosen.append(min(int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")), len(X) - 1))
        nearest = np.minimum(nearest, squared_distances(X, X[chosen[-1:]])[:, 0])
    return X[chosen]


def lloyd(X: Matrix, centres: Matrix, iterations: int) -> tuple[NDArray[np.intp], float]:
    """Move centres to the means of their rows until nothing changes; return labels and inertia."""
    labels = np.full(len(X), -1)
    for _ in range(iterations):
        distances = squared_distances(X, centres)
        moved = distances.argmin(1)
        if np.array_equal(moved, labels):
            break
        labels = moved
        member = (labels[None, :] == np.arange(len(centres))[:, None]).astype(np.float64)
        counts = member.sum(1)
        # A centre that lost all its rows stays where it was.
        centres = np.where(counts[:, None] > 0, member @ X / np.maximum(counts, 1)[:, None], centres)
    return labels, float(squared_distances(X, centres)[np.arange(len(X)), labels].sum())
