"""Shared by all image decoders.

The formats and their suffixes, the return type, EXIF orientation, the choice of a page, errors for damaged files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

FORMATS = "PNG, JPEG, TIFF, BMP or WebP"
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp"})
EXIF_ORIENTATION = 274


class Decoded(NamedTuple):
    """A decoded image.

    Attributes
    ----------
    colours : (H, W, C) array
        The channels that are data, in their own type.
    alpha : (H, W) array or None
        0 where a pixel is transparent.
    """

    colours: NDArray[Any]
    alpha: NDArray[Any] | None = None

    def oriented(self, orientation: int) -> Decoded:
        """Return the image rotated and mirrored as an EXIF orientation of 1 to 8 asks for."""
        alpha = None if self.alpha is None else orient(self.alpha, orientation)
        return Decoded(orient(self.colours, orientation), alpha)


def is_image(name: str) -> bool:
    """Tell whether a file name is that of an image; hidden files are not."""
    return Path(name).suffix.lower() in IMAGE_SUFFIXES and not name.startswith(".")


def orient(pixels: NDArray[Any], orientation: int) -> NDArray[Any]:
    """Return an array (H, W, ...) rotated and mirrored as an EXIF orientation of 1 to 8 asks for."""
    if orientation in (5, 6, 7, 8):
        pixels = pixels.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return pixels


@contextlib.contextmanager
def damage_is_an_error(except_for: type[Exception] = ImportError) -> Iterator[None]:
    """Turn whatever a decoder raises for a damaged file into one clear ValueError."""
    try:
        yield
    except (MemoryError, ImportError, except_for):
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"the image is damaged or cut short ({reason}); get it again from its source") from None


def check_page(page: int | None, pages: int) -> None:
    """Raise a ValueError unless `page` is one of that many pages, or None where there is only one."""
    if page is None and pages > 1:
        raise ValueError(f"the file has {pages} pages; choose one with --page (page=), from 0 to {pages - 1}")
    if page is not None and not 0 <= page < pages:
        raise ValueError(f"page {page} does not exist; the file has {pages}, so choose from 0 to {pages - 1}")
