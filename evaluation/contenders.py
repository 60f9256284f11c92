"""What `segjt benchmark speed` times, by name: segjt, its plain version, and what a user would reach for otherwise."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import segjt
from segjt.datasets.items import Photo
from segjt.evaluation import peers, plain

Method = Callable[[Photo], Any]

BLOCK_SIZES = (16, 32)
PLAIN_KERNELS = ("gaussian", "jt2", "expjt2", "nlin")
# Kernels of three and more points, which are compared with jt2.
LARGER_KERNELS: dict[str, dict[str, Any]] = {
    "jt3": {"kernel": "jt3"},
    "expjt3": {"kernel": "expjt3"},
    "jtn (n = 8)": {"kernel": "jtn", "n": 8},
}
# Other tools, with their usual parameters.
SLIC_NCUT = "scikit-image slic + cut_normalized"
OTHER_TOOLS: dict[str, Method] = {
    "scikit-image felzenszwalb": peers.felzenszwalb,
    "scikit-image slic": peers.slic,
    SLIC_NCUT: peers.slic_ncut,
    "OpenCV mean shift": peers.mean_shift,
}
PIPELINE = "segjt, expjt2 {size}"
STAGE_ONE = "segjt stage one, {kernel} {size}"
PLAIN_STAGE_ONE = "plain stage one, {kernel} {size}"
ONE_BLOCK = "one block, expjt2 {size}: segjt"
ONE_BLOCK_SKLEARN = "one block, expjt2 {size}: scikit-learn SpectralClustering"
# The one that is measured on larger and larger images.
GROWING = PIPELINE.format(size=16)


@dataclass(frozen=True)
class Comparison:
    """A ratio of two contenders' seconds, by their names."""

    title: str
    numerator: str
    denominator: str


def block_sizes(quick: bool) -> tuple[int, ...]:
    """Return the sizes of blocks that are timed."""
    return BLOCK_SIZES[:1] if quick else BLOCK_SIZES


def contenders(quick: bool) -> dict[str, Method]:
    """Return everything that is timed on the small photograph, by name."""
    methods = dict(OTHER_TOOLS)
    for size in block_sizes(quick):
        methods |= contenders_of_size(size)
    return methods


def contenders_of_size(size: int) -> Iterator[tuple[str, Method]]:
    """Yield the contenders that cut blocks of one size."""
    stage_one = functools.partial(segjt.oversegment, block_size=size)
    yield ONE_BLOCK_SKLEARN.format(size=size), on_middle_block(spectral_clustering, size)
    yield ONE_BLOCK.format(size=size), on_middle_block(functools.partial(stage_one, kernel="expjt2"), size)
    for kernel in PLAIN_KERNELS:
        plain_version = functools.partial(plain.oversegment, kernel=kernel, block_size=size)
        yield PLAIN_STAGE_ONE.format(kernel=kernel, size=size), plain_version
    for name, parameters in ({kernel: {"kernel": kernel} for kernel in PLAIN_KERNELS} | LARGER_KERNELS).items():
        yield STAGE_ONE.format(kernel=name, size=size), functools.partial(stage_one, **parameters)
    yield PIPELINE.format(size=size), functools.partial(segjt.segment, kernel="expjt2", block_size=size)


def comparisons(quick: bool) -> Iterator[Comparison]:
    """Yield the ratios that matter: how many times faster than what."""
    for size in block_sizes(quick):
        for kernel in PLAIN_KERNELS:
            yield Comparison(
                f"stage one, {kernel} {size}: plain / segjt",
                PLAIN_STAGE_ONE.format(kernel=kernel, size=size),
                STAGE_ONE.format(kernel=kernel, size=size),
            )
        yield Comparison(
            f"one block, expjt2 {size}: SpectralClustering / segjt",
            ONE_BLOCK_SKLEARN.format(size=size),
            ONE_BLOCK.format(size=size),
        )
        for kernel in LARGER_KERNELS:
            yield Comparison(
                f"stage one, {size}: {kernel} / jt2",
                STAGE_ONE.format(kernel=kernel, size=size),
                STAGE_ONE.format(kernel="jt2", size=size),
            )
        yield Comparison(
            f"whole pipeline, expjt2 {size}: segjt / (slic + cut_normalized)", PIPELINE.format(size=size), SLIC_NCUT
        )


def on_middle_block(method: Method, size: int) -> Method:
    """Return a method that does with an image what another one does with the block in its middle."""

    def on_block(image: Photo) -> Any:
        top, left = ((length - size) // 2 for length in image.shape[:2])
        return method(np.ascontiguousarray(image[top : top + size, left : left + size]))

    return on_block


def spectral_clustering(block: Photo) -> Any:
    """Cut a block by scikit-learn's spectral clustering of the same affinity (expjt2)."""
    from sklearn.cluster import SpectralClustering

    W = plain.affinity(block, plain.expjt2)
    return SpectralClustering(8, affinity="precomputed", n_init=4, random_state=0).fit_predict(W)
