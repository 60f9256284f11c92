"""Stage one from image to small segments: tile, cut each block, stitch (paper 000, Section VI-C)."""

from __future__ import annotations

import numpy as np

from segjt.image import Image
from segjt.kernels.base import Kernel
from segjt.labels import compact, connected_segments
from segjt.parameters import Parameters
from segjt.runtime.arrays import Labels
from segjt.runtime.threads import Progress, available_cores, one_blas_thread, stream_blocks
from segjt.superpixels import features
from segjt.superpixels.block_cut import cut_block
from segjt.superpixels.blocks import Block, stitch, tile

# What the affinities of all blocks in progress may take, and how many N x N matrices a block has at its peak.
MEMORY_BUDGET = 4 * 2**30
MATRICES_AT_ONCE = 6
# A part that falls off a cluster is a segment of its own from this share of the block on: smaller ones, down to single
# pixels, would be what normalized cuts of the region graph separate first.
SMALLEST_PART = 1 / 16


def oversegment_blocks(image: Image, parameters: Parameters, progress: Progress | None = None) -> Labels:
    """Return the small segments of all blocks, each of them 4-connected."""
    kernel, seen = parameters.make_kernel(), parameters.feature_name()
    tiles = tile(image.shape, parameters.block_size)
    workers = affordable_workers(tiles, parameters)
    # One level of parallelism: threads over blocks, so BLAS gets one thread inside each.
    with one_blas_thread():
        parts = stream_blocks(
            lambda block: segment_block(image, block, kernel, seen, parameters), tiles, workers, progress
        )
        return compact(stitch(image.shape, tiles, parts))


def affordable_workers(tiles: list[Block], parameters: Parameters) -> int:
    """Return how many blocks may be in progress at once, so that their affinities stay within the memory budget."""
    pixels = max((block.rows.stop - block.rows.start) * (block.columns.stop - block.columns.start) for block in tiles)
    needed: int = MATRICES_AT_ONCE * 8 * pixels**2
    if needed > MEMORY_BUDGET:
        raise ValueError(
            f"block_size = {parameters.block_size} needs {needed / 2**30:.0f} GiB for one block of this image; "
            "choose 64 or less"
        )
    return min(parameters.workers or available_cores(), MEMORY_BUDGET // needed)


def segment_block(image: Image, block: Block, kernel: Kernel, seen: str, parameters: Parameters) -> Labels:
    """Cut a block into `segments_per_block` clusters or fewer by the features `seen`; return their connected parts."""
    mask = image.mask[block.rows, block.columns]
    labels = np.zeros(mask.shape, np.int32)
    if not mask.any():
        return labels
    X = features.extract(image, block.rows, block.columns, seen, kernel)
    k = features.count_distinct(X, parameters.segments_per_block)
    if k <= 1:
        labels[mask] = 1
    else:
        lam, sigma = parameters.distance_lambda, parameters.distance_sigma
        # The seed of a block comes from its index, never from the thread that happens to run it.
        seed = [parameters.rng, block.index]
        labels[mask] = cut_block(kernel.log_affinity(X), features.coordinates(mask), lam, sigma, k, seed) + 1
    return connected_segments(labels, int(SMALLEST_PART * mask.size))
