"""Trials of clustering experiments: an embedding, its runs of k-means, and a criterion that does not need the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from segjt.evaluation.learning.clustering import kmeans_runs, mean_silhouette, score_each
from segjt.evaluation.learning.experiment import Trial
from segjt.runtime.arrays import Floats, Groups
from segjt.spectral.ncut import normalise, top_eigenpairs, unit_rows

Score = Callable[[Groups, Groups], float]


def spectral_trial(log_W: Floats, truth: Groups, score: Score, runs: int, starts: int = 1) -> Trial:
    """Return a trial of spectral clustering (paper 001, Algorithm 1) into as many clusters as there are classes.

    The criterion is the eigengap, lambda_k - lambda_(k+1) of D^(-1/2) W D^(-1/2): how clearly the graph falls into k
    parts. evaluation/LEARNING.md compares it with the silhouette of the embedding, which favours clusters of single
    points, and with the variance ratio in the data, which depends on their scaling.
    """
    k = len(np.unique(truth))
    values, vectors = top_eigenpairs(normalise(log_W), k + 1)
    # Eigenvalues that are missing are round-off, 0.
    values = np.pad(values, (0, k + 1 - len(values)))
    gap = float(values[k - 1] - values[k])
    return embedding_trial(unit_rows(vectors[:, :k]), truth, score, runs, starts, gap)


def embedding_trial(
    rows: Floats, truth: Groups, score: Score, runs: int, starts: int = 1, criterion: float | None = None
) -> Trial:
    """Return a trial of k-means on rows, with one seed per run; each run is the best of several k-means++ starts.

    Without a criterion, it is the mean silhouette of the runs.
    """
    clusterings = kmeans_runs(rows, len(np.unique(truth)), runs, starts)
    if criterion is None:
        criterion = mean_silhouette(rows, clusterings)
    return Trial(score_each(clusterings, lambda groups: score(groups, truth)), criterion)
