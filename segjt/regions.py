"""The region graph: which segments touch, how long their common edge is, and their histograms.

Everything in it is a sum (of pixels, of edge pieces), so graphs of parts of an image add up to the
graph of the whole.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from segjt.images import Image

# Rows of the image handled at a time, so that float copies of a large image never exist whole.
ROWS_AT_A_TIME = 256


@dataclasses.dataclass(frozen=True)
class RegionGraph:
    """Segments as nodes 0..K-1 and their contacts as edges, in compressed sparse rows.

    Attributes
    ----------
    sizes : (K,) int array
        Pixels of each segment.
    histograms : (K, C, bins) int array
        Pixel counts of each segment by channel and bin.
    indptr, indices : int arrays
        The neighbours of segment k are ``indices[indptr[k]:indptr[k + 1]]``, ascending.
    lengths : int array
        Length of the common edge with each of these neighbours, in pixel sides.
    """

    sizes: NDArray[np.int64]
    histograms: NDArray[np.int64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)

    def sources(self) -> NDArray[np.int64]:
        """Return the other end of each entry of `indices`."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))


def region_graph(image: Image, labels: NDArray[np.int32], bins: int) -> RegionGraph:
    """Return the region graph of compact labels 1..K (0 is no segment)."""
    K = int(labels.max(initial=0))
    sizes = np.bincount(labels.ravel(), minlength=K + 1)[1:]
    return RegionGraph(sizes, histograms(image, labels, K, bins), *contacts(labels, K))


def contacts(labels: NDArray[np.int32], K: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return indptr, indices and lengths of the contacts between segments (4-neighbourhood)."""
    sides = [(labels[:, :-1], labels[:, 1:]), (labels[:-1], labels[1:])]
    keys = []
    for one, other in sides:
        touching = (one != other) & (one > 0) & (other > 0)
        a, b = one[touching].astype(np.int64) - 1, other[touching].astype(np.int64) - 1
        keys += [a * K + b, b * K + a]
    pairs, lengths = np.unique(np.concatenate(keys), return_counts=True)
    indptr = np.searchsorted(pairs, np.arange(K + 1) * K)
    return indptr, pairs % max(K, 1), lengths


def histograms(image: Image, labels: NDArray[np.int32], K: int, bins: int) -> NDArray[np.int64]:
    """Return how many pixels of each segment fall into each of `bins` equal bins of [0, 1], by channel."""
    counts = np.zeros(K * image.channels * bins, np.int64)
    for top in range(0, image.shape[0], ROWS_AT_A_TIME):
        rows = slice(top, top + ROWS_AT_A_TIME)
        inside = labels[rows] > 0
        bin_of = np.minimum((image.values(rows)[inside] * bins).astype(np.int64), bins - 1)
        region = labels[rows][inside].astype(np.int64) - 1
        cells = (region[:, None] * image.channels + np.arange(image.channels)) * bins + bin_of
        counts += np.bincount(cells.ravel(), minlength=len(counts))
    return counts.reshape(K, image.channels, bins)


def bhattacharyya(graph: RegionGraph) -> NDArray[np.float64]:
    """Return the Bhattacharyya coefficient sum_b sqrt(p_b q_b) of each edge, averaged over the channels."""
    roots = np.sqrt(graph.histograms / np.maximum(graph.sizes, 1)[:, None, None])
    channels = graph.histograms.shape[1]
    flat = roots.reshape(len(graph), -1)
    coefficients: NDArray[np.float64] = np.einsum("ij,ij->i", flat[graph.sources()], flat[graph.indices]) / channels
    return np.minimum(coefficients, 1.0)
