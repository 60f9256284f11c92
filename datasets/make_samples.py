"""Draw the sample images that ship with segjt: textured regions with known truth.

Run ``python -m segjt.datasets.make_samples`` to draw them again; the result is the same to the byte
for a given version of numpy and Pillow.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from segjt.datasets import SAMPLES_FOLDER
from segjt.datasets.items import Photo
from segjt.io import encode_png, write_files
from segjt.runtime.arrays import Floats, Indices

Painter = Callable[[Floats, Floats, np.random.Generator], Floats]
HEIGHT, WIDTH = 192, 256
NOISE = 0.05


def stripes(angle: float, period: float, strength: float = 0.06) -> Painter:
    """Paint sine stripes across a direction given in degrees."""
    radians = np.deg2rad(angle)
    return lambda y, x, rng: strength * np.sin(2 * np.pi * (x * np.cos(radians) + y * np.sin(radians)) / period)


def checks(period: float, strength: float = 0.06) -> Painter:
    """Paint a soft chessboard."""
    return lambda y, x, rng: strength * np.sin(2 * np.pi * x / period) * np.sin(2 * np.pi * y / period)


def clouds(scale: int, strength: float = 0.06) -> Painter:
    """Paint smooth random blotches about `scale` pixels wide."""

    def paint(y: Floats, x: Floats, rng: np.random.Generator) -> Floats:
        coarse = rng.standard_normal((y.shape[0] // scale + 3, y.shape[1] // scale + 3))
        row, column = y / scale, x / scale
        i, j = row.astype(int), column.astype(int)
        # Smoothstep between the corners of a coarse grid of random values.
        v, u = row - i, column - j
        v, u = v * v * (3 - 2 * v), u * u * (3 - 2 * u)
        top = coarse[i, j] * (1 - u) + coarse[i, j + 1] * u
        bottom = coarse[i + 1, j] * (1 - u) + coarse[i + 1, j + 1] * u
        painted: Floats = strength * (top * (1 - v) + bottom * v)
        return painted

    return paint


def grain(strength: float = 0.06) -> Painter:
    """Paint a random value on every pixel, the same in all channels."""
    return lambda y, x, rng: strength * rng.standard_normal(y.shape)


def quilt(y: Floats, x: Floats) -> Indices:
    """Four patches that meet in the middle at wavy seams."""
    right = x > WIDTH / 2 + 14 * np.sin(y / 23)
    lower = y > HEIGHT / 2 + 11 * np.sin(x / 19)
    return 2 * lower.astype(int) + right


def landscape(y: Floats, x: Floats) -> Indices:
    """Sky, hills, meadow and a lake."""
    truth = np.where(y > 70 + 18 * np.sin(x / 31) + 8 * np.sin(x / 11), 1, 0)
    truth = np.where(y > 122 + 7 * np.sin(x / 43), 2, truth)
    return np.where(((x - 165) / 62) ** 2 + ((y - 160) / 21) ** 2 < 1, 3, truth)


def cells(y: Floats, x: Floats) -> Indices:
    """A microscope's view: background, two kinds of cell, and the nucleus of the larger one."""
    truth = np.zeros(y.shape, int)
    truth[((x - 95) / 68) ** 2 + ((y - 98) / 60) ** 2 < 1] = 1
    truth[((x - 82) / 30) ** 2 + ((y - 104) / 27) ** 2 < 1] = 2
    truth[((x - 205) / 36) ** 2 + ((y - 92) / 52) ** 2 < 1] = 3
    return truth


# Shape of the regions, and for each region its colour and its texture.
SAMPLES: dict[str, tuple[Callable[[Floats, Floats], Indices], list[tuple[tuple[float, float, float], Painter]]]] = {
    "quilt": (
        quilt,
        [
            ((0.75, 0.30, 0.25), stripes(30, 9)),
            ((0.25, 0.50, 0.30), clouds(7)),
            ((0.30, 0.35, 0.70), checks(11)),
            ((0.80, 0.70, 0.35), grain()),
        ],
    ),
    "landscape": (
        landscape,
        [
            ((0.55, 0.70, 0.90), clouds(30)),
            ((0.35, 0.38, 0.42), clouds(8)),
            ((0.45, 0.62, 0.25), stripes(75, 7)),
            ((0.15, 0.30, 0.50), stripes(90, 12)),
        ],
    ),
    "cells": (
        cells,
        [
            ((0.88, 0.84, 0.88), clouds(24)),
            ((0.75, 0.50, 0.65), clouds(6)),
            ((0.35, 0.20, 0.50), grain()),
            ((0.45, 0.62, 0.75), checks(8)),
        ],
    ),
}


def draw_sample(name: str) -> tuple[Photo, NDArray[np.uint16]]:
    """Return a sample image (H, W, 3) and its truth, labels from 1."""
    shape, regions = SAMPLES[name]
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(np.float64)
    truth = shape(y, x)
    rng = np.random.default_rng(list(SAMPLES).index(name))
    image = np.zeros((HEIGHT, WIDTH, 3))
    for label, (colour, texture) in enumerate(regions):
        image[truth == label] = (np.array(colour) + texture(y, x, rng)[:, :, None])[truth == label]
    image += rng.normal(0, NOISE, image.shape)
    return np.rint(np.clip(image, 0, 1) * 255).astype(np.uint8), (truth + 1).astype(np.uint16)


def main() -> None:
    """Write every sample and its truth."""
    folder = Path(SAMPLES_FOLDER)
    for name in SAMPLES:
        image, truth = draw_sample(name)
        write_files(
            {folder / f"{name}.png": encode_png(image), folder / f"{name}_truth.png": encode_png(truth)}, overwrite=True
        )


if __name__ == "__main__":
    main()
