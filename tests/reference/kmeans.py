"""k-means as one would write it on a blackboard: the oracle of `segjt.spectral.kmeans`."""

import numpy as np


def kmeans(X, k, rng, restarts=4, iterations=100):
    draws = rng.random((restarts, k))
    runs = [lloyd(X, plus_plus(X, row), iterations) for row in draws]
    best = runs[0]
    for run in runs[1:]:
        if run[1] < best[1] * (1 - 1e-9):
            best = run
    return np.unique(best[0], return_inverse=True)[1]


def squared_distances(X, centres):
    return ((X[:, None, :] - centres[None, :, :]) ** 2).sum(2)


def plus_plus(X, draws):
    centres = [X[min(int(draws[0] * len(X)), len(X) - 1)]]
    for draw in draws[1:]:
        nearest = squared_distances(X, np.array(centres)).min(1)
        if nearest.sum() <= 0:
            break
        centres.append(X[np.searchsorted(np.cumsum(nearest), draw * nearest.sum(), side="right")])
    return np.array(centres)


def lloyd(X, centres, iterations):
    labels = None
    for _ in range(iterations):
        distances = squared_distances(X, centres)
        moved = distances.argmin(1)
        if labels is not None and (moved == labels).all():
            break
        labels = moved
        centres = np.array([X[labels == c].mean(0) if (labels == c).any() else centres[c] for c in range(len(centres))])
    return labels, distances.min(1).sum()
