"""TIFF files: open, choose a page or a series of channels, check that it is complete, decode, orient."""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from segjt.io.decoding import EXIF_ORIENTATION, Decoded, check_page, damage_is_an_error
from segjt.io.pillow_formats import open_pillow, pillow_channels

if TYPE_CHECKING:
    from tifffile import TiffFile, TiffPage, TiffPageSeries

TIFF_SIGNATURES = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
# Values of the tag PhotometricInterpretation.
WHITE_IS_ZERO, PALETTE, YCBCR = 0, 3, 6
CMYK_AND_LAB = (5, 8, 9, 10)
# Values of the tags Compression and ExtraSamples.
JPEG_COMPRESSIONS = (6, 7)
ALPHA_SAMPLES = (1, 2)


@dataclass(frozen=True)
class TiffSource:
    """The part of a TIFF file that holds the image.

    Attributes
    ----------
    number : int
        Number of the page, from 0.
    page : TiffPage
        The page whose tags say what the values mean; of a series, the first.
    holder : TiffPage or TiffPageSeries
        What holds the pixels: the page, or a series whose pages are channels.
    """

    number: int
    page: TiffPage
    holder: TiffPage | TiffPageSeries

    def check_complete(self, size: int) -> None:
        """Raise an OSError if pixel data lie beyond the end of a file of that size."""
        spans = zip(self.page.dataoffsets, self.page.databytecounts, strict=True)
        if any(start + count > size for start, count in spans):
            raise OSError("the file ends before its pixel data")

    def decode(self) -> Decoded:
        """Return the channels, RGB where the page has a palette or YCbCr."""
        page, pixels = self.page, self.holder.asarray()
        if page.photometric == PALETTE and page.colormap is not None:
            # Writers scale 8-bit colours by 256 or 257; the upper byte is right for both.
            return Decoded(np.moveaxis((page.colormap >> 8).astype(np.uint8)[:, pixels], 0, -1))
        if page.photometric == YCBCR and page.compression not in JPEG_COMPRESSIONS:  # JPEG data are RGB by now
            return Decoded(rgb_of_ycbcr(pixels))
        samples = channels_last(pixels, self.holder.axes)
        if page.photometric == WHITE_IS_ZERO and samples.dtype.kind in "bu":
            samples = ~samples
        if samples.shape[2] in (2, 4) and page.extrasamples and page.extrasamples[-1] in ALPHA_SAMPLES:
            return Decoded(samples[:, :, :-1], samples[:, :, -1])
        return Decoded(samples)

    def orientation(self) -> int:
        """Return the EXIF orientation, 1 to 8."""
        return int(self.page.tags.valueof(EXIF_ORIENTATION, 1))


def read_tiff(data: bytes, page: int | None) -> Decoded:
    """Decode one page of a TIFF file, or the pages that are channels of one image."""
    source = choose_source(open_tiff(data), page)
    with damage_is_an_error():
        source.check_complete(len(data))
        if source.page.photometric in CMYK_AND_LAB:
            return convert_with_pillow(data, source.number)
        return source.decode().oriented(source.orientation())


def open_tiff(data: bytes) -> TiffFile:
    """Open the content of a TIFF file."""
    import tifffile

    logging.getLogger("tifffile").setLevel(logging.CRITICAL)  # it logs damage and carries on
    with damage_is_an_error():
        return tifffile.TiffFile(io.BytesIO(data))


def choose_source(tiff: TiffFile, page: int | None) -> TiffSource:
    """Return the requested page, or the whole series if its pages are the channels of one image."""
    with damage_is_an_error():
        series, pages, several = tiff.series[0], len(tiff.pages), len(tiff.series) > 1
    if page is None and not several and holds_channels(series.axes):
        with damage_is_an_error():
            return TiffSource(0, tiff.pages[0].aspage(), series)
    check_page(page, pages)
    number = page or 0
    with damage_is_an_error():
        chosen = tiff.pages[number].aspage()
    if not set(chosen.axes) <= set("YXS"):
        raise ValueError(f"the page has axes {chosen.axes}; give a two-dimensional image with channels")
    return TiffSource(number, chosen, chosen)


def holds_channels(axes: str) -> bool:
    """Tell whether a series stores channels as pages: ImageJ and OME files name that axis C."""
    return "C" in axes and set(axes) <= set("CYXS")


def convert_with_pillow(data: bytes, number: int) -> Decoded:
    """Decode a page in CMYK or Lab with Pillow, which converts it to RGB and applies its orientation."""
    opened = open_pillow(data)
    opened.seek(number)
    return pillow_channels(opened)


def channels_last(pixels: NDArray[Any], axes: str) -> NDArray[Any]:
    """Return pixels (H, W, C); the axis S (samples) or C holds the channels."""
    if pixels.ndim == 2:
        return pixels[:, :, None]
    return np.moveaxis(pixels, next(axes.index(axis) for axis in "SC" if axis in axes), -1)


def rgb_of_ycbcr(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return RGB of 8-bit luma and chroma, by the coefficients of ITU-R BT.601, the default of TIFF."""
    luma, blue, red = np.moveaxis(pixels.astype(np.float64), -1, 0) - np.array([0, 128, 128])[:, None, None]
    rgb = np.stack([luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue], axis=-1)
    rounded: NDArray[np.uint8] = np.rint(np.clip(rgb, 0, 255)).astype(np.uint8)
    return rounded
