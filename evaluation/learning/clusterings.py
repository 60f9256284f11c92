"""What clustering experiments share: the rows that spectral clustering looks at, and runs of k-means on rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from segjt.evaluation.learning.experiment import Trial
from segjt.kmeans import kmeans
from segjt.ncut import normalise, top_eigenpairs, unit_rows

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]
Score = Callable[[Labels, Labels], float]

# k-means starts behind the clusters whose silhouette is the criterion.
STARTS = 10


def spectral_rows(log_W: Matrix, k: int) -> Matrix:
    """Return the top k eigenvectors of D^(-1/2) W D^(-1/2), rows of length 1 (paper 001, Algorithm 1, steps 2 to 4)."""
    return unit_rows(top_eigenpairs(normalise(log_W), k)[1])


def cluster_runs(rows: Matrix, truth: Labels, score: Score, runs: int, starts: int = 1) -> Trial:
    """Cluster the rows by k-means, one seed a run, and score each run against the truth.

    The criterion is the silhouette of one further clustering, the best of ten starts.

    Parameters
    ----------
    rows : (N, d) array
        What is clustered, into as many clusters as there are classes.
    truth : (N,) int array
        The classes.
    score : callable
        Score of labels and classes.
    runs, starts : int
        Number of runs, and k-means++ starts of each: the one with the smallest objective counts.
    """
    k = len(np.unique(truth))
    scores = [score(kmeans(rows, k, np.random.default_rng(seed), restarts=starts), truth) for seed in range(runs)]
    return Trial(scores, silhouette(rows, kmeans(rows, k, np.random.default_rng(0), restarts=STARTS)))


def silhouette(rows: Matrix, labels: Labels) -> float | None:
    """Return the mean silhouette of the rows: how much nearer its own cluster is than the next, from -1 to 1.

    None for a single cluster, or one for every row.
    """
    from sklearn.metrics import silhouette_score

    if not 1 < len(np.unique(labels)) < len(rows):
        return None
    return float(silhouette_score(rows, labels))
