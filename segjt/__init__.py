"""segjt: image segmentation with Jensen-Tsallis kernels, without training data.

>>> import segjt
>>> labels = segjt.segment(image)                  # doctest: +SKIP
>>> labels = segjt.segment(image, n_segments=6)    # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from segjt.learn.segmenter import Segmenter
    from segjt.parameters import Parameters
    from segjt.pipeline import merge, oversegment, segment

__all__ = ["Parameters", "Segmenter", "merge", "oversegment", "segment"]

# Names load when they are first used: `import segjt` itself imports nothing heavy.
_HOME = {
    "Parameters": "segjt.parameters",
    "Segmenter": "segjt.learn.segmenter",
    "merge": "segjt.pipeline",
    "oversegment": "segjt.pipeline",
    "segment": "segjt.pipeline",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'segjt' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
