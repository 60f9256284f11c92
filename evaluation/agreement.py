"""How well the fast path and the plain version agree: `python -m segjt.evaluation.agreement`.

Both get the same starts of k-means, so that what is left are differences of affinities, eigenvectors and rounding.
"""

from __future__ import annotations

import functools
import statistics
import sys

import numpy as np
from numpy.typing import NDArray

import segjt
from segjt.blocks import tile
from segjt.evaluation import plain
from segjt.evaluation.scores import adjusted_rand_index
from segjt.kmeans import kmeans

Array = NDArray[np.float64]


def same_starts(rows: Array, k: int, index: int) -> NDArray[np.integer]:
    """Cluster the rows of eigenvectors, in ascending order here, as segjt does in the block of this index."""
    return kmeans(rows[:, ::-1], k, np.random.default_rng([0, index]))


def agreement(image: NDArray[np.uint8], kernel: str, block_size: int) -> float:
    """Return the adjusted Rand index of the initial segments of an image by both ways: the mean over the blocks."""
    fast = segjt.oversegment(image, kernel=kernel, block_size=block_size)
    scores = []
    for block in tile(image.shape[:2], block_size):
        part = image[block.rows, block.columns]
        cluster = functools.partial(same_starts, index=block.index)
        slow = plain.segment_block(part, plain.KERNELS[kernel], 8, cluster)
        scores.append(adjusted_rand_index(slow, fast[block.rows, block.columns]))
    return statistics.mean(scores)


def main(block_size: int = 16) -> None:
    """Print the median over the Weizmann images for each kernel."""
    from segjt.datasets import weizmann

    images = [item.image() for item in weizmann()]
    for kernel in plain.KERNELS:
        scores = [agreement(image, kernel, block_size) for image in images]
        low = sum(score < 0.99 for score in scores)
        print(
            f"{kernel:10} {block_size}x{block_size}: adjusted Rand index {statistics.median(scores):.4f} in the median "
            f"of {len(images)} images, {min(scores):.4f} at least, {low} below 0.99"
        )


if __name__ == "__main__":
    main(*(int(size) for size in sys.argv[1:]))
