"""The way of an image, in one screen: blocks, affinities, normalized cuts, region graph, merge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from segjt.image import Image, as_image
from segjt.kernels.base import Kernel
from segjt.labels import compact, regroup
from segjt.merging import grouping as merging
from segjt.merging.cues import build_tree
from segjt.parameters import Parameters
from segjt.region_graph.regions import region_graph
from segjt.runtime.threads import Progress, available_cores, one_blas_thread, stream_blocks
from segjt.superpixels import blocks, features
from segjt.superpixels.block_cut import cut_block
from segjt.trees.merge_tree import Labels, MergeTree
from segjt.trees.voting import most_alike, voting_sizes

# What the affinities of all blocks in work may take, and how many N x N matrices a block has at its peak.
MEMORY_BUDGET = 4 * 2**30
MATRICES_AT_ONCE = 6


def segment(
    image: ArrayLike | Image,
    n_segments: int | str | None = None,
    *,
    mask: ArrayLike | None = None,
    channel_axis: int | None = None,
    rng: int | np.random.Generator | None = None,
    parameters: Parameters | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Labels:
    """Segment an image.

    Parameters
    ----------
    image : (H, W), (H, W, 3) or (H, W, 4) array
        Grey, RGB or RGBA; uint8, uint16, or float in [0, 1]. Pixels of alpha 0 are masked out.
    n_segments : int or "auto", optional
        Number of segments. "auto", the default, takes the map that can be expected to show the object best.
    mask : (H, W) array of bool, optional
        True where a pixel takes part; the others get label 0.
    channel_axis : int, optional
        The axis of the channels of a multi-channel image, such as one with five bands.
    rng : int or numpy.random.Generator, optional
        Seed. The same seed gives the same labels, whatever the number of workers.
    parameters : Parameters, optional
        All settings in one object; the other arguments change single ones of them.
    progress : callable, optional
        Called with the number of blocks done and the number in all.
    **settings
        Any field of `Parameters`, for instance ``kernel="jt2", q=1.25, block_size=32``.

    Returns
    -------
    (H, W) int32 array
        Labels 1..K, compact; 0 only where a pixel is masked out.

    References
    ----------
    Ghoshdastidar, Adsul, Dukkipati: Learning with Jensen-Tsallis Kernels, Section VI-C.

    Examples
    --------
    >>> import numpy as np, segjt
    >>> image = np.zeros((32, 32, 3), np.uint8)
    >>> image[:, 16:] = 200
    >>> segjt.segment(image).max().item()
    2
    """
    chosen = settle(parameters, settings, n_segments=n_segments, rng=rng)
    return segment_image(as_image(image, mask, channel_axis), chosen, progress)[1]


def oversegment(
    image: ArrayLike | Image,
    *,
    mask: ArrayLike | None = None,
    channel_axis: int | None = None,
    rng: int | np.random.Generator | None = None,
    parameters: Parameters | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Labels:
    """Cut each block of an image, or the whole of it, into small segments: the stage before merging.

    Takes and returns what `segment` does.
    """
    chosen = settle(parameters, settings, rng=rng)
    checked = as_image(image, mask, channel_axis)
    return whole_image(checked, chosen)[0] if chosen.method == "whole" else cut_blocks(checked, chosen, progress)


def merge(
    image: ArrayLike | Image,
    labels: ArrayLike,
    n_segments: int | str | None = None,
    *,
    channel_axis: int | None = None,
    rng: int | np.random.Generator | None = None,
    parameters: Parameters | None = None,
    **settings: Any,
) -> Labels:
    """Merge small segments, of `oversegment` or of any other method: the stage after.

    Parameters
    ----------
    image : array
        The image, as for `segment`.
    labels : (H, W) int array
        The small segments. Label 0 marks pixels that are masked out.
    n_segments, channel_axis, rng, parameters, **settings
        As for `segment`.

    Returns
    -------
    (H, W) int32 array
        Labels 1..K, compact; 0 where `labels` is 0 or the image is transparent.
    """
    chosen = settle(parameters, settings, n_segments=n_segments, rng=rng)
    given = np.asarray(labels)
    if given.dtype.kind not in "ui" or given.ndim != 2 or given.min(initial=0) < 0:
        raise ValueError(
            f"labels have dtype {given.dtype} and shape {given.shape}; "
            "give an (H, W) array of whole numbers from 0, with 0 for masked-out pixels"
        )
    checked = as_image(image, given > 0, channel_axis)
    return merge_image(checked, compact(np.where(checked.mask, given, 0)), chosen)


def hierarchy(
    image: ArrayLike | Image,
    *,
    mask: ArrayLike | None = None,
    channel_axis: int | None = None,
    rng: int | np.random.Generator | None = None,
    parameters: Parameters | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> MergeTree:
    """Return the nested segmentations of an image: a tree with a map for every number of segments.

    Takes what `segment` does, but for the number of segments, which is that of a cut: ``hierarchy(image).cut(n)`` is
    ``segment(image, n_segments=n)``. Of the methods only "blocks" with the merge method "cues" makes a hierarchy.

    Examples
    --------
    >>> import numpy as np, segjt
    >>> tree = segjt.hierarchy(np.random.default_rng(0).random((40, 40)))
    >>> two, five = tree.cuts([2, 5])
    """
    chosen = settle(parameters, settings, rng=rng)
    return hierarchy_image(as_image(image, mask, channel_axis), chosen, progress)


def settle(parameters: Parameters | None, settings: dict[str, Any], **direct: Any) -> Parameters:
    """Return the parameters that a call asks for; a preset goes first, then what is given by name."""
    changes = settings | {name: value for name, value in direct.items() if value is not None}
    if "preset" in changes:
        if parameters is not None:
            raise ValueError("give parameters or preset, not both; segjt.Parameters.preset(name) makes the former")
        parameters = Parameters.preset(changes.pop("preset"))
    if isinstance(changes.get("rng"), np.random.Generator):
        changes["rng"] = int(changes["rng"].integers(2**32))
    if parameters is not None and not isinstance(parameters, Parameters):
        raise TypeError(f"parameters = {parameters!r} is not valid; give segjt.Parameters, or fields as arguments")
    return (parameters or Parameters()).replace(**changes)


def segment_image(image: Image, parameters: Parameters, progress: Progress | None = None) -> tuple[Labels, Labels]:
    """Return the small segments of an image, and the segments that they are merged into."""
    if parameters.method == "whole":
        return whole_image(image, parameters)
    if parameters.merge_method == "cues":
        tree = hierarchy_image(image, parameters, progress)
        return tree.initial, tree.cut(parameters.n_segments)
    initial = cut_blocks(image, parameters, progress)
    return initial, merge_image(image, initial, parameters)


def hierarchy_image(image: Image, parameters: Parameters, progress: Progress | None = None) -> MergeTree:
    """Return the tree of merges of an image; if several block sizes vote, the one most like the others."""
    for name, only in (("method", "blocks"), ("merge_method", "cues")):
        if getattr(parameters, name) != only:
            raise ValueError(f"{name} = {getattr(parameters, name)!r} makes no hierarchy; it takes {name} = {only!r}")
    ways = [parameters.replace(block_size=size) for size in voting_sizes(parameters.block_size, parameters.votes)]
    counts = [len(blocks.tile(image.shape, way.block_size)) for way in ways]
    trees = []
    for place, way in enumerate(ways):
        going_on = progress and shifted(progress, sum(counts[:place]), sum(counts))
        trees.append(merge_tree(image, cut_blocks(image, way, going_on)))
    return trees[0] if len(trees) == 1 else most_alike(trees)


def shifted(progress: Progress, before: int, total: int) -> Progress:
    """Return the progress of one part of the work as that of all of it."""
    return lambda done, _: progress(before + done, total)


def whole_image(image: Image, parameters: Parameters) -> tuple[Labels, Labels]:
    """Return the same by the whole-image method."""
    from segjt.whole_image.method import segment_whole

    with one_blas_thread():
        return segment_whole(image, parameters)


def cut_blocks(image: Image, parameters: Parameters, progress: Progress | None = None) -> Labels:
    """Stage one: tile, segment each block, stitch."""
    kernel, seen = parameters.make_kernel(), parameters.feature_name()
    tiles = blocks.tile(image.shape, parameters.block_size)
    workers = affordable_workers(tiles, parameters)
    # One level of parallelism: threads over blocks, so BLAS gets one thread inside each.
    with one_blas_thread():
        parts = stream_blocks(
            lambda block: segment_block(image, block, kernel, seen, parameters), tiles, workers, progress
        )
        return compact(blocks.stitch(image.shape, tiles, parts))


def affordable_workers(tiles: list[blocks.Block], parameters: Parameters) -> int:
    """Return how many blocks may be in work at once, so that their affinities stay within the memory budget."""
    pixels = max((tile.rows.stop - tile.rows.start) * (tile.columns.stop - tile.columns.start) for tile in tiles)
    needed: int = MATRICES_AT_ONCE * 8 * pixels**2
    if needed > MEMORY_BUDGET:
        raise ValueError(
            f"block_size = {parameters.block_size} needs {needed / 2**30:.0f} GiB for one block of this image; "
            "choose 64 or less"
        )
    return min(parameters.workers or available_cores(), MEMORY_BUDGET // needed)


def segment_block(image: Image, block: blocks.Block, kernel: Kernel, seen: str, parameters: Parameters) -> Labels:
    """Cut one block into at most `segments_per_block` segments by the features `seen`; fewer if it has fewer."""
    mask = image.mask[block.rows, block.columns]
    labels = np.zeros(mask.shape, np.int32)
    if not mask.any():
        return labels
    X = features.extract(image, block.rows, block.columns, seen, kernel)
    k = features.count_distinct(X, parameters.segments_per_block)
    if k <= 1:
        labels[mask] = 1
        return labels
    lam, sigma = parameters.distance_lambda, parameters.distance_sigma
    # The seed of a block comes from its index, never from the thread that happens to run it.
    seed = [parameters.rng, block.index]
    labels[mask] = cut_block(kernel.log_affinity(X), features.coordinates(mask), lam, sigma, k, seed) + 1
    return labels


def merge_image(image: Image, labels: Labels, parameters: Parameters) -> Labels:
    """Stage two: region graph, merge, relabel."""
    if not labels.any():
        return labels
    n = parameters.n_segments
    if parameters.merge_method == "cues" or n == "auto":
        tree = merge_tree(image, labels)
        if parameters.merge_method == "cues":
            return tree.cut(n)
        n = tree.n_auto
    graph = region_graph(image, labels, parameters.bins)
    with one_blas_thread():
        groups = merging.group_regions(graph, parameters.merge_method, int(n), parameters.power, parameters.rng)
    return regroup(labels, groups)


def merge_tree(image: Image, labels: Labels) -> MergeTree:
    """Return the tree of all merges by the method "cues"."""
    with one_blas_thread():
        return build_tree(image, labels)
