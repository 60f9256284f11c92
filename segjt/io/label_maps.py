"""Label maps in files: 16-bit PNG, or 32-bit TIFF where there are more labels than 16 bits can hold."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from segjt.io.files import write_files
from segjt.io.images import encode_png
from segjt.io.tiff import TIFF_SIGNATURES
from segjt.runtime.arrays import Labels

MOST_PNG_LABELS = 65535
LABEL_SUFFIXES = (".png", ".tif")


def label_suffix(labels: NDArray[np.integer]) -> str:
    """Return the suffix of the file that holds these labels: .png up to 65,535 labels, .tif beyond."""
    return ".png" if labels.max(initial=0) <= MOST_PNG_LABELS else ".tif"


def encode_labels(labels: NDArray[np.integer]) -> bytes:
    """Return a label map as a 16-bit PNG file, or as a 32-bit TIFF file if it has more than 65,535 labels."""
    if label_suffix(labels) == ".png":
        return encode_png(labels.astype(np.uint16))
    import tifffile

    buffer = io.BytesIO()
    tifffile.imwrite(buffer, labels.astype(np.uint32), compression="zlib", photometric="minisblack")
    return buffer.getvalue()


def write_labels(path: str | Path, labels: NDArray[np.integer], overwrite: bool = False) -> Path:
    """Write a label map and return its path, with the suffix of `label_suffix`."""
    target = Path(path).with_suffix(label_suffix(labels))
    write_files({target: encode_labels(labels)}, overwrite)
    return target


def read_labels(path: str | Path) -> Labels:
    """Read a label map that `write_labels` or the command line wrote."""
    data = Path(path).read_bytes()
    if data.startswith(TIFF_SIGNATURES):
        import tifffile

        return np.asarray(tifffile.imread(io.BytesIO(data))).astype(np.int32)
    from PIL import Image as pillow

    return np.asarray(pillow.open(io.BytesIO(data))).astype(np.int32)
