"""The methods of other authors that paper 000 prints beside its own: clusterings, the diffusion kernel, proximities.

The paper copies their figures: KM, SCNN and MS of Table III from Melacci and Gori 2012, the diffusion kernel of Table
IV from Pan et al. 2015, proximities of genes in Table VI from de Souto et al. 2008. None of these papers is here, so
their open choices are small grids, as for the other rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from segjt.datasets.vectors import VectorSet, prepared
from segjt.evaluation.learning.affinities import KernelParameters
from segjt.evaluation.learning.clustering import kmeans_runs
from segjt.evaluation.learning.experiment import Setting, Trial
from segjt.evaluation.learning.paper000 import SPECTRAL, T, trial_of
from segjt.evaluation.learning.scalings import scaled_set
from segjt.evaluation.learning.spectra import EIGENVECTORS, spectrum
from segjt.runtime.arrays import Floats, Groups
from segjt.spectral.ncut import unit_rows

K_MEANS, NEIGHBOUR_GRAPH, MEAN_SHIFT = "k-means", "spectral clustering of a neighbour graph", "mean shift"
# Rows of Table III. The published figures mix scalings: 0.36 for KM on Wine is that of the values as they are, 0.73 on
# Breast that of columns in [0, 1].
CLUSTERINGS = {"KM": K_MEANS, "SCNN": NEIGHBOUR_GRAPH, "MS": MEAN_SHIFT}
SCALINGS = ("range", "standard", "none")
NEIGHBOURS = (5, 10, 20, 40)
# The bandwidth of mean shift is the mean distance to the neighbour at this share of all points.
QUANTILES = (*(round(0.02 * step, 2) for step in range(1, 11)), 0.25, 0.3)
MOST_SHIFTS, SMALLEST_SHIFT = 300, 1e-3

DIFFUSION = "diffusion"
DIFFUSION_GRID: list[KernelParameters] = [{"neighbours": m, "beta": beta} for m in NEIGHBOURS[:3] for beta in T]

PEARSON, COSINE, SPEARMAN, EUCLIDEAN = "Pearson", "cosine", "Spearman", "Euclidean"
SHIFTED, POSITIVE_PART = "shifted", "positive part"
# Rows of Table VI; it prints no figure for k-means with Spearman's correlation.
PROXIMITIES = {
    K_MEANS: (PEARSON, COSINE, EUCLIDEAN),
    SPECTRAL: (PEARSON, COSINE, SPEARMAN, EUCLIDEAN),
}


def clustering_baseline_grid(row: str, quick: bool) -> tuple[Setting, ...]:
    """Return the settings of a row of Table III."""
    method = CLUSTERINGS[row]
    choices: dict[str, list[Setting]] = {
        K_MEANS: [{}],
        NEIGHBOUR_GRAPH: [{"neighbours": m} for m in NEIGHBOURS],
        MEAN_SHIFT: [{"quantile": quantile} for quantile in QUANTILES],
    }
    return tuple(
        {"method": method, "scaling": scaling} | choice
        for scaling in SCALINGS[: 1 if quick else None]
        for choice in choices[method]
    )


def clustering_baseline(data: VectorSet, setting: Setting, runs: int) -> Trial:
    """Return the trial of a clustering that is not the paper's."""
    points = scaled_set(data, setting["scaling"])
    k = points.n_classes
    if setting["method"] == MEAN_SHIFT:  # finds the number of clusters itself, and nothing in it is random
        clusterings = [mean_shift(points.X, setting["quantile"])]
    elif setting["method"] == K_MEANS:
        clusterings = kmeans_runs(points.X, k, runs, restarts=1)
    else:
        rows = spectrum(logarithm(neighbour_graph(points.X, setting["neighbours"])), k).rows()
        clusterings = kmeans_runs(rows, k, runs, restarts=1)
    return trial_of(prepared(data).X, points.y, clusterings)


