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
    from segjt.pipeline import merge, oversegment, segment

__all__ = ["Parameters", "Segmenter", "merge", "oversegment", "segment"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Parameters": "segjt.parameters",
        "Segmenter": "segjt.learn.segmenter",
        "merge": "segjt.pipeline",
        "oversegment": "segjt.pipeline",
        "segment": "segjt.pipeline",
    },
)
