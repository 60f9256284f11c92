"""PNG, JPEG, BMP and WebP files, by Pillow; 16-bit colour PNG by OpenCV, because Pillow reduces it to 8 bits."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from segjt.io.decoding import EXIF_ORIENTATION, FORMATS, Decoded, check_page, damage_is_an_error

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# TIFF is among them for pages in colour spaces that only Pillow converts.
PILLOW_FORMATS = ("PNG", "JPEG", "MPO", "BMP", "WEBP", "TIFF")
GREY_MODES = ("1", "L", "LA", "La")


def read_pillow(data: bytes, page: int | None) -> Decoded:
    """Decode one page of a PNG, JPEG, BMP or WebP file."""
    with open_pillow(data) as opened:
        with damage_is_an_error():
            # The further frames of a camera's JPEG (MPO) are previews and the other eye of a stereo pair.
            pages = 1 if opened.format == "MPO" and page is None else getattr(opened, "n_frames", 1)
        check_page(page, pages)
        with damage_is_an_error():
            opened.seek(page or 0)
            opened.load()
            orientation = opened.getexif().get(EXIF_ORIENTATION, 1)
            channels = decode_deep_png(data) if is_deep_png(data) else pillow_channels(opened)
    return channels.oriented(orientation)


def open_pillow(data: bytes) -> PillowImage:
    """Open the content of a file with Pillow, whatever the size of the image."""
    from PIL import Image as pillow
    from PIL import UnidentifiedImageError

    limit, pillow.MAX_IMAGE_PIXELS = pillow.MAX_IMAGE_PIXELS, None  # large images are our business
    try:
        with damage_is_an_error(except_for=UnidentifiedImageError):
            opened = pillow.open(io.BytesIO(data))
    except UnidentifiedImageError:
        opened = None
    finally:
        pillow.MAX_IMAGE_PIXELS = limit
    if opened is None or opened.format not in PILLOW_FORMATS:
        raise ValueError(f"not an image that can be read; give {FORMATS}")
    return opened


def is_deep_png(data: bytes) -> bool:
    """Tell whether this is a PNG of 16 bits and several channels, which Pillow would reduce to 8 bits."""
    return data.startswith(PNG_SIGNATURE) and data[24] == 16 and data[25] in (2, 4, 6)


def decode_deep_png(data: bytes) -> Decoded:
    """Decode a 16-bit PNG (RGB, RGBA or grey with alpha)."""
    import cv2

    decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if decoded is None:
        raise OSError("broken PNG data")
    colours = decoded[:, :, 2::-1]
    alpha = decoded[:, :, 3] if decoded.shape[2] == 4 else None
    grey = data[25] == 4  # with alpha
    return Decoded(colours[:, :, :1] if grey else colours, alpha)


def pillow_channels(opened: PillowImage) -> Decoded:
    """Return the channels of an image that Pillow has opened: palettes and other colour spaces become RGB."""
    if opened.mode.startswith("I"):
        values = np.asarray(opened).astype(np.uint16)
        transparent = opened.info.get("transparency")
        return Decoded(values[:, :, None], None if transparent is None else values != transparent)
    grey = opened.mode in GREY_MODES
    if opened.has_transparency_data:
        rgba = np.asarray(opened.convert("RGBA"))
        return Decoded(rgba[:, :, :1] if grey else rgba[:, :, :3], rgba[:, :, 3])
    colours = np.asarray(opened.convert("L" if grey else "RGB"))
    return Decoded(colours[:, :, None] if grey else colours)