def mean_shift(X: Floats, quantile: float) -> Groups:
    """Return the clusters of mean shift, as `sklearn.cluster.MeanShift`, which takes 16 to 127 times as long.

    Every point moves to the mean of the points within the bandwidth until none moves any more; of places within the
    bandwidth of one another the one with the most points stays, of these the one with the largest coordinates. One
    cluster if that share of all points are equal.
    """
    from scipy.spatial.distance import cdist
    from sklearn.cluster import estimate_bandwidth

    bandwidth = estimate_bandwidth(X, quantile=quantile)
    if bandwidth <= 0:
        return np.zeros(len(X), np.intp)
    places = X
    for _ in range(MOST_SHIFTS):
        near = (cdist(places, X) <= bandwidth).astype(np.float64)
        moved = near @ X / near.sum(1, keepdims=True)
        shift = np.sqrt(((moved - places) ** 2).sum(1)).max()
        places = moved
        if shift <= SMALLEST_SHIFT * bandwidth:
            break
    places = places[np.lexsort([*places.T[::-1], near.sum(1)])[::-1]]
    apart = cdist(places, places)
    modes: list[int] = []
    for place in range(len(places)):
        if not modes or apart[place, modes].min() > bandwidth:
            modes.append(place)
    groups: Groups = cdist(X, places[modes]).argmin(1)
    return groups


def neighbour_graph(X: Floats, neighbours: int) -> Floats:
    """Return a matrix with 1 where one of two points is among the nearest neighbours of the other, else 0."""
    from sklearn.neighbors import kneighbors_graph

    links = kneighbors_graph(X, min(neighbours, len(X) - 1), include_self=False).toarray()
    graph: Floats = np.maximum(links, links.T)
    return graph


def logarithm(V: Floats) -> Floats:
    """Return ln V, -inf where V is 0 or, by round-off, less."""
    with np.errstate(divide="ignore"):
        log_V: Floats = np.log(np.maximum(V, 0.0))
    return log_V


def log_diffusion_kernels(X: Floats, grid: Sequence[KernelParameters]) -> Iterator[Floats]:
    """Yield the logarithm of exp(-beta L) for each neighbours and beta of the grid (Kondor and Lafferty 2002).

    L = D - A is the Laplacian of the graph of nearest neighbours of all points; beta has the values that the paper
    tries for t.
    """
    from scipy.linalg import eigh

    known: dict[int, tuple[Floats, Floats]] = {}
    for parameters in grid:
        neighbours = parameters["neighbours"]
        if neighbours not in known:
            A = neighbour_graph(X, neighbours)
            known[neighbours] = eigh(np.diag(A.sum(1)) - A, check_finite=False)
        values, vectors = known[neighbours]
        yield logarithm((vectors * np.exp(-parameters["beta"] * values)) @ vectors.T)


def proximity_grid(learner: str, proximity: str) -> tuple[Setting, ...]:
    """Return the settings of a row of Table VI.

    A correlation may be negative and an affinity may not: it is either shifted, (1 + r) / 2, or cut off at 0. The
    eigenvectors are those of the other rows.
    """
    shared = {"learner": learner, "proximity": proximity}
    if learner == K_MEANS:
        return (shared,)
    affinities: list[Setting] = [{"affinity": SHIFTED}, {"affinity": POSITIVE_PART}]
    return tuple(
        shared | affinity | {"eigenvectors": which}
        for affinity in ([{}] if proximity == EUCLIDEAN else affinities)
        for which in EIGENVECTORS
    )


def proximity_trial(data: VectorSet, setting: Setting, runs: int) -> Trial:
    """Return the trial of k-means or spectral clustering with a proximity."""
    points = prepared(data)
    rows = proximity_rows(data, setting["proximity"])
    if setting["learner"] == SPECTRAL:
        log_V = logarithm(proximity_affinity(rows, setting.get("affinity")))
        rows = spectrum(log_V, points.n_classes).rows(setting["eigenvectors"])
    return trial_of(points.X, points.y, kmeans_runs(rows, points.n_classes, runs, restarts=1))


def proximity_rows(data: VectorSet, proximity: str) -> Floats:
    """Return rows whose Euclidean distance is that of a proximity: |a - b|^2 = 2 (1 - r) for correlations.

    Correlations are those of the values as they are; the Euclidean distance is that of columns in [0, 1].
    """
    from scipy.stats import rankdata

    if proximity == EUCLIDEAN:
        return prepared(data).X
    X = scaled_set(data, "none").X
    if proximity == SPEARMAN:
        X = rankdata(X, axis=1)
    return unit_rows(X if proximity == COSINE else X - X.mean(1, keepdims=True))


def proximity_affinity(rows: Floats, affinity: str | None) -> Floats:
    """Return the affinity of a correlation, (1 + r) / 2 or max(r, 0); without one 1 - d / max d, of the distance."""
    if affinity is not None:
        r = rows @ rows.T
        return (1 + r) / 2 if affinity == SHIFTED else np.maximum(r, 0.0)
    from sklearn.metrics import euclidean_distances

    d = euclidean_distances(rows)
    near: Floats = 1 - d / (d.max() or 1.0)
    return near
