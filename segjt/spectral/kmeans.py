"""k-means with k-means++ starts, seeded and compiled. `tests/reference/kmeans.py` is the obvious version.

The triangle inequality keeps most distances from being computed again (Elkan 2003): after centres have moved, a point
is at most `upper` from its own and at least `lower` from each other one. Labels are those of Lloyd's algorithm.

Hand-written: on the eigenvectors of a block of 16 x 16 pixels scikit-learn's KMeans takes 20 times as long.
"""

from __future__ import annotations

import numpy as np

from segjt.runtime.arrays import Floats, Ints
from segjt.runtime.compiled import compiled, compiled_reordering

RESTARTS = 4
# Bounds count as broken this much earlier, so that their round-off decides nothing.
SLACK = 1e-9


def kmeans(X: Floats, k: int, rng: np.random.Generator, restarts: int = RESTARTS, iterations: int = 100) -> Ints:
    """Return the cluster, from 0, of each row of X: the best of several seeded runs of Lloyd's algorithm.

    Rows that have fewer than k distinct values get fewer clusters.
    """
    best = best_run(np.ascontiguousarray(X.T), draw_starts(k, rng, restarts), iterations)
    return np.unique(best, return_inverse=True)[1].reshape(-1)


def draw_starts(k: int, rng: np.random.Generator, restarts: int = RESTARTS) -> Floats:
    """Return the random numbers that k-means++ starts from, one row per run."""
    return rng.random((restarts, k))


@compiled
def best_run(columns: Floats, draws: Floats, iterations: int) -> Ints:
    """Return the labels of the run with the smallest inertia; each row of `draws` starts one run."""
    points = np.ascontiguousarray(columns.T)
    best = np.zeros(len(points), np.int64)
    best_inertia = np.inf
    for run in range(len(draws)):
        centres, squared = plus_plus(columns, draws[run])
        labels, inertia = lloyd(points, centres, squared, iterations)
        # A later run must win clearly, so that round-off does not decide between equal results.
        if inertia < best_inertia * (1 - 1e-9):
            best, best_inertia = labels, inertia
        if best_inertia == 0:
            break
    return best


@compiled_reordering
def squared_distances(columns: Floats, centre: Floats, far: Floats) -> None:
    """Write |x - centre|^2 of every point to `far`; points are columns, so that the inner loops run over vectors.

    Four coordinates at a time: `far` is read and written less often.
    """
    far[:] = 0.0
    d, N = columns.shape
    for j in range(0, d - 3, 4):
        a, b, c, e = columns[j], columns[j + 1], columns[j + 2], columns[j + 3]
        c_a, c_b, c_c, c_e = centre[j], centre[j + 1], centre[j + 2], centre[j + 3]
        for i in range(N):
            far[i] += (a[i] - c_a) ** 2 + (b[i] - c_b) ** 2 + (c[i] - c_c) ** 2 + (e[i] - c_e) ** 2
    for j in range(d - d % 4, d):
        for i in range(N):
            far[i] += (columns[j, i] - centre[j]) ** 2


@compiled_reordering
def squared_distance(point: Floats, centre: Floats) -> float:
    """Return |point - centre|^2."""
    total = 0.0
    for j in range(len(point)):
        total += (point[j] - centre[j]) ** 2
    return total


@compiled
def plus_plus(columns: Floats, draws: Floats) -> tuple[Floats, Floats]:
    """Return starting centres, one per draw: each point's chance is its squared distance to the centres already chosen.

    The first has equal chances. There are fewer centres if no point is left at a distance. With them come the squared
    distances of all points to each.
    """
    N = columns.shape[1]
    centres, squared = np.empty((len(draws), len(columns))), np.empty((len(draws), N))
    chosen = min(int(draws[0] * N), N - 1)
    nearest = np.full(N, np.inf)
    for c in range(len(draws)):
        centres[c] = columns[:, chosen]
        squared_distances(columns, centres[c], squared[c])
        if c + 1 == len(draws):
            break
        total = 0.0
        for i in range(N):
            nearest[i] = min(nearest[i], squared[c, i])
            total += nearest[i]
        if total <= 0:
            return centres[: c + 1], squared[: c + 1]
        goal, passed = draws[c + 1] * total, 0.0
        for i in range(N):
            if nearest[i] > 0:
                chosen = i
                passed += nearest[i]
                if passed > goal:
                    break
    return centres, squared


