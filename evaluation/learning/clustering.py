"""Clusterings that the experiments share: many seeded runs on one embedding, judged with and without the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from segjt.runtime.arrays import Floats, Groups
from segjt.spectral.kmeans import consecutive, lloyd, plus_plus

# Components of a kernel whose eigenvalue is a smaller share of the largest are round-off.
SMALLEST_SHARE = 1e-13
# Where k-means starts: by k-means++, or from k of the points, as MATLAB's did when the papers were written.
PLUS_PLUS, SAMPLE = "k-means++", "sample"
MOST_ITERATIONS = 100
ROUND_OFF = 1e-9
# Clusters of equal points have no variance within.
SMALLEST_VARIANCE = 1e-300


class Clustering(NamedTuple):
    """The cluster, from 0, of each row, and the sum of squared distances to their centres."""

    groups: Groups
    inertia: float


def feature_rows(gram: Floats) -> Floats:
    """Return rows whose inner products are the kernel's values: k-means on them is kernel k-means."""
    from scipy.linalg import eigh

    values, vectors = eigh(gram, check_finite=False)
    kept = values > SMALLEST_SHARE * max(float(values[-1]), 0.0)
    rows: Floats = vectors[:, kept] * np.sqrt(values[kept])
    return rows if kept.any() else np.zeros((len(gram), 1))


def kmeans_runs(rows: Floats, k: int, runs: int, restarts: int = 1, start: str = PLUS_PLUS) -> list[Groups]:
    """Return the clusters that k-means finds, for each seed 0, 1, ..., runs - 1."""
    return [kmeans_run(rows, k, np.random.default_rng(seed), restarts, start) for seed in range(runs)]


def kmeans_run(rows: Floats, k: int, rng: np.random.Generator, restarts: int = 1, start: str = PLUS_PLUS) -> Groups:
    """Return the cluster, from 0, of each row: the best of several starts."""
    return best_start([one_start(rows, k, rng, start) for _ in range(restarts)])


def one_start(rows: Floats, k: int, rng: np.random.Generator, start: str = PLUS_PLUS) -> Clustering:
    """Return the clusters that k-means finds from one start."""
    columns = np.ascontiguousarray(rows.T)
    labels, inertia = lloyd(columns, start_centres(rows, columns, k, rng, start), MOST_ITERATIONS)
    return Clustering(consecutive(labels, k), inertia)


def start_centres(rows: Floats, columns: Floats, k: int, rng: np.random.Generator, start: str) -> Floats:
    """Return where the centres start; `columns` is the transpose of `rows`."""
    if start == PLUS_PLUS:
        return plus_plus(columns, rng.random(k))
    return rows[rng.choice(len(rows), k, replace=False)]


def best_start(found: Sequence[Clustering]) -> Groups:
    """Return the clusters with the smallest inertia; later ones must win clearly, so that round-off does not decide."""
    best = found[0]
    for other in found[1:]:
        if other.inertia < best.inertia * (1 - ROUND_OFF):
            best = other
    return best.groups


def runs_that_share_starts(found: Sequence[Clustering], starts: int) -> list[Groups]:
    """Return as many runs of k-means with several starts each as there are single starts.

    Run i is the best of the starts i, i + 1, ... of its half, in a circle: each start serves several runs. The mean
    score has the same expectation as that of independent runs, at a fraction of their cost, though a larger variance.
    The halves share no start, so that one can confirm what the other has chosen.
    """
    half = len(found) // 2
    runs = []
    for of_half in (found[:half], found[half:]):
        circle = [*of_half, *of_half]
        width = min(starts, len(of_half))
        runs += [best_start(circle[first : first + width]) for first in range(len(of_half))]
    return runs


def mean_silhouette(rows: Floats, clusterings: Sequence[Groups]) -> float:
    """Return the mean silhouette of several clusterings of the same rows: from -1 to 1, the larger the better."""
    squares = (rows * rows).sum(1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2 * rows @ rows.T, 0.0))
    np.fill_diagonal(distances, 0.0)
    return float(np.mean(score_each(clusterings, lambda groups: silhouette(distances, groups))))


def silhouette(distances: Floats, groups: Groups) -> float:
    """Return the mean silhouette of a clustering, `sklearn.metrics.silhouette_score` in 0.1 to 0.6 of its time.

    Of a point it is (b - a) / max(a, b), a its mean distance to the others of its cluster, b that to the nearest other
    cluster; 0 for a cluster of one point, and for a clustering with a single cluster.
    """
    members = (groups[:, None] == np.unique(groups)).astype(np.float64)
    sizes = members.sum(0)
    if len(sizes) < 2:
        return 0.0
    totals = distances @ members
    own = members > 0
    alone = sizes[groups] == 1
    a = totals[own] / np.maximum(sizes[groups] - 1, 1)
    b = np.where(own, np.inf, totals / sizes).min(1)
    largest = np.maximum(a, b)
    return float(np.where(alone | (largest <= 0), 0.0, (b - a) / np.where(largest > 0, largest, 1.0)).mean())


def variance_ratio(X: Floats, groups: Groups) -> float:
    """Return the variance of rows between clusters over that within; 0 for a single cluster.

    Calinski and Harabasz 1974; `sklearn.metrics.calinski_harabasz_score` in 0.1 to 0.6 of its time.
    """
    members = (groups[:, None] == np.unique(groups)).astype(np.float64)
    sizes = members.sum(0)
    N, k = len(groups), len(sizes)
    if k < 2 or k == N:
        return 0.0
    centred = X - X.mean(0)
    sums = members.T @ centred
    between = float(((sums * sums).sum(1) / sizes).sum())
    within = float((centred * centred).sum()) - between
    return between / max(within, SMALLEST_VARIANCE) * (N - k) / (k - 1)


def score_each(clusterings: Sequence[Groups], score: Callable[[Groups], float]) -> list[float]:
    """Return the score of each clustering; equal ones are scored once."""
    distinct = {groups.tobytes(): groups for groups in clusterings}
    known = {key: score(groups) for key, groups in distinct.items()}
    return [known[groups.tobytes()] for groups in clusterings]
