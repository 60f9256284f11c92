"""The whole image at once (paper 001, Section 5): reduce it, cut it into clusters, merge them by normalized cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from segjt.image import Image
from segjt.labels import compact, regroup
from segjt.merging import grouping as merging
from segjt.merging.cues import build_tree
from segjt.parameters import Parameters
from segjt.spectral import ncut
from segjt.spectral.kmeans import kmeans
from segjt.superpixels import affinity, features
from segjt.whole_image.resampling import reduce_image, reduced_shape, upsample_labels

Labels = NDArray[np.int32]

# The largest reduced image: its affinities and what is made of them take some 4 GB.
MOST_PIXELS = 9500
# k-means with more clusters takes minutes.
MOST_CLUSTERS = 200


def segment_whole(image: Image, parameters: Parameters) -> tuple[Labels, Labels]:
    """Return the clusters of the whole image and the segments that they are merged into, both at full size."""
    shape = reduced_shape(image.shape, parameters.working_size)
    if shape[0] * shape[1] > MOST_PIXELS:
        raise ValueError(
            f"working_size = {parameters.working_size} makes an image of {shape[1]} x {shape[0]} pixels, and all pairs "
            f"of more than {MOST_PIXELS} pixels do not fit into memory; choose 112 or less, or method = 'blocks', "
            "which takes images of any size"
        )
    small = reduce_image(image, shape)
    if not small.mask.any():
        nothing = np.zeros(image.shape, np.int32)
        return nothing, nothing
    log_M = pixel_affinity(small, parameters)
    clusters = cluster_pixels(log_M, small, parameters)
    small_labels = np.zeros(shape, np.int32)
    small_labels[small.mask] = clusters + 1
    initial = upsample_labels(image, small, small_labels)
    groups = merge_clusters(log_M, clusters, how_many(image, initial, parameters))
    return compact(initial), regroup(initial, groups)


def pixel_affinity(small: Image, parameters: Parameters) -> NDArray[np.float64]:
    """Return the logarithm of M = V^(1 - lambda) R^lambda, R_ij = exp(-d_ij^2) if d_ij < r and 0 if not."""
    kernel = parameters.make_kernel()
    rows, columns = slice(0, small.shape[0]), slice(0, small.shape[1])
    X = features.extract(small, rows, columns, parameters.feature_name(), kernel)
    return affinity.weight_by_distance(
        kernel.log_affinity(X), features.coordinates(small.mask), parameters.whole_lambda, radius=parameters.radius
    )


def cluster_pixels(log_M: NDArray[np.float64], small: Image, parameters: Parameters) -> NDArray[np.intp]:
    """Return the cluster, from 0, of each pixel: Algorithm 1, steps 2 to 5; at least as many as segments are wanted."""
    wanted = 1 if parameters.n_segments == "auto" else int(parameters.n_segments)
    if wanted > MOST_CLUSTERS:
        raise ValueError(
            f"n_segments = {wanted} is more than method = 'whole' can find, which is {MOST_CLUSTERS}; "
            "choose method = 'blocks'"
        )
    k = features.count_distinct(small.values()[small.mask], max(parameters.clusters, wanted))
    if k <= 1:
        return np.zeros(len(log_M), np.intp)
    # Pixels farther apart than the radius have no affinity, so the matrix is sparse.
    U = merging.top_eigenvectors(csr_array(ncut.normalise(log_M)), k)
    return kmeans(ncut.unit_rows(U), k, np.random.default_rng(parameters.rng))


def how_many(image: Image, initial: Labels, parameters: Parameters) -> int:
    """Return the number of segments that is asked for; "auto" is that of the tree of merges of the clusters."""
    if parameters.n_segments != "auto":
        return int(parameters.n_segments)
    return build_tree(image, compact(initial)).n_auto


def merge_clusters(log_M: NDArray[np.float64], clusters: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Return the group, from 0, of each cluster: neighbours are merged so that Ncut of the pixel graph falls most."""
    k = int(clusters.max()) + 1
    if k <= n:
        return np.arange(k)
    M = np.exp(log_M - log_M.max())
    member = np.eye(k)[clusters]
    W = member.T @ M @ member
    within = np.diagonal(W).copy()
    # Clusters that do not touch, as a mask can leave them, have an edge too: any number of segments can be reached.
    W = np.maximum(W, merging.SMALLEST_WEIGHT * W.max())
    np.fill_diagonal(W, 0.0)
    return merging.apply_merges(k, merging.greedy_ncut(csr_array(W), n, within))
