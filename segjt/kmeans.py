"""k-means with k-means++ starts, seeded and compiled. `tests/reference/kmeans.py` is the obvious version."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segjt.compiled import compiled

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]


def kmeans(X: Matrix, k: int, rng: np.random.Generator, restarts: int = 4, iterations: int = 100) -> Labels:
    """Return the cluster, from 0, of each row of X: the best of several seeded runs of Lloyd's algorithm.

    Rows that have fewer than k distinct values get fewer clusters.
    """
    draws = rng.random((restarts, k))
    best = best_run(np.ascontiguousarray(X), draws, iterations)
    return np.unique(best, return_inverse=True)[1].reshape(-1)


@compiled
def best_run(X: Matrix, draws: Matrix, iterations: int) -> Labels:
    """Return the labels of the run with the smallest inertia; each row of `draws` starts one run."""
    best = np.zeros(len(X), np.int64)
    best_inertia = np.inf
    for run in range(len(draws)):
        labels, inertia = lloyd(X, plus_plus(X, draws[run]), iterations)
        # A later run must win clearly, so that round-off does not decide between equal results.
        if inertia < best_inertia * (1 - 1e-9):
            best, best_inertia = labels, inertia
        if best_inertia == 0:
            break
    return best


@compiled
def squared_distance(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return |x - y|^2."""
    total = 0.0
    for j in range(len(x)):
        total += (x[j] - y[j]) ** 2
    return total


@compiled
def plus_plus(X: Matrix, draws: NDArray[np.float64]) -> Matrix:
    """Return starting centres, one a draw: each row's chance is its squared distance to the centres so far.

    The first has equal chances. There are fewer centres if no row is left at a distance.
    """
    N = len(X)
    centres = np.empty((len(draws), X.shape[1]))
    centres[0] = X[min(int(draws[0] * N), N - 1)]
    nearest = np.full(N, np.inf)
    for c in range(1, len(draws)):
        total = 0.0
        for i in range(N):
            nearest[i] = min(nearest[i], squared_distance(X[i], centres[c - 1]))
            total += nearest[i]
        if total <= 0:
            return centres[:c]
        goal, passed, chosen = draws[c] * total, 0.0, 0
        for i in range(N):
            if nearest[i] > 0:
                chosen = i
                passed += nearest[i]
                if passed > goal:
                    break
        centres[c] = X[chosen]
    return centres


@compiled
def lloyd(X: Matrix, centres: Matrix, iterations: int) -> tuple[Labels, float]:
    """Move the centres to the means of their rows until no row changes; return labels and inertia."""
    N, k = len(X), len(centres)
    labels = np.full(N, -1, np.int64)
    inertia = 0.0
    for _ in range(iterations):
        changed = False
        inertia = 0.0
        sums = np.zeros_like(centres)
        counts = np.zeros(k, np.int64)
        for i in range(N):
            nearest, smallest = 0, np.inf
            for c in range(k):
                distance = squared_distance(X[i], centres[c])
                if distance < smallest:
                    nearest, smallest = c, distance
            changed = changed or labels[i] != nearest
            labels[i] = nearest
            inertia += smallest
            counts[nearest] += 1
            sums[nearest] += X[i]
        if not changed:
            break
        for c in range(k):
            if counts[c] > 0:  # a centre that lost all its rows stays where it was
                centres[c] = sums[c] / counts[c]
    return labels, inertia
