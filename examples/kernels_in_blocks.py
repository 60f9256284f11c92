"""Segments by several kernels, side by side (Ghoshdastidar et al., Learning with Jensen-Tsallis kernels, Figure 4).

The method is the paper's: blocks of 16x16 pixels are cut into up to 8 small segments each, which spectral clustering of
the region graph merges. For each image the upper row has the merged segments, and the lower one the small segments in
the middle of the image, in their mean colours. The paper tunes parameters to the truth; here each picture has the
value, printed above it, whose segments tell colours apart best (`drawing.best_by_colour`), which needs no truth. As far
as possible, the same tints mark the same things in a row.

Run ``python examples/kernels_in_blocks.py``, which takes about a minute; it writes kernels_in_blocks.jpg beside itself,
or where its argument says. ``--images FOLDER`` (or files) draws your own images, ``--segments 4`` merges to another
number of segments.
"""

from pathlib import Path

import drawing
from skimage.data import astronaut, coffee

import segjt
from segjt.datasets import load_sample
from segjt.image import Image

# What is tuned of each kernel: the sign of the parameter, its name, and its values.
KERNELS = {
    "gaussian": (r"$\sigma$", "sigma", (0.1, 0.2, 0.5, 1.0)),
    "jt2": ("q", "q", (0.5, 1.0, 1.5, 2.0)),
    "jt3": ("q", "q", (0.5, 1.0, 1.5, 2.0)),
    "expjt2": ("t", "t", (0.1, 1.0, 10.0)),
    "expjt3": ("t", "t", (0.1, 1.0, 10.0)),
    "nlin": ("n", "n", (4, 6, 8, 10)),
}


def rows_of(name: str, image: Image, segments: int) -> tuple[list[drawing.Panel], list[drawing.Panel]]:
    """Return the two rows of an image: merged segments, and the small segments of its middle, by every kernel."""
    picture = drawing.plain_picture(image)
    titles, merged, small = [name], [], [drawing.Panel(drawing.middle(picture), caption="its middle, enlarged")]
    for kernel, (sign, parameter, values) in KERNELS.items():
        settings = {value: {"preset": "paper", "kernel": kernel, parameter: value} for value in values}
        initial = {value: segjt.oversegment(image, **settings[value]) for value in values}
        maps = {value: segjt.merge(image, initial[value], segments, **settings[value]) for value in values}
        best = drawing.best_by_colour(image, maps)
        titles.append(f"{kernel}, {sign} = {best:g}")
        merged.append(maps[best])
        count = f"{initial[best].max()} small segments"
        small.append(drawing.Panel(drawing.middle_mosaic(image, initial[best]), caption=count))
        print(f"{name}, {kernel}, {parameter} = {best:g}: {count}", flush=True)
    pictures = [picture, *drawing.tinted(image, merged)]
    return [drawing.Panel(pixels, title) for pixels, title in zip(pictures, titles, strict=True)], small


def main(target: Path, images: list[Path], longest: int, segments: int) -> None:
    """Draw two rows per image."""
    own = {"coffee": coffee(), "astronaut": astronaut()[:320], "landscape": load_sample("landscape")[0]}
    chosen = drawing.chosen_images(images, own, longest)
    rows = [row for name, image in chosen.items() for row in rows_of(name, image, segments)]
    drawing.save(drawing.draw_grid(rows), target, quality=60)


if __name__ == "__main__":
    main(**vars(drawing.image_options(__file__, segments=6)))
