"""k-means with k-means++ starts, seeded and compiled. `tests/reference/kmeans.py` is the obvious version.

Hand-written: on the eigenvectors of a block of 16 x 16 pixels scikit-learn's KMeans takes 20 times as long.
"""

from __future__ import annotations

import numpy as np

from segjt.runtime.arrays import Floats, Ints
from segjt.runtime.compiled import compiled, compiled_reordering

RESTARTS = 4


def kmeans(X: Floats, k: int, rng: np.random.Generator, restarts: int = RESTARTS, iterations: int = 100) -> Ints:
    """Return the cluster, from 0, of each row of X: the best of several seeded runs of Lloyd's algorithm.

    Rows that have fewer than k distinct values get fewer clusters.
    """
    return consecutive(best_run(np.ascontiguousarray(X.T), draw_starts(k, rng, restarts), iterations), k)


def draw_starts(k: int, rng: np.random.Generator, restarts: int = RESTARTS) -> Floats:
    """Return the random numbers that k-means++ starts from, one row per run."""
    return rng.random((restarts, k))


@compiled
def best_run(columns: Floats, draws: Floats, iterations: int) -> Ints:
    """Return the labels of the run with the smallest inertia; each row of `draws` starts one run."""
    best = np.zeros(columns.shape[1], np.int64)
    best_inertia = np.inf
    for run in range(len(draws)):
        labels, inertia = lloyd(columns, plus_plus(columns, draws[run]), iterations)
        # A later run must win clearly, so that round-off does not decide between equal results.
        if inertia < best_inertia * (1 - 1e-9):
            best, best_inertia = labels, inertia
        if best_inertia == 0:
            break
    return best


@compiled
def consecutive(labels: Ints, k: int) -> Ints:
    """Return labels from 0 to k - 1 without those that do not occur, in the same order."""
    number = np.zeros(k, np.int64)
    number[labels] = 1
    number = np.cumsum(number) - 1
    return number[labels]


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


@compiled
def plus_plus(columns: Floats, draws: Floats) -> Floats:
    """Return starting centres, one per draw: each point's chance is its squared distance to the centres already chosen.

    The first has equal chances. There are fewer centres if no point is left at a distance.
    """
    N = columns.shape[1]
    centres = np.empty((len(draws), len(columns)))
    centres[0] = columns[:, min(int(draws[0] * N), N - 1)]
    nearest, far = np.full(N, np.inf), np.empty(N)
    for c in range(1, len(draws)):
        squared_distances(columns, centres[c - 1], far)
        total = 0.0
        for i in range(N):
            nearest[i] = min(nearest[i], far[i])
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
        centres[c] = columns[:, chosen]
    return centres


@compiled
def lloyd(columns: Floats, centres: Floats, iterations: int) -> tuple[Ints, float]:
    """Move the centres to the means of their points until no point changes; return labels and inertia.

    Distances to a centre are computed again only when it has moved.
    """
    d, N = columns.shape
    k = len(centres)
    labels, moved = np.full(N, k, np.int64), np.full(k + 1, True)
    nearest, closest, far = np.empty(N), np.empty(N), np.empty((k, N))
    # The last row takes what points that have no cluster yet leave behind.
    sums, counts = np.zeros((k + 1, d)), np.zeros(k + 1, np.int64)
    for _ in range(iterations):
        for c in range(k):
            if moved[c]:
                squared_distances(columns, centres[c], far[c])
        find_nearest(far, closest, nearest)
        moved[:] = False
        for i in range(N):
            old, new = labels[i], np.int64(closest[i])
            if old != new:
                moved[old] = moved[new] = True
                for j in range(d):
                    sums[old, j] -= columns[j, i]
                    sums[new, j] += columns[j, i]
                counts[old] -= 1
                counts[new] += 1
                labels[i] = new
        if not moved.any():
            break
        for c in range(k):
            if moved[c] and counts[c] > 0:  # a centre that lost all its points stays where it was
                for j in range(d):
                    centres[c, j] = sums[c, j] / counts[c]
    return labels, nearest.sum()


@compiled
def find_nearest(far: Floats, closest: Floats, nearest: Floats) -> None:
    """Write the nearest centre of every point, the first of equally near ones, and its squared distance.

    Centres as floats, so that the loop becomes vector instructions.
    """
    closest[:] = 0.0
    nearest[:] = far[0]
    for c in range(1, len(far)):
        centre = float(c)
        for i in range(len(nearest)):
            closest[i] = centre if far[c, i] < nearest[i] else closest[i]
            nearest[i] = far[c, i] if far[c, i] < nearest[i] else nearest[i]
