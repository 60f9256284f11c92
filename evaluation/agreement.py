"""How well the fast path and the plain version agree: `python -m segjt.evaluation.agreement`.

Both start k-means from the same points, so that only affinities, eigenvectors and rounding can differ.
"""

from __future__ import annotations

import functools
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from numpy.typing import NDArray

import segjt
from segjt.datasets.items import Photo
from segjt.evaluation import plain
from segjt.evaluation.scores import adjusted_rand_index
from segjt.labels import connected_segments
from segjt.runtime.arrays import Floats
from segjt.runtime.threads import available_cores, one_blas_thread
from segjt.spectral.kmeans import kmeans
from segjt.superpixels.blocks import tile
from segjt.superpixels.oversegmentation import SMALLEST_PART

BLOCKS_OF_SLOW_KERNELS = 3


def same_starts(rows: Floats, k: int, index: int) -> NDArray[np.integer]:
    """Cluster the rows of eigenvectors, which are in ascending order here, as segjt does in the block of this index."""
    return kmeans(rows[:, ::-1], k, np.random.default_rng([0, index]))


def agreement(image: Photo, kernel: str, block_size: int, some: int | None = None) -> float:
    """Return the adjusted Rand index between the initial segments of an image by both versions.

    It is the mean over all blocks, or over `some` of them, spread evenly over the image.
    """
    fast = segjt.oversegment(image, kernel=kernel, block_size=block_size, workers=1)
    blocks = tile(image.shape[:2], block_size)
    if some is not None:
        blocks = [blocks[len(blocks) * (2 * part + 1) // (2 * some)] for part in range(some)]
    scores = []
    with one_blas_thread():
        for block in blocks:
            part = image[block.rows, block.columns]
            cluster = functools.partial(same_starts, index=block.index)
            slow = plain.segment_block(part, (plain.KERNELS | plain.SLOW_KERNELS)[kernel], 8, cluster)
            slow = connected_segments(slow, int(SMALLEST_PART * slow.size))
            scores.append(adjusted_rand_index(slow, fast[block.rows, block.columns]))
    return statistics.mean(scores)


def main(block_size: int = 16) -> None:
    """Print the median over the Weizmann images for each kernel."""
    from segjt.datasets import weizmann

    images = [item.image() for item in weizmann()]
    for kernel in (*plain.KERNELS, *plain.SLOW_KERNELS):
        some = BLOCKS_OF_SLOW_KERNELS if kernel in plain.SLOW_KERNELS else None
        of_image = functools.partial(agreement, kernel=kernel, block_size=block_size, some=some)
        with ProcessPoolExecutor(available_cores()) as pool:
            scores = list(pool.map(of_image, images))
        low = sum(score < 0.99 for score in scores)
        print(
            f"{kernel:10} {block_size}x{block_size}: adjusted Rand index {statistics.median(scores):.4f} in the median "
            f"of {len(images)} images ({some or 'all'} blocks of each), {min(scores):.4f} at least, {low} below 0.99",
            flush=True,
        )


if __name__ == "__main__":
    main(*(int(size) for size in sys.argv[1:]))
