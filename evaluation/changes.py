"""Changes that leave a picture the same to a person: what is done to it, and how its label map is brought back.

A map that is brought back has the shape of the picture before the change; it is 0 where the changed picture has
nothing, so that maps are compared on the part that both have in common.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segjt.datasets.items import Photo
from segjt.labels import adjusted_rand_index
from segjt.runtime.arrays import Labels

# Half a block of the default size: the tiling of the moved picture lies as far from the old one as it can. A number,
# because results of other tools would be computed again after every change to what `Parameters` knows.
HALF_A_BLOCK = 6
# Red, green and blue in a grey value (ITU-R BT.601).
LUMA = (0.299, 0.587, 0.114)
OTHER_SEED = 1

Shape = tuple[int, int]


def as_it_is(image: Photo) -> Photo:
    """Return the picture itself."""
    return image


def in_place(labels: Labels, shape: Shape) -> Labels:
    """Return a map whose pixels are where they were."""
    return labels


@dataclass(frozen=True)
class Change:
    """A change of a picture, or of how it is segmented.

    Attributes
    ----------
    name : str
        What tables call it.
    after : callable
        Returns the changed picture.
    before : callable
        Returns the picture it is compared with: as a rule the picture itself.
    back : callable
        Returns the map of the changed picture as one of the picture before, from the map and that picture's height
        and width.
    seed : int
        Seed after the change; it is 0 before.
    channels : int
        Channels of the changed picture: tools that take RGB only cannot show a change to one channel.
    """

    name: str
    after: Callable[[Photo], Photo] = as_it_is
    before: Callable[[Photo], Photo] = as_it_is
    back: Callable[[Labels, Shape], Labels] = in_place
    seed: int = 0
    channels: int = 3

    def agreement(self, before: Labels, after: Labels) -> float:
        """Return the adjusted Rand index of the maps before and after the change, on what both pictures show."""
        brought_back = self.back(after, before.shape)
        common = brought_back > 0
        return adjusted_rand_index(before[common], brought_back[common])


def flipped(axis: int) -> Change:
    """Return a reflection; it is its own inverse."""

    def flip(pixels: NDArray[Any]) -> NDArray[Any]:
        return np.ascontiguousarray(np.flip(pixels, axis))

    return Change(f"flip {'left-right' if axis else 'up-down'}", flip, back=lambda labels, _: flip(labels))


def rotated(turns: int) -> Change:
    """Return a rotation by quarter turns, counter-clockwise."""

    def turn(pixels: NDArray[Any], times: int) -> NDArray[Any]:
        return np.ascontiguousarray(np.rot90(pixels, times))

    return Change(
        f"rotate by {90 * turns}", lambda image: turn(image, turns), back=lambda labels, _: turn(labels, -turns)
    )


def shifted(pixels: int) -> Change:
    """Return a window that moves down and to the right; it keeps its size."""
    return Change(
        f"shift by {pixels}",
        after=lambda image: np.ascontiguousarray(image[pixels:, pixels:]),
        before=lambda image: np.ascontiguousarray(image[:-pixels, :-pixels]),
        back=lambda labels, shape: moved(labels, shape, pixels),
    )


def cropped(pixels: int) -> Change:
    """Return the loss of rows at the top and columns at the left."""
    return Change(
        f"crop by {pixels}",
        lambda image: np.ascontiguousarray(image[pixels:, pixels:]),
        back=lambda labels, shape: moved(labels, shape, pixels),
    )


def moved(labels: Labels, shape: Shape, pixels: int) -> Labels:
    """Return a map moved down and to the right, cut to a shape; what comes in from outside is 0."""
    result = np.zeros(shape, np.int32)
    inside = result[pixels:, pixels:]
    inside[:] = labels[: inside.shape[0], : inside.shape[1]]
    return result


def enlarged(factor: float) -> Change:
    """Return an enlargement by bicubic interpolation; each pixel before takes the label of the one at its centre."""

    def enlarge(image: Photo) -> Photo:
        from PIL import Image, ImageOps

        return np.asarray(ImageOps.scale(Image.fromarray(image), factor, Image.Resampling.BICUBIC))

    return Change(f"scale {factor:g}", enlarge, back=nearest)


def nearest(labels: Labels, shape: Shape) -> Labels:
    """Return a map brought to a shape: each pixel has the label at its centre."""
    rows, columns = (
        (2 * np.arange(length) + 1) * given // (2 * length) for length, given in zip(shape, labels.shape, strict=True)
    )
    return np.ascontiguousarray(labels[np.ix_(rows, columns)])


def compressed(quality: int) -> Change:
    """Return the picture as a JPEG file gives it back."""

    def compress(image: Photo) -> Photo:
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(image).save(file, "JPEG", quality=quality)
        return np.asarray(Image.open(file))

    return Change(f"JPEG {quality}", compress)


def lit(percent: int) -> Change:
    """Return more light, or less: values beyond white are white."""
    return Change(f"light {percent:+d} %", lambda image: to_bytes(image * (1 + percent / 100)))


def brighter(levels: int) -> Change:
    """Return values that are a few levels higher."""
    return Change(f"{levels} level brighter", lambda image: to_bytes(image.astype(np.float64) + levels))


def noisy(levels: int) -> Change:
    """Return values off by up to so many levels, each equally likely; the same noise every time."""

    def add_noise(image: Photo) -> Photo:
        noise = np.random.default_rng(0).integers(-levels, levels, image.shape, endpoint=True)
        return to_bytes(image.astype(np.float64) + noise)

    return Change(f"noise of {levels} level", add_noise)


def to_bytes(values: NDArray[np.floating]) -> Photo:
    """Return values rounded and clipped to 0..255."""
    rounded: Photo = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return rounded


def grey(image: Photo) -> Photo:
    """Return the grey values (H, W)."""
    return to_bytes(image @ np.array(LUMA))


def grey_as_rgb(image: Photo) -> Photo:
    """Return the grey values as three equal channels."""
    return np.repeat(grey(image)[:, :, None], 3, 2)


ALL_CHANGES = (
    flipped(1),
    flipped(0),
    rotated(1),
    rotated(2),
    shifted(HALF_A_BLOCK),
    cropped(1),
    enlarged(1.5),
    enlarged(2),
    compressed(90),
    lit(10),
    lit(-10),
    brighter(1),
    noisy(1),
    Change("BGR", lambda image: np.ascontiguousarray(image[:, :, ::-1])),
    Change("another seed", seed=OTHER_SEED),
    Change("grey for RGB", grey, before=grey_as_rgb, channels=1),
)
CHANGES = {change.name: change for change in ALL_CHANGES}
