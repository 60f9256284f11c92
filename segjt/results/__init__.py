"""What people take away from a segmentation.

In: a `Segmentation` (image, label maps, merge tree). Out: pictures as arrays and files as bytes; the registry lists the
exports that `segjt segment` can write, and `register_export` adds one.
Knows `image`, `runtime`, `trees` and the encoders of `io`; opens no files and never knows the pipeline.
"""

from segjt.results.registry import (
    Export,
    choose_exports,
    export_names,
    find_export,
    register_export,
    unregister_export,
)
from segjt.results.segmentation import Segmentation

__all__ = [
    "Export",
    "Segmentation",
    "choose_exports",
    "export_names",
    "find_export",
    "register_export",
    "unregister_export",
]
