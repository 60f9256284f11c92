"""Small pictures for the gallery of a report: image, truth, segments, best segment."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segjt.image import Image, as_image
from segjt.results.overlay import as_rgb, boundaries, overlay

LONGEST_SIDE = 240
# How far an image is averaged down; larger ones are thinned to this many times the picture first, for speed.
OVERSAMPLING = 4
# What is not the object, or not the segment, keeps this share of its light.
DIMMED = 0.28
OUTLINES = np.array([[255, 64, 129], [0, 229, 255], [255, 214, 0]]) / 255
PALETTE_COLOURS = 64
QUALITY = 78
SIGNATURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}


def gallery_pictures(
    image: ArrayLike | Image, labels: ArrayLike, truth: ArrayLike | None = None, longest: int = LONGEST_SIDE
) -> dict[str, bytes]:
    """Return the pictures of a gallery item, as files, by their label.

    Parameters
    ----------
    image : array or Image
        What `segjt.segment` takes.
    labels : (H, W) int array
        Its segments. If several maps were scored, the one with the best segment.
    truth : (n, H, W) array, optional
        Masks of n objects (bool), or label maps of n people (int), as the items of `segjt.datasets` give them.
    longest : int
        Longest side of the pictures; smaller images stay as they are.

    Returns
    -------
    dict of str to bytes
        "Image"; with a truth "Truth"; "Segments"; and for objects "Best segment", with the outline of the truth.
    """
    from segjt.evaluation.weizmann import score_fixed

    whole, full = as_image(image), np.asarray(labels)
    if full.shape != whole.shape:
        raise ValueError(f"labels have the shape {full.shape} and the image {whole.shape}; they must be of one image")
    rows, columns = sampled(whole.shape, longest)
    small = reduced(whole, rows, columns)
    segments = full[rows[:, None], columns]
    rgb = as_rgb(small)
    pictures = {"Image": rgb}
    if truth is not None:
        given = np.asarray(truth)
        of_truth = given[:, rows[:, None], columns]
        objects = given.dtype == bool
        pictures["Truth"] = (
            outlined(lit(rgb, np.asarray(of_truth.any(axis=0))), of_truth) if objects else people(rgb, of_truth)
        )
    pictures["Segments"] = overlay(small, segments.astype(np.int32)) / 255
    if truth is not None and objects:
        best = [score.label for score in score_fixed(full, given).objects if score.label is not None]
        pictures["Best segment"] = outlined(lit(rgb, np.isin(segments, best)), of_truth)
    return {label: encode(picture) for label, picture in pictures.items()}


def sampled(shape: tuple[int, int], longest: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which rows and columns of an image a picture of it samples."""
    scale = min(1.0, longest / max(shape))
    rows, columns = (((np.arange(n := max(1, round(size * scale))) + 0.5) * size / n).astype(np.intp) for size in shape)
    return rows, columns


def reduced(image: Image, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Image:
    """Return an image averaged down to as many rows and columns; a pixel is masked out if the one it samples is."""
    from PIL import Image as pillow

    height, width = len(rows), len(columns)
    step = max(1, min(image.shape[0] // (OVERSAMPLING * height), image.shape[1] // (OVERSAMPLING * width)))
    thinned = Image(image.pixels[::step, ::step], image.mask[::step, ::step])
    pixels = pillow.fromarray(as_bytes(as_rgb(thinned))).resize((width, height), pillow.Resampling.BOX)
    return Image(np.asarray(pixels), image.mask[rows[:, None], columns])


def lit(rgb: NDArray[np.float64], part: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return a picture with all but one part dimmed."""
    return np.where(part[:, :, None], rgb, DIMMED * rgb)


def outlined(rgb: NDArray[np.float64], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return a picture with the outline of each mask, in a colour of its own."""
    picture = rgb.copy()
    for number, mask in enumerate(masks):
        line = boundaries(mask)
        line[1:, 1:] |= line[:-1, :-1]  # two pixels wide: one is lost on a photograph
        picture[line] = OUTLINES[number % len(OUTLINES)]
    return picture


def people(rgb: NDArray[np.float64], maps: NDArray[Any]) -> NDArray[np.float64]:
    """Return a dimmed picture with the outlines that people drew, brighter where more of them agree."""
    agreement = np.mean([boundaries(labels) for labels in maps], axis=0)[:, :, None]
    picture: NDArray[np.float64] = (1 - agreement) * DIMMED * rgb + agreement * OUTLINES[2]
    return picture


def as_bytes(rgb: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return values in [0, 1] as uint8."""
    return np.rint(255 * rgb).astype(np.uint8)


def encode(rgb: NDArray[np.float64] | NDArray[np.uint8]) -> bytes:
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
    """Return a picture, a file's content or pixels, as an address that holds it."""
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
