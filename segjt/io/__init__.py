"""Reading images and writing label maps: nothing is reduced to 8 bits, rotated wrongly or half written."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from segjt.image import Image, checked_values

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage
    from tifffile import TiffPage

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
TIFF_SIGNATURES = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
FORMATS = "PNG, JPEG, TIFF, BMP or WebP"
PILLOW_FORMATS = ("PNG", "JPEG", "MPO", "BMP", "WEBP", "TIFF")
EXIF_ORIENTATION = 274
# TIFF colour spaces CMYK, CIE Lab, ICC Lab and ITU Lab.
CONVERTED_BY_PILLOW = (5, 8, 9, 10)
MOST_PNG_LABELS = 65535


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
        Pixels in their own type, RGB; masked out where alpha is 0. `segjt.segment` takes it as it is.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is not an image, is damaged, or has several pages and `page` is not given.
    """
    return decode_image(read_file(path), path, page)


def read_file(path: str | Path) -> bytes:
    """Return the content of an image file; errors name the file and the remedy."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; name the image files, for instance {path / '*.png'}")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: no such file") from None
    if not data:
        raise ValueError(f"{path}: the file is empty (0 bytes); get it again from its source")
    return data


def decode_image(data: bytes, path: str | Path, page: int | None = None) -> Image:
    """Return the image in the content of a file; `path` is for error messages."""
    reader = read_tiff if data.startswith(TIFF_SIGNATURES) else read_other
    try:
        pixels, alpha = reader(data, page)
        mask = np.ones(pixels.shape[:2], bool) if alpha is None else alpha > 0
        return Image(checked_values(pixels, mask), mask)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{path}: {error}") from None


@contextlib.contextmanager
def decoding(except_for: type[Exception] = ImportError) -> Iterator[None]:
    """Turn whatever a decoder raises for a damaged file into one clear ValueError."""
    try:
        yield
    except (MemoryError, ImportError, except_for):
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"the image is damaged or cut short ({reason}); get it again from its source") from None


def read_other(data: bytes, page: int | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return colour channels (H, W, C) and alpha of a PNG, JPEG, BMP or WebP file."""
    with open_pillow(data) as opened:
        with decoding():
            # The further frames of a camera's JPEG (MPO) are previews and the other eye of a stereo pair.
            pages = 1 if opened.format == "MPO" and page is None else getattr(opened, "n_frames", 1)
        check_page(page, pages)
        with decoding():
            opened.seek(page or 0)
            opened.load()
            orientation = opened.getexif().get(EXIF_ORIENTATION, 1)
            pixels, alpha = decode_deep_png(data) if is_deep_png(data) else pillow_channels(opened)
    return orient(pixels, orientation), None if alpha is None else orient(alpha, orientation)


def open_pillow(data: bytes) -> PillowImage:
    """Return a file's content opened by Pillow, of any size."""
    from PIL import Image as pillow
    from PIL import UnidentifiedImageError

    limit, pillow.MAX_IMAGE_PIXELS = pillow.MAX_IMAGE_PIXELS, None  # large images are our business
    try:
        with decoding(except_for=UnidentifiedImageError):
            opened = pillow.open(io.BytesIO(data))
    except UnidentifiedImageError:
        opened = None
    finally:
        pillow.MAX_IMAGE_PIXELS = limit
    if opened is None or opened.format not in PILLOW_FORMATS:
        raise ValueError(f"not an image that can be read; give {FORMATS}")
    return opened


def check_page(page: int | None, pages: int) -> None:
    """Raise a ValueError unless `page` names one page."""
    if page is None and pages > 1:
        raise ValueError(f"the file has {pages} pages; choose one with --page (page=), from 0 to {pages - 1}")
    if page is not None and not 0 <= page < pages:
        raise ValueError(f"page {page} does not exist; the file has {pages}, so choose from 0 to {pages - 1}")


def is_deep_png(data: bytes) -> bool:
    """Tell whether this is a PNG of 16 bits and several channels, which Pillow would reduce to 8 bits."""
    return data.startswith(PNG_SIGNATURE) and data[24] == 16 and data[25] in (2, 4, 6)


def decode_deep_png(data: bytes) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return colours and alpha of a 16-bit PNG (RGB, RGBA or grey with alpha)."""
    import cv2

    decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if decoded is None:
        raise OSError("broken PNG data")
    colours = decoded[:, :, 2::-1]
    return colours[:, :, :1] if data[25] == 4 else colours, decoded[:, :, 3] if decoded.shape[2] == 4 else None


def pillow_channels(opened: PillowImage) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return colours and alpha of an image that Pillow has read."""
    if opened.mode.startswith("I"):
        values = np.asarray(opened).astype(np.uint16)
        transparent = opened.info.get("transparency")
        return values[:, :, None], None if transparent is None else values != transparent
    grey = opened.mode in ("1", "L", "LA", "La")
    if opened.has_transparency_data:
        channels = np.asarray(opened.convert("RGBA"))
        return channels[:, :, :1] if grey else channels[:, :, :3], channels[:, :, 3]
    channels = np.asarray(opened.convert("L" if grey else "RGB"))
    return channels[:, :, None] if grey else channels, None


def orient(pixels: NDArray[Any], orientation: int) -> NDArray[Any]:
    """Return pixels turned and mirrored as an EXIF orientation of 1 to 8 asks for."""
    if orientation in (5, 6, 7, 8):
        pixels = pixels.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return pixels


