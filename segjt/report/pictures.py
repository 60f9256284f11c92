"""Small pictures for the gallery of a report: image, truth, segments, best segment."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segjt.image import Image, as_image
from segjt.results.overlay import as_rgb, boundaries, overlay
from segjt.runtime.arrays import Floats, Indices, Mask

LONGEST_SIDE = 240
# Images larger than this many times the picture are thinned to that before averaging, for speed.
OVERSAMPLING = 4
# Brightness of what is not the object or not the segment.
DIMMED = 0.28
OUTLINES = np.array([[255, 64, 129], [0, 229, 255], [255, 214, 0]]) / 255
PALETTE_COLOURS = 64
QUALITY = 78
SIGNATURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}


def gallery_pictures(
    image: ArrayLike | Image,
    labels: ArrayLike,
    truth: ArrayLike | None = None,
    best: Sequence[int] | None = None,
    longest: int = LONGEST_SIDE,
) -> dict[str, bytes]:
    """Return the pictures of a gallery item, as files, by their caption.

    Parameters
    ----------
    image : array or Image
        What `segjt.segment` takes.
    labels : (H, W) int array
        Its segments.
    truth : (n, H, W) array, optional
        Masks of n objects (bool), or label maps by n people (int), as items of `segjt.datasets` return them.
    best : sequence of int, optional
        Labels of the segments that match the objects best, to be highlighted.
    longest : int
        Longest side of the pictures; smaller images keep their size.

    Returns
    -------
    dict of str to bytes
        "Image"; with a truth "Truth"; "Segments"; with a truth and `best` "Best segment", outlined by the truth.
    """
    whole, full = as_image(image), np.asarray(labels)
    if full.shape != whole.shape:
        raise ValueError(f"labels have shape {full.shape} and the image has {whole.shape}; they must be equal")
    rows, columns = sample_positions(whole.shape, longest)
    small = reduced(whole, rows, columns)
    segments = full[rows[:, None], columns].astype(np.int32)
    rgb = as_rgb(small)
    pictures = {"Image": rgb}
    maps = None if truth is None else np.asarray(truth)[:, rows[:, None], columns]
    if maps is not None:
        pictures["Truth"] = (
            outlined(lit(rgb, np.asarray(maps.any(axis=0))), maps) if maps.dtype == bool else agreed(rgb, maps)
        )
    pictures["Segments"] = overlay(small, segments) / 255
    if maps is not None and best is not None:
        pictures["Best segment"] = outlined(lit(rgb, np.isin(segments, list(best))), maps)
    return {caption: encode(picture) for caption, picture in pictures.items()}


def sample_positions(shape: tuple[int, int], longest: int) -> tuple[Indices, Indices]:
    """Return the rows and columns of an image that a picture with this longest side samples."""
    scale = min(1.0, longest / max(shape))
    rows, columns = (((np.arange(n := max(1, round(size * scale))) + 0.5) * size / n).astype(np.intp) for size in shape)
    return rows, columns


def reduced(image: Image, rows: Indices, columns: Indices) -> Image:
    """Return an image averaged down to these rows and columns; a pixel is masked out if the one it samples is."""
    from PIL import Image as pillow

    height, width = len(rows), len(columns)
    step = max(1, min(image.shape[0] // (OVERSAMPLING * height), image.shape[1] // (OVERSAMPLING * width)))
    thinned = Image(image.pixels[::step, ::step], image.mask[::step, ::step])
    pixels = pillow.fromarray(as_bytes(as_rgb(thinned))).resize((width, height), pillow.Resampling.BOX)
    return Image(np.asarray(pixels), image.mask[rows[:, None], columns])


def lit(rgb: Floats, part: Mask) -> Floats:
    """Return a picture dimmed outside of a mask."""
    return np.where(part[:, :, None], rgb, DIMMED * rgb)


def outlined(rgb: Floats, masks: Mask) -> Floats:
    """Return a picture with the outline of each mask (n, H, W) in its own colour."""
    picture = rgb.copy()
    for number, mask in enumerate(masks):
        line = boundaries(mask)
        line[1:, 1:] |= line[:-1, :-1]  # two pixels wide: one is lost on a photograph
        picture[line] = OUTLINES[number % len(OUTLINES)]
    return picture


def agreed(rgb: Floats, maps: NDArray[Any]) -> Floats:
    """Return a dimmed picture with the boundaries of label maps (n, H, W), brighter where more of them agree."""
    agreement = np.mean([boundaries(labels) for labels in maps], axis=0)[:, :, None]
    picture: Floats = (1 - agreement) * DIMMED * rgb + agreement * OUTLINES[2]
    return picture


def as_bytes(rgb: Floats) -> NDArray[np.uint8]:
    """Return values in [0, 1] as uint8."""
    return np.rint(255 * rgb).astype(np.uint8)


def encode(rgb: Floats | NDArray[np.uint8]) -> bytes:
    """Return a picture as a small file: PNG with a palette if it has few colours, else WebP."""
    from PIL import Image as pillow

    pixels = rgb if rgb.dtype == np.uint8 else as_bytes(rgb.astype(np.float64))
    picture, buffer = pillow.fromarray(pixels).convert("RGB"), io.BytesIO()
    if picture.getcolors(PALETTE_COLOURS) is not None:
        colours, places = np.unique(np.asarray(picture).reshape(-1, 3), axis=0, return_inverse=True)
        indexed = pillow.fromarray(places.reshape(picture.height, picture.width).astype(np.uint8))
        indexed.putpalette(colours.astype(np.uint8).tobytes())
        indexed.save(buffer, "PNG", optimize=True)
    else:
        picture.save(buffer, "WEBP", quality=QUALITY)
    return buffer.getvalue()


def data_address(picture: bytes | NDArray[Any]) -> str:
    """Return a picture, given as a file's content or as pixels, as a data: address."""
    content = picture if isinstance(picture, bytes) else encode(picture)
    for signature, kind in SIGNATURES.items():
        if content.startswith(signature):
            return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
    raise ValueError(f"a picture begins with {content[:4]!r}; give PNG, JPEG, GIF or WebP files, or arrays of pixels")


def picture_size(picture: bytes | NDArray[Any]) -> tuple[int, int]:
    """Return width and height of a picture."""
    if not isinstance(picture, bytes):
        return picture.shape[1], picture.shape[0]
    from PIL import Image as pillow

    with pillow.open(io.BytesIO(picture)) as opened:
        return opened.size
