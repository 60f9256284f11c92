"""Three cues that say which of some 100 regions belong together though their colours differ.

The regions of an object in several colours are unlike each other, but none of them extends to the frame of the image,
as the background does. All cues are numbers of a region; the differences between two regions make their merge more
expensive.

References
----------
Zhu, Liang, Wei, Sun: Saliency optimization from robust background detection, CVPR 2014 (boundary connectivity).
"""

from __future__ import annotations

import numpy as np

from segjt.merging.agglomeration import SAME_LIGHT
from segjt.region_graph.graph import RegionGraph
from segjt.runtime.arrays import Floats

# Distances at which regions stop being one and the same, in tens of Lab units, or tenths of 1 - BC.
SCALES = (0.3, 0.7, 1.0)
# What an edge must have in colour times gradient to be a barrier.
BARRIER = 0.015
# Powers of the three cues in the cost of a merge: background, hitting time, figure.
POWERS = np.array([0.3, 0.15, 0.7])


def cues(regions: RegionGraph) -> Floats:
    """Return the cues of the regions, (K, 3), in the order of `POWERS`."""
    D = regions.distances()
    W = passages(regions, D)
    w = background(regions, D)
    return np.stack([w, hitting_time(regions, W), figure(regions, W, w)], 1)


def background(regions: RegionGraph, D: Floats) -> Floats:
    """Return how surely a region is background: the boundary connectivity of what looks like it.

    With similarities S = exp(-geodesic^2 / 2 scale^2), it is 1 - exp(-l^2 / 2 a), l = S frame the length on the frame
    and a = S n the area of what is connected to a region: the mean of two distances, mean colour and 1 - BC, and three
    scales. Regions on the frame touch each other.
    """
    from scipy.sparse.csgraph import floyd_warshall

    K = len(regions)
    on_frame = np.flatnonzero(regions.frame)
    touching = np.zeros((K, K), bool)
    touching[regions.ends[:, 0], regions.ends[:, 1]] = True
    touching |= touching.T
    touching[np.ix_(on_frame, on_frame)] = True
    np.fill_diagonal(touching, False)
    colours = regions.mean_values()
    differences = np.sqrt(((colours[:, None] - colours[None]) ** 2).sum(-1))
    connectivity = np.zeros(K)
    for distance in (differences / 10, 10 * D):
        # floyd_warshall takes 0 for no edge.
        geodesic = floyd_warshall(np.where(touching, np.maximum(distance, 1e-6), 0), directed=False)
        for scale in SCALES:
            S = np.exp(-(geodesic**2) / (2 * scale**2))
            connectivity += 1 - np.exp(-((S @ regions.frame) ** 2) / (S @ regions.sizes) / 2)
    return connectivity / (2 * len(SCALES))


def passages(regions: RegionGraph, D: Floats) -> Floats:
    """Return W, how easily one gets from region to region: edge length times exp(-(1 - BC) (0.05 + g) / 0.015)."""
    W = np.zeros((len(regions), len(regions)))
    i, j = regions.ends.T
    W[i, j] = W[j, i] = regions.lengths * np.exp(-D[i, j] * (SAME_LIGHT + regions.contrasts()) / BARRIER)
    return W


def hitting_time(regions: RegionGraph, W: Floats) -> Floats:
    """Return how long a random walk by W takes to leave through the frame: ln(1 + h), (diag(W 1 + frame) - W) h = n.

    Centred, and divided by 5.
    """
    # Regions behind barriers, or with no way to the frame, have a way out that is very unlikely.
    A = np.diag(W.sum(1) + regions.frame + 1e-6) - W
    h = np.log1p(np.maximum(np.linalg.solve(A, regions.sizes.astype(float)), 0))
    centred: Floats = (h - np.average(h, weights=regions.sizes)) / 5
    return centred


def figure(regions: RegionGraph, W: Floats, w: Floats) -> Floats:
    """Return the probability that a region is figure, not ground: naive Bayes on histograms, smooth along W.

    Twice: histograms of figure and ground are means weighted by the probabilities so far, at first 1 - w; the log odds
    of a region, twice their mean over its pixels and half those of the start, are the data of a least squares fit with
    sqrt(n) as weights and W as the weights of differences between neighbours.
    """
    f = np.clip(1 - w, 0.02, 0.98)
    prior = np.log(f / (1 - f))
    trust = np.sqrt(regions.sizes)
    A = np.diag(trust + W.sum(1)) - W
    for _ in range(2):
        f = np.clip(f, 0.01, 0.99)
        odds = np.zeros(len(regions))
        for where in regions.bins_of():
            H = regions.histograms[:, where]
            of_figure, of_ground = f @ H, (1 - f) @ H
            # A hundredth of a uniform distribution keeps empty bins from deciding alone.
            uniform = 0.01 / H.shape[1]
            ratio = (of_figure / of_figure.sum() + uniform) / (of_ground / of_ground.sum() + uniform)
            odds += H @ np.log(ratio) / H.sum(1)
        data = np.clip(2 * odds + 0.5 * prior, -6, 6)
        f = 1 / (1 + np.exp(-np.linalg.solve(A, trust * data)))
    return f