def read_tiff(data: bytes, page: int | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return colour channels (H, W, C) and alpha of one page of a TIFF file."""
    import logging

    import tifffile

    logging.getLogger("tifffile").setLevel(logging.CRITICAL)  # it reports damage there and goes on
    with decoding():
        tiff = tifffile.TiffFile(io.BytesIO(data))
        series = tiff.series[0]
        first = tiff.pages[page or 0].aspage() if (page or 0) < len(tiff.pages) else None
    # Channels may be stored as pages: ImageJ and OME files say so.
    whole_series = page is None and len(tiff.series) == 1 and "C" in series.axes and set(series.axes) <= set("CYXS")
    if not whole_series:
        check_page(page, len(tiff.pages))
        if first is not None and not set(first.axes) <= set("YXS"):
            raise ValueError(f"the page has axes {first.axes}; give a two-dimensional image with channels")
    assert first is not None  # check_page has made sure
    with decoding():
        check_complete(first, len(data))
        if first.photometric in CONVERTED_BY_PILLOW:
            opened = open_pillow(data)
            opened.seek(page or 0)
            return pillow_channels(opened)
        source = series if whole_series else first
        colours, alpha = tiff_channels(first, source.asarray(), source.axes)
        orientation = first.tags.valueof(EXIF_ORIENTATION, 1)
    return orient(colours, orientation), None if alpha is None else orient(alpha, orientation)


def check_complete(page: TiffPage, size: int) -> None:
    """Raise an OSError if the page's data lie beyond the end of the file."""
    if any(start + count > size for start, count in zip(page.dataoffsets, page.databytecounts, strict=True)):
        raise OSError("the file ends before its pixel data")


def tiff_channels(page: TiffPage, pixels: NDArray[Any], axes: str) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return colours (H, W, C) and alpha from what a TIFF page holds."""
    if page.photometric == 3 and page.colormap is not None:
        # Writers scale 8-bit colours by 256 or 257; the upper byte is right for both.
        return np.moveaxis((page.colormap >> 8).astype(np.uint8)[:, pixels], 0, -1), None
    if page.photometric == 6 and page.compression not in (6, 7):  # YCbCr; that of JPEG data is decoded already
        return rgb_of_ycbcr(pixels), None
    if pixels.ndim == 3:
        pixels = np.moveaxis(pixels, next(axes.index(axis) for axis in "SC" if axis in axes), -1)
    else:
        pixels = pixels[:, :, None]
    if page.photometric == 0 and pixels.dtype.kind in "bu":  # white is 0
        pixels = ~pixels
    if pixels.shape[2] in (2, 4) and page.extrasamples and page.extrasamples[-1] in (1, 2):  # alpha
        return pixels[:, :, :-1], pixels[:, :, -1]
    return pixels, None


def rgb_of_ycbcr(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return RGB of 8-bit luma and chroma, by the coefficients of ITU-R BT.601 that TIFF takes for granted."""
    luma, blue, red = np.moveaxis(pixels.astype(np.float64), -1, 0) - np.array([0, 128, 128])[:, None, None]
    rgb = np.stack([luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue], axis=-1)
    rounded: NDArray[np.uint8] = np.rint(np.clip(rgb, 0, 255)).astype(np.uint8)
    return rounded


def encode_png(pixels: NDArray[np.uint8] | NDArray[np.uint16]) -> bytes:
    """Return uint8 (grey or RGB) or uint16 (grey) pixels as a PNG file."""
    from PIL import Image as pillow

    buffer = io.BytesIO()
    pillow.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


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
    """Write a label map and return the path, whose suffix becomes that of `label_suffix`."""
    target = Path(path).with_suffix(label_suffix(labels))
    write_files({target: encode_labels(labels)}, overwrite)
    return target


def read_labels(path: str | Path) -> NDArray[np.int32]:
    """Read a label map that `write_labels` or the command line wrote."""
    data = Path(path).read_bytes()
    if data.startswith(TIFF_SIGNATURES):
        import tifffile

        return np.asarray(tifffile.imread(io.BytesIO(data))).astype(np.int32)
    from PIL import Image as pillow

    return np.asarray(pillow.open(io.BytesIO(data))).astype(np.int32)


def write_files(files: Mapping[Path, bytes], overwrite: bool = False) -> None:
    """Write several files, or none of them: each to a temporary name first, renamed when all are complete."""
    check_targets(files, overwrite)
    temporary = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in files}
    try:
        for path, content in files.items():
            with open(temporary[path], "xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        check_targets(files, overwrite)
        for path, written in temporary.items():
            os.replace(written, path)
    finally:
        for written in temporary.values():
            with contextlib.suppress(OSError):
                written.unlink()


def check_targets(paths: Iterable[Path], overwrite: bool) -> None:
    """Raise an error that names the first path that cannot be written, or that exists and is to be kept."""
    for path in paths:
        if path.is_dir():
            raise IsADirectoryError(
                f"{path}: is a folder where a result should go; rename it, or use another output folder"
            )
        if not overwrite and os.path.lexists(path):
            raise FileExistsError(
                f"{path}: exists and is kept; use --overwrite (overwrite=True) to replace it, or another folder"
            )
