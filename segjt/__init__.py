"""segjt: image segmentation with Jensen-Tsallis kernels, without training data.

>>> import segjt
>>> labels = segjt.segment(image)                  # doctest: +SKIP
>>> labels = segjt.segment(image, n_segments=6)    # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segjt.lazy import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:
    from segjt.learn.segmenter import Segmenter
    from segjt.parameters import Parameters
    from segjt.pipeline import hierarchy, merge, oversegment, segment
    from segjt.trees.merge_tree import MergeTree

__all__ = ["MergeTree", "Parameters", "Segmenter", "hierarchy", "merge", "oversegment", "segment"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "MergeTree": "segjt.trees.merge_tree",
        "Parameters": "segjt.parameters",
        "Segmenter": "segjt.learn.segmenter",
        "hierarchy": "segjt.pipeline",
        "merge": "segjt.pipeline",
        "oversegment": "segjt.pipeline",
        "segment": "segjt.pipeline",
    },
)
