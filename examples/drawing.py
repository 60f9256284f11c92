"""What the scripts of this folder share: images to draw, grids of pictures, and the files they are saved to."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from skimage.color import label2rgb, rgb2lab
from sklearn.metrics import calinski_harabasz_score

from segjt.image import Image, as_image
from segjt.io import FORMATS, is_image, read_image
from segjt.report.pictures import reduced, sample_positions
from segjt.results.overlay import as_rgb, overlay

Key = TypeVar("Key")

# Of a grid of pictures, in pixels: the space between pictures, and the height of a line of text.
SPACE, LINE = 8, 19
DPI = 100
# Longest side of an image in a grid, unless another is asked for.
LONGEST = 208


class Panel(NamedTuple):
    """A picture of a grid: (H, W, 3) uint8, with a line of text above and one below."""

    pixels: np.ndarray
    title: str = ""
    caption: str = ""


def script_options(script: str, **options: dict) -> argparse.Namespace:
    """Return the options of a script: `target`, the file to write, by default beside the script, and those given."""
    parser = argparse.ArgumentParser()
    default = Path(script).with_suffix(".jpg")
    parser.add_argument("target", type=Path, nargs="?", default=default, help="picture to write (default: %(default)s)")
    for name, settings in options.items():
        parser.add_argument(f"--{name.replace('_', '-')}", **settings)
    return parser.parse_args()


def image_options(script: str, segments: int, **options: dict) -> argparse.Namespace:
    """Return the options of a script that segments images: `images`, `longest`, `segments` and those given."""
    own = {"type": Path, "nargs": "+", "default": [], "metavar": "PATH", "help": "your own images: files or folders"}
    longest = {"type": int, "default": LONGEST, "help": "longest side of the images, in pixels (default: %(default)s)"}
    merged = {"type": int, "default": segments, "help": "number of segments after merging (default: %(default)s)"}
    return script_options(script, images=own, longest=longest, segments=merged, **options)


def chosen_images(paths: Sequence[Path], own: Mapping[str, ArrayLike], longest: int) -> dict[str, Image]:
    """Return the images of files and folders, or `own` if there are none, by name and at most `longest` pixels wide."""
    files = [
        file for path in paths for file in (sorted(filter(is_picture, path.iterdir())) if path.is_dir() else [path])
    ]
    if paths and not files:
        raise SystemExit(f"{', '.join(map(str, paths))}: no images ({FORMATS}); give files, or folders that hold some")
    found = {file.stem: read_image(file) for file in files} or {name: as_image(image) for name, image in own.items()}
    return {name: reduced(image, *sample_positions(image.shape, longest)) for name, image in found.items()}


def is_picture(path: Path) -> bool:
    """Tell whether a file is an image."""
    return path.is_file() and is_image(path.name)


def plain_picture(image: Image) -> np.ndarray:
    """Return an image as it is."""
    return np.rint(255 * as_rgb(image)).astype(np.uint8)


def middle(pixels: np.ndarray, factor: int = 3) -> np.ndarray:
    """Return the middle third of a picture or map, enlarged to its size, so that small segments are visible."""
    height, width = (length // factor for length in pixels.shape[:2])
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    return enlarged(pixels[top : top + height, left : left + width], factor)


def enlarged(pixels: np.ndarray, factor: int) -> np.ndarray:
    """Return a picture or map with each pixel as a square of pixels."""
    return pixels.repeat(factor, 0).repeat(factor, 1)


def middle_mosaic(image: Image, labels: np.ndarray) -> np.ndarray:
    """Return the middle of an image, enlarged, with segments in their mean colours and their boundaries."""
    mosaic = label2rgb(labels, plain_picture(image), kind="avg", bg_label=0)
    return overlay(as_image(middle(mosaic)), middle(labels), opacity=0.0)


def best_by_colour(image: Image, maps: Mapping[Key, np.ndarray]) -> Key:
    """Return the key of the map whose segments tell colours apart best; it needs no truth, so a user can do the same.

    The score is the ratio of the variance of Lab colours between segments to that within them, for the number of
    segments (Calinski and Harabasz); a map of one segment has none.
    """
    colours = rgb2lab(as_rgb(image)).reshape(-1, 3)

    def score(key: Key) -> float:
        labels = maps[key].ravel()
        return calinski_harabasz_score(colours, labels) if labels.max() > labels.min() else 0.0

    return max(maps, key=score)


def match_labels(labels: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Renumber labels so that as many pixels as possible have the label, and so the tint, of the reference."""
    most = max(labels.max(), reference.max())
    common = np.zeros((most, most), int)
    np.add.at(common, (labels - 1, reference - 1), 1)
    return linear_sum_assignment(common, maximize=True)[1][labels - 1] + 1


def tinted(image: Image, maps: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the overlays of segments; as far as possible, the same tints mark the same things as in the first."""
    return [overlay(image, match_labels(labels, maps[0])) for labels in maps]


def draw_grid(rows: Iterable[Sequence[Panel]]) -> Figure:
    """Return a figure with rows of pictures, drawn pixel by pixel, so that lines stay sharp and columns aligned."""
    rows = [list(row) for row in rows]
    widths = [max(row[i].pixels.shape[1] for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    heights = [max(panel.pixels.shape[0] for panel in row) for row in rows]
    above = [LINE * any(panel.title for panel in row) for row in rows]
    below = [LINE * any(panel.caption for panel in row) for row in rows]
    width_and_height = sum(widths) + SPACE * (len(widths) + 1), sum(heights + above + below) + SPACE * (len(rows) + 1)
    total = np.array(width_and_height)
    figure = plt.figure(figsize=total / DPI, dpi=DPI)
    top = SPACE
    for row, height, title, caption in zip(rows, heights, above, below, strict=True):
        left = SPACE
        for panel, width in zip(row, widths, strict=False):
            h, w = panel.pixels.shape[:2]
            x, y = left + (width - w) // 2, total[1] - top - title - h
            axes = figure.add_axes((x / total[0], y / total[1], w / total[0], h / total[1]))
            axes.imshow(panel.pixels, interpolation="nearest")
            axes.set_axis_off()
            middle = (left + width / 2) / total[0]
            figure.text(middle, (y + h + LINE / 2) / total[1], panel.title, ha="center", va="center", fontsize=9)
            figure.text(middle, (y - LINE / 2) / total[1], panel.caption, ha="center", va="center", fontsize=8.5)
            left += width + SPACE
        top += title + height + caption + SPACE
    return figure


def save(figure: Figure, target: Path, dpi: int = DPI, quality: int = 85) -> None:
    """Save a figure, a JPEG with some quality, and say where."""
    figure.savefig(target, dpi=dpi, **({"pil_kwargs": {"quality": quality}} if target.suffix == ".jpg" else {}))
    print(f"wrote {target}")
