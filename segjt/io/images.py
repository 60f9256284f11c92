"""Read images in their own pixel type; encode pictures."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from segjt.image import Image, checked_values
from segjt.io.files import read_file
from segjt.io.pillow_formats import read_pillow
from segjt.io.tiff import TIFF_SIGNATURES, read_tiff


def read_image(path: str | Path, page: int | None = None) -> Image:
    """Read an image file.

    Parameters
    ----------
    path : str or Path
        A PNG, JPEG, TIFF, BMP or WebP file: 8-bit, 16-bit or (TIFF) float in [0, 1]; grey, colour,
        palette, with alpha, or (TIFF) with any number of channels. EXIF orientation is applied.
    page : int, optional
        Which page of a file with several, from 0.

    Returns
    -------
    Image
        Pixels in their own type, RGB; masked out where alpha is 0. `segjt.segment` accepts it.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is not an image, is damaged, or has several pages and `page` is not given.
    """
    return decode_image(read_file(path), path, page)


def decode_image(data: bytes, path: str | Path, page: int | None = None) -> Image:
    """Return the image in the content of a file; `path` is for error messages."""
    read = read_tiff if data.startswith(TIFF_SIGNATURES) else read_pillow
    try:
        pixels, alpha = read(data, page)
        mask = np.ones(pixels.shape[:2], bool) if alpha is None else alpha > 0
        return Image(checked_values(pixels, mask), mask)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{path}: {error}") from None


def encode_png(pixels: NDArray[np.uint8] | NDArray[np.uint16]) -> bytes:
    """Return uint8 (grey or RGB) or uint16 (grey) pixels as a PNG file."""
    from PIL import Image as pillow

    buffer = io.BytesIO()
    pillow.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()