@compiled
def lloyd(points: Floats, centres: Floats, squared: Floats, iterations: int) -> tuple[Ints, float]:
    """Move the centres to the means of their points until no point changes; return labels and inertia.

    `squared` are the squared distances of all points to the centres. Both are overwritten.
    """
    N, k = len(points), len(centres)
    labels, upper = nearest_centres(squared)
    lower = np.sqrt(squared, squared)
    sums, counts = np.zeros((k, points.shape[1])), np.zeros(k, np.int64)
    for i in range(N):
        sums[labels[i]] += points[i]
        counts[labels[i]] += 1
    for _ in range(1, iterations):
        loosen(centres, sums, counts, labels, upper, lower)
        changed = False
        for i in broken_bounds(labels, upper, lower):
            old, label = labels[i], nearest_of_near(points[i], centres, labels[i], lower[:, i])
            upper[i] = lower[label, i]
            if label != old:
                changed = True
                sums[old] -= points[i]
                sums[label] += points[i]
                counts[old] -= 1
                counts[label] += 1
                labels[i] = label
        if not changed:
            break
    inertia = 0.0
    for i in range(N):
        inertia += squared_distance(points[i], centres[labels[i]])
    return labels, inertia


@compiled
def nearest_centres(squared: Floats) -> tuple[Ints, Floats]:
    """Return the nearest centre of every point, the first of equally near ones, and its distance."""
    k, N = squared.shape
    # Labels as floats, for the time being: so the loop becomes vector instructions.
    labels, nearest = np.zeros(N), squared[0].copy()
    for c in range(1, k):
        label = float(c)
        for i in range(N):
            labels[i] = label if squared[c, i] < nearest[i] else labels[i]
            nearest[i] = squared[c, i] if squared[c, i] < nearest[i] else nearest[i]
    return labels.astype(np.int64), np.sqrt(nearest)


@compiled
def loosen(centres: Floats, sums: Floats, counts: Ints, labels: Ints, upper: Floats, lower: Floats) -> None:
    """Move the centres to the means of their points, and loosen the bounds by as much as they move."""
    k, N = lower.shape
    moves = np.zeros(k)
    for c in range(k):
        if counts[c] > 0:  # a centre that lost all its points stays where it was
            mean = sums[c] / counts[c]
            moves[c] = np.sqrt(squared_distance(mean, centres[c]))
            centres[c] = mean
        if moves[c] > 0:
            for i in range(N):
                lower[c, i] -= moves[c]
    for i in range(N):
        upper[i] += moves[labels[i]]


@compiled
def broken_bounds(labels: Ints, upper: Floats, lower: Floats) -> Ints:
    """Return the points that another centre may be as near to as their own."""
    k, N = lower.shape
    others = np.full(N, np.inf)
    for c in range(k):
        for i in range(N):
            others[i] = min(others[i], np.inf if labels[i] == c else lower[c, i])
    return np.flatnonzero(others * (1 - SLACK) <= upper * (1 + SLACK))


@compiled
def nearest_of_near(point: Floats, centres: Floats, own: int, lower: Floats) -> int:
    """Return the nearest centre of a point, the first of equally near ones; distances become its lower bounds."""
    nearest = squared_distance(point, centres[own])
    lower[own] = np.sqrt(nearest)
    reach, best = lower[own] * (1 + SLACK), own
    for c in range(len(centres)):
        if c != own and lower[c] * (1 - SLACK) <= reach:
            far = squared_distance(point, centres[c])
            lower[c] = np.sqrt(far)
            if far < nearest or (far == nearest and c < best):
                nearest, best = far, c
    return best
