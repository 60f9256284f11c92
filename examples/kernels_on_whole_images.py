"""Whole images by the kernels of paper 001, side by side (Ghoshdastidar et al., Jensen-type kernels, Figure 2).

Each image, reduced to at most 60x45 pixels, is cut into 10 clusters as a whole, and neighbouring ones are merged by
normalized cut. The paper shows the best parameter of each kernel; here it is the value whose segments tell colours
apart best (`drawing.best_by_colour`), which needs no truth, among the values that the paper names. It is printed below
the picture. Of the texture, a kernel sees the histogram of grey values around a pixel, as in the paper. As far as
possible, the same tints mark the same things in all pictures of an image.

The paper gives M = V^(1 - lambda) R^lambda with lambda = 0.008 and R = exp(-|p_i - p_j|^2) up to a distance r, but
neither r nor the unit of the positions p. In pixels, which is the default of segjt, JT and n-point linear kernels cut
an image into patches of space, whatever it shows: they fall off so slowly that R decides. In units of the longer side,
and without a limit r, as here, lambda is 60^2 times smaller: JT follows colours as the Gaussian does, and the n-point
linear kernel is poorer, both as the paper says. ``--pixels`` draws the other reading.

Run ``python examples/kernels_on_whole_images.py``, which takes about three minutes; it writes
kernels_on_whole_images.jpg beside itself, or where its argument says. ``--images FOLDER`` (or files) draws your own
images, ``--segments 6`` merges to another number of segments; the texture, an image of that name, has two.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import drawing
import numpy as np
from skimage.data import astronaut, brick, chelsea, coffee, grass, rocket

import segjt
from segjt.datasets import load_sample
from segjt.image import Image, as_image

# The paper's heading, the sign of the parameter, its name in segjt, and the values in the paper's figure.
KERNELS = {
    "gaussian": ("Gaussian kernel", r"$\sigma$", "sigma", (0.02, 0.2, 2.0)),
    "jt2": ("JT-kernel", "q", "q", (0.5, 0.75, 1.0, 1.25)),
    "nlin": ("n-point linear", "n", "n", (6, 8, 10, 12)),
}
TEXTURE = "texture"


def own_images() -> dict[str, np.ndarray]:
    """Return images that come with scikit-image and segjt; the texture is grass beside brick, and is not reduced."""
    photographs = {"coffee": coffee(), "chelsea": chelsea(), "astronaut": astronaut()[:320], "rocket": rocket()}
    texture = np.hstack([grass()[:45, :30], brick()[60:105, 130:160]])
    return photographs | {"landscape": load_sample("landscape")[0], TEXTURE: texture}


def panels_of(name: str, image: Image, segments: int, settings: Mapping[str, Any]) -> list[drawing.Panel]:
    """Return the image and its segments by each kernel; a small image is enlarged."""
    segments = 2 if name == TEXTURE else segments
    factor = max(1, drawing.LONGEST // max(image.shape))
    captions, chosen = [name], []
    for kernel, (_, sign, parameter, values) in KERNELS.items():
        seen = "texture" if name == TEXTURE else "colour"
        shared = {"method": "whole", "kernel": kernel, "features": seen, **settings}
        maps = {value: segjt.segment(image, segments, **shared, **{parameter: value}) for value in values}
        best = drawing.best_by_colour(image, maps)
        captions.append(f"{sign} = {best:g}")
        chosen.append(drawing.enlarged(maps[best], factor))
        print(f"{name}, {kernel}, {parameter} = {best:g}: {maps[best].max()} segments", flush=True)
    large = as_image(drawing.enlarged(image.pixels, factor))
    pictures = [drawing.plain_picture(large), *drawing.tinted(large, chosen)]
    return [drawing.Panel(pixels, caption=caption) for pixels, caption in zip(pictures, captions, strict=True)]


def main(target: Path, images: list[Path], longest: int, segments: int, side: int, pixels: bool) -> None:
    """Draw two images per row."""
    chosen = drawing.chosen_images(images, own_images(), longest)
    in_sides = {"whole_lambda": 0.008 / side**2, "radius": 2.0 * side}
    settings = {"working_size": side} | ({} if pixels else in_sides)
    panels = [panels_of(name, image, segments, settings) for name, image in chosen.items()]
    rows = [[panel for image in panels[i : i + 2] for panel in image] for i in range(0, len(panels), 2)]
    headings = ["Original image", *(heading for heading, *_ in KERNELS.values())] * 2
    rows[0] = [panel._replace(title=title) for panel, title in zip(rows[0], headings, strict=False)]
    drawing.save(drawing.draw_grid(rows), target, quality=75)


if __name__ == "__main__":
    side = {"type": int, "default": 60, "help": "longer side of the reduced images (default: %(default)s)"}
    pixels = {"action": "store_true", "help": "measure positions in pixels, as segjt does by default"}
    main(**vars(drawing.image_options(__file__, segments=4, side=side, pixels=pixels)))
