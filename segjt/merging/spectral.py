"""Merging as in paper 000, Section VI-C: eigenvectors of the region graph and k-means.

Groups are clusters of eigenvectors, so their regions need not touch: of the three methods this is the only one whose
segments can have several parts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array, eye_array

from segjt.merging.registry import MergeMethod, MergeSettings
from segjt.merging.weights import SELF_WEIGHT, weight_matrix
from segjt.region_graph.graph import RegionGraph
from segjt.runtime.arrays import Groups
from segjt.spectral.kmeans import kmeans
from segjt.spectral.ncut import unit_rows
from segjt.spectral.sparse_eigenvectors import embeddings


def group_by_eigenvectors(graph: RegionGraph, numbers: Sequence[int], settings: MergeSettings) -> list[Groups]:
    """Return for each n the groups by n top eigenvectors of D^(-1/2) W D^(-1/2), unit rows and k-means."""
    K = len(graph)
    Z = csr_array(weight_matrix(graph, settings) + SELF_WEIGHT * eye_array(K))
    # W becomes D^(-1/2) W D^(-1/2) in place: rows first, then columns.
    scale = 1 / np.sqrt(Z.sum(1))
    Z.data *= np.repeat(scale, np.diff(Z.indptr))
    Z.data *= scale[Z.indices]
    vectors = embeddings(Z, [n for n in numbers if n < K])
    return [
        kmeans(unit_rows(vectors[n]), n, np.random.default_rng(settings.seed)) if n < K else np.arange(K)
        for n in numbers
    ]


METHOD = MergeMethod("spectral", sees="colour", group=group_by_eigenvectors)
