"""segjt: image segmentation with Jensen-Tsallis kernels, without training data.

>>> import segjt, segjt.datasets
>>> image, truth = segjt.datasets.load_sample("quilt")
>>> labels = segjt.segment(image[60:130, 90:170])
>>> labels.shape, labels.dtype
((70, 80), dtype('int32'))
>>> segjt.segment(image[60:130, 90:170], n_segments=3).max().item()
3
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader  # type: ignore[import-untyped]

__version__ = "0.1.0"

if TYPE_CHECKING:
    from segjt import kernels, learn
    from segjt.learn.segmenter import Segmenter
    from segjt.parameters import Parameters
    from segjt.pipeline import hierarchy, merge, objects, oversegment, segment
    from segjt.trees.merge_tree import MergeTree

__all__ = [
    "MergeTree",
    "Parameters",
    "Segmenter",
    "hierarchy",
    "kernels",
    "learn",
    "merge",
    "objects",
    "oversegment",
    "segment",
]

# Names load when they are first used, so that `import segjt` imports nothing heavy.
__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["kernels", "learn"],
    submod_attrs={
        "learn.segmenter": ["Segmenter"],
        "parameters": ["Parameters"],
        "pipeline": ["hierarchy", "merge", "objects", "oversegment", "segment"],
        "trees.merge_tree": ["MergeTree"],
    },
)
