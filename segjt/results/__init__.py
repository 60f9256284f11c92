"""What people take away from a segmentation.

In: a `Segmentation` (image, label maps, merge tree). Out: pictures as arrays and files as bytes; the registry lists the
exports that `segjt segment` and `segjt objects` can write, and `register_export` adds one to the former.
Knows `image`, `runtime`, `trees` and the encoders of `io`; opens no files and never knows the pipeline.
"""

from segjt.results.region_table import region_table, rounded
from segjt.results.registry import (
    OBJECT_EXPORTS,
    Export,
    choose_exports,
    export_names,
    find_export,
    register_export,
    unregister_export,
)
from segjt.results.segmentation import Segmentation

__all__ = [
    "OBJECT_EXPORTS",
    "Export",
    "Segmentation",
    "choose_exports",
    "export_names",
    "find_export",
    "region_table",
    "register_export",
    "rounded",
    "unregister_export",
]
