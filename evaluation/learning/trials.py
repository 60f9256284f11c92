"""Trials of clustering experiments: an embedding, its runs of k-means, and a criterion that does not need the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from segjt.evaluation.learning.clustering import PLUS_PLUS, kmeans_runs, mean_silhouette, score_each
from segjt.evaluation.learning.experiment import Setting, Trial
from segjt.evaluation.learning.spectra import UNIT_LENGTH, spectrum
from segjt.runtime.arrays import Floats, Groups

Score = Callable[[Groups, Groups], float]
# Entries of a setting that say what is done with an affinity, not which it is.
WAY = ("eigenvectors", "rows", "start")


def by_affinity(settings: Iterable[Setting]) -> list[tuple[Setting, list[Setting]]]:
    """Return the affinities of settings that follow one another, each with its settings, which differ in their ways."""
    groups: list[tuple[Setting, list[Setting]]] = []
    for setting in settings:
        affinity = {name: value for name, value in setting.items() if name not in WAY}
        if not groups or groups[-1][0] != affinity:
            groups.append((affinity, []))
        groups[-1][1].append(setting)
    return groups


def spectral_trials(
    log_W: Floats, truth: Groups, score: Score, runs: int, ways: Sequence[Setting] = ({},), starts: int = 1
) -> list[Trial]:
    """Return trials of spectral clustering (paper 001, Algorithm 1) into as many clusters as there are classes.

    Each of the ways may say which "eigenvectors" are used, how their "rows" are scaled, and where k-means has its
    "start". The criterion is the eigengap: how clearly the graph falls into k parts. evaluation/LEARNING.md compares
    it with the silhouette of the embedding, which favours clusters of single points, and with the variance ratio in
    the data, which depends on their scaling.
    """
    found = spectrum(log_W, len(np.unique(truth)))
    return [
        embedding_trial(
            found.rows(way.get("eigenvectors", "k"), way.get("rows", UNIT_LENGTH)),
            truth,
            score,
            runs,
            starts,
            found.gap,
            way.get("start", PLUS_PLUS),
        )
        for way in ways
    ]


def embedding_trial(
    rows: Floats,
    truth: Groups,
    score: Score,
    runs: int,
    starts: int = 1,
    criterion: float | None = None,
    start: str = PLUS_PLUS,
) -> Trial:
    """Return a trial of k-means on rows, with one seed per run; each run is the best of several starts.

    Without a criterion, it is the mean silhouette of the runs.
    """
    clusterings = kmeans_runs(rows, len(np.unique(truth)), runs, starts, start)
    if criterion is None:
        criterion = mean_silhouette(rows, clusterings)
    return Trial(score_each(clusterings, lambda groups: score(groups, truth)), criterion)
