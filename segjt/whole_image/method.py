"""The whole image at once (paper 001, Section 5): reduce it, cut it into clusters, merge neighbours by Ncut."""

from __future__ import annotations

import dataclasses

import numpy as np

from segjt.fields import fields_of
from segjt.image import Image
from segjt.labels import compact, connected_parts, regroup
from segjt.merging.merges import groups_after, tree_pairs
from segjt.merging.weights import SMALLEST_WEIGHT
from segjt.parameters import Parameters
from segjt.region_graph.graph import region_graph
from segjt.region_graph.islands import island_links
from segjt.region_graph.pixel_levels import colour_levels
from segjt.runtime.arrays import Floats, Groups, Ints, Labels
from segjt.spectral import ncut
from segjt.spectral.kmeans import kmeans
from segjt.spectral.sparse_eigenvectors import top_eigenvectors
from segjt.superpixels import features
from segjt.whole_image.pixel_graph import PixelGraph, pixel_graph
from segjt.whole_image.resampling import reduce_image, reduced_shape, upsample_labels

# The largest reduced image: some kernels, and the dense solver where Lanczos' method is in doubt, need all pairs.
MOST_PIXELS = 9500
# k-means with more clusters takes minutes.
MOST_CLUSTERS = int(fields_of(Parameters)["clusters"].high or 0)


@dataclasses.dataclass(frozen=True)
class WholeCut:
    """An image cut into clusters as a whole.

    Attributes
    ----------
    initial : (H, W) int32 array
        The connected parts of the clusters, 1..K, at full size; a mask may part them.
    affinity : (K, K) float array
        Sum of the affinities M of the pixels of two parts.
    neighbours : (E, 2) int array
        Parts, from 0, that touch, and links between islands of a mask.
    """

    initial: Labels
    affinity: Floats
    neighbours: Ints


def cut_whole(image: Image, parameters: Parameters) -> WholeCut:
    """Cut an image into the connected parts of its clusters."""
    shape = reduced_shape(image.shape, parameters.working_size)
    if shape[0] * shape[1] > MOST_PIXELS:
        raise ValueError(
            f"working_size = {parameters.working_size} makes an image of {shape[1]} x {shape[0]} pixels, and all pairs "
            f"of more than {MOST_PIXELS} pixels do not fit into memory; choose 112 or less, or method = 'blocks', "
            "which takes images of any size"
        )
    small = reduce_image(image, shape)
    if not small.mask.any():
        return WholeCut(np.zeros(image.shape, np.int32), np.zeros((0, 0)), np.zeros((0, 2), np.int64))
    graph = pixel_graph(small, parameters)
    clusters = np.zeros(shape, np.int32)
    clusters[small.mask] = cluster_pixels(graph, small, parameters) + 1
    parts = connected_parts(clusters)
    upsampled = upsample_labels(image, small, parts)
    initial = compact(upsampled)
    number = np.zeros(int(parts.max()) + 1, np.int32)
    number[upsampled] = initial
    W = graph.sums_over(parts[small.mask].astype(np.intp) - 1)
    # In the order of their new numbers; a part that no pixel of the image belongs to has none.
    order = np.argsort(number[1:])[len(W) - int(initial.max()) :]
    return WholeCut(initial, W[np.ix_(order, order)], neighbours(image, initial))


def merge_whole(cut: WholeCut, n: int) -> Labels:
    """Return the map of n segments: neighbouring parts are merged so that Ncut of the pixel graph falls most."""
    return regroup(cut.initial, merge_neighbours(cut.affinity, cut.neighbours, n))


def cluster_pixels(graph: PixelGraph, small: Image, parameters: Parameters) -> Groups:
    """Return the cluster, from 0, of each pixel: Algorithm 1, steps 2 to 5; at least as many as segments are wanted."""
    wanted = 1 if parameters.n_segments == "auto" else int(parameters.n_segments)
    if wanted > MOST_CLUSTERS:
        raise ValueError(
            f"n_segments = {wanted} is more than method = 'whole' can find, which is {MOST_CLUSTERS}; "
            "choose method = 'blocks'"
        )
    k = features.count_distinct(small.values()[small.mask], max(parameters.clusters, wanted))
    if k <= 1:
        return np.zeros(graph.size, np.intp)
    U = top_eigenvectors(graph.normalised(), k)
    return kmeans(ncut.unit_rows(U), k, np.random.default_rng(parameters.rng))


def neighbours(image: Image, initial: Labels) -> Ints:
    """Return the pairs of parts that touch, and links between islands of a mask, so that any number can be reached."""
    graph = region_graph(colour_levels(image, bins=8), initial)
    return np.concatenate([graph.ends, island_links(graph)])


def merge_neighbours(W: Floats, pairs: Ints, n: int) -> Groups:
    """Return the group, from 0, of each part after the merges of neighbours that each reduce Ncut most, down to n.

    Unlike in `segjt.merging.greedy_ncut`, parts that are not neighbours have affinity too, which counts in the cut.
    """
    K, count = len(W), len(W)
    # A part never weighs nothing, and neighbours are never without affinity.
    W = np.maximum(W, SMALLEST_WEIGHT * (W.max(initial=0.0) or 1.0))
    merges = []
    while count > n:
        i, j = pairs.T
        volume = W.sum(1)
        cut = volume - np.diagonal(W)
        change = (cut[i] + cut[j] - 2 * W[i, j]) / (volume[i] + volume[j]) - cut[i] / volume[i] - cut[j] / volume[j]
        kept, absorbed = pairs[change.argmin()].tolist()
        merges.append((kept, absorbed))
        W[kept] += W[absorbed]
        W[:, kept] += W[:, absorbed]
        W[absorbed] = W[:, absorbed] = 0.0
        pairs = np.where(pairs == absorbed, kept, pairs)
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        count -= 1
    return groups_after(K, tree_pairs(K, np.array(merges, np.int64).reshape(-1, 2)))
