"""What counts as an image: shapes, value ranges, alpha and masks, checked once at the door."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segjt.runtime.arrays import Floats, Mask

# Resizing and filtering leave values this far outside of [0, 1]; they are clipped.
ROUND_OFF = 1e-6
# What the pixel values of each type are divided by to lie in [0, 1].
FULL_SCALE = {"uint8": 255.0, "uint16": 65535.0, "float16": 1.0, "float32": 1.0, "float64": 1.0}


@dataclasses.dataclass(frozen=True)
class Image:
    """A checked image.

    Attributes
    ----------
    pixels : (H, W, C) array
        Values as they came, so that 8-bit images stay small.
    mask : (H, W) bool array
        True where a pixel takes part.
    """

    pixels: NDArray[Any]
    mask: Mask

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.mask.shape

    @property
    def channels(self) -> int:
        """Number of channels, alpha not counted."""
        return int(self.pixels.shape[2])

    def values(self, rows: slice = slice(None), columns: slice = slice(None)) -> Floats:
        """Return a part of the image as float64 in [0, 1], shape (h, w, C)."""
        part = self.pixels[rows, columns]
        return part.astype(np.float64) / FULL_SCALE[part.dtype.name]

    def colours(self, rows: slice = slice(None), columns: slice = slice(None)) -> Floats:
        """Return a part of the image as float64 in [0, 1], shape (h, w, C), grey as RGB of equal channels.

        What compares pixels takes these: a sum over three equal channels is not that over one, and a picture must not
        have other segments because its file says that it is grey.
        """
        values = self.values(rows, columns)
        return np.repeat(values, 3, 2) if self.channels == 1 else values


def as_image(array: ArrayLike | Image, mask: ArrayLike | None = None, channel_axis: int | None = None) -> Image:
    """Check an array and return it as an `Image`.

    Parameters
    ----------
    array : (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) array
        Grey, RGB or RGBA; uint8, uint16, or float in [0, 1]. Pixels of alpha 0 are masked out.
    mask : (H, W) array of bool, optional
        True where a pixel takes part.
    channel_axis : int, optional
        The axis of the channels of a multi-channel image. If given, every channel is data, also the
        fourth of four.
    """
    if isinstance(array, Image):
        pixels, inside = array.pixels, array.mask
    else:
        pixels, alpha = split_alpha(np.asarray(array), channel_axis)
        inside = np.ones(pixels.shape[:2], bool) if alpha is None else alpha > 0
    if mask is not None:
        inside = inside & checked_mask(np.asarray(mask), inside.shape)
    return Image(checked_values(pixels, inside), inside)


def split_alpha(pixels: NDArray[Any], channel_axis: int | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return the colour channels as (H, W, C), and the alpha channel if there is one."""
    shape = pixels.shape
    if 0 in shape:
        raise ValueError(f"the image has shape {shape}: it has no pixels")
    if channel_axis is not None:
        if not isinstance(channel_axis, int):
            raise TypeError(f"channel_axis = {channel_axis!r} is not valid; give the number of the axis, such as -1")
        if pixels.ndim != 3 or not -3 <= channel_axis < 3:
            raise ValueError(
                f"channel_axis = {channel_axis} does not fit an image of shape {shape}; "
                "it needs three axes, and channel_axis from -3 to 2 names the one of the channels"
            )
        return np.moveaxis(pixels, channel_axis, -1), None
    if pixels.ndim == 2:
        return pixels[:, :, None], None
    if pixels.ndim == 3 and shape[2] in (1, 3):
        return pixels, None
    if pixels.ndim == 3 and shape[2] == 4:
        return pixels[:, :, :3], pixels[:, :, 3]
    if pixels.ndim == 3:
        raise ValueError(
            f"the image has shape {shape}, and {shape[2]} channels are neither grey, RGB nor RGBA; "
            "pass channel_axis= to say which axis holds the channels (channel_axis=-1 for the last), "
            "or, for grey with alpha, the grey channel and mask=alpha > 0"
        )
    raise ValueError(f"the image has shape {shape}; give (H, W) or (H, W, C)")


def checked_values(pixels: NDArray[Any], mask: Mask) -> NDArray[Any]:
    """Return the pixels, 0 where masked-out ones are wrong, or raise an error that names the first wrong value."""
    if pixels.dtype == bool:
        return pixels.astype(np.uint8) * np.uint8(255)
    if pixels.dtype.name not in FULL_SCALE:
        raise TypeError(
            f"the image has dtype {pixels.dtype}; give uint8, uint16, or float scaled to [0, 1], "
            "for instance image.astype(float) / image.max()"
        )
    if pixels.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            wrong = ~((pixels >= -ROUND_OFF) & (pixels <= 1 + ROUND_OFF))
        if not wrong.any():
            clipped: NDArray[Any] = np.clip(pixels, 0, 1)
            return clipped
        wrong_inside = wrong & mask[:, :, None]
        if wrong_inside.any():
            row, column, channel = (int(i) for i in np.argwhere(wrong_inside)[0])
            value = pixels[row, column, channel]
            where = f"the image is {float(value)!r} at row {row}, column {column}, channel {channel}"
            if not np.isfinite(value):
                raise ValueError(
                    f"{where}; fill such pixels, or leave them out with mask=np.isfinite(image) (.all(-1) for colour)"
                )
            low, high = np.nanmin(pixels[mask]), np.nanmax(pixels[mask])
            raise ValueError(
                f"{where}: float images lie in [0, 1], and this one in [{low:g}, {high:g}]; "
                "scale it, for instance (image - image.min()) / (image.max() - image.min())"
            )
        return np.where(wrong, 0, np.clip(pixels, 0, 1))
    return pixels


def checked_mask(mask: NDArray[Any], shape: tuple[int, int]) -> Mask:
    """Return a mask as bool, or raise an error if it does not fit the image."""
    if mask.shape != shape:
        raise ValueError(f"the mask has shape {mask.shape} and the image {shape}; they must be equal")
    if mask.dtype.kind not in "bui":
        raise TypeError(f"the mask has dtype {mask.dtype}; give bool, True where a pixel takes part")
    return mask.astype(bool)
